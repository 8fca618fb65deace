"""Fuzzing, guided by the coverage of the Cython modules: see README.md."""

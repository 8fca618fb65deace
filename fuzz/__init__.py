"""Fuzz the Cython modules, guided by their coverage: see README.md."""

"""Algebra of patches: `invert`, `compact`, `concat` and `effective`.

Each function accepts the same sources as `jelly_rdflib.apply`, and returns an iterator of
operations.
"""

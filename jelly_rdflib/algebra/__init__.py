"""Algebra of patches: `invert`, `compact`, `concat` and `effective`.

Each function takes the sources that `jelly_rdflib.apply` takes, and returns an iterator of
operations.
"""

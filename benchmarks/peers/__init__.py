"""The peers' benchmark: ours beside Jelly-JVM, Apache Jena and Python's own, on the same data.

``python -m benchmarks.peers`` measures, prints tables, and writes ``docs/benchmarks.md`` with its
plots.
"""

"""Compare this package with Jelly-JVM, Apache Jena and Python libraries on the same data.

``python -m benchmarks.peers`` measures, prints tables, and writes ``docs/benchmarks.md`` and its
plots.
"""

"""Patches as things to reckon with: undo one, make it smaller, put several together.

`invert`, `compact`, `concat` and `effective` take what `jelly_rdflib.apply` takes, and give an
iterator of operations. What they need of a stream as a whole they have from `Spool`,
`NetStatements`, `NetPrefixes` and `JoinedHeaders`.
"""

"""Catching changes as they are made.

A `Tap` sees what changes in a store, whichever of rdflib's ways it goes, and tells the journals of
those who record. A journal (`Transactions`) notes it in an `UndoLog`, which can undo a transaction,
and hands operations to a `Sink`, which writes or collects them. A `JellyStore` has a journal of its
own, from which its tap reads the changes when a transaction ends.
"""

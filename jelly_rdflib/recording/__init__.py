"""Recording changes as they are made.

A `Tap` sees all changes in a store, whichever rdflib method makes them, and passes them to the
journals of all recordings. A journal (`Transactions`) notes changes in an `UndoLog`, which can
undo a transaction, and passes operations to a `Sink`, which writes or collects them. A
`JellyStore` has a journal of its own, from which its tap reads the changes when a transaction
ends.
"""

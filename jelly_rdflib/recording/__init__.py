"""Recording changes as they are made.

A `Tap` sees all changes in a store, by whichever rdflib method they are made, and passes them to
the journals of all recordings. A journal (`Transactions`) notes changes in an `UndoLog`, which can
undo a transaction, and passes operations to a `Sink`, which writes or collects them. A `JellyStore`
has a journal of its own; its tap reads the changes there when a transaction ends.
"""

"""How changes get into a store of rdflib, whatever store it is, and out of it again.

`Target` finds the graphs of what a user calls a graph or dataset. `open_changes` chooses between
the general way (`GeneralChanges`: a store's public methods) and the fast way into rdflib's default
store (`MemoryChanges`). Prefixes go their own way (`PrefixChanges`). All note what they change in
one `UndoLog`, which undoes it; what a store has, and how it spells that, says its `View`.
"""

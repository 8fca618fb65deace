"""How changes get into a store of rdflib, whatever store it is.

`Target` finds the graphs of what a user calls a graph or dataset. `open_changes` chooses between
the general way (`GeneralChanges`: a store's public methods), the store's own transactions
(`TransactionalChanges`) and the fast way into rdflib's default store (`MemoryChanges`). Prefixes go
their own way (`PrefixChanges`).
"""

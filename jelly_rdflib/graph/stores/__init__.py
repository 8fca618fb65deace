"""Changes to any rdflib store, and how they are undone.

`Target` finds the graphs of a user's graph or dataset. `choose_changes` chooses between the public
methods of any store (`GeneralChanges`) and the fast way into rdflib's default store
(`MemoryChanges`). `PrefixChanges` changes prefixes. All note their changes in one `UndoLog`, which
undoes them. A `View` shows the contents of a store in the store's spelling. A `Tap` sees all
changes to a store, and passes them to the `Journal` of each recording.
"""

"""Changes to a store of rdflib, whatever store it is, and their undoing.

`Target` finds the graphs of a user's graph or dataset. `choose_changes` chooses between the public
methods of any store (`GeneralChanges`) and the fast way into rdflib's default store
(`MemoryChanges`). `PrefixChanges` changes prefixes. All note their changes in one `UndoLog`, which
undoes them. A `View` shows the contents of a store, and how it spells them. A `Tap` sees the
changes that are made to a store, and tells the `Journal` of each recording.
"""

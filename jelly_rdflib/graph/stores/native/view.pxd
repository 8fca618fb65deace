# The contents of a store, by its own notion of which statements are equal.

cdef class Crowded:
    cdef tuple triple
    # Triples that the store has in the same graph.
    cdef list others


cdef class View(Undoer):
    cdef readonly object store
    # Whether the store has each literal as it was added.
    cdef bint keeps_literals
    # Whether it may have both "x"@en and "x"@EN.
    cdef bint tells_tags_apart
    # The store that lists the graphs, itself or the one that it wraps; and whether it does.
    cdef object lister
    cdef readonly bint is_graph_aware
    # The indexes of a store in memory; else None.
    cdef Spellings spellings
    cdef set all_contexts
    # The names of the graphs that another store lists; None until they are asked for.
    cdef set listed
    # Whether a change was taken back that the store had not rolled back itself.
    cdef public bint has_undone

    cpdef bint has(self, tuple triple, object graph) except -1
    cpdef object addition(self, tuple triple, object graph)
    cpdef bint has_added(self, object statement, object graph) except -1
    cdef bint is_there(self, int change, object statement, object graph) except -1
    cpdef tuple removal(self, tuple triple, object graph)
    cpdef int put_back(self, list triples, object graph) except -1
    cpdef int forget_failed(self) except -1
    cpdef bint lists(self, object graph) except -1
    cpdef int note_listing(self, object graph, bint is_listed) except -1
    cpdef int forget_listed(self) except -1
    cdef set list_graphs(self)
    cdef bint is_empty(self, object graph) except -1
    cdef int undo_listing(self, object graph, bint was_listed) except -1
    cdef object spell(self, tuple triple, object graph)
    cdef tuple triple_of(self, object statement)
    cdef list removals(self, object pattern, object graph)
    cdef list as_stored(self, list changes)
    cdef list stored_forms(self, tuple change)
    cdef object take_snapshot(self)
    cdef list differences(self, object before, object after)
    cdef int check_spellings(self, list found) except -1
    cdef tuple look_up(self, tuple triple, object graph)
    cdef tuple key_of(self, tuple change)


cdef bint is_answer(object asked, object found) except -1
cdef object get_name(object graph)

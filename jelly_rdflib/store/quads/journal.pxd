# The changes of a store in order, read from its journal.

@cython.final
@cython.no_gc_clear
cdef class StoreJournal:
    cdef readonly uint64_t added, deleted
    cdef QuadStore store
    cdef object default_graph, refused, refuse
    cdef bint is_one
    cdef RowBatch batch

    cpdef close(self)
    cpdef Batch read(self)
    cdef Batch read_changes(self)
    cpdef skip(self)
    cdef int skip_changes(self) except -1
    cpdef commit(self)
    cpdef undo(self, bint of_all_graphs)

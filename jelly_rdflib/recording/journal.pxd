"""What happens in a transaction of a recording: it is written down, and can be undone."""

from jelly_rdflib.stores.undoing cimport UndoLog, Undoer


cdef class Journal(Undoer):
    cdef public object failure
    cdef public Py_ssize_t added
    cdef public Py_ssize_t deleted
    cdef readonly UndoLog log
    cdef object tap
    cdef public bint is_open
    cdef object sink
    cdef object write_one
    cdef bint is_atomic
    # Whether all of the store's graphs are recorded, or only one, and the name of that; if all, of
    # the default graph.
    cdef bint is_dataset
    cdef bint has_one_graph
    cdef object name
    # Graph terms by the names of graphs.
    cdef dict terms
    # The graph that was changed last, whether it is recorded, and its graph term.
    cdef object graph
    cdef bint is_recorded
    cdef object g

    cdef int expect(self, list changes) except -1
    cdef int expect_listing(self, object graph, bint is_listed) except -1
    cdef int tell(self, list changes) except -1
    cdef int turn_to(self, object graph) except -1
    cdef object find_term(self, object name)

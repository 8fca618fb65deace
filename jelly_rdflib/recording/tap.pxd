"""Seeing each change that takes effect in a store, whichever graph and method it comes by."""

from jelly_rdflib.stores.view cimport View


cdef class Tap:
    cdef readonly object lock
    cdef object store
    cdef bint is_graph_aware
    cdef bint is_endpoint
    cdef bint adds_one_by_one
    cdef readonly View view
    cdef list journals
    # The changes that are being made right now, the innermost first: lists, or sets of their keys.
    cdef list pending
    # How many of the store's methods that make changes are being called, one by another.
    cdef Py_ssize_t depth
    # Whether the replaced methods tell nothing.
    cdef bint is_quiet
    # The graph that was added to last, which needs no second look.
    cdef object added_to
    # The store's methods by their names, and what it had itself in place of its class's.
    cdef dict methods
    cdef dict own
    cdef object add_to_store
    cdef object remove_from_store

    cdef list names_of_methods(self)
    cdef object add_all(self, object quads)
    cdef int check(self) except -1
    cdef int look_at(self, object graph, bint is_quoted) except -1
    cdef int expect(self, list changes) except -1
    cdef int expect_listing(self, object graph, bint is_listed) except -1
    cdef int tell(self, list changes) except -1
    cdef object change(self, list changes, object method, tuple arguments)
    cdef int forget_listed(self) except -1
    cdef set list_graphs(self)
    cdef list removals(self, object pattern, object graph)
    cdef int tell_differences(self, object before, set listed) except -1
    cdef list without_pending(self, list changes)
    cdef int call_quietly(self, str name, tuple arguments) except -1

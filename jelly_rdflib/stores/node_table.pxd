"""Each distinct node of an apply once, with its hash and the places where a store keeps it."""

from cpython.object cimport PyObject

cdef enum NodeKind:
    OTHER = 0
    IDENTIFIED = 1
    LITERAL = 2


cdef class NodeEntry:
    cdef object node
    cdef Py_hash_t hash
    cdef NodeKind kind
    # Nothing that the node refers to can refer to anything: it takes no part in cycles.
    cdef bint is_plain
    # Whether others that are equal for rdflib may be spelled in another way.
    cdef bint has_spellings
    # What the store's three indexes have for the node; None until asked for.
    cdef dict predicates
    cdef dict objects
    cdef dict subjects
    # What the user of the table keeps for the node as a graph.
    cdef object graph


ctypedef struct RecentNode:
    PyObject* node
    PyObject* entry


cdef class NodeTable:
    cdef PyObject** slots
    cdef size_t mask
    cdef list entries
    cdef RecentNode* recent
    # Whether as many nodes as one likes may have the same hash.
    cdef bint is_lenient
    cdef NodeEntry find(self, object node)
    cdef NodeEntry find_or_make(self, object node)
    cdef int grow(self) except -1
    cdef list entries_of_hash_0(self)
    cdef void clear_recent(self) noexcept


cdef bint is_same(object one, object other) except -1
cdef Py_hash_t hash_node(object node) except -1
cdef Py_hash_t hash_of_triple(tuple triple) except -1
cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1

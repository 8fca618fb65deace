# Each distinct node of an apply once, with its hash and the places where a store keeps it.

cdef enum NodeKind:
    OTHER = 0
    IDENTIFIED = 1
    LITERAL = 2


cdef class NodeEntry:
    cdef object node
    cdef Py_hash_t hash
    cdef NodeKind kind
    # Nothing that the node refers to can refer to anything: it takes no part in cycles.
    cdef bint is_leaf
    # Whether others that are equal for rdflib may be spelled in another way.
    cdef bint has_spellings
    # Whether it is a string, `"x"` or `"x"^^xsd:string`; and its other spelling with the hash of
    # that, None until it is asked for.
    cdef bint is_string
    cdef object respelled
    cdef Py_hash_t respelled_hash
    # The entries of the store's three indexes for the node; None until they are looked up.
    cdef dict predicates
    cdef dict objects
    cdef dict subjects
    # Data that the user of the table keeps for the node as a graph.
    cdef object graph


cdef class NodeTable:
    cdef NodeNumbers numbers
    cdef list entries  # by number; none of number 0
    cdef bint is_lenient  # any number of nodes may have the same hash
    cdef Py_ssize_t max_entries
    cdef int start(self, list entries) except -1
    cdef NodeEntry find(self, object node)
    cdef NodeEntry make_entry(self, Py_ssize_t number)
    cdef list entries_of_hash_0(self)


cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1

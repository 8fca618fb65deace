# The distinct nodes of one `apply`, each with its hash and its entries in a store's indexes.

cdef enum NodeKind:
    OTHER = 0
    IDENTIFIED = 1
    LITERAL = 2


cdef class NodeEntry:
    cdef object node
    cdef Py_hash_t hash
    cdef NodeKind kind
    # Whether the node can't be part of a reference cycle, since its attributes refer to nothing.
    cdef bint is_leaf
    # Whether differently spelled nodes may be equal to it according to rdflib.
    cdef bint has_spellings
    # Whether the node is a string, `"x"` or `"x"^^xsd:string`. If so, the node in the other of
    # these spellings, which is None until it is needed, and that node's hash.
    cdef bint is_string
    cdef object respelled
    cdef Py_hash_t respelled_hash
    # The entries of the store's three indexes for the node; None until they are looked up.
    cdef dict predicates
    cdef dict objects
    cdef dict subjects
    # Data that the user of the table keeps about the graph that the node names.
    cdef object graph


cdef class NodeTable:
    cdef NodeNumbers numbers
    cdef list entries  # by number; number 0 has no entry
    cdef bint is_lenient  # whether any number of nodes may share a hash
    cdef Py_ssize_t max_entries
    cdef int start(self, list entries) except -1
    cdef NodeEntry find(self, object node)
    cdef NodeEntry make_entry(self, Py_ssize_t number)
    cdef list entries_of_hash_0(self)


cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1

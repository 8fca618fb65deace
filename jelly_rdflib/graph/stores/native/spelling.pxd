# How rdflib's stores in memory spell a statement: each of their indexes by itself.

cdef class Spelled:
    # As the index of its subject has it.
    cdef tuple triple
    # rdflib's key for the graph.
    cdef str key
    # As the set of the graph has it, that of all graphs, and the dict of the graphs of each triple;
    # None where it is not.
    cdef tuple in_graph
    cdef tuple in_union
    cdef tuple in_contexts


cdef class Spellings:
    cdef dict spo
    cdef dict context_triples
    cdef dict triple_contexts

    cdef object spell(self, tuple triple, object name)
    cdef int respell(self, Spelled spelled) except -1


cdef bint is_plain(object node) except -1
cdef object find_key(dict nodes, object node, Py_hash_t hash)
cdef tuple find_triple(object triples, tuple triple, Py_hash_t hash)
cdef Spelled make_spelled(tuple triple, str key, tuple in_graph, tuple in_union, tuple in_contexts)
cdef tuple triple_of(object statement)
cdef str make_key(object name)
cdef Spellings open_spellings(object store)

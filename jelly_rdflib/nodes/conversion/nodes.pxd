# Makes nodes from the terms of a batch, or of a store.

ctypedef struct CachedNode:
    uint64_t hash
    PyObject* node
    # The term's UTF-8 text, as a bytes object, if the node's text differs, since the literal was
    # normalized; else NULL.
    PyObject* source


@cython.final
cdef class NodeFactory(NodeMaker):
    cdef NodeTypes types
    # Passed to the literal class: True, False, or None for its own default.
    cdef readonly object normalize
    cdef bint keeps_directions  # base directions, which rdflib's literals can't have
    # Limits for the literals of one table. The literal class makes a tree for each XML literal. It
    # makes several objects for a duration, so a duration counts as two terms.
    cdef size_t max_xml_tags, max_terms
    cdef CachedNode* cache
    cdef size_t cache_size

    cdef CachedNode* place_in_cache(self, uint64_t hash) except NULL
    cdef int grow_cache(self) except -1
    cdef int check_values(
        self, const TermColumns* terms, size_t xml_tags, size_t durations
    ) except -1
    cdef object make_node(self, int kind, Span text, object extra)
    cdef object make_literal(self, int kind, str text, object extra)
    cdef object make_recognized(self, str text, object datatype)

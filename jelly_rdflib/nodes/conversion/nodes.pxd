# Makes nodes of the terms of a batch, or of a store.

ctypedef struct CachedNode:
    uint64_t hash
    PyObject* node
    # The UTF-8 text of the term, as a bytes object, if the node has another text (a normalized
    # literal); else NULL.
    PyObject* source


@cython.final
cdef class NodeFactory(NodeMaker):
    cdef NodeTypes types
    # Passed to the literal class: True, False, or None for its own default.
    cdef readonly object normalize
    cdef bint keeps_directions  # which no class of literals has
    # Of a table. The literal class makes a tree of each XML literal, and several objects of a
    # duration, which counts as two terms.
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

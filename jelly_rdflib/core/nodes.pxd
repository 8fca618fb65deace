"""Makes nodes (rdflib's terms) of the terms of a batch."""

from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from jelly_rdflib.core.node_maker cimport NodeMaker
from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.terms cimport TermColumns


ctypedef struct CachedNode:
    uint64_t hash
    PyObject* node
    # The UTF-8 text the node was made from, as a bytes object where the node may read otherwise
    # (a normalized literal), else NULL.
    PyObject* source


cdef class NodeFactory(NodeMaker):
    cdef NodeTypes types
    cdef object normalize
    cdef size_t max_xml_tags
    cdef size_t max_terms
    cdef CachedNode* cache
    cdef int check_values(
        self, const TermColumns* terms, size_t xml_tags, size_t durations
    ) except -1
    cdef object make_node(self, const TermColumns* terms, uint32_t term, list nodes)
    cdef object make_literal(self, const TermColumns* terms, uint32_t term, list nodes)
    cdef object subclass_text(self, object cls, str text)

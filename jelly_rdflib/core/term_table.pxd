"""The distinct terms of a batch as Python sees them."""

from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.terms cimport TermColumns


cdef class TermTable:
    cdef TermColumns columns
    cdef NodeFactory factory
    cdef list nodes
    cdef list make_nodes(self)
    cdef int check_made(self) except -1
    cdef object export(self, void* start, size_t items, size_t item_size)

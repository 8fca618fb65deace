"""A term of a batch, as its number, where a stream remembers nodes."""

from libc.stdint cimport uint32_t

from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.term_table cimport TermTable


cdef class NumberedTerm:
    cdef TermTable table
    cdef uint32_t number
    cdef NodeFactory factory
    cdef object node(self)


cdef NumberedTerm numbered_term(TermTable table, uint32_t number, NodeFactory factory)

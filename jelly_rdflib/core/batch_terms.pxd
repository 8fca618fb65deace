"""The terms of a batch, put into rows by their numbers."""

from libc.stdint cimport uint32_t, uint64_t

from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.numbered_term cimport NumberedTerm
from jelly_rdflib.core.term_encoder cimport FoundIri, TermEncoder, TermFields, Text
from jelly_rdflib.core.term_table cimport TermTable
from jelly_rdflib.core.terms cimport TermColumns

cdef enum:
    # Stands for the default graph, whether the batch has a term, an IRI or nothing for it.
    DEFAULT_NUMBER = 0xFFFFFFFF
    # Stands for a last term that is from before the batch.
    BEFORE = 0xFFFFFFFE


ctypedef struct FoundTerm:
    # Where a term was found last in the stream's lookups.
    FoundIri iri
    uint64_t datatype_serial
    uint32_t datatype  # 0: nowhere yet


cdef class BatchTerms:
    cdef NodeTypes types
    cdef TermEncoder encoder
    cdef NodeFactory factory
    cdef TermTable table  # None outside a batch
    cdef const TermColumns* terms
    cdef FoundTerm* found
    cdef size_t capacity  # of `found`
    cdef list last  # of the stream, as nodes or numbered terms: as it was before the batch
    cdef uint32_t[4] last_numbers
    cdef uint32_t any_graph  # the number that `graph` stands for
    cdef uint32_t graph

    cdef int start(self, TermTable table, list last) except -1
    cdef int end(self) except -1
    cdef object node(self, uint32_t number)
    cdef NumberedTerm numbered(self, uint32_t number)
    cdef bint is_default_graph(self, uint32_t number) except -1
    cdef bint is_last_before(self, uint32_t number, int position) except -1
    cdef int text_of(self, uint32_t number, Text* text) except -1
    cdef bint is_last(self, uint32_t number, int position) except -1
    cdef int put_statement(self, const uint32_t* numbers, int positions) except -1
    cdef int put_term(self, uint32_t number, const TermFields* fields, int position) except -1
    cdef int put_iri(self, uint32_t field, uint32_t number) except -1
    cdef int put_other(self, uint32_t number, const TermFields* fields, int position) except -1
    cdef int put_literal(self, uint32_t field, uint32_t number) except -1
    cdef uint32_t find_datatype(self, uint32_t number) except 0
    cdef int put_triple_term(self, uint32_t field, uint32_t number) except -1
    cdef int put_string(self, uint32_t field, uint32_t number) except -1


cdef inline uint32_t graph_number(BatchTerms terms, uint32_t number) except? 0xFFFFFFFE:
    """Return the one number of a graph, whatever the batch has for the default graph."""
    if number != terms.any_graph:
        terms.graph = DEFAULT_NUMBER if terms.is_default_graph(number) else number
        terms.any_graph = number
    return terms.graph

"""Terms as N-Triples text: one spelling for each term, and the way back."""

from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.term_table cimport TermTable
from jelly_rdflib.core.terms cimport TermColumns
from jelly_rdflib.core.text_decoder cimport TextDecoder
from jelly_rdflib.core.text_encoder cimport WrittenTerm
from jelly_rdflib.core.write_buffer cimport WriteBuffer


cdef class TermTexts:
    cdef TermTable table  # keeps `terms` alive
    cdef const TermColumns* terms
    cdef WriteBuffer out
    cdef WrittenTerm* places
    cdef size_t capacity  # of `places`
    cdef size_t max_size

    cdef int start(self, TermTable table) except -1
    cdef int start_columns(self, const TermColumns* terms) except -1
    cdef WrittenTerm* find(self, uint32_t term) except NULL
    cdef int put(self, uint32_t term) except -1
    cdef int keep(self, uint32_t term, size_t start) except -1
    cdef int put_triple(self, uint32_t term) except -1


cdef class TermParser:
    cdef TextDecoder decoder
    cdef WriteBuffer scratch

    cdef int start(self) except -1
    cdef uint32_t parse(self, const uint8_t* text, size_t size) except 0
    cdef object error(self, const uint8_t* text, size_t size, str reason)

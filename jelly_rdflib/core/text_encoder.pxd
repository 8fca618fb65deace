"""Encodes operations as RDF Patch text."""

from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.output cimport Output
from jelly_rdflib.core.term_texts cimport TermTexts
from jelly_rdflib.core.terms cimport TermColumns
from jelly_rdflib.core.write_buffer cimport WriteBuffer


cdef class TextPatchEncoder(Output):
    cdef bytes default_graph
    cdef WriteBuffer out  # whole rows, and the one that is being written
    cdef size_t row_start
    cdef int depth  # of quoted triples in the current row
    cdef bint is_end_due  # a patch ended, but its Z is not written: that depends on what follows
    cdef bint has_end  # a Z was written
    cdef bint patch_is_empty  # no row since the last Z, or the start
    # The batch that is being written.
    cdef TermTexts texts
    cdef const TermColumns* terms
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    cdef int put_row(self, Batch batch, size_t row) except -1
    cdef int start_row(self) except -1
    cdef int end_row(self) except -1
    cdef int end_patch(self) except -1
    cdef int emit(self) except -1
    cdef int put(self, const char* text, size_t size) except -1
    cdef int put_mark(self, int op) except -1
    cdef int put_key(self, uint32_t term) except -1
    cdef int put_prefix(self, int op, uint32_t name, uint32_t iri, uint32_t graph) except -1
    cdef int put_term(self, uint32_t term) except -1
    cdef int put_triple(self, uint32_t term) except -1
    cdef int check_depth(self) except -1
    cdef int put_graph(self, uint32_t term) except -1
    cdef int put_string(self, uint32_t term) except -1

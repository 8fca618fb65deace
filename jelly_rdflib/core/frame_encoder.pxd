"""Encodes rows to frames of either format: what Jelly-RDF and Jelly-Patch share of a stream."""

from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.batch_terms cimport BatchTerms
from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.output cimport Output
from jelly_rdflib.core.term_encoder cimport TermEncoder

cdef enum:
    # The row of the options, in both formats.
    OPTIONS_ROW = 1


cdef class FrameEncoder(Output):
    cdef readonly object options
    cdef NodeTypes types
    cdef TermEncoder terms
    cdef bint has_graphs
    cdef size_t frame_rows
    cdef size_t frame_bytes
    cdef bint is_delimited
    cdef bint is_cut  # frames are closed when they are full
    cdef size_t frames
    cdef bint is_in_frame  # a frame is being made for a caller who takes it
    cdef list last  # the last s, p, o and g: nodes, or numbered terms of a batch
    cdef BatchTerms batch_terms

    cdef int put_options(self, list texts, list numbers) except -1
    cdef int check_free(self) except -1
    cdef int begin_frame(self) except -1
    cdef int put_mark(self, uint32_t field) except -1
    cdef int put_row(
        self, uint32_t field, object s, object p, object o, object g, const uint32_t* numbers=*
    ) except -1
    cdef int put_content(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_numbers(self, uint32_t field, const uint32_t* numbers) except -1
    cdef int put_new_term(self, object term, int position) except -1
    cdef int put_batch(self, Batch batch) except -1
    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1
    cdef int put_batch_namespace(self, uint32_t field, uint32_t* numbers) except -1
    cdef uint32_t checked_graph_number(self, uint32_t number) except? 0xFFFFFFFE
    cdef int put_namespace(self, uint32_t field, object name, object iri, object graph) except -1
    cdef int check_namespace(self, object name, object iri) except -1
    cdef object checked_graph(self, object graph)
    cdef bytes take_frame(self)
    cdef int emit(self) except -1


cdef inline int close_full_frame(FrameEncoder encoder) except -1:
    if encoder.is_cut and (
        encoder.terms.rows >= encoder.frame_rows
        or encoder.terms.frame.size >= encoder.frame_bytes
    ):
        encoder.emit()
    return 0

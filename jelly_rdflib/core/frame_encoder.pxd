"""Encodes rows to frames of either format: what Jelly-RDF and Jelly-Patch share of a stream."""

from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.output cimport Output
from jelly_rdflib.core.term_encoder cimport TermEncoder

cdef enum:
    # The row of the options, in both formats.
    OPTIONS_ROW = 1


cdef class FrameEncoder(Output):
    cdef TermEncoder terms
    cdef bint has_graphs
    cdef size_t frame_rows
    cdef size_t frame_bytes
    cdef bint is_delimited
    cdef bint is_cut  # frames are closed when they are full
    cdef size_t frames
    cdef bint is_in_frame  # a frame is being made for a caller who takes it

    cdef int put_options(self, list texts, list numbers) except -1
    cdef int begin_frame(self) except -1
    cdef int put_mark(self, uint32_t field) except -1
    cdef int put_row(self, uint32_t field, const uint32_t* numbers) except -1
    cdef int try_row(self, uint32_t field, const uint32_t* numbers) except -1
    cdef int put_terms(self, uint32_t field, const uint32_t* numbers) except -1
    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1
    cdef uint32_t checked_graph(self, uint32_t number) except? 0xFFFFFFFE
    cdef bytes take_frame(self)
    cdef int emit(self) except -1


cdef inline int close_full_frame(FrameEncoder encoder) except -1:
    if encoder.is_cut and (
        encoder.terms.rows >= encoder.frame_rows
        or encoder.terms.frame.size >= encoder.frame_bytes
    ):
        encoder.emit()
    return 0

"""Iterates over the batches, the operations and the statements of a stream."""

cimport cython

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.frame_decoder cimport FrameDecoder
from jelly_rdflib.core.frame_reader cimport FrameReader


cdef class BatchSource:
    cdef bint is_finished
    cdef bint is_reading

    cdef Batch next_batch(self)
    cpdef int place_error(self, error) except -1

    # What a kind of stream has of its own.
    cdef Batch read_batch(self)
    cdef int close_source(self) except -1


@cython.final
cdef class BatchReader(BatchSource):
    cdef FrameReader frames
    cdef FrameDecoder decoder
    cdef FrameDecoder statement_decoder  # None once it is clear which decoder is right
    cdef FrameDecoder other_decoder

    cdef int choose_decoder(self) except -1

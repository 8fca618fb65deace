"""Encodes statements to the frames of a Jelly-RDF stream."""

from libc.stdint cimport uint32_t

from jelly_rdflib.core.frame_encoder cimport FrameEncoder
from jelly_rdflib.core.term_encoder cimport LastIri


cdef class StatementFrameEncoder(FrameEncoder):
    cdef int physical_type
    cdef bint is_grouped  # each frame is an element of the stream
    cdef readonly bint has_namespaces
    cdef bint has_content  # something other than entries was put into the frame
    # Where the frame started, so that a graph that failed can be taken back.
    cdef list start_last
    cdef LastIri start_iri
    cdef bint graph_is_open  # in a GRAPHS stream: it is the last statement's

    cdef int put_statement(self, const uint32_t* numbers) except -1
    cdef int put_in_graph(self, const uint32_t* numbers) except -1
    cdef int end_content(self) except -1
    cdef int close_graph(self) except -1
    cdef int take_back(self) except -1
    cdef int put_end_of_frame(self, list entries) except -1
    cdef int remove(self, size_t start, size_t end) except -1

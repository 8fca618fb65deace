"""Encodes statements to the frames of a Jelly-RDF stream."""

from jelly_rdflib.core.frame_encoder cimport FrameEncoder


cdef class StatementFrameEncoder(FrameEncoder):
    cdef int physical_type
    cdef bint is_grouped  # each frame is an element of the stream
    cdef bint has_namespaces
    cdef bint has_content  # something other than entries was put into the frame
    cdef object graph  # the graph that is open in a GRAPHS stream; None if there is none

    cdef int put_statement(self, object s, object p, object o, object g) except -1
    cdef int put_in_graph(self, object s, object p, object o, object g) except -1
    cdef int close_graph(self) except -1
    cdef int put_end_of_frame(self, object metadata) except -1
    cdef int remove(self, size_t start, size_t end) except -1

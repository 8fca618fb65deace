"""Encodes rows to frames of either format: what Jelly-RDF and Jelly-Patch share of a stream."""

from libc.stdint cimport uint32_t

from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.term_encoder cimport TermEncoder, TermFields

cdef enum:
    # The row of the options, in both formats.
    OPTIONS_ROW = 1

cdef enum:
    # Positions of terms in a statement.
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3


cdef class FrameEncoder:
    cdef readonly object options
    cdef NodeTypes types
    cdef TermEncoder terms
    cdef object sink  # called with the bytes of each frame; None: frames are taken by the caller
    cdef bint has_graphs
    cdef size_t frame_rows
    cdef size_t frame_bytes
    cdef bint is_delimited
    cdef bint is_cut  # frames are closed when they are full
    cdef size_t frames
    cdef bint is_broken  # a frame was lost
    cdef bint is_finished  # nothing may follow
    cdef list last  # the last s, p, o and g

    cdef int put_options(self, list texts, list numbers) except -1
    cdef int check_initialized(self) except -1
    cdef int check_usable(self) except -1
    cdef int close_full_frame(self) except -1
    cdef int put_mark(self, uint32_t field) except -1
    cdef int put_row(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_content(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_new_term(self, object term, int position) except -1
    cdef int put_namespace(self, uint32_t field, object name, object iri, object graph) except -1
    cdef object checked_graph(self, object graph)
    cdef bytes take_frame(self)
    cdef int emit(self) except -1

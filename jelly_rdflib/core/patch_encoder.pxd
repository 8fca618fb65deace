"""Encodes operations to the frames of a Jelly-Patch stream."""

from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.term_encoder cimport TermEncoder, TermFields
from libc.stdint cimport uint32_t


cdef class PatchFrameEncoder:
    cdef readonly object options
    cdef NodeTypes types
    cdef TermEncoder terms
    cdef object sink  # called with the bytes of each frame; None: frames are taken by the caller
    cdef int stream_type
    cdef bint has_graphs
    cdef size_t frame_rows
    cdef size_t frame_bytes
    cdef bint is_delimited
    cdef bint is_cut  # frames are closed when they are full
    cdef size_t frames
    cdef readonly bint in_transaction
    cdef bint patch_is_open  # operations came since the last end of a patch
    cdef bint is_broken  # a frame was lost
    cdef bint is_finished  # no operation may follow
    cdef list last  # the last s, p, o and g

    cdef int put_options(self) except -1
    cdef int check_initialized(self) except -1
    cdef int start_operation(self) except -1
    cdef int end_operation(self) except -1
    cdef int put_mark(self, uint32_t field) except -1
    cdef int end_transaction(self, uint32_t field) except -1
    cdef int put_statement(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_namespace(self, uint32_t field, object name, object iri, object graph) except -1
    cdef int put_row(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_content(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_new_term(self, object term, int position) except -1
    cdef int put_graph(self, object graph, const TermFields* fields) except -1
    cdef object checked_graph(self, object graph)
    cdef bytes take_frame(self)
    cdef int emit(self) except -1

"""Encodes operations to the frames of a Jelly-Patch stream."""

from libc.stdint cimport uint32_t

from jelly_rdflib.core.frame_encoder cimport FrameEncoder
from jelly_rdflib.core.term_encoder cimport TermFields


cdef class PatchFrameEncoder(FrameEncoder):
    cdef int stream_type
    cdef readonly bint in_transaction
    cdef bint patch_is_open  # operations came since the last end of a patch

    cdef int start_operation(self) except -1
    cdef int end_operation(self) except -1
    cdef int end_transaction(self, uint32_t field) except -1
    cdef int put_statement(self, uint32_t field, object s, object p, object o, object g) except -1
    cdef int put_prefix(self, uint32_t field, object name, object iri, object graph) except -1
    cdef int write_bare(self, int op) except -1
    cdef int put_graph(self, object graph, const TermFields* fields) except -1

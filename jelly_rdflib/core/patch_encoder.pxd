"""Encodes operations to the frames of a Jelly-Patch stream."""

from libc.stdint cimport uint32_t

from jelly_rdflib.core.frame_encoder cimport FrameEncoder


cdef class PatchFrameEncoder(FrameEncoder):
    cdef int stream_type
    cdef bint patch_is_open  # operations came since the last end of a patch

    cdef int start_operation(self) except -1
    cdef int end_operation(self) except -1
    cdef int put_transaction(self, int op) except -1
    cdef int end_patch(self) except -1

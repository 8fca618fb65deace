"""Cuts a stream of bytes into frames."""

from libc.stdint cimport uint8_t, uint64_t


cdef class FrameReader:
    cdef object source  # a ByteSource, or None where all bytes are in memory
    cdef Py_buffer view
    cdef bint has_view
    cdef uint8_t* memory  # what was read from the source but not yet consumed, and more room
    cdef size_t capacity
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef bint is_at_end
    cdef bint is_started
    cdef bint is_delimited
    cdef size_t max_frame_size
    cdef uint64_t position  # offset of `begin` in the input
    cdef uint64_t frame_number
    # The frame that was found; good until the next call.
    cdef const uint8_t* frame
    cdef size_t frame_size
    cdef uint64_t frame_offset

    cdef bint next_frame(self) except -1
    cdef void release(self) noexcept
    cdef int start(self) except -1
    cdef bint next_delimited(self) except -1
    cdef bint next_bare(self) except -1
    cdef bint fill(self, size_t size) except -1
    cdef int read_more(self) except -1
    cdef int take(self, size_t size) except -1
    cdef object limit_error(self, object size)

# Cuts a stream of bytes into frames.

cdef class FrameReader(InputBuffer):
    cdef bint is_started
    cdef bint is_delimited
    cdef size_t max_frame_size
    cdef uint64_t frame_number
    # The frame that was found; good until the next call.
    cdef const uint8_t* frame
    cdef size_t frame_size
    cdef uint64_t frame_offset

    cdef bint next_frame(self) except -1
    cdef int start(self) except -1
    cdef bint next_delimited(self) except -1
    cdef bint next_bare(self) except -1
    cdef object limit_error(self, object size)

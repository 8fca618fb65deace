# The bytes of a source that were read and not yet consumed.

cdef enum:
    # How many bytes may be read behind `InputBuffer.end`, whatever they are.
    PADDING = 64


cdef class InputBuffer:
    cdef object source  # a ByteSource, or None where all bytes are in memory
    cdef Py_buffer view
    cdef bint has_view
    cdef uint8_t* memory  # what was read from the source but not yet consumed, and more room
    cdef size_t capacity
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef bint is_at_end
    cdef bint is_reading
    cdef uint64_t position  # offset of `begin` in the input

    cdef void release(self) noexcept
    cdef bint fill(self, size_t size) except -1
    cdef int skip_byte_order_mark(self) except -1
    cdef int read_more(self, size_t wanted=*) except -1
    cdef int keep_tail(self) except -1
    cdef int make_room(self, size_t size) except -1
    cdef void take(self, size_t size) noexcept

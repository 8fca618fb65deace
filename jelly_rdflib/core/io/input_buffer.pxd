# The bytes of a source that were read, but not yet consumed.

cdef enum:
    # How many bytes after `InputBuffer.end` may be read; their values are arbitrary.
    PADDING = 64


cdef class InputBuffer:
    cdef object source  # a ByteSource; None if all bytes are in memory
    cdef Py_buffer view
    cdef bint has_view
    cdef uint8_t* memory  # the bytes that were read, but not yet consumed, and spare room
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

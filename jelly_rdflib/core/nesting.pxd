from libc.stdint cimport uint8_t, uint64_t

cdef enum:
    # The longest words that are to be known: "@prefix", and "parseType".
    WORD_SIZE = 12


cdef class NestingWatch:
    cdef bint is_ready
    cdef int state
    cdef uint8_t quote
    cdef readonly size_t depth
    cdef size_t limit
    cdef uint64_t max_held
    cdef size_t position  # of the next piece

    cdef int look_through(self, const uint8_t* text, size_t size) except -1
    cdef size_t find_token(self) noexcept
    cdef int enter(self, size_t at) except -1
    cdef void leave(self) noexcept
    cdef int check_held(self, uint64_t held, size_t at) except -1

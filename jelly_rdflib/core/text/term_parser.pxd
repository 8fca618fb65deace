# Parses a string that is one term in N-Triples.

cdef class TermParser:
    cdef TextDecoder decoder
    cdef WriteBuffer scratch

    cdef int start(self) except -1
    cdef uint32_t parse(self, const uint8_t* text, size_t size) except 0
    cdef object error(self, const uint8_t* text, size_t size, str reason)

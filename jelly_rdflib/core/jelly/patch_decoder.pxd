# Decodes the frames of a Jelly-Patch stream to batches.

@cython.final
cdef class PatchFrameDecoder(FrameDecoder):
    cdef bint in_transaction
    cdef bint patch_is_open  # operations came since the last end of a patch

    cdef int decode_namespace(self, uint8_t op, Span message) noexcept nogil
    cdef int read_header(self, Span message, Span* key, EncodedTerm* value) noexcept nogil
    cdef int decode_header(self, Span message) noexcept nogil
    cdef int decode_transaction(self, uint8_t op, Span message) noexcept nogil
    cdef int decode_punctuation(self, Span message) noexcept nogil

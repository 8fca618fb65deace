# Builds batches from terms and operations that another library has parsed.

@cython.final
cdef class BatchBuilder:
    cdef NodeMaker factory
    cdef RowColumns rows
    cdef TermColumns terms
    cdef Failure failure
    cdef uint64_t seed  # the seed of hashes
    cdef size_t max_string_size
    cdef size_t max_text_size
    cdef uint64_t given  # bytes of text given for the batch, repeated terms included

    cdef int start_batch(self) except -1
    cdef int64_t intern(self, TermKind kind, str text, uint32_t extra) except -1
    cdef int64_t check(self, int64_t number) except -1
    cdef int append(self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1
    cdef int add(self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1
    cdef int check_numbers(self, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1

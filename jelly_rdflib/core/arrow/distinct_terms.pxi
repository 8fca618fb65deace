"""Gives numbers to the distinct terms in rows of several batches."""

cdef enum:
    # The initial capacity of the table.
    FIRST_TERMS = 64
    FIRST_TEXT = 1 << 11


@cython.final
cdef class DistinctTerms:
    """A table of terms, to which terms of batches are copied when they are first looked up."""

    cdef TermColumns terms
    cdef TermTable table  # the table of the current batch
    cdef uint32_t* numbers  # by number in `table`: the number of the copy, or 0
    cdef uint32_t count  # the length of `numbers`

    def __cinit__(self):
        if terms_init(&self.terms, FIRST_TERMS, FIRST_TEXT, MAX_TABLE_TEXT) < 0:
            raise MemoryError

    def __dealloc__(self):
        terms_free(&self.terms)
        PyMem_RawFree(self.numbers)

    cdef int start(self, TermTable table) except -1:
        """Prepare to look up the terms of another batch."""
        cdef uint32_t count = table.columns.count
        if self.table is table and self.count == count:
            return 0
        self.table = None
        if resize(<void**>&self.numbers, count * sizeof(uint32_t)) < 0:
            raise MemoryError
        memset(self.numbers, 0, count * sizeof(uint32_t))
        self.count = count
        self.table = table
        return 0

    cdef inline uint32_t find(self, uint32_t term) except 0:
        """Return the number of the copy of a term of the batch; ``term`` must not be 0."""
        cdef Failure failure
        if self.numbers[term] == 0 and terms_copy_once(
            &self.terms, &self.table.columns, term, NULL, self.numbers, &failure
        ) < 0:
            raise failure_to_error(&failure, None, None, None)
        return self.numbers[term]

    cdef void clear(self) noexcept:
        """Forget all terms; terms of the current batch get new numbers."""
        terms_clear(&self.terms)
        if self.numbers != NULL:
            memset(self.numbers, 0, self.count * sizeof(uint32_t))

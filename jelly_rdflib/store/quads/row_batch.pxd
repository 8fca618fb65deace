# A batch made from a store's rows, without nodes.

@cython.final
cdef class RowBatch:
    cdef bint has_graphs
    cdef Dictionary terms
    cdef Rows rows
    cdef uint32_t default_name
    cdef RowColumns columns
    cdef TermColumns table
    # For each term of the store its number in the batch, or 0; and the terms that have a number.
    cdef uint32_t* numbers
    cdef uint32_t* numbered
    cdef size_t capacity
    cdef uint32_t numbered_count, numbered_capacity

    cdef int start(self, Dictionary terms, Rows rows, uint32_t default_name) except -1
    cdef bint is_full(self) noexcept
    cdef Batch drain(self)
    cdef int append(self, uint8_t op, uint32_t number) except -1
    cdef uint32_t number(self, uint32_t term) except 0

"""All quads of a store as rows, the oldest first, and when each was deleted."""

@cython.nonecheck(True)
@cython.final
cdef class Rows:
    """Rows of term numbers, in blocks. A row stays where it is; a deleted one has a death."""

    def __cinit__(self):
        self.spellings = {}

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.block_count):
            PyMem_RawFree(self.blocks[i])
            PyMem_RawFree(self.deaths[i])
        PyMem_RawFree(self.blocks)
        PyMem_RawFree(self.deaths)

    cdef int reserve(self) except -1:
        """Make room for one more row."""
        cdef uint32_t capacity
        if self.count < self.block_count << BLOCK_BITS:
            return 0
        if self.count >= MAX_ROWS:
            raise LimitError(f"a store can't have more than {MAX_ROWS} quads")
        if self.block_count == self.block_capacity:
            capacity = 2 * self.block_capacity + 4
            grow(<void**>&self.blocks, capacity * sizeof(Row*))
            grow(<void**>&self.deaths, capacity * sizeof(uint32_t*))
            self.block_capacity = capacity
        self.blocks[self.block_count] = <Row*>PyMem_RawMalloc(BLOCK_ROWS * sizeof(Row))
        if self.blocks[self.block_count] == NULL:
            raise MemoryError
        self.deaths[self.block_count] = NULL
        self.block_count += 1
        return 0

    cdef int reserve_death(self, uint32_t row) except -1:
        """Make room for the death of a row."""
        cdef uint32_t** deaths = &self.deaths[row >> BLOCK_BITS]
        if deaths[0] == NULL:
            deaths[0] = <uint32_t*>PyMem_RawCalloc(BLOCK_ROWS, sizeof(uint32_t))
            if deaths[0] == NULL:
                raise MemoryError
        return 0

"""All quads of a store as rows, oldest first, and when each was deleted."""

@cython.nonecheck(True)
@cython.final
cdef class Rows:
    """Rows of term numbers, in blocks. A row never moves; a deleted row has a time of death."""

    def __cinit__(self):
        self.spellings = {}

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.block_count):
            PyMem_RawFree(self.blocks[i].rows)
            PyMem_RawFree(self.blocks[i].deaths)
        PyMem_RawFree(self.blocks)

    cdef int reserve(self) except -1:
        """Make room for one more row."""
        cdef Block block
        if self.count < self.block_count << BLOCK_BITS:
            return 0
        if self.count >= MAX_ROWS:
            raise LimitError(f"a store can't have more than {MAX_ROWS} quads")
        make_room(
            <void**>&self.blocks, self.block_count, &self.block_capacity, sizeof(Block)
        )
        block.rows = <Row*>PyMem_RawMalloc(BLOCK_ROWS * sizeof(Row))
        if block.rows == NULL:
            raise MemoryError
        block.deaths = NULL
        self.blocks[self.block_count] = block
        self.block_count += 1
        return 0

    cdef int reserve_death(self, uint32_t row) except -1:
        """Make room for the time of a row's death."""
        cdef Block* block = &self.blocks[row >> BLOCK_BITS]
        if block.deaths == NULL:
            block.deaths = <uint32_t*>PyMem_RawCalloc(BLOCK_ROWS, sizeof(uint32_t))
            if block.deaths == NULL:
                raise MemoryError
        return 0

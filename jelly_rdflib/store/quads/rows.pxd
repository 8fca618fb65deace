# All quads of a store as rows, oldest first, and when each was deleted.

cdef enum:
    # A block of rows never moves.
    BLOCK_BITS = 14
    BLOCK_ROWS = 1 << BLOCK_BITS
    # A row's number and a flag share 32 bits.
    MAX_ROWS = 0x7FFFFFF0

cdef enum:
    # The columns of a row.
    S, P, O, G, COLUMNS


ctypedef struct Row:
    uint32_t[4] terms


ctypedef struct Mark:
    # The state at a point of a transaction: how many rows, entries of the journal, terms and graph
    # entries exist, and the time.
    uint32_t rows, deaths, listings, clock, terms, graphs


ctypedef struct Times:
    # A row that dies now gets the time `clock` + 1; the clock advances when the next reader starts.
    uint32_t clock
    Mark committed  # the last commit
    Mark marked  # see `QuadStore.set_mark`


ctypedef struct Death:
    # A row, and how many rows the store had when it died.
    uint32_t row, before


ctypedef struct Block:
    Row* rows
    # The time at which each row died; 0 for a live row. NULL if all rows of the block are alive.
    uint32_t* deaths


@cython.final
cdef class Rows:
    cdef Block* blocks
    cdef uint32_t count, block_count, block_capacity
    # For each row whose object is spelled differently from its term: the term for that spelling.
    cdef dict spellings
    cdef Py_ssize_t readers  # changed only by `count_readers`

    cdef int reserve(self) except -1
    cdef int reserve_death(self, uint32_t row) except -1


cdef extern from *:
    """
    /* A reader may end at any moment, in any thread, even while another thread uses the store. */
    #ifdef Py_GIL_DISABLED
    #define jelly_count_readers(count, change) ((void)_Py_atomic_add_ssize(count, change))
    #else
    #define jelly_count_readers(count, change) ((void)(*(count) += (change)))
    #endif
    """
    void count_readers "jelly_count_readers"(Py_ssize_t* count, Py_ssize_t change) noexcept


cdef inline Row* row_at(Rows rows, uint32_t row) noexcept:
    return &rows.blocks[row >> BLOCK_BITS].rows[row & (BLOCK_ROWS - 1)]


cdef inline uint32_t death_of(Rows rows, uint32_t row) noexcept:
    cdef uint32_t* deaths = rows.blocks[row >> BLOCK_BITS].deaths
    return 0 if deaths == NULL else deaths[row & (BLOCK_ROWS - 1)]


cdef inline bint is_alive(Rows rows, uint32_t row, uint32_t at) noexcept:
    """Return whether a row was alive at a time of the store's clock; it must have existed then."""
    cdef uint32_t death = death_of(rows, row)
    return death == 0 or death > at


cdef inline bint may_return(const Mark* mark, uint32_t row, uint32_t death) noexcept:
    """Return whether undoing all changes since a mark brings a dead row back."""
    return row < mark.rows and death > mark.clock


cdef inline void set_death(Rows rows, uint32_t row, uint32_t death) noexcept:
    """Set the time of a row's death; call `reserve_death` first."""
    rows.blocks[row >> BLOCK_BITS].deaths[row & (BLOCK_ROWS - 1)] = death


cdef inline uint32_t object_of(Rows rows, uint32_t row) except? 0:
    """Return the object of a row in the row's own spelling."""
    cdef uint32_t term = row_at(rows, row).terms[O]
    return rows.spellings.get(row, term) if rows.spellings else term


cdef inline bint is_row(const Row* one, const Row* other) noexcept:
    return (
        load64(<const uint8_t*>one) == load64(<const uint8_t*>other)
        and load64(<const uint8_t*>one + 8) == load64(<const uint8_t*>other + 8)
    )


cdef inline uint64_t hash_row(const Row* row) noexcept:
    cdef uint64_t first = load64(<const uint8_t*>row)
    cdef uint64_t second = load64(<const uint8_t*>row + 8)
    # Term numbers are not secret: without the seed, somebody could choose quads that collide.
    return fold(first ^ hash_seed(), second ^ MIX_B)

# Finds the row of a quad that is there.

ctypedef struct RowIndex:
    uint32_t* slots  # a row's number + 1; 0 is free
    uint32_t mask
    uint32_t count


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define jelly_prefetch(place) __builtin_prefetch(place)
    #else
    #define jelly_prefetch(place) ((void)(place))
    #endif
    """
    void prefetch "jelly_prefetch"(const void* place) noexcept


cdef inline uint64_t hash_row(const Row* row) noexcept:
    cdef uint64_t first = load64(<const uint8_t*>row)
    cdef uint64_t second = load64(<const uint8_t*>row + 8)
    # The numbers of terms are no secret: without the seed, quads could be chosen that collide.
    return fold(first ^ hash_seed(), second ^ MIX_B)


cdef inline uint32_t* find_slot(const RowIndex* index, Rows rows, const Row* row) noexcept:
    """Return the slot of a quad, or the free one where it is to be put."""
    cdef uint32_t slot = <uint32_t>hash_row(row) & index.mask
    while index.slots[slot] != 0 and not is_row(row_at(rows, index.slots[slot] - 1), row):
        slot = (slot + 1) & index.mask
    return &index.slots[slot]


cdef int index_reserve(RowIndex* index, Rows rows) except -1
cdef void index_remove(RowIndex* index, Rows rows, uint32_t* place) noexcept

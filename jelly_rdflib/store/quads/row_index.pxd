# Finds the row of a quad that is there.

cdef enum:
    FIRST_SLOTS = 64


ctypedef struct RowIndex:
    SlotTable table  # of a row's number + 1
    uint32_t count


cdef inline uint64_t hash_row(const Row* row) noexcept:
    cdef uint64_t first = load64(<const uint8_t*>row)
    cdef uint64_t second = load64(<const uint8_t*>row + 8)
    # The numbers of terms are no secret: without the seed, quads could be chosen that collide.
    return fold(first ^ hash_seed(), second ^ MIX_B)


cdef inline uint64_t* find_slot(const RowIndex* index, Rows rows, const Row* row) noexcept:
    """Return the slot of a quad, or the free one where it is to be put."""
    cdef uint32_t hash = <uint32_t>hash_row(row)
    cdef uint32_t slot = hash & index.table.mask
    cdef uint64_t found = index.table.slots[slot]
    while found != 0 and not (
        found >> 32 == hash and is_row(row_at(rows, <uint32_t>found - 1), row)
    ):
        slot = (slot + 1) & index.table.mask
        found = index.table.slots[slot]
    return &index.table.slots[slot]


cdef inline bint index_reserve(RowIndex* index) except -1:
    """Make room for one more quad; return whether the slots moved.

    Three quarters of the slots are taken at the most.
    """
    if 4 * <uint64_t>index.count < 3 * <uint64_t>index.table.mask:
        return False
    slots_resize(&index.table, 2 * (<uint64_t>index.table.mask + 1))
    return True

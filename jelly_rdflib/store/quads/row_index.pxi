"""Finds the row of a quad that is there: a hash table with open addressing."""

cdef enum:
    FIRST_SLOTS = 64


cdef int index_reserve(RowIndex* index, Rows rows) except -1:
    """Make room for one more quad; return whether the slots moved.

    Three quarters of the slots are taken at the most.
    """
    cdef uint64_t count = 2 * (<uint64_t>index.mask + 1) if index.slots != NULL else FIRST_SLOTS
    cdef uint32_t* slots
    cdef uint32_t mask, old, slot
    if index.slots != NULL and 4 * <uint64_t>index.count < 3 * <uint64_t>index.mask:
        return 0
    slots = <uint32_t*>PyMem_RawCalloc(count, sizeof(uint32_t))
    if slots == NULL:
        raise MemoryError
    mask = <uint32_t>(count - 1)
    if index.slots != NULL:
        for old in range(index.mask + 1):
            if index.slots[old] != 0:
                slot = <uint32_t>hash_row(row_at(rows, index.slots[old] - 1)) & mask
                while slots[slot] != 0:
                    slot = (slot + 1) & mask
                slots[slot] = index.slots[old]
    PyMem_RawFree(index.slots)
    index.slots = slots
    index.mask = mask
    return 1


cdef void index_remove(RowIndex* index, Rows rows, uint32_t* place) noexcept:
    """Empty a slot, and move those behind it that had to give way."""
    cdef uint32_t hole = <uint32_t>(place - index.slots)
    cdef uint32_t slot = hole
    cdef uint32_t home
    while True:
        slot = (slot + 1) & index.mask
        if index.slots[slot] == 0:
            break
        home = <uint32_t>hash_row(row_at(rows, index.slots[slot] - 1)) & index.mask
        # It may move only if its home is not between the hole and where it is.
        if ((slot - home) & index.mask) >= ((slot - hole) & index.mask):
            index.slots[hole] = index.slots[slot]
            hole = slot
    index.slots[hole] = 0
    index.count -= 1

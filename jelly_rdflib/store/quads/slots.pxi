"""Hash tables of numbers, with open addressing."""

cdef int slots_resize(SlotTable* table, uint64_t count) except -1:
    """Give a table so many slots, a power of two."""
    cdef SlotTable resized
    cdef uint64_t old
    cdef uint32_t slot
    resized.slots = <uint64_t*>PyMem_RawCalloc(count, sizeof(uint64_t))
    if resized.slots == NULL:
        raise MemoryError
    resized.mask = <uint32_t>(count - 1)
    if table.slots != NULL:
        for old in range(<uint64_t>table.mask + 1):
            if table.slots[old] != 0:
                slot = <uint32_t>(table.slots[old] >> 32) & resized.mask
                while resized.slots[slot] != 0:
                    slot = (slot + 1) & resized.mask
                resized.slots[slot] = table.slots[old]
    PyMem_RawFree(table.slots)
    table[0] = resized
    return 0


cdef void slots_remove(SlotTable* table, uint64_t* place) noexcept:
    """Empty a slot, and move those behind it that had to give way."""
    cdef uint32_t hole = <uint32_t>(place - table.slots)
    cdef uint32_t slot = hole
    cdef uint32_t home
    while True:
        slot = (slot + 1) & table.mask
        if table.slots[slot] == 0:
            break
        home = <uint32_t>(table.slots[slot] >> 32) & table.mask
        # It may move only if its home is not between the hole and where it is.
        if ((slot - home) & table.mask) >= ((slot - hole) & table.mask):
            table.slots[hole] = table.slots[slot]
            hole = slot
    table.slots[hole] = 0

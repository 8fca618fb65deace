# Hash tables of numbers, with open addressing.

cdef enum:
    FIRST_SLOTS = 64


ctypedef struct SlotTable:
    # A slot has a number from 1 on in its low half, and 32 bits of the hash in its high half, so
    # that few wrong numbers must be compared. 0 marks a free slot.
    uint64_t* slots
    uint32_t mask
    uint32_t count  # the number of used slots


cdef extern from * nogil:
    """
    #if defined(__GNUC__)
    #define jelly_prefetch(place) __builtin_prefetch(place)
    #else
    #define jelly_prefetch(place) ((void)(place))
    #endif
    """
    void prefetch "jelly_prefetch"(const void* place) noexcept


cdef inline uint64_t* seek_slot(const SlotTable* table, uint64_t hash, uint32_t slot) noexcept nogil:
    """Return the first slot, from ``slot`` on, that has the hash or is free."""
    slot &= table.mask
    while table.slots[slot] != 0 and table.slots[slot] >> 32 != <uint32_t>hash:
        slot = (slot + 1) & table.mask
    return &table.slots[slot]


cdef inline uint64_t* first_slot(const SlotTable* table, uint64_t hash) noexcept nogil:
    """Return the first slot that may have the number with this hash, or a free one."""
    return seek_slot(table, hash, <uint32_t>hash)


cdef inline uint64_t* next_slot(
    const SlotTable* table, uint64_t hash, const uint64_t* slot
) noexcept nogil:
    """Return the next slot to try if ``slot`` has the wrong number."""
    return seek_slot(table, hash, <uint32_t>(slot - table.slots) + 1)


cdef inline uint32_t number_at_home(const SlotTable* table, uint64_t hash) noexcept nogil:
    """Return the number in the first slot for a hash, which is usually the right one."""
    return <uint32_t>table.slots[<uint32_t>hash & table.mask]


cdef inline void prefetch_slot(const SlotTable* table, uint64_t hash) noexcept nogil:
    """Load the first slot for a hash into the processor's cache."""
    prefetch(&table.slots[<uint32_t>hash & table.mask])


cdef inline void fill_slot(
    SlotTable* table, uint64_t* slot, uint64_t hash, uint32_t number
) noexcept nogil:
    """Store a number in a free slot."""
    slot[0] = hash << 32 | number
    table.count += 1


cdef inline void move_slot(uint64_t* slot, uint32_t number) noexcept nogil:
    """Replace the number of a slot with another number that has the same hash."""
    slot[0] = slot[0] >> 32 << 32 | number


cdef inline bint slots_reserve(SlotTable* table) except -1:
    """Make room for one more number; return whether the slots moved.

    At most two thirds of the slots are used.
    """
    cdef uint64_t count = max(2 * (<uint64_t>table.mask + 1), <uint64_t>FIRST_SLOTS)
    cdef uint64_t old
    cdef uint32_t slot
    cdef SlotTable resized
    if 3 * <uint64_t>table.count < 2 * <uint64_t>table.mask:
        return False
    resized.slots = <uint64_t*>PyMem_RawCalloc(count, sizeof(uint64_t))
    if resized.slots == NULL:
        raise MemoryError
    resized.mask = <uint32_t>(count - 1)
    resized.count = table.count
    if table.slots != NULL:
        for old in range(<uint64_t>table.mask + 1):
            if table.slots[old] != 0:
                slot = <uint32_t>(table.slots[old] >> 32) & resized.mask
                while resized.slots[slot] != 0:
                    slot = (slot + 1) & resized.mask
                resized.slots[slot] = table.slots[old]
    PyMem_RawFree(table.slots)
    table[0] = resized
    return True


cdef inline void slots_clear(SlotTable* table) noexcept nogil:
    """Remove all numbers."""
    if table.count > 0:
        memset(table.slots, 0, (<size_t>table.mask + 1) * sizeof(uint64_t))
    table.count = 0


cdef inline void slots_remove(SlotTable* table, uint64_t* place) noexcept nogil:
    """Empty a slot, and move later slots that collided with it."""
    cdef uint32_t hole = <uint32_t>(place - table.slots)
    cdef uint32_t slot = hole
    cdef uint32_t home
    while True:
        slot = (slot + 1) & table.mask
        if table.slots[slot] == 0:
            break
        home = <uint32_t>(table.slots[slot] >> 32) & table.mask
        # A slot may move only if its home is not between the hole and its current position.
        if ((slot - home) & table.mask) >= ((slot - hole) & table.mask):
            table.slots[hole] = table.slots[slot]
            hole = slot
    table.slots[hole] = 0
    table.count -= 1

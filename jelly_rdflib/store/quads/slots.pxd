# Hash tables of numbers, with open addressing.

ctypedef struct SlotTable:
    # A number, and above it 32 bits of its hash, so that few others are compared with; 0 is free.
    uint64_t* slots
    uint32_t mask


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define jelly_prefetch(place) __builtin_prefetch(place)
    #else
    #define jelly_prefetch(place) ((void)(place))
    #endif
    """
    void prefetch "jelly_prefetch"(const void* place) noexcept


cdef inline uint64_t make_slot(uint64_t hash, uint32_t number) noexcept:
    return hash << 32 | number


cdef inline void prefetch_slot(const SlotTable* table, uint64_t hash) noexcept:
    """Load the first slot for a hash into the processor's cache."""
    prefetch(&table.slots[<uint32_t>hash & table.mask])


cdef int slots_resize(SlotTable* table, uint64_t count) except -1
cdef void slots_remove(SlotTable* table, uint64_t* place) noexcept

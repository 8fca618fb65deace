# Arrays that grow.

cdef inline int grow(void** memory, size_t size) except -1:
    """Resize memory; on failure it stays unchanged."""
    if resize(memory, size) < 0:
        raise MemoryError
    return 0


cdef inline int make_room(
    void** items, uint32_t count, uint32_t* capacity, size_t item_size
) except -1:
    """Make room in an array of ``count`` items for one more."""
    cdef uint64_t larger = 2 * <uint64_t>capacity[0] + 16
    if count < capacity[0]:
        return 0
    if larger > <uint32_t>-1:
        raise MemoryError
    grow(items, larger * item_size)
    capacity[0] = <uint32_t>larger
    return 0

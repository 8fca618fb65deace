# Sorting by 64-bit keys.

cdef enum:
    # Up to this number, items are sorted by insertion.
    FEW_ITEMS = 48
    DIGIT_VALUES = 256


ctypedef struct SortItem:
    uint64_t key
    uint32_t number


cdef inline void sort_items(SortItem* items, SortItem* spare, uint32_t count) noexcept nogil:
    """Sort items by their keys, from the lowest digit to the highest; the sort is stable.

    Args:
        spare: Memory for ``count`` items.
    """
    cdef uint32_t[DIGIT_VALUES] places
    cdef SortItem* source = items
    cdef SortItem* target = spare
    cdef uint64_t differing = 0
    cdef uint32_t i, sum, digit_count
    cdef int shift, value
    if count <= FEW_ITEMS:
        insert_items(items, count)
        return
    for i in range(1, count):
        differing |= items[i].key ^ items[0].key
    for shift in range(0, 64, 8):
        if differing >> shift & 0xFF == 0:
            # Skip a digit that all items share.
            continue
        memset(places, 0, sizeof(places))
        for i in range(count):
            places[source[i].key >> shift & 0xFF] += 1
        sum = 0
        for value in range(<int>DIGIT_VALUES):
            digit_count = places[value]
            places[value] = sum
            sum += digit_count
        for i in range(count):
            value = <int>(source[i].key >> shift & 0xFF)
            target[places[value]] = source[i]
            places[value] += 1
        source, target = target, source
    if source != items:
        memcpy(items, source, count * sizeof(SortItem))


cdef inline void insert_items(SortItem* items, uint32_t count) noexcept nogil:
    """Sort a few items by their keys, by insertion."""
    cdef uint32_t i, place
    cdef SortItem item
    for i in range(1, count):
        item = items[i]
        place = i
        while place > 0 and items[place - 1].key > item.key:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item

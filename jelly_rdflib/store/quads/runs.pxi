"""Sorted runs: rows that followed one another, in several orders.

A run's rows are sorted for an order when a look-up first needs it, and never change: so readers
may go on with them while others write. As rows are added, neighbouring runs are merged, so that
each is at least twice as long as the next one and there are few of them.
"""

cdef enum:
    # So few items are sorted by insertion.
    FEW_ITEMS = 48
    DIGITS = 8
    DIGIT_VALUES = 256


ctypedef struct SortItem:
    uint64_t key
    uint32_t row


@cython.nonecheck(True)
@cython.final
cdef class Permutation:
    """Numbers of rows, sorted by the rows' terms."""

    def __dealloc__(self):
        PyMem_RawFree(self.rows)


@cython.nonecheck(True)
@cython.final
cdef class Run:
    """Rows from number ``start`` up to, without, number ``end``."""

    def __cinit__(self, uint32_t start, uint32_t end):
        self.start = start
        self.end = end
        self.permutations = [None] * ORDERS


cdef Permutation get_permutation(Run run, Rows rows, const Times* times, int order):
    """Return the rows of a run in an order, for readers from now on."""
    cdef Permutation permutation = run.permutations[order]
    cdef uint32_t i
    if permutation is None:
        permutation = make_permutation(times, run.end - run.start)
        for i in range(run.start, run.end):
            keep_row(permutation, rows, times, i)
        sort_rows(rows, order, permutation.rows, permutation.count, NULL)
        run.permutations[order] = permutation
    elif permutation.wasted > permutation.count:
        # Skipping dead rows has taken as long as leaving them out takes.
        permutation = merge_permutations(permutation, None, rows, times, order)
        run.permutations[order] = permutation
    return permutation


cdef Run merge_runs(Run first, Run second, Rows rows, const Times* times):
    """Return a run of the rows of two that are neighbours, in the orders that the first has."""
    cdef Run merged = Run(first.start, second.end)
    cdef int order
    for order in range(ORDERS):
        if first.permutations[order] is not None:
            merged.permutations[order] = merge_permutations(
                first.permutations[order], get_permutation(second, rows, times, order), rows,
                times, order,
            )
    return merged


cdef Permutation merge_permutations(
    Permutation first, Permutation second, Rows rows, const Times* times, int order
):
    cdef uint32_t at = 0, other = 0
    cdef uint32_t count = 0 if second is None else second.count
    cdef Permutation merged = make_permutation(times, first.count + count)
    while at < first.count and other < count:
        if compare_rows(
            row_at(rows, first.rows[at]), row_at(rows, second.rows[other]), order
        ) <= 0:
            keep_row(merged, rows, times, first.rows[at])
            at += 1
        else:
            keep_row(merged, rows, times, second.rows[other])
            other += 1
    while at < first.count:
        keep_row(merged, rows, times, first.rows[at])
        at += 1
    while other < count:
        keep_row(merged, rows, times, second.rows[other])
        other += 1
    return merged


cdef Permutation make_permutation(const Times* times, uint32_t capacity):
    cdef Permutation permutation = Permutation.__new__(Permutation)
    permutation.made_at = times.clock
    permutation.rows = <uint32_t*>PyMem_RawMalloc((<size_t>capacity + 1) * sizeof(uint32_t))
    if permutation.rows == NULL:
        raise MemoryError
    return permutation


cdef inline void keep_row(
    Permutation permutation, Rows rows, const Times* times, uint32_t row
) noexcept:
    """Append a row, unless it is dead for all readers to come, and no rollback brings it back."""
    cdef uint32_t death = death_of(rows, row)
    if death != 0 and death <= times.clock and (
        death <= times.committed_at or row >= times.committed_rows
    ):
        return
    permutation.rows[permutation.count] = row
    permutation.count += 1


cdef inline int compare_rows(const Row* one, const Row* other, int order) noexcept:
    cdef int i
    cdef uint32_t a, b
    for i in range(<int>COLUMNS):
        a = one.terms[ORDER_COLUMNS[order][i]]
        b = other.terms[ORDER_COLUMNS[order][i]]
        if a != b:
            return -1 if a < b else 1
    return 0


cdef uint32_t find_bound(
    Permutation permutation, Rows rows, int order, const uint32_t* key, int length, bint is_upper
) noexcept:
    """Return how many rows are before those that start with a key, or before those after them."""
    cdef uint32_t low = 0
    cdef uint32_t high = permutation.count
    cdef uint32_t middle, term
    cdef bint is_before
    cdef const Row* row
    cdef int i
    while low < high:
        middle = low + (high - low) // 2
        row = row_at(rows, permutation.rows[middle])
        is_before = is_upper
        for i in range(length):
            term = row.terms[ORDER_COLUMNS[order][i]]
            if term != key[i]:
                is_before = term < key[i]
                break
        if is_before:
            low = middle + 1
        else:
            high = middle
    return low


cdef int sort_rows(
    Rows rows, int order, uint32_t* numbers, uint32_t count, const uint32_t* ranks
) except -1:
    """Sort numbers of rows: by two terms, then those that have both in common by the others.

    Terms are compared by their ranks, or by their numbers if ``ranks`` is NULL.
    """
    cdef SortItem* items = <SortItem*>PyMem_RawMalloc(2 * <size_t>count * sizeof(SortItem) + 1)
    cdef uint32_t i, start
    if items == NULL:
        raise MemoryError
    try:
        for i in range(count):
            items[i].row = numbers[i]
            items[i].key = sort_key(rows, numbers[i], order, 0, ranks)
        sort_items(items, items + count, count)
        start = 0
        for i in range(1, count + 1):
            if i == count or items[i].key != items[start].key:
                if i - start > 1:
                    sort_ties(rows, order, items + start, items + count, i - start, ranks)
                start = i
        for i in range(count):
            numbers[i] = items[i].row
    finally:
        PyMem_RawFree(items)
    return 0


cdef int sort_ties(
    Rows rows, int order, SortItem* items, SortItem* spare, uint32_t count, const uint32_t* ranks
) except -1:
    cdef uint32_t i
    for i in range(count):
        items[i].key = sort_key(rows, items[i].row, order, 2, ranks)
    sort_items(items, spare, count)
    return 0


cdef inline uint64_t sort_key(
    Rows rows, uint32_t row, int order, int place, const uint32_t* ranks
) except? 0:
    """Return the terms at two places of an order as one key."""
    cdef uint64_t high = sort_term(rows, row, ORDER_COLUMNS[order][place], ranks)
    return high << 32 | sort_term(rows, row, ORDER_COLUMNS[order][place + 1], ranks)


cdef inline uint32_t sort_term(
    Rows rows, uint32_t row, int column, const uint32_t* ranks
) except? 0:
    if ranks == NULL:
        return row_at(rows, row).terms[column]
    return ranks[object_of(rows, row) if column == O else row_at(rows, row).terms[column]]


cdef void sort_items(SortItem* items, SortItem* spare, uint32_t count) noexcept:
    """Sort items by their keys, digit by digit from the lowest one; equal ones keep their order."""
    cdef uint32_t[DIGITS][DIGIT_VALUES] places
    cdef SortItem* source = items
    cdef SortItem* target = spare
    cdef uint32_t i, sum, digit_count
    cdef int digit, value
    if count <= FEW_ITEMS:
        insert_items(items, count)
        return
    memset(places, 0, sizeof(places))
    for i in range(count):
        for digit in range(<int>DIGITS):
            places[digit][items[i].key >> 8 * digit & 0xFF] += 1
    for digit in range(<int>DIGITS):
        if places[digit][items[0].key >> 8 * digit & 0xFF] == count:
            # All have the same digit.
            continue
        sum = 0
        for value in range(<int>DIGIT_VALUES):
            digit_count = places[digit][value]
            places[digit][value] = sum
            sum += digit_count
        for i in range(count):
            value = <int>(source[i].key >> 8 * digit & 0xFF)
            target[places[digit][value]] = source[i]
            places[digit][value] += 1
        source, target = target, source
    if source != items:
        memcpy(items, source, count * sizeof(SortItem))


cdef void insert_items(SortItem* items, uint32_t count) noexcept:
    cdef uint32_t i, place
    cdef SortItem item
    for i in range(1, count):
        item = items[i]
        place = i
        while place > 0 and items[place - 1].key > item.key:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item

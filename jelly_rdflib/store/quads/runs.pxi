"""Sorted runs: consecutive rows, sorted in several orders.

A run's rows are sorted when a look-up first needs an order, and then never change, so readers can
keep using them while other threads write. As rows are added, neighbouring runs are merged, so that
each run is at least twice as long as the next one, and there are few runs.
"""

cdef enum:
    SAMPLE_EVERY = 16


cdef extern from *:
    """
    static const uint8_t jelly_order_columns[6][4] = {
        {0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 1, 2}, {3, 1, 2, 0}, {3, 2, 0, 1},
    };
    """
    const uint8_t[4]* ORDER_COLUMNS "jelly_order_columns"


@cython.nonecheck(True)
@cython.final
cdef class Permutation:
    """Row numbers, sorted by the rows' terms."""

    cdef uint32_t* rows
    # The first two terms in the order, for every `SAMPLE_EVERY`th row: a search starts with them,
    # since they fit into the processor's cache.
    cdef uint64_t* samples
    cdef uint32_t count
    cdef uint32_t made_at  # the clock's time; rows that were dead then may be left out
    cdef uint64_t wasted  # how often a dead row was skipped

    def __dealloc__(self):
        PyMem_RawFree(self.rows)
        PyMem_RawFree(self.samples)


@cython.nonecheck(True)
@cython.final
cdef class Run:
    """The rows from number ``start`` up to number ``end``, exclusive."""

    cdef uint32_t start, end  # of the store's rows
    cdef list permutations  # by order; None until an order is needed

    def __cinit__(self, uint32_t start, uint32_t end):
        self.start = start
        self.end = end
        self.permutations = [None] * ORDERS


cdef Permutation get_permutation(Run run, Rows rows, const Times* times, int order):
    """Return the rows of a run in an order, for present and future readers."""
    cdef Permutation permutation = run.permutations[order]
    cdef uint32_t i
    if permutation is None:
        permutation = make_permutation(times, run.end - run.start)
        for i in range(run.start, run.end):
            keep_row(permutation, rows, times, i)
        sort_rows(rows, order, permutation.rows, permutation.count, NULL)
        take_samples(permutation, rows, order)
        run.permutations[order] = permutation
    elif permutation.wasted > permutation.count:
        # Skipping dead rows has taken as long as leaving them out will take.
        permutation = merge_permutations(permutation, None, rows, times, order)
        run.permutations[order] = permutation
    return permutation


cdef Run merge_runs(Run first, Run second, Rows rows, const Times* times):
    """Return a run of the rows of two neighbouring runs, in the orders of the first one."""
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
    while at < first.count or other < count:
        if other == count or (
            at < first.count
            and compare_rows(
                row_at(rows, first.rows[at]), row_at(rows, second.rows[other]), order
            ) <= 0
        ):
            keep_row(merged, rows, times, first.rows[at])
            at += 1
        else:
            keep_row(merged, rows, times, second.rows[other])
            other += 1
    take_samples(merged, rows, order)
    return merged


cdef int take_samples(Permutation permutation, Rows rows, int order) except -1:
    """Store the first terms of each block's last row."""
    cdef uint32_t count = permutation.count // SAMPLE_EVERY
    cdef uint32_t i
    permutation.samples = <uint64_t*>PyMem_RawMalloc(<size_t>count * sizeof(uint64_t) + 1)
    if permutation.samples == NULL:
        raise MemoryError
    for i in range(count):
        permutation.samples[i] = sort_key(
            rows, permutation.rows[(i + 1) * SAMPLE_EVERY - 1], order, 0, NULL
        )
    return 0


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
    """Append a row, unless it is dead for all future readers and no rollback revives it."""
    cdef uint32_t death = death_of(rows, row)
    if death != 0 and death <= times.clock and not (
        may_return(&times.committed, row, death) or may_return(&times.marked, row, death)
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


cdef uint32_t find_lower(
    Permutation permutation, Rows rows, int order, const uint32_t* key, int length
) noexcept:
    """Return the number of rows before the first row that starts with a key."""
    cdef uint64_t sample = <uint64_t>(key[0] if length > 0 else 0) << 32 | (
        key[1] if length > 1 else 0
    )
    # The last row of this block is not before the key; the last rows of earlier blocks are.
    cdef uint32_t block = find_block(permutation, sample, 0)
    cdef uint32_t low = block * SAMPLE_EVERY
    cdef uint32_t middle, high
    if length > 2:
        # Rows before the key may share its first two terms.
        block = find_block(permutation, sample + 1, block)
    high = min(permutation.count, (block + 1) * SAMPLE_EVERY)
    while low < high:
        middle = low + (high - low) // 2
        if compare_key(row_at(rows, permutation.rows[middle]), order, key, length) < 0:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline uint32_t find_block(
    Permutation permutation, uint64_t sample, uint32_t low
) noexcept:
    """Return the first block, from ``low`` on, whose sample is at least ``sample``."""
    cdef uint32_t high = permutation.count // SAMPLE_EVERY
    cdef uint32_t middle
    while low < high:
        middle = low + (high - low) // 2
        if permutation.samples[middle] < sample:
            low = middle + 1
        else:
            high = middle
    return low


cdef uint32_t find_upper(
    Permutation permutation, Rows rows, int order, const uint32_t* key, int length, uint32_t low
) noexcept:
    """Return the number of rows up to the last one with a key; ``low`` rows are before the key.

    Usually few rows have the key, so the first steps are small.
    """
    cdef uint32_t step = 1
    cdef uint32_t high, middle
    while (
        step < permutation.count - low
        and compare_key(row_at(rows, permutation.rows[low + step - 1]), order, key, length) <= 0
    ):
        low += step
        step *= 2
    high = low + min(step, permutation.count - low)
    while low < high:
        middle = low + (high - low) // 2
        if compare_key(row_at(rows, permutation.rows[middle]), order, key, length) <= 0:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline int compare_key(
    const Row* row, int order, const uint32_t* key, int length
) noexcept:
    """Compare a row's first terms, taken in an order, with a key."""
    cdef uint32_t term
    cdef int i
    for i in range(length):
        term = row.terms[ORDER_COLUMNS[order][i]]
        if term != key[i]:
            return -1 if term < key[i] else 1
    return 0


cdef int sort_rows(
    Rows rows, int order, uint32_t* numbers, uint32_t count, const uint32_t* ranks
) except -1:
    """Sort row numbers by the rows' terms in an order.

    Terms are compared by their ranks, or by their numbers if ``ranks`` is NULL.
    """
    cdef SortItem* items = <SortItem*>PyMem_RawMalloc(2 * <size_t>count * sizeof(SortItem) + 1)
    cdef uint32_t i
    if items == NULL:
        raise MemoryError
    try:
        for i in range(count):
            items[i].number = numbers[i]
        sort_row_items(rows, order, 0, items, items + count, count, ranks)
        for i in range(count):
            numbers[i] = items[i].number
    finally:
        PyMem_RawFree(items)
    return 0


cdef int sort_row_items(
    Rows rows, int order, int place, SortItem* items, SortItem* spare, uint32_t count,
    const uint32_t* ranks,
) except -1:
    """Sort by two terms of the order, starting at ``place``; break ties by the terms after them."""
    cdef uint32_t i
    cdef uint32_t start = 0
    for i in range(count):
        items[i].key = sort_key(rows, items[i].number, order, place, ranks)
    sort_items(items, spare, count)
    if place == 0:
        for i in range(1, count + 1):
            if i == count or items[i].key != items[start].key:
                if i - start > 1:
                    sort_row_items(rows, order, 2, items + start, spare, i - start, ranks)
                start = i
    return 0


cdef inline uint64_t sort_key(
    Rows rows, uint32_t row, int order, int place, const uint32_t* ranks
) except? 0:
    """Return two terms of a row, taken in an order, as one key."""
    cdef uint64_t high = sort_term(rows, row, ORDER_COLUMNS[order][place], ranks)
    return high << 32 | sort_term(rows, row, ORDER_COLUMNS[order][place + 1], ranks)


cdef inline uint32_t sort_term(
    Rows rows, uint32_t row, int column, const uint32_t* ranks
) except? 0:
    if ranks == NULL:
        return row_at(rows, row).terms[column]
    return ranks[object_of(rows, row) if column == O else row_at(rows, row).terms[column]]

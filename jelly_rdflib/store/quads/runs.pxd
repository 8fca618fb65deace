# Sorted runs: rows that followed one another, in several orders.

cdef enum:
    # By which terms, one after the other.
    SPOG, POSG, OSPG, GSPO, GPOS, GOSP, ORDERS


cdef extern from *:
    """
    static const uint8_t jelly_order_columns[6][4] = {
        {0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 1, 2}, {3, 1, 2, 0}, {3, 2, 0, 1},
    };
    """
    const uint8_t[4]* ORDER_COLUMNS "jelly_order_columns"


@cython.final
cdef class Permutation:
    cdef uint32_t* rows
    # The first two terms, in the order, of each `SAMPLE_EVERY`th row: they are searched first, as
    # they fit into the processor's cache.
    cdef uint64_t* samples
    cdef uint32_t count
    cdef uint32_t made_at  # rows that were dead at this time of the clock may be left out
    cdef uint64_t wasted  # how often a dead row was skipped


@cython.final
cdef class Run:
    cdef uint32_t start, end  # of the store's rows
    cdef list permutations  # by order; None where none was needed yet


cdef Permutation get_permutation(Run run, Rows rows, const Times* times, int order)
cdef Run merge_runs(Run first, Run second, Rows rows, const Times* times)
cdef uint32_t find_lower(
    Permutation permutation, Rows rows, int order, const uint32_t* key, int length
) noexcept
cdef uint32_t find_upper(
    Permutation permutation, Rows rows, int order, const uint32_t* key, int length, uint32_t low
) noexcept
cdef int compare_rows(const Row* one, const Row* other, int order) noexcept
cdef int sort_rows(
    Rows rows, int order, uint32_t* numbers, uint32_t count, const uint32_t* ranks
) except -1

# Sorting rows in one of several orders.

cdef enum:
    # The orders, named by the terms that are compared, from the first to the last.
    SPOG, POSG, OSPG, GSPO, GPOS, GOSP, ORDERS


cdef int sort_rows(
    Rows rows, int order, uint32_t* numbers, uint32_t count, const uint32_t* ranks
) except -1

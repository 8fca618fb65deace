"""Tells which rows of a batch are wanted, by its distinct terms, before any row is made."""

from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.term_parser cimport TermParser

cdef enum:
    POSITIONS = 4


cdef class TermCondition:
    cdef readonly bint accepts_null
    cdef readonly list unknown
    cdef bint is_negated
    cdef bint has_values
    cdef TermParser parser  # its decoder's table has the values
    cdef uint8_t* is_value  # by number in that table
    cdef int mark(self, Batch batch, uint8_t* wanted) except -1


cdef class RowFilter:
    cdef uint8_t[16] ops
    cdef list conditions  # of each position a list
    cdef bint[POSITIONS] is_filtered
    cdef uint8_t* wanted[POSITIONS]  # by number in the batch's table
    cdef size_t capacity

    cdef int start(self, Batch batch) except -1


cdef inline bint accepts(
    RowFilter filter, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept:
    # A row that is no statement has no s and no p; what stands there is no term.
    cdef bint is_statement = op == 7 or op == 8
    return (
        filter.ops[op]
        and (not filter.is_filtered[0] or filter.wanted[0][s if is_statement else 0])
        and (not filter.is_filtered[1] or filter.wanted[1][p if is_statement else 0])
        and (not filter.is_filtered[2] or filter.wanted[2][o])
        and (not filter.is_filtered[3] or filter.wanted[3][g])
    )

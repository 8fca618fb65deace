"""The last operation on each distinct quad of numbers, in the order in which they came."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef enum RowState:
    """What a row is; the flags of a row that a later one took the place of are all 0."""
    LAST = 1  # no later operation is on its quad
    DELETES = 2
    FIRST_DELETES = 4  # the first operation on its quad was a delete
    GRAPHLESS = 8  # it came without a graph, so it is of the default graph


ctypedef struct Quad:
    uint32_t s
    uint32_t p
    uint32_t o
    uint32_t g


ctypedef struct QuadTable:
    size_t count  # rows, those that are none any more among them
    size_t live
    size_t capacity
    Quad* quads
    uint8_t* states
    # Open addressing: the upper half of the quad's hash, and the row's number + 1; 0 is free.
    uint64_t* slots
    size_t mask
    uint64_t seed  # of hashes


cdef int quads_init(QuadTable* table) noexcept nogil
cdef void quads_free(QuadTable* table) noexcept nogil
cdef int quads_put(QuadTable* table, Quad quad, uint8_t state) noexcept nogil
cdef int quads_merge(QuadTable* table, const QuadTable* later) noexcept nogil

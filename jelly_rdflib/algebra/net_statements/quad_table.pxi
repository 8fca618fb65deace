"""The last operation on each distinct quad of numbers, in the order of these operations.

When a quad comes again, its old row is marked as dead and a new row is appended. Dead rows are
removed when the table is full.
"""

cdef enum RowState:
    """Flags of a row; a dead row has none."""
    LAST = 1  # no later operation is on its quad
    DELETES = 2
    FIRST_DELETES = 4  # the first operation on its quad was a delete
    GRAPHLESS = 8  # it came without a graph: the default graph

ctypedef struct Quad:
    uint32_t s
    uint32_t p
    uint32_t o
    uint32_t g

ctypedef struct QuadTable:
    size_t count  # of rows, dead ones included
    size_t live
    size_t capacity
    Quad* quads
    uint8_t* states
    # Open addressing: the upper half of the quad's hash, and the row's number + 1; 0 is free.
    uint64_t* slots
    size_t mask
    uint64_t seed  # of hashes

cdef enum:
    FIRST_CAPACITY = 64


cdef void quads_init(QuadTable* table) noexcept nogil:
    memset(table, 0, sizeof(QuadTable))
    table.seed = hash_seed()


cdef void quads_free(QuadTable* table) noexcept nogil:
    PyMem_RawFree(table.quads)
    PyMem_RawFree(table.states)
    PyMem_RawFree(table.slots)
    memset(table, 0, sizeof(QuadTable))


cdef inline uint64_t hash_quad(const QuadTable* table, Quad quad) noexcept nogil:
    # With a seed, since the input chooses the order of terms, and so their numbers.
    return mix(
        table.seed ^ (<uint64_t>quad.s << 32 | quad.o),
        table.seed ^ (<uint64_t>quad.p << 32 | quad.g),
    )


cdef inline bint is_same(Quad one, Quad other) noexcept nogil:
    return one.s == other.s and one.o == other.o and one.p == other.p and one.g == other.g


cdef int quads_put(QuadTable* table, Quad quad, uint8_t state) noexcept nogil:
    """Append an operation on a quad; -1 if there is no memory.

    ``state`` has no `LAST`. Its `FIRST_DELETES` counts only if the quad is new.
    """
    cdef uint64_t hash = hash_quad(table, quad)
    cdef uint64_t tag = hash >> 32 << 32
    cdef size_t slot, row
    cdef uint8_t* old
    if table.count == table.capacity and make_room(table) < 0:
        return -1
    slot = hash & table.mask
    while table.slots[slot] != 0:
        if table.slots[slot] >> 32 << 32 == tag:
            row = <uint32_t>table.slots[slot] - 1
            if is_same(table.quads[row], quad):
                old = &table.states[row]
                state = (state & ~<int>FIRST_DELETES) | (old[0] & FIRST_DELETES)
                old[0] = 0
                table.live -= 1
                break
        slot = (slot + 1) & table.mask
    table.quads[table.count] = quad
    table.states[table.count] = state | LAST
    table.count += 1
    table.live += 1
    table.slots[slot] = tag | table.count
    return 0


cdef int quads_merge(QuadTable* table, const QuadTable* later) noexcept nogil:
    """Append the operations of a later table; -1 if there is no memory."""
    cdef size_t row
    for row in range(later.count):
        if later.states[row] != 0 and quads_put(table, later.quads[row], later.states[row]) < 0:
            return -1
    return 0


cdef int make_room(QuadTable* table) noexcept nogil:
    """Remove dead rows; unless they are more than half of the rows, double the capacity."""
    cdef size_t capacity = table.capacity
    cdef size_t row, slot
    cdef size_t kept = 0
    cdef uint64_t hash
    if table.live * 2 >= capacity:
        capacity = max(2 * capacity, <size_t>FIRST_CAPACITY)
        # A slot has 32 bits for a row.
        if (
            capacity >= <uint32_t>-1
            or resize(<void**>&table.quads, capacity * sizeof(Quad)) < 0
            or resize(<void**>&table.states, capacity) < 0
            or resize(<void**>&table.slots, 2 * capacity * sizeof(uint64_t)) < 0
        ):
            return -1
        table.mask = 2 * capacity - 1
        table.capacity = capacity
    memset(table.slots, 0, (table.mask + 1) * sizeof(uint64_t))
    for row in range(table.count):
        if table.states[row] != 0:
            table.quads[kept] = table.quads[row]
            table.states[kept] = table.states[row]
            hash = hash_quad(table, table.quads[kept])
            kept += 1
            slot = hash & table.mask
            while table.slots[slot] != 0:
                slot = (slot + 1) & table.mask
            table.slots[slot] = (hash >> 32 << 32) | kept
    table.count = kept
    return 0

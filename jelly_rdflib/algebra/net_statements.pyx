"""The last operation on each distinct statement of a stream, transaction by transaction."""

cimport cython
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.tables cimport *
from jelly_rdflib.core.wire cimport A, D, TA, TC, TX, Failure, failure_to_error, mix
from jelly_rdflib.nodes.conversion cimport NodeInterner
from jelly_rdflib.nodes.numbering cimport NodeNumbers

from jelly_rdflib.core.batch import follow_transaction
from jelly_rdflib.nodes import NODE_TYPES

cdef enum:
    # The largest table that keeps its memory when it is emptied.
    MAX_KEPT_ROWS = 1 << 10
    # The initial and the maximum capacities for recent terms, and for the bytes of their text.
    FIRST_RECENT = 1 << 10
    FIRST_TEXT = 1 << 16
    MAX_RECENT = 1 << 17
    MAX_TEXT = 16 << 20
    BATCH_ROWS = 1 << 10

# A QuadTable has the last operation on each distinct quad of numbers, in the order of these
# operations. When a quad is repeated, its old row is marked as dead and a new row is appended. Dead
# rows are removed when the table is full.

cdef enum RowState:
    """Flags of a row; a dead row has no flag set."""
    LAST = 1  # no later operation is on its quad
    DELETES = 2
    FIRST_DELETES = 4  # the first operation on its quad was a delete

ctypedef struct Quad:
    uint32_t s
    uint32_t p
    uint32_t o
    uint32_t g

ctypedef struct QuadTable:
    uint32_t count  # the number of rows, dead ones included
    uint32_t capacity
    Quad* quads
    uint8_t* states
    SlotTable slots  # the rows that are not dead; a slot holds the row's number + 1


cdef void quads_free(QuadTable* table) noexcept nogil:
    PyMem_RawFree(table.quads)
    PyMem_RawFree(table.states)
    PyMem_RawFree(table.slots.slots)
    memset(table, 0, sizeof(QuadTable))


cdef inline uint64_t hash_quad(Quad quad) noexcept nogil:
    # The hash has a secret seed, since the input chooses the order of terms, and so their numbers.
    cdef uint64_t seed = hash_seed()
    return mix(
        seed ^ (<uint64_t>quad.s << 32 | quad.o), seed ^ (<uint64_t>quad.p << 32 | quad.g)
    )


cdef inline uint64_t* slot_of(const QuadTable* table, Quad quad, uint64_t hash) noexcept nogil:
    """Return the slot of a quad, or the free slot for it."""
    cdef uint64_t* slot = first_slot(&table.slots, hash)
    cdef const Quad* other
    while slot[0] != 0:
        other = &table.quads[<uint32_t>slot[0] - 1]
        if other.s == quad.s and other.o == quad.o and other.p == quad.p and other.g == quad.g:
            break
        slot = next_slot(&table.slots, hash, slot)
    return slot


cdef int quads_put(QuadTable* table, Quad quad, uint8_t state) except -1:
    """Append an operation on a quad; `FIRST_DELETES` in its state counts only for a new quad."""
    cdef uint64_t hash = hash_quad(quad)
    cdef uint64_t* slot
    cdef uint32_t row
    if table.count == table.capacity:
        remove_dead(table)
    slots_reserve(&table.slots)
    slot = slot_of(table, quad, hash)
    if slot[0] != 0:
        row = <uint32_t>slot[0] - 1
        state = (state & ~<int>FIRST_DELETES) | (table.states[row] & FIRST_DELETES)
        table.states[row] = 0
        move_slot(slot, table.count + 1)
    else:
        fill_slot(&table.slots, slot, hash, table.count + 1)
    table.quads[table.count] = quad
    table.states[table.count] = state | LAST
    table.count += 1
    return 0


cdef int remove_dead(QuadTable* table) except -1:
    """Remove dead rows; double the capacity unless more than half of the rows are dead."""
    cdef uint32_t capacity = table.capacity
    cdef uint32_t row
    cdef uint32_t kept = 0
    if 2 * <uint64_t>table.slots.count >= table.capacity:
        make_room(<void**>&table.quads, table.count, &capacity, sizeof(Quad))
        grow(<void**>&table.states, capacity)
        table.capacity = capacity
    for row in range(table.count):
        if table.states[row] != 0:
            move_slot(slot_of(table, table.quads[row], hash_quad(table.quads[row])), kept + 1)
            table.quads[kept] = table.quads[row]
            table.states[kept] = table.states[row]
            kept += 1
    table.count = kept
    return 0


@cython.final
cdef class NetStatements:
    """The last operation on each distinct statement, in the order of these operations.

    Terms are the same by `jelly_rdflib.terms.identity`. The default graph is None.
    """

    cdef NodeNumbers numbers
    # Operations of committed transactions, and of the open transaction.
    cdef QuadTable committed, pending
    cdef QuadTable* current
    cdef size_t next_row  # the first committed row of the next batch
    cdef readonly bint is_open  # in a transaction
    # The last batch, the nodes made from its terms so far, and the numbers of its terms (0 while
    # unknown).
    cdef Batch batch
    cdef list nodes
    cdef uint32_t* known
    cdef size_t known_capacity
    # Terms of recent batches, and their numbers: most terms are found here, and need no node.
    cdef TermColumns recent
    cdef uint32_t* recent_numbers
    cdef size_t recent_capacity
    cdef Failure failure

    def __cinit__(self):
        self.numbers = NodeNumbers()
        self.forget_recent()
        self.current = &self.committed

    def __dealloc__(self):
        quads_free(&self.committed)
        quads_free(&self.pending)
        terms_free(&self.recent)
        PyMem_RawFree(self.known)
        PyMem_RawFree(self.recent_numbers)

    def __len__(self):
        """The number of kept operations."""
        return self.committed.slots.count + self.pending.slots.count

    def begin(self):
        """Start a transaction."""
        self.is_open = follow_transaction(TX, self.is_open)
        self.current = &self.pending

    def commit(self):
        """End the transaction."""
        cdef QuadTable empty
        cdef size_t row
        follow_transaction(TC, self.is_open)
        if self.committed.count == 0:
            empty = self.committed
            self.committed = self.pending
            self.pending = empty
        else:
            for row in range(self.pending.count):
                if self.pending.states[row] != 0:
                    quads_put(&self.committed, self.pending.quads[row], self.pending.states[row])
        self.forget_pending()

    def abort(self):
        """End the transaction, and forget its operations."""
        follow_transaction(TA, self.is_open)
        self.forget_pending()

    def take_rows(self, Batch batch not None, size_t start, size_t stop, *, bint has_others):
        """Take rows of a batch: adds, deletes, and starts and ends of transactions.

        Return the number of the first row with another operation, or ``stop``. ``has_others`` means
        that the open transaction has other operations: then its end counts as another operation.
        """
        cdef size_t row
        cdef uint8_t op
        if batch is not self.batch:
            self.start_batch(batch)
        for row in range(start, min(stop, batch.rows.count)):
            op = batch.rows.ops[row]
            if op == A or op == D:
                self.put(
                    self.number(batch.rows.s[row]), self.number(batch.rows.p[row]),
                    self.number(batch.rows.o[row]), self.graph_number(batch.rows.g[row]),
                    op == D,
                )
            elif op == TX:
                self.begin()
            elif op == TC and not has_others:
                self.commit()
            elif op == TA and not has_others:
                self.abort()
            else:
                return row
        return stop

    def batches(self, *, bint without_reverted):
        """Iterate over the committed operations as batches; `take_rows` can't be called afterwards.

        With ``without_reverted``, leave out statements that were first added and last deleted, or
        first deleted and last added. A batch may then be empty.
        """
        self.batch = None
        self.clear_known(len(self.numbers.nodes))
        while self.next_row < self.committed.count:
            yield self.next_batch(without_reverted)

    cdef Batch next_batch(self, bint without_reverted):
        cdef NodeInterner interner = NodeInterner(NODE_TYPES)
        cdef size_t start = self.next_row
        cdef RowColumns rows
        cdef Quad quad
        cdef uint8_t state
        interner.nodes = [None]
        if rows_init(&rows, BATCH_ROWS) < 0:
            raise MemoryError
        try:
            while (
                self.next_row < min(start + BATCH_ROWS, self.committed.count)
                and not interner.is_full()
            ):
                quad = self.committed.quads[self.next_row]
                state = self.committed.states[self.next_row]
                self.next_row += 1
                if state != 0 and not (
                    without_reverted and ((state & DELETES) != 0) != ((state & FIRST_DELETES) != 0)
                ):
                    rows_append(
                        &rows, D if state & DELETES else A, self.term_of(interner, quad.s),
                        self.term_of(interner, quad.p), self.term_of(interner, quad.o),
                        self.term_of(interner, quad.g),
                    )
        except BaseException:
            rows_free(&rows)
            raise
        # The next batch has another table of terms.
        for row in range(start, self.next_row):
            quad = self.committed.quads[row]
            self.known[quad.s] = self.known[quad.p] = self.known[quad.o] = self.known[quad.g] = 0
        return interner.make_batch(&rows, True)

    cdef inline uint32_t term_of(self, NodeInterner interner, uint32_t number) except? 0:
        """Return the term of the node with this number, in the table of a new batch."""
        if self.known[number] == 0 and number != 0:
            self.known[number] = interner.intern_node(self.numbers.nodes[number])
        return self.known[number]

    cdef inline int put(self, int64_t s, int64_t p, int64_t o, int64_t g, bint deletes) except -1:
        """Add an operation on a quad of numbers; graph 0 is the default graph."""
        cdef Quad quad
        cdef uint8_t state = DELETES | FIRST_DELETES if deletes else 0
        quad.s, quad.p, quad.o, quad.g = <uint32_t>s, <uint32_t>p, <uint32_t>o, <uint32_t>g
        return quads_put(self.current, quad, state)

    cdef int forget_pending(self) except -1:
        self.is_open = False
        self.current = &self.committed
        if self.pending.capacity > MAX_KEPT_ROWS:
            quads_free(&self.pending)
        else:
            slots_clear(&self.pending.slots)
            self.pending.count = 0
        return 0

    cdef int start_batch(self, Batch batch) except -1:
        cdef size_t count
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        batch.terms.check_made()
        count = batch.terms.columns.count
        self.batch = None
        if self.recent.count > MAX_RECENT or self.recent.offsets[self.recent.count] > MAX_TEXT:
            self.forget_recent()
        self.clear_known(count)
        self.nodes = batch.terms.nodes
        self.batch = batch
        return 0

    cdef int clear_known(self, size_t count) except -1:
        if count > self.known_capacity:
            grow(<void**>&self.known, count * sizeof(uint32_t))
            self.known_capacity = count
        memset(self.known, 0, count * sizeof(uint32_t))
        return 0

    cdef int forget_recent(self) except -1:
        terms_free(&self.recent)
        if terms_init(&self.recent, FIRST_RECENT, FIRST_TEXT, <uint32_t>-1) < 0:
            raise MemoryError
        PyMem_RawFree(self.recent_numbers)
        self.recent_numbers = NULL
        self.recent_capacity = 0
        return 0

    cdef inline uint32_t number(self, uint32_t term) except? 0:
        """Return the number of a term of the batch; 0 for a missing term."""
        if self.known[term] == 0 and term != 0:
            self.known[term] = self.find_number(term)
        return self.known[term]

    cdef inline uint32_t graph_number(self, uint32_t term) except? 0:
        """Return the number of a graph's name; 0 for the default graph."""
        return 0 if self.batch.terms.is_default(term) else self.number(term)

    cdef uint32_t find_number(self, uint32_t term) except? 0:
        cdef TermColumns* terms = &self.batch.terms.columns
        cdef int64_t recent = terms_copy(&self.recent, terms, term, NULL, &self.failure)
        if recent < 0:
            raise failure_to_error(&self.failure, None, None, None)
        if <size_t>recent >= self.recent_capacity:
            grow(<void**>&self.recent_numbers, self.recent.capacity * sizeof(uint32_t))
            memset(
                self.recent_numbers + self.recent_capacity, 0,
                (self.recent.capacity - self.recent_capacity) * sizeof(uint32_t),
            )
            self.recent_capacity = self.recent.capacity
        if self.recent_numbers[recent] == 0:
            if self.nodes is None:
                self.nodes = [None] * terms.count
            self.recent_numbers[recent] = <uint32_t>self.numbers.find(
                self.make_node(self.batch.terms, term, self.nodes)
            )
        return self.recent_numbers[recent]

    cdef object make_node(self, TermTable table, uint32_t term, list nodes):
        """Make the node of a term, after the nodes of the terms that it refers to."""
        cdef uint32_t[3] numbers
        cdef uint32_t number
        if term == 0 or nodes[term] is not None:
            return nodes[term]
        if table.columns.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(numbers, table.columns.data + table.columns.offsets[term], sizeof(numbers))
            for number in numbers:
                self.make_node(table, number, nodes)
        else:
            self.make_node(table, table.columns.extras[term], nodes)
        nodes[term] = table.factory.find_or_make(&table.columns, term, nodes)
        return nodes[term]

"""The last operation on each distinct statement of a stream, transaction by transaction."""

cdef enum:
    # The largest table that keeps its memory when it is emptied.
    MAX_KEPT_ROWS = 1 << 10
    # Recent terms, and bytes of their text: the first capacity, and the most.
    FIRST_RECENT = 1 << 10
    FIRST_TEXT = 1 << 16
    MAX_RECENT = 1 << 17
    MAX_TEXT = 16 << 20

cdef object ADD = Op.A
cdef object DELETE = Op.D


@cython.final
cdef class NetStatements:
    """The last operation on each distinct statement, in the order of these operations.

    Statements are the same if rdflib finds their terms equal; no graph is the default graph.
    """

    cdef NodeNumbers numbers
    cdef object default_graph
    # Operations of committed transactions, and of the open transaction.
    cdef QuadTable committed
    cdef QuadTable pending
    cdef QuadTable* current
    cdef readonly bint is_open  # in a transaction
    # The last batch, the nodes of its terms that were made, and the numbers of its terms, 0 while
    # unknown.
    cdef Batch batch
    cdef list nodes
    cdef uint32_t* known
    cdef size_t known_capacity
    # Terms of recent batches, and their numbers: most terms need no node then.
    cdef TermColumns recent
    cdef uint32_t* recent_numbers
    cdef size_t recent_capacity
    cdef Failure failure

    def __cinit__(self, default_graph not None):
        self.numbers = NodeNumbers()
        self.default_graph = default_graph
        quads_init(&self.committed)
        quads_init(&self.pending)
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
        return self.committed.live + self.pending.live

    def begin(self):
        """Start a transaction."""
        if self.is_open:
            follow_transaction(Op.TX, True)
        self.is_open = True
        self.current = &self.pending

    def commit(self):
        """End the transaction."""
        cdef QuadTable empty
        if not self.is_open:
            follow_transaction(Op.TC, False)
        if self.committed.count == 0:
            empty = self.committed
            self.committed = self.pending
            self.pending = empty
        elif quads_merge(&self.committed, &self.pending) < 0:
            raise MemoryError
        self.forget_pending()

    def abort(self):
        """End the transaction, and forget its operations."""
        if not self.is_open:
            follow_transaction(Op.TA, False)
        self.forget_pending()

    def take_rows(self, Batch batch not None, size_t start, size_t stop, *, bint has_others):
        """Take rows of a batch: adds, deletes, and starts and ends of transactions.

        Return the number of the first row that is another operation, or ``stop``. With
        ``has_others``, which says that the transaction has other operations, the end of a
        transaction counts as another operation.
        """
        cdef size_t row
        cdef uint8_t op
        if batch is not self.batch:
            self.start_batch(batch)
        for row in range(start, min(stop, batch.rows.count)):
            op = batch.rows.ops[row]
            if op == A or op == D:
                self.take_row(batch, row, op)
            elif op == TX:
                self.begin()
            elif op == TC and not has_others:
                self.commit()
            elif op == TA and not has_others:
                self.abort()
            else:
                return row
        return stop

    def take(self, tuple operation not None):
        """Take an add or delete, which the caller has checked."""
        cdef Quad quad
        cdef uint8_t state
        op, s, p, o, g = operation
        state = 0 if op == ADD else DELETES | FIRST_DELETES
        if g is None:
            state |= GRAPHLESS
            g = self.default_graph
        quad.s = <uint32_t>self.numbers.find(s)
        quad.p = <uint32_t>self.numbers.find(p)
        quad.o = <uint32_t>self.numbers.find(o)
        quad.g = <uint32_t>self.numbers.find(g)
        if quads_put(self.current, quad, state) < 0:
            raise MemoryError

    def operations(self, *, bint without_reverted):
        """Iterate over the committed operations; after that no more may be taken.

        With ``without_reverted``, leave out statements that were first added and last deleted, or
        first deleted and last added.
        """
        cdef QuadTable* table = &self.committed
        cdef list nodes = self.numbers.nodes
        cdef size_t row
        cdef uint8_t state
        for row in range(table.count):
            state = table.states[row]
            if state != 0 and not (
                without_reverted and ((state & DELETES) != 0) != ((state & FIRST_DELETES) != 0)
            ):
                yield (
                    DELETE if state & DELETES else ADD,
                    nodes[table.quads[row].s],
                    nodes[table.quads[row].p],
                    nodes[table.quads[row].o],
                    None if state & GRAPHLESS else nodes[table.quads[row].g],
                )

    cdef inline int take_row(self, Batch batch, size_t row, uint8_t op) except -1:
        cdef Quad quad
        cdef uint8_t state = 0 if op == A else DELETES | FIRST_DELETES
        quad.s = self.number(batch.rows.s[row])
        quad.p = self.number(batch.rows.p[row])
        quad.o = self.number(batch.rows.o[row])
        if batch.rows.g[row] == 0:
            state |= GRAPHLESS
            quad.g = <uint32_t>self.numbers.find(self.default_graph)
        else:
            quad.g = self.number(batch.rows.g[row])
        if quads_put(self.current, quad, state) < 0:
            raise MemoryError
        return 0

    cdef int forget_pending(self) except -1:
        self.is_open = False
        self.current = &self.committed
        if self.pending.capacity > MAX_KEPT_ROWS:
            quads_free(&self.pending)
            quads_init(&self.pending)
        elif self.pending.count > 0:
            memset(self.pending.slots, 0, (self.pending.mask + 1) * sizeof(uint64_t))
            self.pending.count = 0
            self.pending.live = 0
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
        if count > self.known_capacity:
            if resize(<void**>&self.known, count * sizeof(uint32_t)) < 0:
                raise MemoryError
            self.known_capacity = count
        memset(self.known, 0, count * sizeof(uint32_t))
        self.nodes = None
        self.batch = batch
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
        if self.known[term] == 0:
            self.known[term] = self.find_number(term)
        return self.known[term]

    cdef uint32_t find_number(self, uint32_t term) except? 0:
        """Return the number of a term of the batch."""
        cdef TermColumns* terms = &self.batch.terms.columns
        cdef int64_t recent = terms_copy(&self.recent, terms, term, NULL, &self.failure)
        if recent < 0:
            raise failure_to_error(&self.failure, None, None, None)
        if <size_t>recent >= self.recent_capacity:
            if resize(<void**>&self.recent_numbers, self.recent.capacity * sizeof(uint32_t)) < 0:
                raise MemoryError
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

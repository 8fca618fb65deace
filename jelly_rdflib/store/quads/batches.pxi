"""The quads of a store as batches, of which no node is made."""

cdef enum:
    # A batch has so many rows, or so much text, and a row more.
    BATCH_ROWS = 1 << 11
    BATCH_TEXT = 1 << 20


@cython.nonecheck(True)
@cython.final
cdef class StoreBatches(BatchSource):
    """Iterates over the quads of a store, as they are when it is made, as rows of batches.

    They are sorted: the default graph's first, then by graph, subject, predicate and object as by
    `TermRanks`. A row of the default graph has no graph.

    Args:
        store: The quads.
        default_graph: The name of the graph whose quads are those of the default graph.
        only_default: Whether to leave out all other graphs.
        op: The `Op` of the rows.
        names_default: Whether a row of the default graph has its term as graph.
        without: Another store whose quads are left out: its `QuadStore`, the name of its default
            graph, and whether only this graph is compared.
    """

    cdef Snapshot snapshot
    cdef NodeFactory factory
    cdef uint32_t default_name
    cdef uint8_t op
    cdef bint has_graphs, names_default
    cdef uint32_t* rows  # numbers of rows, in order
    cdef uint32_t count, row, capacity
    # The numbers that the store's terms have in the batch, 0 for none; and which have one.
    cdef uint32_t* numbers
    cdef uint32_t* numbered
    cdef size_t numbered_count, numbered_capacity

    def __cinit__(
        self, QuadStore store not None, default_graph, *, bint only_default=False, uint8_t op=A,
        bint names_default=False, tuple without=None,
    ):
        self.factory = store.terms.factory
        self.has_graphs = names_default or not only_default
        self.names_default = names_default
        self.op = op
        self.snapshot = open_snapshot(store)
        self.default_name = <uint32_t>find_number_in(self.snapshot.terms, default_graph)
        self.numbers = <uint32_t*>PyMem_RawCalloc(
            <size_t>self.snapshot.terms.count + 1, sizeof(uint32_t)
        )
        if self.numbers == NULL:
            raise MemoryError
        self.read_rows(only_default, without)

    def __dealloc__(self):
        PyMem_RawFree(self.rows)
        PyMem_RawFree(self.numbers)
        PyMem_RawFree(self.numbered)

    cdef int read_rows(self, bint only_default, tuple without) except -1:
        """Read all rows, without those of another store if there is one, and sort them."""
        cdef Rows rows = self.snapshot.rows
        cdef TermRanks ranks = TermRanks(self.snapshot.terms)
        cdef Scan scan = open_graph_scan(self.snapshot, self.default_name, only_default)
        cdef uint32_t default_count = 0
        cdef uint32_t capacity
        cdef int64_t row
        cdef Counterpart other = None
        if without is not None:
            # Last: from here on no Python object is made, and nobody changes the other store.
            other = Counterpart(self.snapshot, self.default_name, *without)
        while scan is not None:
            row = scan.read_row()
            if row < 0:
                break
            if other is not None and other.has(row_at(rows, <uint32_t>row)):
                continue
            if self.count == self.capacity:
                capacity = 2 * self.capacity + 64
                grow(<void**>&self.rows, capacity * sizeof(uint32_t))
                self.capacity = capacity
            self.rows[self.count] = <uint32_t>row
            if row_at(rows, <uint32_t>row).terms[G] == self.default_name:
                self.rows[self.count] = self.rows[default_count]
                self.rows[default_count] = <uint32_t>row
                default_count += 1
            self.count += 1
            ranks.add(row_at(rows, <uint32_t>row).terms[S])
            ranks.add(row_at(rows, <uint32_t>row).terms[P])
            ranks.add(object_of(rows, <uint32_t>row))
            ranks.add(row_at(rows, <uint32_t>row).terms[G])
        ranks.rank()
        sort_rows(rows, GSPO, self.rows, default_count, ranks.ranks)
        sort_rows(
            rows, GSPO, self.rows + default_count, self.count - default_count, ranks.ranks
        )
        return 0

    cdef Batch read_batch(self):
        cdef RowColumns rows
        cdef TermColumns terms
        cdef uint32_t stop = min(self.count, self.row + <uint32_t>BATCH_ROWS)
        if self.row == stop:
            return None
        self.forget_numbers()
        if rows_init(&rows, stop - self.row) < 0:
            raise MemoryError
        if terms_init(&terms, FIRST_CAPACITY, FIRST_DATA, MAX_TABLE_TEXT) < 0:
            rows_free(&rows)
            raise MemoryError
        try:
            while self.row < stop and terms.offsets[terms.count] < BATCH_TEXT:
                self.append(&rows, &terms, self.rows[self.row])
                self.row += 1
        except BaseException:
            rows_free(&rows)
            terms_free(&terms)
            raise
        return make_batch(&rows, &terms, self.factory, self.has_graphs, {})

    cdef int close_source(self) except -1:
        self.snapshot = None
        self.row = self.count
        return 0

    cdef int append(self, RowColumns* rows, TermColumns* terms, uint32_t number) except -1:
        cdef const Row* row = row_at(self.snapshot.rows, number)
        cdef uint32_t s = self.number(terms, row.terms[S])
        cdef uint32_t p = self.number(terms, row.terms[P])
        cdef uint32_t o = self.number(terms, object_of(self.snapshot.rows, number))
        cdef uint32_t g = 0
        if row.terms[G] != self.default_name:
            g = self.number(terms, row.terms[G])
        elif self.names_default:
            g = default_graph_number(terms)
        if rows_append(rows, self.op, s, p, o, g) < 0:
            raise MemoryError
        return 0

    cdef uint32_t number(self, TermColumns* terms, uint32_t term) except 0:
        """Return the number of a term of the store in the batch."""
        cdef Dictionary stored = self.snapshot.terms
        cdef uint32_t extra = 0
        cdef Span text
        cdef Failure failure
        cdef int64_t number
        cdef size_t capacity
        if self.numbers[term] != 0:
            return self.numbers[term]
        if stored.terms[term].extra != 0:
            extra = self.number(terms, stored.terms[term].extra)
        text = stored_text(stored, term)
        if self.numbered_count == self.numbered_capacity:
            capacity = 2 * self.numbered_capacity + 1024
            grow(<void**>&self.numbered, capacity * sizeof(uint32_t))
            self.numbered_capacity = capacity
        number = terms_intern(
            terms, <TermKind>stored_kind(stored, term), text.start, text.end - text.start, extra,
            hash_key(stored_kind(stored, term), text, terms.hashes[extra]), NULL, &failure,
        )
        if number < 0:
            if terms.offsets[terms.count] > MAX_TABLE_TEXT // 2:
                raise LimitError("the terms of a batch have more than 4 GiB of text")
            raise MemoryError
        self.numbered[self.numbered_count] = term
        self.numbered_count += 1
        self.numbers[term] = <uint32_t>number
        return <uint32_t>number

    cdef void forget_numbers(self) noexcept:
        cdef size_t i
        for i in range(self.numbered_count):
            self.numbers[self.numbered[i]] = 0
        self.numbered_count = 0


cdef uint32_t default_graph_number(TermColumns* terms) except 0:
    cdef Failure failure
    cdef int64_t number = terms_intern(
        terms, TermKind.DEFAULT_GRAPH, <const uint8_t*>b"", 0, 0,
        term_hash(TermKind.DEFAULT_GRAPH, 0, 0), NULL, &failure,
    )
    if number < 0:
        raise MemoryError
    return <uint32_t>number


cdef Scan open_graph_scan(Snapshot snapshot, uint32_t name, bint is_one):
    """Return the rows of all graphs, or of one graph; None if the store does not have its name."""
    cdef Scan scan = Scan.__new__(Scan)
    cdef Row pattern
    memset(&pattern, 0, sizeof(pattern))
    if is_one:
        pattern.terms[G] = name
        return None if name == 0 else open_scan(snapshot, &pattern, has_graph=True)
    scan.snapshot = snapshot
    scan.pattern = pattern
    scan.last_row = snapshot.count
    return scan

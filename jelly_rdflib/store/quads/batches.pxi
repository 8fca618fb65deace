"""The quads of a store as batches, of which no node is made."""

@cython.nonecheck(True)
@cython.final
cdef class StoreBatches(BatchSource):
    """Iterates over the quads of a store as they are when it is made, the oldest first.

    Args:
        store: The quads.
        default_graph: The name of the graph whose quads are in the default graph.
        rows: How many rows a batch has, at the most.
    """

    cdef Snapshot snapshot
    cdef Scan scan
    cdef NodeFactory factory
    cdef int64_t default_name
    cdef size_t max_rows
    # The numbers that the store's terms have in the batch, 0 for none; and which have one.
    cdef uint32_t* numbers
    cdef uint32_t* numbered
    cdef size_t count, capacity

    def __cinit__(self, QuadStore store not None, default_graph, *, size_t rows=512):
        self.factory = store.terms.factory
        self.default_name = find_number(store, default_graph)
        self.max_rows = max(rows, <size_t>1)
        self.snapshot = open_snapshot(store)
        self.numbers = <uint32_t*>PyMem_RawCalloc(
            <size_t>self.snapshot.terms.count + 1, sizeof(uint32_t)
        )
        if self.numbers == NULL:
            raise MemoryError
        self.scan = scan_all(self.snapshot)

    def __dealloc__(self):
        PyMem_RawFree(self.numbers)
        PyMem_RawFree(self.numbered)

    cdef Batch read_batch(self):
        cdef RowColumns rows
        cdef TermColumns terms
        cdef int64_t row
        self.forget_numbers()
        if rows_init(&rows, self.max_rows) < 0:
            raise MemoryError
        if terms_init(&terms, FIRST_CAPACITY, FIRST_DATA, MAX_BATCH_TEXT) < 0:
            rows_free(&rows)
            raise MemoryError
        try:
            while rows.count < self.max_rows:
                row = self.scan.read_row()
                if row < 0:
                    break
                self.append(&rows, &terms, <uint32_t>row)
        except BaseException:
            rows_free(&rows)
            terms_free(&terms)
            raise
        if rows.count == 0:
            rows_free(&rows)
            terms_free(&terms)
            return None
        return make_batch(&rows, &terms, self.factory, True, {})

    cdef int close_source(self) except -1:
        self.scan = None
        return 0

    cdef int append(self, RowColumns* rows, TermColumns* terms, uint32_t number) except -1:
        cdef const Row* row = row_at(self.snapshot.rows, number)
        cdef uint32_t s = self.number(terms, row.terms[S])
        cdef uint32_t p = self.number(terms, row.terms[P])
        cdef uint32_t o = self.number(terms, object_of(self.snapshot.rows, number))
        cdef uint32_t g
        cdef Failure failure
        cdef int64_t default_graph
        if row.terms[G] == self.default_name:
            default_graph = terms_intern(
                terms, TermKind.DEFAULT_GRAPH, <const uint8_t*>b"", 0, 0,
                term_hash(TermKind.DEFAULT_GRAPH, 0, 0), NULL, &failure,
            )
            if default_graph < 0:
                raise MemoryError
            g = <uint32_t>default_graph
        else:
            g = self.number(terms, row.terms[G])
        if rows_append(rows, A, s, p, o, g) < 0:
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
        if self.count == self.capacity:
            capacity = 2 * self.capacity + 1024
            grow(<void**>&self.numbered, capacity * sizeof(uint32_t))
            self.capacity = capacity
        number = terms_intern(
            terms, <TermKind>stored_kind(stored, term), text.start, text.end - text.start, extra,
            hash_key(stored_kind(stored, term), text, terms.hashes[extra]), NULL, &failure,
        )
        if number < 0:
            if terms.offsets[terms.count] > MAX_BATCH_TEXT // 2:
                raise LimitError("the terms of a batch have more than 4 GiB of text")
            raise MemoryError
        self.numbered[self.count] = term
        self.count += 1
        self.numbers[term] = <uint32_t>number
        return <uint32_t>number

    cdef void forget_numbers(self) noexcept:
        cdef size_t i
        for i in range(self.count):
            self.numbers[self.numbered[i]] = 0
        self.count = 0


# Offsets of texts have 32 bits in a batch.
cdef size_t MAX_BATCH_TEXT = 0xFFFFFF00


cdef Scan scan_all(Snapshot snapshot):
    """Return all rows, the oldest first."""
    cdef Scan scan = Scan.__new__(Scan)
    scan.snapshot = snapshot
    memset(&scan.pattern, 0, sizeof(scan.pattern))
    scan.last_row = snapshot.count
    return scan

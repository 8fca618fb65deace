"""The quads of a `JellyStore` as sorted batches, without making nodes."""

@cython.nonecheck(True)
@cython.final
cdef class StoreBatches(BatchSource):
    """Iterates over rows of batches: the quads that a store has when the iterator is made.

    The default graph's quads come first, the others by graph, subject, predicate and object; terms
    are sorted by `TermRanks`. A row of the default graph has no graph.

    Args:
        store: The quads.
        default_graph: The name under which the store keeps the default graph.
        only_default: Whether to leave out all other graphs.
        op: The `Op` of the rows.
        has_graphs: Whether the statements are quads, even if all other graphs are left out.
        without: Another store, whose quads are left out: its `QuadStore`, the name of its default
            graph, and whether only that graph is compared.
    """

    cdef Snapshot snapshot
    cdef RowBatch batch
    cdef uint32_t default_name
    cdef uint8_t op
    cdef uint32_t* rows  # numbers of rows, in order
    cdef uint32_t count, row, capacity

    def __cinit__(
        self, QuadStore store not None, default_graph, *, bint only_default=False, uint8_t op=A,
        bint has_graphs=False, tuple without=None,
    ):
        self.batch = RowBatch(has_graphs or not only_default)
        self.op = op
        with cython.critical_section(store, store if without is None else without[0]):
            self.snapshot = open_snapshot(store)
            self.default_name = <uint32_t>find_number(self.snapshot.terms, default_graph)
            self.read_rows(only_default, without)

    def __dealloc__(self):
        PyMem_RawFree(self.rows)

    cdef int read_rows(self, bint only_default, tuple without) except -1:
        """Read all rows, except those of another store if it is given, and sort them."""
        cdef Rows rows = self.snapshot.rows
        cdef TermRanks ranks = TermRanks(self.snapshot.terms)
        cdef Scan scan = scan_graph(self.snapshot, self.default_name, only_default)
        cdef uint32_t default_count = 0
        cdef int64_t row
        cdef Counterpart other = None
        if without is not None:
            # Make this last: no Python object is made after it, so the other store can't change.
            other = Counterpart(self.snapshot, self.default_name, *without)
        while True:
            row = scan.read_row()
            if row < 0:
                break
            if other is not None and other.has(row_at(rows, <uint32_t>row)):
                continue
            make_room(<void**>&self.rows, self.count, &self.capacity, sizeof(uint32_t))
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
        if self.row == self.count:
            return None
        with cython.critical_section(self.snapshot.store):
            self.batch.start(self.snapshot.terms, self.snapshot.rows, self.default_name)
            while self.row < self.count and not self.batch.is_full():
                self.batch.append(self.op, self.rows[self.row])
                self.row += 1
            return self.batch.drain()

    cdef int close_source(self) except -1:
        self.snapshot = None
        self.row = self.count
        return 0

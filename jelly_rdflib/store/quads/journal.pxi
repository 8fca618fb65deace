"""The changes of a store in order, read from its journal."""

@cython.nonecheck(True)
@cython.final
@cython.no_gc_clear
cdef class StoreJournal:
    """Reads the changes of a store as batches, except those that have already been undone.

    As long as this object is open, the store keeps its whole journal.

    Args:
        store: The quads, whose pending changes are committed. A RecordError is raised if their
            changes are already being recorded, or while `apply` is changing them.
        default_graph: The name of the default graph.
        is_one: Whether only changes to this graph are read.
        refuse: Called for a change to ``refused``, to raise an error.
        refused: The name of a graph that can't be recorded.

    Attributes:
        added, deleted: How many quads were added and deleted in the changes that were read.
    """

    def __cinit__(
        self, QuadStore store not None, default_graph, *, bint is_one, refused=None, refuse=None
    ):
        with cython.critical_section(store):
            if store.is_recorded:
                raise RecordError("the store's changes are already being recorded")
            if store.is_marked:
                raise RecordError("changes are being applied to the store: record it after that")
            store.commit_all()
            store.is_recorded = True
        self.store = store
        self.default_graph = default_graph
        self.is_one = is_one
        self.refused, self.refuse = refused, refuse
        self.batch = RowBatch(not is_one)

    def __dealloc__(self):
        self.close()

    cpdef close(self):
        """Stop recording."""
        with cython.critical_section(self.store):
            if self.store is not None:
                self.store.is_recorded = False
                self.store = None

    cpdef Batch read(self):
        """Return a batch of the changes since the last call, or None if there are none.

        Raises:
            RecordError: The next change is to the graph that can't be recorded; it is left out.
        """
        with cython.critical_section(self.store):
            return self.read_changes()

    cdef Batch read_changes(self):
        cdef QuadStore store = self.store
        cdef Mark told
        cdef int64_t name = find_number(store.terms, self.default_graph)
        cdef int64_t refused = 0
        cdef uint32_t row
        cdef uint8_t op
        cdef uint64_t[2] counts = [0, 0]
        cdef Batch batch
        if self.refused is not None:
            refused = find_number(store.terms, self.refused)
        self.batch.start(store.terms, store.rows, <uint32_t>name)
        told = store.told
        while not self.batch.is_full():
            if told.deaths < store.death_count and store.deaths[told.deaths].before <= told.rows:
                op, row = D, store.deaths[told.deaths].row
            elif told.rows < store.rows.count:
                op, row = A, told.rows
            else:
                break
            if refused != 0 and row_at(store.rows, row).terms[G] == refused:
                if self.batch.columns.count > 0:
                    break
                told.rows += op == A
                told.deaths += op == D
                store.told = told
                self.refuse()
            if not self.is_one or row_at(store.rows, row).terms[G] == name:
                self.batch.append(op, row)
                counts[op == A] += 1
            told.rows += op == A
            told.deaths += op == D
        batch = self.batch.drain()
        if batch is None:
            self.skip_changes()
        else:
            store.told = told
            self.deleted += counts[0]
            self.added += counts[1]
        return batch

    cpdef skip(self):
        """Skip the changes that were not read; they are committed with the other changes."""
        with cython.critical_section(self.store):
            self.skip_changes()

    cdef int skip_changes(self) except -1:
        self.store.tick()
        self.store.told = self.store.here()
        return 0

    cpdef commit(self):
        """Commit the changes that were read; changes that other threads made since stay pending."""
        with cython.critical_section(self.store):
            self.store.commit_told()

    cpdef undo(self, bint of_all_graphs):
        """Undo the changes since the last commit: all of them, or only those to recorded graphs.

        If it is interrupted, it may be called again.
        """
        cdef QuadStore store = self.store
        cdef uint32_t graph = 0
        cdef bint is_one = self.is_one and not of_all_graphs
        with cython.critical_section(store):
            if is_one:
                graph = <uint32_t>find_number(store.terms, self.default_graph)
            if graph != 0 or not is_one:
                undo(store, &store.times.committed, graph)
            self.skip_changes()

    @property
    def is_behind(self):
        """Return whether some changes have not been read yet."""
        with cython.critical_section(self.store):
            return self.store.has_untold()

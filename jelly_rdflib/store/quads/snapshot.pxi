"""A reader's view: the quads as of its start, regardless of later changes."""

cdef enum:
    # A graph with at least 1 / LARGE_PART of all rows is read by scanning all rows.
    LARGE_PART = 16


@cython.nonecheck(True)
@cython.final
@cython.no_gc_clear
cdef class Snapshot:
    """The state of a store at one time."""

    def __dealloc__(self):
        if self.store is not None:
            count_readers(&self.rows.readers, -1)

    cdef int sort(self) except -1:
        """Ensure that few rows are in no run."""
        cdef QuadStore store = self.store
        if self.count - self.sealed <= MAX_TAIL:
            return 0
        if store.rows is self.rows and store.rows.count == self.count:
            store.seal()
            self.runs = store.runs
        else:
            self.runs = self.runs + [Run(self.sealed, self.count)]
        self.sealed = self.count
        return 0

    cdef list names_of(self, const Row* row):
        """Return the numbers of the graphs that contain the triple of a row."""
        cdef Row pattern = row[0]
        cdef Scan scan
        cdef list names = []
        cdef int64_t number
        pattern.terms[G] = 0
        scan = open_scan(self, &pattern, has_graph=False)
        while True:
            number = scan.read_row()
            if number < 0:
                return names
            names.append(row_at(self.rows, <uint32_t>number).terms[G])

    cdef object graph_object(self, uint32_t name):
        """Return the object that stands for a graph."""
        if self.terms is self.store.terms:
            return self.store.graph_object(name)
        return self.store.make_graph(node_of(self.terms, name))


cdef Permutation permutation_of(Snapshot snapshot, Run run, int order):
    """Return the rows of a run in an order."""
    cdef QuadStore store = snapshot.store
    cdef Permutation permutation
    cdef Times times
    if store.rows is snapshot.rows and store.times.clock == snapshot.at:
        return get_permutation(run, snapshot.rows, &store.times, order)
    permutation = run.permutations[order]
    if permutation is not None and permutation.made_at <= snapshot.at:
        return permutation
    # The run's own permutation may lack rows that died after this snapshot. So make another one,
    # and keep it, since a join looks up rows in the same order many times.
    if snapshot.permutations is None:
        snapshot.permutations = {}
    permutation = snapshot.permutations.get((run.start, run.end, order))
    if permutation is None:
        times.clock = snapshot.at
        times.committed.rows = times.marked.rows = 0
        permutation = get_permutation(Run(run.start, run.end), snapshot.rows, &times, order)
        snapshot.permutations[run.start, run.end, order] = permutation
    return permutation


cdef Snapshot open_snapshot(QuadStore store):
    """Return the current state of a store."""
    cdef Snapshot snapshot = Snapshot.__new__(Snapshot)
    store.tick()
    snapshot.terms = store.terms
    snapshot.rows = store.rows
    snapshot.runs = store.runs
    snapshot.sealed = store.sealed
    snapshot.count = store.rows.count
    snapshot.at = store.times.clock
    snapshot.has_many_graphs = store.graphs.filled > 1
    count_readers(&store.rows.readers, 1)
    store.newest_reader = store.times.clock
    snapshot.store = store
    return snapshot


@cython.nonecheck(True)
@cython.final
cdef class Scan:
    """The rows that match a pattern."""

    def __dealloc__(self):
        PyMem_RawFree(self.sources)
        PyMem_RawFree(self.tail)

    cdef int open_sources(self, int order, int length, bint is_merged) except -1:
        """Look up the first ``length`` terms of the pattern, taken in an order, in each run."""
        cdef Snapshot snapshot = self.snapshot
        cdef Permutation permutation
        cdef Source* source
        cdef uint32_t[4] key
        cdef uint32_t i
        snapshot.sort()
        self.order = order
        for i in range(<uint32_t>length):
            key[i] = self.pattern.terms[ORDER_COLUMNS[order][i]]
        self.sources = <Source*>PyMem_RawMalloc((len(snapshot.runs) + 1) * sizeof(Source))
        if self.sources == NULL:
            raise MemoryError
        self.permutations = []
        for run in snapshot.runs:
            permutation = permutation_of(snapshot, run, order)
            source = &self.sources[self.source_count]
            source.rows = permutation.rows
            source.at = find_lower(permutation, snapshot.rows, order, key, length)
            source.end = find_upper(permutation, snapshot.rows, order, key, length, source.at)
            source.wasted = &permutation.wasted
            if source.at < source.end:
                self.source_count += 1
                self.permutations.append(permutation)
        self.next_row = snapshot.sealed
        self.last_row = snapshot.count
        if is_merged and self.next_row < self.last_row:
            self.sort_tail()
        return 0

    cdef int sort_tail(self) except -1:
        """Make a source of the rows that are in no run."""
        cdef Source* source = &self.sources[self.source_count]
        cdef uint32_t row
        self.tail = <uint32_t*>PyMem_RawMalloc(
            (self.last_row - self.next_row) * sizeof(uint32_t)
        )
        if self.tail == NULL:
            raise MemoryError
        source.rows = self.tail
        source.at = source.end = 0
        source.wasted = &self.wasted
        for row in range(self.next_row, self.last_row):
            if matches(self, row_at(self.snapshot.rows, row)):
                self.tail[source.end] = row
                source.end += 1
        sort_rows(self.snapshot.rows, self.order, self.tail, source.end, NULL)
        self.source_count += 1
        self.next_row = self.last_row
        return 0

    cdef int64_t read_row(self) noexcept:
        """Return the number of the next row, or -1 at the end."""
        cdef Snapshot snapshot = self.snapshot
        cdef int64_t row
        while self.source < self.source_count:
            row = peek(self, &self.sources[self.source])
            if row >= 0:
                self.sources[self.source].at += 1
                return row
            self.source += 1
        while self.next_row < self.last_row:
            row = self.next_row
            self.next_row += 1
            if matches(self, row_at(snapshot.rows, <uint32_t>row)) and is_alive(
                snapshot.rows, <uint32_t>row, snapshot.at
            ):
                return row
        return -1

    cdef bint read_triple(self, Row* triple, list names) except -1:
        """Read the next triple, and append the numbers of its graphs; return False at the end.

        This is for a scan of all graphs, if several have quads.
        """
        cdef Rows rows = self.snapshot.rows
        cdef const Row* row
        cdef const Row* first
        cdef Source* source
        cdef uint32_t i
        cdef int64_t number
        while True:
            first, source = NULL, NULL
            for i in range(self.source_count):
                number = peek(self, &self.sources[i])
                if number < 0:
                    continue
                row = row_at(rows, <uint32_t>number)
                if first == NULL or compare_rows(row, first, self.order) < 0:
                    first = row
                    source = &self.sources[i]
            if first == NULL:
                return len(names) > 0
            if names and not is_same_triple(first, triple):
                return True
            if not names or source.rows[source.at] < self.row:
                # Return the spelling of the triple that was added to the store first.
                self.row = source.rows[source.at]
            triple[0] = first[0]
            names.append(first.terms[G])
            # A quad has one live row, and a row is in one source.
            source.at += 1


cdef inline bint matches(Scan scan, const Row* row) noexcept:
    """Return whether a row has the terms of the pattern."""
    cdef const uint32_t* pattern = scan.pattern.terms
    return (
        (pattern[S] == 0 or pattern[S] == row.terms[S])
        and (pattern[P] == 0 or pattern[P] == row.terms[P])
        and (pattern[O] == 0 or pattern[O] == row.terms[O])
        and (not scan.has_graph or pattern[G] == row.terms[G])
    )


cdef inline int64_t peek(Scan scan, Source* source) noexcept:
    """Return the number of the next row of a source, or -1 at its end."""
    cdef Snapshot snapshot = scan.snapshot
    cdef uint32_t row
    while source.at < source.end:
        row = source.rows[source.at]
        if is_alive(snapshot.rows, row, snapshot.at):
            return row
        source.at += 1
        source.wasted[0] += 1
    return -1


cdef inline bint is_same_triple(const Row* one, const Row* other) noexcept:
    return (
        one.terms[S] == other.terms[S] and one.terms[P] == other.terms[P]
        and one.terms[O] == other.terms[O]
    )


cdef Scan scan_graph(Snapshot snapshot, uint32_t name, bint is_one):
    """Return a row-by-row scan of one graph, or of all; if ``name`` is 0, the scan is empty."""
    cdef Scan scan = Scan.__new__(Scan)
    memset(&scan.pattern, 0, sizeof(Row))
    scan.snapshot = snapshot
    if not is_one:
        scan.last_row = snapshot.count
    elif name != 0:
        scan.pattern.terms[G] = name
        return open_scan(snapshot, &scan.pattern, has_graph=True)
    return scan


cdef Scan open_scan(Snapshot snapshot, const Row* pattern, bint has_graph):
    """Return a scan of one graph, or of all, for a pattern in which 0 stands for any term.

    A scan of several graphs is read triple by triple, other scans row by row.
    """
    cdef Scan scan = Scan.__new__(Scan)
    cdef QuadStore store = snapshot.store
    cdef bint s = pattern.terms[S] != 0
    cdef bint p = pattern.terms[P] != 0
    cdef bint o = pattern.terms[O] != 0
    cdef bint is_merged = snapshot.has_many_graphs and not has_graph
    cdef int order, length
    cdef uint32_t row
    scan.snapshot = snapshot
    scan.pattern = pattern[0]
    scan.has_graph = has_graph
    if not (s or p or o) and not is_merged and (
        not snapshot.has_many_graphs or is_large_graph(store, pattern.terms[G])
    ):
        scan.last_row = snapshot.count
        return scan
    if s:
        order = OSPG if o and not p else SPOG
    elif p:
        order = POSG
    else:
        order = OSPG if o else SPOG
    length = s + p + o
    if has_graph and snapshot.has_many_graphs:
        # Use the same order of terms, but within each graph.
        order = GSPO if order == SPOG else GPOS if order == POSG else GOSP
        length += 1
    scan.open_sources(order, length, is_merged)
    return scan


cdef bint is_large_graph(QuadStore store, uint32_t name) noexcept:
    cdef GraphEntry* graph = find_graph(&store.graphs, name)
    return graph != NULL and <uint64_t>graph.count * LARGE_PART >= store.rows.count

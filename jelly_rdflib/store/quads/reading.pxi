"""rdflib's way of reading a store: triples with their graphs."""

@cython.nonecheck(True)
@cython.final
cdef class TripleIterator:
    """Yields each triple of a scan, with an iterator over the graphs that have it."""

    cdef Scan scan
    # The requested subject and predicate, None for any: returned triples have these nodes.
    cdef object s, p
    cdef bint is_merged
    # The number of the last graph's name, and a tuple with only that graph's object.
    cdef tuple last_graph
    # An empty list to reuse; None while a call uses it.
    cdef list spare

    def __iter__(self):
        return self

    def __next__(self):
        with cython.critical_section(self.scan.snapshot.store):
            return self.next_triple()

    cdef tuple next_triple(self):
        cdef Snapshot snapshot = self.scan.snapshot
        cdef Dictionary terms = snapshot.terms
        cdef list names = None
        cdef int64_t number
        cdef Row row
        if self.is_merged:
            names, self.spare = self.spare, None
            if names is None:
                names = []
            if not self.scan.read_triple(&row, names):
                raise StopIteration
            number = self.scan.row
        else:
            number = self.scan.read_row()
            if number < 0:
                raise StopIteration
            row = row_at(snapshot.rows, <uint32_t>number)[0]
            if not snapshot.has_many_graphs:
                names = [row.terms[G]]
        return (
            (
                node_of(terms, row.terms[S]) if self.s is None else self.s,
                node_of(terms, row.terms[P]) if self.p is None else self.p,
                node_of(terms, object_of(snapshot.rows, <uint32_t>number)),
            ),
            self.graphs(&row, names),
        )

    cdef object graphs(self, const Row* row, list names):
        """Return an iterator over the graphs of a triple; ``names`` is None if they are unknown."""
        cdef ContextIterator graphs
        cdef tuple last = self.last_graph
        if names is not None and len(names) == 1:
            if last is None or last[0] != names[0]:
                last = (names[0], (self.scan.snapshot.graph_object(names[0]),))
                self.last_graph = last
            names.clear()
            self.spare = names
            return iter(<tuple>last[1])
        graphs = ContextIterator.__new__(ContextIterator)
        graphs.snapshot = self.scan.snapshot
        graphs.row = row[0]
        graphs.names = names
        return graphs


@cython.nonecheck(True)
@cython.final
cdef class ContextIterator:
    """Yields the objects that stand for the graphs of a triple, or of a list of names."""

    cdef Snapshot snapshot
    cdef Row row
    # The numbers of the graphs' names; None until the first graph is requested.
    cdef list names
    cdef Py_ssize_t next_name

    def __iter__(self):
        return self

    def __next__(self):
        with cython.critical_section(self.snapshot.store):
            return self.next_graph()

    cdef object next_graph(self):
        cdef Snapshot snapshot = self.snapshot
        cdef uint32_t name
        if self.names is None:
            self.names = snapshot.names_of(&self.row)
        if self.next_name >= len(self.names):
            raise StopIteration
        name = self.names[self.next_name]
        self.next_name += 1
        return snapshot.graph_object(name)


cdef object NOTHING = iter(())


cdef bint number_pattern(QuadStore store, tuple pattern, Row* row) except -1:
    """Turn a pattern of nodes into numbers, 0 for None; return whether the store has all of them."""
    cdef int64_t number
    cdef int i
    for i in range(3):
        number = 0
        if pattern[i] is not None:
            number = find_number(store.terms, pattern[i])
            if number == 0:
                return False
        row.terms[i] = <uint32_t>number
    row.terms[G] = 0
    return True


cdef int64_t find_number(Dictionary terms, object node) except -1:
    try:
        return terms.number_of_node(node, False)
    except EncodeError:
        # The text has no UTF-8 form, so no store has it.
        return 0


cdef Scan find_rows(QuadStore store, tuple pattern, object graph):
    """Return a scan of the rows that match a pattern in one graph, or in all if it is None.

    Return None if no row can match.
    """
    cdef Row row
    cdef int64_t name
    cdef Snapshot snapshot
    cdef Scan scan
    cdef GraphEntry* entry
    cdef uint32_t number
    if len(pattern) != 3:
        raise ValueError(f"a pattern has three terms, not {len(pattern)}")
    # Look up terms only after this: a property of the graph may run any code, and so may Python's
    # collector when an object is made, and that code may change the numbers of terms.
    graph_name = None if graph is None else name_of(graph)
    snapshot = open_snapshot(store)
    scan = Scan.__new__(Scan)
    name = 0
    if not number_pattern(store, pattern, &row):
        return None
    if graph is not None:
        name = find_number(store.terms, graph_name)
    if snapshot.terms is not store.terms:
        return find_rows(store, pattern, graph)
    if graph is None:
        return open_scan(snapshot, &row, False)
    entry = find_graph(&store.graphs, <uint32_t>name)
    if name == 0 or entry == NULL or entry.count == 0:
        return None
    row.terms[G] = <uint32_t>name
    if row.terms[S] != 0 and row.terms[P] != 0 and row.terms[O] != 0:
        number = <uint32_t>store.find_row(&row)[0]
        if number == 0:
            return None
        scan.snapshot = snapshot
        scan.pattern = row
        scan.has_graph = True
        scan.next_row, scan.last_row = number - 1, number
        return scan
    return open_scan(snapshot, &row, True)


cdef object name_of(object graph):
    """Return the name of a graph, given as an object or as the name."""
    return getattr(graph, "identifier", graph)


cdef object read_triples(QuadStore store, tuple pattern, object graph):
    cdef TripleIterator triples
    cdef Scan scan = find_rows(store, pattern, graph)
    if scan is None:
        return NOTHING
    triples = TripleIterator.__new__(TripleIterator)
    triples.scan = scan
    triples.s, triples.p = pattern[0], pattern[1]
    triples.is_merged = graph is None and scan.snapshot.has_many_graphs
    return triples


cdef ContextIterator list_graphs(QuadStore store):
    """Iterate over the listed graphs."""
    cdef ContextIterator graphs = ContextIterator.__new__(ContextIterator)
    cdef uint32_t i
    graphs.snapshot = open_snapshot(store)
    graphs.names = [
        store.graphs.entries[i].name
        for i in range(store.graphs.count)
        if store.graphs.entries[i].is_listed
    ]
    return graphs


cdef uint32_t count_triples(QuadStore store) except? 0:
    """Count the distinct triples of all graphs."""
    cdef Row row
    cdef Scan scan
    cdef list names
    cdef uint32_t count = 0
    cdef uint64_t changes = store.changes
    if store.graphs.filled <= 1:
        return store.index.count
    if store.patience == 0:
        memset(&row, 0, sizeof(row))
        scan = open_scan(open_snapshot(store), &row, False)
        names = []
        while scan.read_triple(&row, names):
            count += 1
            names.clear()
        if store.changes != changes:
            # Other code, which Python's collector may run, has changed the store: the count is not
            # valid for later calls.
            return count
        store.triple_count = count
    store.patience = store.index.count // 4
    return store.triple_count

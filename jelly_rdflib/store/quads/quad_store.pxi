"""The quads of a store: adding, deleting, transactions, and what readers see.

A quad is a row of four numbers. Rows are only appended, and get a time of death when they are
deleted, so that a reader keeps the state at its start. An index finds the live row of a quad.
"""

cdef enum:
    # Up to this many rows may be in no run; a search reads them one by one.
    MAX_TAIL = 512
    # This many dead rows are kept, however few rows are alive.
    MAX_GARBAGE = 1 << 10
    # The number of bytes of terms that are kept although they may be unused. A graph that is taken
    # off the list counts as `LOOSE_GRAPH` bytes.
    MAX_LOOSE_TEXT = 1 << 20
    LOOSE_GRAPH = 1 << 12
    # The maximum number of graph objects that are cached.
    MAX_GRAPHS = 1 << 14

# A flag that shares 32 bits with the number of a graph's name, which is never that large.
cdef uint32_t WAS_LISTED = 0x80000000


@cython.nonecheck(True)
@cython.final
cdef class QuadStore:
    """The quads of a store, and the list of its graphs.

    Args:
        types: The classes of nodes.
        make_graph: Makes the object that stands for a graph, given its name.
    """

    def __cinit__(self, NodeTypes types not None, make_graph not None):
        self.terms = Dictionary(types)
        self.rows = Rows()
        slots_reserve(&self.index)
        self.runs = []
        self.graph_objects = {}
        self.make_graph = make_graph
        self.told = self.times.committed = self.times.marked = self.here()

    def __dealloc__(self):
        PyMem_RawFree(self.index.slots)
        PyMem_RawFree(self.deaths)
        PyMem_RawFree(self.listings)
        free_graphs(&self.graphs)

    # --- rdflib's methods -------------------------------------------------------------------------

    @cython.critical_section
    def add(self, triple, graph):
        """Add a triple to a graph, which is given by an object with an ``identifier``.

        Raises:
            TypeError: The store can't hold one of the terms.
            EncodeError: A term has no UTF-8 form.
        """
        # A property of the graph may run any code, which may change the numbers of terms.
        name = name_of(graph)
        cdef tuple nodes = triple if type(triple) is tuple else tuple(triple)
        cdef Dictionary terms = self.terms
        cdef uint32_t spelling
        cdef Row row
        cdef int i
        if len(nodes) != 3:
            raise ValueError(f"a triple has three terms, not {len(nodes)}")
        for i in range(3):
            row.terms[i] = <uint32_t>terms.number_of_node(nodes[i], True)
        spelling = terms.spelling
        row.terms[G] = <uint32_t>terms.number_of_node(name, True)
        if terms is not self.terms:
            self.add(nodes, graph)
            return
        if name is not graph and row.terms[G] not in self.graph_objects:
            # Keep the user's own object: it has more than a name, such as a base.
            self.keep_graph(row.terms[G], graph)
        self.add_row(&row, spelling)

    @cython.critical_section
    def remove(self, pattern, graph):
        """Remove the triples that match a pattern from one graph, or from all if it is None."""
        self.remove_matches(pattern, graph)

    cdef int remove_matches(self, object pattern, object graph) except -1:
        cdef tuple nodes = pattern if type(pattern) is tuple else tuple(pattern)
        cdef Scan scan = find_rows(self, nodes, graph)
        cdef uint32_t* rows = NULL
        cdef uint32_t count = 0
        cdef uint32_t capacity = 0
        cdef uint32_t i
        cdef int64_t row
        cdef uint64_t* slot
        if scan is None:
            return 0
        if scan.snapshot.rows is not self.rows:
            # Other code has run, and has replaced the rows: start again.
            return self.remove_matches(nodes, graph)
        try:
            while True:
                row = scan.read_row()
                if row < 0:
                    break
                make_room(<void**>&rows, count, &capacity, sizeof(uint32_t))
                rows[count] = <uint32_t>row
                count += 1
            for i in range(count):
                slot = self.find_row(row_at(self.rows, rows[i]))
                if <uint32_t>slot[0] == rows[i] + 1:
                    self.remove_at(slot)
        finally:
            PyMem_RawFree(rows)
        scan = None
        return self.tidy()

    @cython.critical_section
    def triples(self, pattern, graph):
        """Iterate over the triples that match a pattern, each with an iterator over its graphs."""
        return read_triples(self, pattern if type(pattern) is tuple else tuple(pattern), graph)

    @cython.critical_section
    def join(self, patterns, graph, int variables):
        """Iterate over the solutions of a basic graph pattern in a graph.

        Args:
            patterns: At least one pattern; each has three terms, where an int is the number of a
                variable.
            graph: The graph, or its name.
            variables: The number of variables. Each must be in a pattern.

        Returns:
            An iterator of tuples: the nodes of the variables.
        """
        return join(self, list(patterns), graph, variables)

    @cython.critical_section
    def count_solutions(self, patterns, graph, int variables, groups):
        """Count the solutions of a basic graph pattern, grouped by the terms of some variables.

        Args:
            patterns, graph, variables: As for `join`.
            groups: The numbers of the variables.

        Returns:
            A dict that maps tuples of nodes to counts.
        """
        return join(self, list(patterns), graph, variables).count(list(groups))

    @cython.critical_section
    def count(self, graph):
        """Return the number of triples in a graph, or of distinct triples in all graphs."""
        cdef GraphEntry* entry
        if graph is None:
            return count_triples(self)
        entry = find_graph(&self.graphs, <uint32_t>find_number(self.terms, name_of(graph)))
        return 0 if entry == NULL else entry.count

    @cython.critical_section
    def contexts(self, triple):
        """Iterate over the listed graphs, or over the graphs that contain a triple."""
        cdef ContextIterator graphs
        cdef Row row
        if triple is None or tuple(triple) == (None, None, None):
            return list_graphs(self)
        if None in triple or not number_pattern(self, tuple(triple), &row):
            return NOTHING
        graphs = ContextIterator.__new__(ContextIterator)
        graphs.snapshot = open_snapshot(self)
        graphs.names = graphs.snapshot.names_of(&row)
        return graphs

    @cython.critical_section
    def list_graph(self, graph):
        """List a graph, which may have no triples."""
        name = name_of(graph)
        cdef uint32_t number = <uint32_t>self.terms.number_of_node(name, True)
        if name is not graph and number not in self.graph_objects:
            self.keep_graph(number, graph)
        self.set_listed(number, True)

    @cython.critical_section
    def drop_graph(self, graph):
        """Remove a graph with its triples, and take it off the list."""
        cdef uint32_t number
        name = name_of(graph)
        self.remove_matches((None, None, None), graph)
        # Look up the name only now: removing many triples may change the numbers of terms.
        number = <uint32_t>find_number(self.terms, name)
        if find_graph(&self.graphs, number) != NULL:
            self.set_listed(number, False)

    def batches(self, default_graph):
        """Iterate over the quads as batches, the oldest first."""
        cdef Snapshot snapshot
        cdef Scan scan
        cdef RowBatch batch = RowBatch(True)
        cdef int64_t name, row
        with cython.critical_section(self):
            snapshot = open_snapshot(self)
            scan = scan_graph(snapshot, 0, False)
            name = find_number(snapshot.terms, default_graph)
            row = scan.read_row()
        while row >= 0:
            with cython.critical_section(self):
                batch.start(snapshot.terms, snapshot.rows, <uint32_t>name)
                while row >= 0 and not batch.is_full():
                    batch.append(A, <uint32_t>row)
                    row = scan.read_row()
                found = batch.drain()
            yield found

    @cython.critical_section
    def sizes(self):
        """Return counts: ``quads``, ``rows`` including deleted ones, and ``terms``."""
        return {
            "quads": self.index.count,
            "rows": self.rows.count,
            "terms": self.terms.count - 1 - STRING_DATATYPE,
        }

    @property
    @cython.critical_section
    def is_changed(self):
        """Return whether a quad was added or deleted since the last commit."""
        return self.rows.count > self.times.committed.rows or self.death_count > 0

    # --- quads of numbers -------------------------------------------------------------------------

    cdef uint64_t* find_row(self, const Row* row) noexcept:
        """Return the slot of a quad in the index; the slot is 0 if the store lacks the quad."""
        cdef uint64_t hash = hash_row(row)
        cdef uint64_t* slot = first_slot(&self.index, hash)
        while slot[0] != 0 and not is_row(row_at(self.rows, <uint32_t>slot[0] - 1), row):
            slot = next_slot(&self.index, hash, slot)
        return slot

    cdef bint add_row(self, const Row* row, uint32_t spelling) except -1:
        """Add a quad; return whether the store lacked it.

        ``spelling`` is the term for the object as this quad spells it; 0 if the object's term in
        the row has this spelling.
        """
        cdef uint64_t* slot = self.find_row(row)
        if slot[0] != 0:
            if spelling != 0:
                # No row is added, so perhaps no quad uses this spelling.
                self.loose_text += text_size(self.terms, spelling + 1)
                self.loose_text -= text_size(self.terms, spelling)
            return False
        self.insert(row, spelling, slot)
        return True

    cdef bint delete_row(self, const Row* row) except -1:
        """Delete a quad; return whether the store had it."""
        cdef uint64_t* slot = self.find_row(row)
        if slot[0] == 0:
            return False
        self.remove_at(slot)
        return True

    cdef void prefetch_slot(self, const Row* row) noexcept:
        """Prefetch the slot of a quad."""
        prefetch_slot(&self.index, hash_row(row))

    cdef void prefetch_row(self, const Row* row) noexcept:
        """Prefetch the row that the slot of a quad refers to."""
        cdef uint32_t number = number_at_home(&self.index, hash_row(row))
        if number != 0:
            prefetch(row_at(self.rows, number - 1))

    cdef int insert(self, const Row* row, uint32_t spelling, uint64_t* slot) except -1:
        """Add a missing quad, given its slot. Allocations come first, since they may fail."""
        cdef GraphEntry* graph
        cdef uint32_t number
        self.rows.reserve()
        if slots_reserve(&self.index):
            slot = self.find_row(row)
        graph = need_graph(&self.graphs, row.terms[G])
        if not graph.is_listed:
            self.set_listed(row.terms[G], True)
        number = self.rows.count
        if spelling != 0:
            self.rows.spellings[number] = spelling
        elif self.rows.spellings:
            # A dropped row that had this number may have left its spelling.
            self.rows.spellings.pop(number, None)
        row_at(self.rows, number)[0] = row[0]
        self.rows.count += 1
        fill_slot(&self.index, slot, hash_row(row), number + 1)
        count_quad(&self.graphs, graph, 1)
        note_change(self, row, 1)
        return 0

    cdef int remove_at(self, uint64_t* slot) except -1:
        """Delete the quad in a slot."""
        cdef uint32_t number = <uint32_t>slot[0] - 1
        cdef const Row* row = row_at(self.rows, number)
        cdef uint64_t size
        self.rows.reserve_death(number)
        if number < self.times.committed.rows or self.is_marked or self.is_recorded:
            make_room(
                <void**>&self.deaths, self.death_count, &self.death_capacity, sizeof(Death)
            )
            self.deaths[self.death_count].row = number
            self.deaths[self.death_count].before = self.rows.count
            self.death_count += 1
        slots_remove(&self.index, slot)
        set_death(self.rows, number, self.times.clock + 1)
        if self.terms.has_long:
            # If the object has a long text, count it, since perhaps nothing else uses it. Short
            # texts are removed when half of the rows are dead.
            size = text_size(self.terms, row.terms[O] + 1) - text_size(self.terms, row.terms[O])
            if size > MAX_RECENT_TEXT:
                self.loose_text += size
        self.has_new_deaths = True
        count_quad(&self.graphs, find_graph(&self.graphs, row.terms[G]), -1)
        note_change(self, row, -1)
        return 0

    cdef int set_listed(self, uint32_t name, bint is_listed) except -1:
        cdef GraphEntry* graph = need_graph(&self.graphs, name)
        if graph.is_listed != is_listed:
            # Don't make a Python object: Python's collector, which may run any code, could move the
            # memory of the caller.
            make_room(
                <void**>&self.listings, self.listing_count, &self.listing_capacity,
                sizeof(uint32_t),
            )
            self.listings[self.listing_count] = name | (0 if is_listed else WAS_LISTED)
            self.listing_count += 1
            graph.is_listed = is_listed
            if not is_listed:
                # The graph's name and its entry stay in memory.
                self.loose_text += LOOSE_GRAPH
        return 0

    # --- transactions -----------------------------------------------------------------------------

    @cython.critical_section
    cpdef commit(self):
        """Make the changes since the last commit permanent."""
        self.commit_all()

    cdef int commit_all(self) except -1:
        self.tick()
        self.told = self.here()
        return self.commit_told()

    @cython.critical_section
    def rollback(self):
        """Undo the changes since the last commit, including those to the list of graphs.

        If memory runs out, a MemoryError is raised, and another call continues.
        """
        undo(self, &self.times.committed, 0)
        self.commit_all()

    cdef Mark here(self) noexcept:
        cdef Mark mark
        mark.rows = self.rows.count
        mark.deaths = self.death_count
        mark.listings = self.listing_count
        mark.clock = self.times.clock
        mark.terms = self.terms.count
        mark.graphs = self.graphs.count
        return mark

    cdef int set_mark(self) except -1:
        """Mark the current point of the transaction, for `undo_marked`. Only one mark exists.

        A commit or rollback moves the mark to its own end.
        """
        self.tick()
        self.times.marked = self.here()
        self.is_marked = True
        return 0

    cdef int undo_marked(self) except -1:
        """Undo all changes since the mark. If it is interrupted, it may be called again."""
        undo(self, &self.times.marked, 0)
        return self.tick()

    cdef void drop_mark(self) noexcept:
        self.times.marked = self.times.committed
        self.is_marked = False

    cdef int commit_told(self) except -1:
        """Commit the changes that a recording has read; later ones stay pending."""
        self.death_count -= self.told.deaths
        if self.death_count > 0:
            memmove(
                self.deaths, self.deaths + self.told.deaths, self.death_count * sizeof(Death)
            )
        self.listing_count -= self.told.listings
        if self.listing_count > 0:
            memmove(
                self.listings, self.listings + self.told.listings,
                self.listing_count * sizeof(uint32_t),
            )
        self.told.deaths = self.told.listings = 0
        # Pending changes may use earlier terms and graphs, so none of these may be removed.
        self.told.terms, self.told.graphs = self.terms.count, self.graphs.count
        self.times.committed = self.times.marked = self.told
        return self.tidy()

    cdef bint has_untold(self) noexcept:
        """Return whether the journal has changes that a recording has not read yet."""
        return self.rows.count > self.told.rows or self.death_count > self.told.deaths

    cdef bint is_free(self) noexcept:
        """Return whether rows may be left out, since nothing needs the whole journal."""
        return not self.is_marked and not (self.is_recorded and self.has_untold())

    cdef int tick(self) except -1:
        """Advance the clock if a row has died since it last advanced."""
        if self.has_new_deaths:
            if self.times.clock >= <uint32_t>-2:
                # Each value of the clock was the time of a row's death, and a store can't have that
                # many rows, so the clock gets here only after billions of rollbacks.
                if not self.is_free():
                    raise LimitError("a transaction can't contain 4 billion transactions")
                vacuum(self)
            self.times.clock += 1
            self.has_new_deaths = False
        return 0

    # --- order ------------------------------------------------------------------------------------

    cdef int seal(self) except -1:
        """If many rows are in no run, make them a run; merge runs of similar length."""
        cdef list runs
        cdef Run first, last
        if self.rows.count - self.sealed <= MAX_TAIL:
            return 0
        runs = list(self.runs)
        runs.append(Run(self.sealed, self.rows.count))
        while len(runs) > 1:
            last, first = runs.pop(), runs.pop()
            if first.end - first.start >= 2 * (last.end - last.start):
                runs.extend((first, last))
                break
            runs.append(merge_runs(first, last, self.rows, &self.times))
        self.runs = runs
        self.sealed = self.rows.count
        return 0

    cdef int tidy(self) except -1:
        """Make the store smaller if more of its rows are dead than alive.

        Also make it smaller if the terms that may be unused have more text than `MAX_LOOSE_TEXT`
        plus half of the other terms' text.
        """
        cdef uint64_t kept = <uint64_t>self.index.count + self.death_count
        cdef uint64_t text = text_size(self.terms, self.terms.count)
        cdef uint64_t loose = self.loose_text
        if self.is_free() and (
            self.rows.count > 2 * kept + MAX_GARBAGE
            or (3 * loose > text + 2 * MAX_LOOSE_TEXT and loose > self.least_loose)
        ):
            try:
                vacuum(self)
                # Many quads with one long term may be deleted, while other quads still use it.
                text -= text_size(self.terms, self.terms.count)
                self.least_loose = 2 * loose if 2 * text < loose else 0
            except MemoryError:
                # The store is unchanged; a later call will shrink it.
                pass
        return 0

    # --- graphs -----------------------------------------------------------------------------------

    cdef object graph_object(self, uint32_t name):
        """Return the object that stands for a graph."""
        graph = self.graph_objects.get(name)
        if graph is None:
            graph = self.make_graph(node_of(self.terms, name))
            self.keep_graph(name, graph)
        return graph

    cdef int keep_graph(self, uint32_t name, object graph) except -1:
        if len(self.graph_objects) >= MAX_GRAPHS:
            self.graph_objects.clear()
        self.graph_objects[name] = graph
        return 0


cdef void note_change(QuadStore store, const Row* row, int change) noexcept:
    """Record that a quad was added or deleted, and update the count of distinct triples.

    For the count, the triple is looked up in each other graph. The count is given up when a recount
    would take less time than the look-ups since the count was last requested.
    """
    cdef Row other = row[0]
    cdef GraphEntry* graph
    cdef uint32_t i
    store.changes += 1
    if store.patience == 0:
        return
    store.patience = max(store.patience - store.graphs.count, 0)
    for i in range(store.graphs.count):
        graph = &store.graphs.entries[i]
        other.terms[G] = graph.name
        if graph.name != row.terms[G] and graph.count > 0 and store.find_row(&other)[0] != 0:
            return
    store.triple_count += change

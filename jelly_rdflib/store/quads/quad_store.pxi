"""The quads of a store: adding, deleting, transactions, and what readers see.

A quad is a row of four numbers. Rows are only appended, and marked when they die, so that a reader
can go on with the state that it has started with. An index finds the row of a quad that is alive.
"""

cdef enum:
    # Rows that are in no run yet are looked through one by one.
    MAX_TAIL = 512
    # So many dead rows are kept whatever the number of rows that are alive.
    MAX_GARBAGE = 1 << 10
    # Of objects for graphs.
    MAX_GRAPHS = 1 << 14

# In place of the number of a term that another store does not have.
cdef uint32_t MISSING = 0xFFFFFFFF
# Beside the number of a graph's name, which has fewer bits.
cdef uint32_t WAS_LISTED = 0x80000000


@cython.nonecheck(True)
@cython.final
cdef class QuadStore:
    """The quads of a store, and the list of its graphs.

    Args:
        types: The classes of nodes.
        make_graph: Makes the object that stands for a graph of its name.
    """

    def __cinit__(self, NodeTypes types not None, make_graph not None):
        self.terms = Dictionary(types)
        self.rows = Rows()
        slots_resize(&self.index.table, FIRST_SLOTS)
        self.runs = []
        self.graph_objects = {}
        self.make_graph = make_graph

    def __dealloc__(self):
        PyMem_RawFree(self.index.table.slots)
        PyMem_RawFree(self.deaths)
        PyMem_RawFree(self.listings)
        free_graphs(&self.graphs)

    # --- as rdflib has it -------------------------------------------------------------------------

    def add(self, tuple triple not None, graph):
        """Add a triple to a graph, which is given by an object with that ``identifier``.

        Raises:
            TypeError: The store can't hold one of the terms.
            EncodeError: One has no UTF-8 form.
        """
        # A property may run any code, which may change the numbers of terms.
        name = name_of(graph)
        cdef Dictionary terms = self.terms
        cdef uint32_t spelling
        cdef Row row
        cdef int i
        if len(triple) != 3:
            raise ValueError(f"a triple has three terms, not {len(triple)}")
        for i in range(3):
            row.terms[i] = <uint32_t>terms.number_of_node(triple[i], True)
        spelling = terms.spelling
        row.terms[G] = <uint32_t>terms.number_of_node(name, True)
        if terms is not self.terms:
            self.add(triple, graph)
            return
        if name is not graph and row.terms[G] not in self.graph_objects:
            # The user's own object has more than a name, such as a base.
            self.keep_graph(row.terms[G], graph)
        self.add_row(&row, spelling)

    def remove(self, tuple pattern not None, graph):
        """Remove the triples that match a pattern, of one graph, or of all if it is None."""
        cdef Scan scan = find_rows(self, pattern, graph)
        cdef uint32_t* rows = NULL
        cdef uint32_t count = 0
        cdef uint32_t capacity = 0
        cdef uint32_t i
        cdef int64_t row
        cdef uint64_t* slot
        if scan is None:
            return
        if scan.snapshot.rows is not self.rows:
            # Other code ran meanwhile.
            self.remove(pattern, graph)
            return
        try:
            while True:
                row = scan.read_row()
                if row < 0:
                    break
                if count == capacity:
                    capacity = 2 * capacity + 16
                    grow(<void**>&rows, capacity * sizeof(uint32_t))
                rows[count] = <uint32_t>row
                count += 1
            for i in range(count):
                slot = self.find_row(row_at(self.rows, rows[i]))
                if <uint32_t>slot[0] == rows[i] + 1:
                    self.remove_at(slot)
        finally:
            PyMem_RawFree(rows)
        scan = None
        self.tidy()

    def triples(self, tuple pattern not None, graph):
        """Iterate over the triples that match a pattern, and over the graphs of each of them."""
        return read_triples(self, pattern, graph)

    def count(self, graph):
        """Return how many triples a graph has, or all graphs together, each triple once."""
        cdef GraphEntry* entry
        if graph is None:
            return count_triples(self)
        entry = find_graph(&self.graphs, <uint32_t>find_number(self, name_of(graph)))
        return 0 if entry == NULL else entry.count

    def contexts(self, triple):
        """Iterate over the graphs that are listed, or over those that a triple is in."""
        cdef GraphIterator graphs
        cdef Row row
        if triple is None or tuple(triple) == (None, None, None):
            return list_graphs(self)
        if None in triple or not number_pattern(self, tuple(triple), &row):
            return NOTHING
        graphs = GraphIterator.__new__(GraphIterator)
        graphs.snapshot = open_snapshot(self)
        graphs.names = []
        open_scan(graphs.snapshot, &row, False).read_triple(&row, graphs.names)
        return graphs

    def list_graph(self, graph):
        """List a graph, which may have no triples."""
        name = name_of(graph)
        cdef uint32_t number = <uint32_t>self.terms.number_of_node(name, True)
        if name is not graph and number not in self.graph_objects:
            self.keep_graph(number, graph)
        self.set_listed(number, True)

    def drop_graph(self, graph):
        """Remove a graph with its triples, and list it no longer."""
        cdef uint32_t number
        name = name_of(graph)
        self.remove((None, None, None), graph)
        # Not before: to remove many triples may change the numbers of terms.
        number = <uint32_t>find_number(self, name)
        if find_graph(&self.graphs, number) != NULL:
            self.set_listed(number, False)

    def sizes(self):
        """Return what the store has: ``quads``, ``rows`` with the deleted ones, and ``terms``."""
        return {
            "quads": self.index.count, "rows": self.rows.count, "terms": self.terms.count - 1
        }

    # --- quads of numbers -------------------------------------------------------------------------

    cdef uint64_t* find_row(self, const Row* row) noexcept:
        """Return the slot of a quad in the index, which is 0 if the quad is not there."""
        return find_slot(&self.index, self.rows, row)

    cdef bint add_row(self, const Row* row, uint32_t spelling) except -1:
        """Add a quad; return whether it was not there.

        If ``spelling`` is not 0, it is the term that its object is spelled as.
        """
        cdef uint64_t* slot = self.find_row(row)
        if slot[0] != 0:
            return False
        self.insert(row, spelling, slot)
        return True

    cdef bint delete_row(self, const Row* row) except -1:
        """Delete a quad; return whether it was there."""
        cdef uint64_t* slot = self.find_row(row)
        if slot[0] == 0:
            return False
        self.remove_at(slot)
        return True

    cdef void prefetch_slot(self, const Row* row) noexcept:
        """Load the slot of a quad into the processor's cache."""
        prefetch_slot(&self.index.table, hash_row(row))

    cdef void prefetch_row(self, const Row* row) noexcept:
        """Load the row in the slot of a quad into the processor's cache."""
        cdef const SlotTable* table = &self.index.table
        cdef uint32_t number = <uint32_t>table.slots[<uint32_t>hash_row(row) & table.mask]
        if number != 0:
            prefetch(row_at(self.rows, number - 1))

    cdef int insert(self, const Row* row, uint32_t spelling, uint64_t* slot) except -1:
        """Add a quad that is not there, given its slot. What takes memory comes first."""
        cdef GraphEntry* graph
        cdef uint32_t number
        self.rows.reserve()
        if index_reserve(&self.index):
            slot = self.find_row(row)
        graph = need_graph(&self.graphs, row.terms[G])
        if not graph.is_listed:
            self.set_listed(row.terms[G], True)
        number = self.rows.count
        if spelling != 0:
            self.rows.spellings[number] = spelling
        elif self.rows.spellings:
            # A row that was dropped may have had this number.
            self.rows.spellings.pop(number, None)
        row_at(self.rows, number)[0] = row[0]
        self.rows.count += 1
        slot[0] = make_slot(hash_row(row), number + 1)
        self.index.count += 1
        count_quad(&self.graphs, graph, 1)
        self.note_change(row, 1)
        return 0

    cdef int remove_at(self, uint64_t* slot) except -1:
        """Delete the quad of a slot."""
        cdef uint32_t number = <uint32_t>slot[0] - 1
        cdef uint32_t capacity
        self.rows.reserve_death(number)
        if number < self.times.committed.rows or self.is_marked or self.is_recorded:
            if self.death_count == self.death_capacity:
                capacity = 2 * self.death_capacity + 64
                grow(<void**>&self.deaths, capacity * sizeof(Death))
                self.death_capacity = capacity
            self.deaths[self.death_count].row = number
            self.deaths[self.death_count].before = self.rows.count
            self.death_count += 1
        slots_remove(&self.index.table, slot)
        self.index.count -= 1
        set_death(self.rows, number, self.times.clock + 1)
        self.has_new_deaths = True
        count_quad(
            &self.graphs, find_graph(&self.graphs, row_at(self.rows, number).terms[G]), -1
        )
        self.note_change(row_at(self.rows, number), -1)
        return 0

    cdef void note_change(self, const Row* row, int change) noexcept:
        """Note that a quad has come or gone, and keep the count of triples right.

        That takes a look-up in each other graph. If there were so many since the count was asked
        for that it is cheaper to count anew, the count is given up.
        """
        cdef Row other = row[0]
        cdef GraphEntry* graph
        cdef uint32_t i
        self.changes += 1
        if self.patience == 0:
            return
        self.patience = max(self.patience - self.graphs.count, 0)
        for i in range(self.graphs.count):
            graph = &self.graphs.entries[i]
            other.terms[G] = graph.name
            if graph.name != row.terms[G] and graph.count > 0 and self.find_row(&other)[0] != 0:
                return
        self.triple_count += change

    cdef int set_listed(self, uint32_t name, bint is_listed) except -1:
        cdef GraphEntry* graph = need_graph(&self.graphs, name)
        cdef uint32_t capacity
        if graph.is_listed != is_listed:
            # No Python object is made: Python's collector, which may run any code, would move the
            # memory of the caller.
            if self.listing_count == self.listing_capacity:
                capacity = 2 * self.listing_capacity + 64
                grow(<void**>&self.listings, capacity * sizeof(uint32_t))
                self.listing_capacity = capacity
            self.listings[self.listing_count] = name | (0 if is_listed else WAS_LISTED)
            self.listing_count += 1
            graph.is_listed = is_listed
        return 0

    # --- transactions -----------------------------------------------------------------------------

    cpdef commit(self):
        """Make the changes since the last commit permanent."""
        self.tick()
        self.told = self.here()
        self.commit_told()

    def rollback(self):
        """Undo the changes since the last commit, also those to the list of graphs.

        If there is not enough memory, a MemoryError is raised, and another call goes on.
        """
        self.undo(&self.times.committed, 0)
        self.commit()

    cdef Mark here(self) noexcept:
        cdef Mark mark
        mark.rows = self.rows.count
        mark.deaths = self.death_count
        mark.listings = self.listing_count
        mark.clock = self.times.clock
        return mark

    cdef int set_mark(self) except -1:
        """Mark where the transaction is, for `undo_marked`. There is one mark at a time.

        A commit or rollback moves it to where it ends.
        """
        self.tick()
        self.times.marked = self.here()
        self.is_marked = True
        return 0

    cdef int undo_marked(self) except -1:
        """Undo what came since the mark. May be called again."""
        self.undo(&self.times.marked, 0)
        return self.tick()

    cdef void drop_mark(self) noexcept:
        self.times.marked = self.times.committed
        self.is_marked = False

    cdef int undo_graph(self, object name) except -1:
        """Undo what came since the last commit in one graph. May be called again."""
        cdef uint32_t number = <uint32_t>find_number(self, name)
        if number != 0:
            self.undo(&self.times.committed, number)
        return 0

    cdef int undo(self, const Mark* mark, uint32_t graph) except -1:
        """Undo what came since a mark, in one graph or, if it is 0, in all. May be called again."""
        cdef uint32_t number
        cdef uint64_t* slot
        cdef Row* row
        cdef bint is_dropped = graph == 0 and self.readers == 0 and self.sealed <= mark.rows
        # A reader may have seen that rows are dead: it must not see them alive.
        cdef bint is_clean = self.readers == 0 or self.newest_reader <= mark.clock
        if self.is_recorded and mark == &self.times.marked:
            # What is undone must be as if it had not been, or else be recorded.
            is_clean = (
                is_dropped and self.told.rows <= mark.rows and self.told.deaths <= mark.deaths
            )
        for number in range(self.rows.count, mark.rows, -1):
            row = row_at(self.rows, number - 1)
            if graph != 0 and row.terms[G] != graph:
                continue
            slot = self.find_row(row)
            if <uint32_t>slot[0] == number:
                self.remove_at(slot)
        self.bring_back(mark, graph, is_clean)
        self.list_again(mark, graph)
        if is_clean and is_dropped:
            self.drop_rows(mark.rows)
            self.death_count = mark.deaths
        # In these there may have been more.
        self.clamp(&self.told)
        self.clamp(&self.times.marked)
        return 0

    cdef void clamp(self, Mark* mark) noexcept:
        """Have a mark count what there is, at most."""
        mark.rows = min(mark.rows, self.rows.count)
        mark.deaths = min(mark.deaths, self.death_count)
        mark.listings = min(mark.listings, self.listing_count)

    cdef int bring_back(self, const Mark* mark, uint32_t graph, bint is_clean) except -1:
        """Bring back the rows that died since a mark; as new rows if that is not clean."""
        cdef uint32_t number, i
        cdef Row row
        for i in range(mark.deaths, self.death_count):
            number = self.deaths[i].row
            row = row_at(self.rows, number)[0]
            if number >= mark.rows or (graph != 0 and row.terms[G] != graph):
                continue
            if not is_clean:
                self.add_row(&row, spelling_of(self.rows, number))
                continue
            index_reserve(&self.index)
            if self.find_row(&row)[0] == 0:
                self.find_row(&row)[0] = make_slot(hash_row(&row), number + 1)
                self.index.count += 1
                set_death(self.rows, number, 0)
                count_quad(&self.graphs, find_graph(&self.graphs, row.terms[G]), 1)
                self.note_change(&row, 1)
        return 0

    cdef void list_again(self, const Mark* mark, uint32_t graph) noexcept:
        """List the graphs that were listed at a mark."""
        cdef uint32_t i, name
        for i in range(self.listing_count, mark.listings, -1):
            name = self.listings[i - 1] & ~WAS_LISTED
            if graph == 0 or graph == name:
                find_graph(&self.graphs, name).is_listed = (
                    self.listings[i - 1] & WAS_LISTED != 0
                )
        if graph == 0:
            self.listing_count = mark.listings

    cdef void drop_rows(self, uint32_t count) noexcept:
        """Drop all but so many rows; the others are dead, and nobody sees them."""
        cdef uint32_t number
        for number in range(count, self.rows.count):
            if self.rows.deaths[number >> BLOCK_BITS] != NULL:
                set_death(self.rows, number, 0)
        self.rows.count = count

    cdef int commit_told(self) except -1:
        """Commit what a recording has read of the journal; what came later is pending."""
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
        self.times.committed = self.times.marked = self.told
        return self.tidy()

    cdef bint has_untold(self) noexcept:
        """Has the journal what a recording did not read yet?"""
        return self.rows.count > self.told.rows or self.death_count > self.told.deaths

    cdef bint is_free(self) noexcept:
        """May rows be left out, since nobody needs the journal as it is?"""
        return not self.is_marked and not (self.is_recorded and self.has_untold())

    cdef int tick(self) except -1:
        """Let the clock go on if anything died since it did."""
        if self.has_new_deaths:
            if self.times.clock >= <uint32_t>-2:
                # Each time stands for a dead row, so only a rollback over and over comes here.
                if not self.is_free():
                    raise LimitError("a transaction can't have 4 billion transactions inside")
                self.vacuum()
            self.times.clock += 1
            self.has_new_deaths = False
        return 0

    # --- order ------------------------------------------------------------------------------------

    cdef int seal(self) except -1:
        """Make a run of the last rows, if there are many, and merge runs of similar length."""
        cdef list runs
        cdef Run first, last
        if self.rows.count - self.sealed <= MAX_TAIL:
            return 0
        runs = list(self.runs)
        runs.append(Run(self.sealed, self.rows.count))
        while len(runs) > 1:
            last, first = runs.pop(), runs.pop()
            if length_of(first) >= 2 * length_of(last):
                runs.extend((first, last))
                break
            runs.append(merge_runs(first, last, self.rows, &self.times))
        self.runs = runs
        self.sealed = self.rows.count
        return 0

    cdef int tidy(self) except -1:
        """Make the store smaller if it has much that is dead."""
        cdef uint64_t kept = <uint64_t>self.index.count + self.death_count
        if self.rows.count > 2 * kept + MAX_GARBAGE and self.is_free():
            try:
                self.vacuum()
            except MemoryError:
                # It is as it was, and gets smaller another time.
                pass
        return 0

    cdef int vacuum(self) except -1:
        """Copy what is alive, and what a rollback would bring back. Readers keep what they have."""
        cdef QuadStore fresh = QuadStore(self.terms.types, self.make_graph)
        cdef uint32_t* numbers = NULL
        cdef uint32_t i, committed_rows, death, copied
        cdef Row row
        cdef GraphEntry* graph
        cdef uint64_t changes = self.changes
        cdef uint32_t term_count = self.terms.count
        try:
            numbers = <uint32_t*>PyMem_RawCalloc(<size_t>self.terms.count + 1, sizeof(uint32_t))
            if numbers == NULL:
                raise MemoryError
            committed_rows = 0
            fresh.listing_capacity = self.listing_count
            grow(<void**>&fresh.listings, self.listing_count * sizeof(uint32_t) + 1)
            for i in range(self.listing_count):
                copied = copy_term(
                    fresh.terms, self.terms, self.listings[i] & ~WAS_LISTED, numbers
                )
                fresh.listings[i] = copied | (self.listings[i] & WAS_LISTED)
            for i in range(self.rows.count):
                death = death_of(self.rows, i)
                if death != 0 and not may_return(&self.times.committed, i, death):
                    continue
                copy_row(&row, row_at(self.rows, i), fresh.terms, self.terms, numbers)
                fresh.add_row(
                    &row,
                    copy_term(fresh.terms, self.terms, spelling_of(self.rows, i), numbers),
                )
                fresh.times.committed.rows = fresh.rows.count
                if i < self.times.committed.rows:
                    committed_rows = fresh.rows.count
                if death != 0:
                    # It is noted as one that died since the commit.
                    fresh.remove_at(fresh.find_row(&row))
            if self.changes != changes or self.terms.count != term_count:
                # The spelling of a literal is noted by Python, whose collector may run any code.
                return self.vacuum()
            for i in range(self.graphs.count):
                graph = &self.graphs.entries[i]
                if graph.is_listed or numbers[graph.name] != 0:
                    copied = copy_term(fresh.terms, self.terms, graph.name, numbers)
                    need_graph(&fresh.graphs, copied).is_listed = graph.is_listed
                    if graph.name in self.graph_objects:
                        fresh.graph_objects[copied] = self.graph_objects[graph.name]
        finally:
            PyMem_RawFree(numbers)
        fresh.listing_count = self.listing_count
        self.take(fresh, committed_rows)
        return 0

    cdef void take(self, QuadStore fresh, uint32_t committed_rows) noexcept:
        """Take over the contents of a copy, in one step."""
        self.terms, fresh.terms = fresh.terms, self.terms
        self.rows, fresh.rows = fresh.rows, self.rows
        self.index, fresh.index = fresh.index, self.index
        self.graphs, fresh.graphs = fresh.graphs, self.graphs
        self.deaths, fresh.deaths = fresh.deaths, self.deaths
        self.death_count, self.death_capacity = fresh.death_count, fresh.death_capacity
        self.listings, fresh.listings = fresh.listings, self.listings
        self.listing_count, self.listing_capacity = fresh.listing_count, fresh.listing_capacity
        self.graph_objects = fresh.graph_objects
        self.runs = fresh.runs
        self.sealed = 0
        memset(&self.times, 0, sizeof(Times))
        self.times.committed.rows = self.times.marked.rows = committed_rows
        self.has_new_deaths = self.death_count > 0
        self.told = self.here()
        # Those that there are read from the old rows, which no longer change.
        self.readers = self.newest_reader = 0

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


cdef inline uint32_t spelling_of(Rows rows, uint32_t row) except? 0:
    return rows.spellings.get(row, 0) if rows.spellings else 0


cdef inline uint32_t length_of(Run run):
    return run.end - run.start


cdef uint32_t copy_term(
    Dictionary target, Dictionary source, uint32_t number, uint32_t* copies, bint is_added=True
) except? 0:
    """Return the number of a term's copy; `MISSING` if it is not there and not to be added."""
    cdef TermKey key
    cdef uint32_t extra = source.terms[number].extra
    if number == 0 or copies[number] != 0:
        return copies[number]
    key.kind = stored_kind(source, number)
    key.text = stored_text(source, number)
    key.hash = source.terms[number].hash
    if key.kind == TermKind.LANGUAGE_LITERAL:
        key.tag = stored_text(source, extra)
    elif key.kind == TermKind.TYPED_LITERAL:
        key.datatype = copy_term(target, source, extra, copies, is_added)
    if not is_added:
        copies[number] = <uint32_t>target.slot_of(&key)[0] or MISSING
        return copies[number]
    copies[number] = <uint32_t>target.number_of_key(&key, True)
    if target.spelling != 0:
        copies[number] = target.spelling
    return copies[number]


cdef int copy_row(
    Row* copy, const Row* row, Dictionary target, Dictionary source, uint32_t* copies
) except -1:
    cdef int i
    for i in range(<int>COLUMNS):
        copy.terms[i] = copy_term(target, source, row.terms[i], copies)
    return 0

"""Basic graph patterns (SPARQL 1.1, section 5.1): triple patterns joined as rows of numbers.

The patterns are looked up in nested loops. The order depends on how many rows each pattern matches:
the pattern with the fewest is outermost; the others follow by how many of their terms are bound.
"""

cdef enum:
    # The factors by which a bound term reduces the rows of a look-up, estimated for each column.
    FEWER_BY_SUBJECT = 1 << 14
    FEWER_BY_PREDICATE = 1 << 3
    FEWER_BY_OBJECT = 1 << 9
    # The factor for a pattern that no variable links to earlier ones: all combinations count.
    UNRELATED = 1 << 20
    # How many rows are read between two checks for Ctrl-C.
    PATIENCE = 1 << 14
    # The depth of a variable that no pattern binds yet.
    UNBOUND = 0x7FFFFFFF

ctypedef struct Place:
    # A position in a pattern: a term, or a variable.
    uint32_t term  # the term's number; 0 for a variable
    uint32_t variable

cdef uint64_t[3] FEWER = [FEWER_BY_SUBJECT, FEWER_BY_PREDICATE, FEWER_BY_OBJECT]


@cython.nonecheck(True)
@cython.final
cdef class Join:
    """Yields the variables' terms: tuples of nodes, in the order of the variables' numbers."""

    cdef Snapshot snapshot
    cdef uint32_t name  # the number of the graph's name
    cdef int patterns, variables
    cdef Place* places  # three for each pattern, the outermost pattern first
    cdef int* depths  # for each variable, the depth of the pattern that binds it
    cdef uint32_t* values  # the terms that the variables are bound to, for looking up patterns
    cdef uint32_t* spellings  # the same terms as the row spells them, for making nodes
    cdef list scans  # of the patterns that are being looked up
    cdef uint32_t steps

    def __dealloc__(self):
        PyMem_RawFree(self.places)
        PyMem_RawFree(self.depths)
        PyMem_RawFree(self.values)
        PyMem_RawFree(self.spellings)

    def __iter__(self):
        return self

    def __next__(self):
        with cython.critical_section(self.snapshot.store):
            if not self.go_on():
                raise StopIteration
            return self.nodes(self.spellings, self.variables)

    cdef bint go_on(self) except -1:
        """Bind all variables to the next solution; return False at the end."""
        cdef Scan scan
        cdef int64_t row
        while True:
            self.steps += 1
            if self.steps % PATIENCE == 0:
                PyErr_CheckSignals()
                # Let other threads run, as Python does between two instructions.
                with nogil:
                    pass
            # Other code that ran in between may have ended this iterator.
            if not self.scans:
                return False
            scan = self.scans[len(self.scans) - 1]
            row = scan.read_row()
            if row < 0:
                self.scans.pop()
            elif self.bind(<uint32_t>row):
                if len(self.scans) == self.patterns:
                    return True
                self.look_up()

    cdef int allocate(self, int patterns, int variables) except -1:
        self.patterns, self.variables = patterns, variables
        self.places = <Place*>PyMem_RawCalloc(3 * patterns + 1, sizeof(Place))
        self.depths = <int*>PyMem_RawCalloc(variables + 1, sizeof(int))
        self.values = <uint32_t*>PyMem_RawCalloc(variables + 1, sizeof(uint32_t))
        self.spellings = <uint32_t*>PyMem_RawCalloc(variables + 1, sizeof(uint32_t))
        if (
            self.places == NULL or self.depths == NULL
            or self.values == NULL or self.spellings == NULL
        ):
            raise MemoryError
        self.scans = []
        return 0

    cdef int number(self, list patterns) except -1:
        """Number the terms of the patterns; return whether the store has all of them."""
        cdef Place* place = self.places
        for pattern in patterns:
            if len(pattern) != 3:
                raise ValueError(f"a pattern has three terms, not {len(pattern)}")
            for term in pattern:
                if type(term) is int:
                    self.check_variable(term)
                    place.variable = term
                else:
                    place.term = <uint32_t>find_number(self.snapshot.terms, term)
                    if place.term == 0:
                        return False
                place += 1
        return True

    cdef int check_variable(self, object number) except -1:
        if not 0 <= number < self.variables:
            raise ValueError(f"there is no variable {number}: there are {self.variables}")
        return 0

    cdef int look_up(self) except -1:
        """Look up the next pattern."""
        cdef int depth = <int>len(self.scans)
        cdef const Place* places = &self.places[3 * depth]
        cdef Row pattern
        cdef int i
        for i in range(3):
            pattern.terms[i] = places[i].term
            if self.is_bound(&places[i], depth):
                pattern.terms[i] = self.values[places[i].variable]
        pattern.terms[G] = self.name
        self.scans.append(open_scan(self.snapshot, &pattern, True))
        return 0

    cdef bint is_bound(self, const Place* place, int depth) noexcept:
        """Return whether a position has a variable that an outer pattern binds."""
        return place.term == 0 and self.depths[place.variable] < depth

    cdef bint bind(self, uint32_t number) except -1:
        """Bind the innermost pattern's variables to a row; return False if one gets two values."""
        cdef int depth = <int>len(self.scans) - 1
        cdef const Place* places = &self.places[3 * depth]
        cdef const Row* row = row_at(self.snapshot.rows, number)
        cdef uint32_t variable
        cdef int i, j
        for i in range(3):
            variable = places[i].variable
            if places[i].term != 0 or self.depths[variable] != depth:
                continue
            for j in range(i):
                if (
                    places[j].term == 0 and places[j].variable == variable
                    and row.terms[j] != row.terms[i]
                ):
                    return False
            self.values[variable] = self.spellings[variable] = row.terms[i]
            if i == O:
                self.spellings[variable] = object_of(self.snapshot.rows, number)
        return True

    cdef tuple nodes(self, const uint32_t* terms, Py_ssize_t count):
        cdef Dictionary dictionary = self.snapshot.terms
        cdef Py_ssize_t i
        return tuple([node_of(dictionary, terms[i]) for i in range(count)])

    cdef dict count(self, list variables):
        """Count the solutions, grouped by the terms of some variables."""
        cdef Py_ssize_t size = len(variables)
        cdef dict counts = {}
        cdef dict groups = {}
        cdef bytes key
        cdef uint32_t* terms
        cdef Py_ssize_t i
        for variable in variables:
            self.check_variable(variable)
        while self.go_on():
            key = PyBytes_FromStringAndSize(NULL, size * sizeof(uint32_t))
            terms = <uint32_t*>PyBytes_AS_STRING(key)
            for i in range(size):
                terms[i] = self.spellings[<int>variables[i]]
            counts[key] = counts.get(key, 0) + 1
        # rdflib may treat two spellings of a literal as one node: add up their counts.
        for key, count in counts.items():
            nodes = self.nodes(<const uint32_t*>PyBytes_AS_STRING(key), size)
            groups[nodes] = groups.get(nodes, 0) + count
        return groups

    cdef int arrange(self) except -1:
        """Put the patterns in the order of look-ups; store the depth that binds each variable."""
        cdef list counts = [self.count_rows(i) for i in range(self.patterns)]
        cdef Place[3] moved
        cdef int depth, i, best
        cdef Place* places
        for i in range(self.variables):
            self.depths[i] = UNBOUND
        for depth in range(self.patterns):
            best = min(
                range(depth, self.patterns), key=lambda i: self.cost(i, counts[i], depth)
            )
            places = &self.places[3 * depth]
            memcpy(moved, &self.places[3 * best], sizeof(moved))
            # All other patterns keep their order.
            memmove(places + 3, places, 3 * (best - depth) * sizeof(Place))
            memcpy(places, moved, sizeof(moved))
            counts.insert(depth, counts.pop(best))
            for i in range(3):
                if places[i].term == 0 and self.depths[places[i].variable] == UNBOUND:
                    self.depths[places[i].variable] = depth
        return 0

    cdef object count_rows(self, int number):
        """Return at most how many rows match a pattern's terms; 0 if it is the only pattern."""
        cdef const Place* places = &self.places[3 * number]
        cdef Scan scan
        cdef Row pattern
        cdef uint64_t count
        cdef uint32_t i
        if self.patterns == 1:
            return 0
        for i in range(3):
            pattern.terms[i] = places[i].term
        pattern.terms[G] = self.name
        scan = open_scan(self.snapshot, &pattern, True)
        count = scan.last_row - scan.next_row
        for i in range(scan.source_count):
            count += scan.sources[i].end - scan.sources[i].at
        return count

    cdef object cost(self, int number, object count, int depth):
        """Estimate how many rows a pattern matches when the first ``depth`` patterns are bound."""
        cdef const Place* places = &self.places[3 * number]
        cdef bint is_related = depth == 0
        cdef object cost = count + 1
        cdef int i
        for i in range(3):
            if self.is_bound(&places[i], depth):
                is_related = True
                cost = cost / FEWER[i]
        return cost if is_related else cost * <uint64_t>UNRELATED


cdef Join join(QuadStore store, list patterns, object graph, int variables):
    """Return the solutions of a basic graph pattern in a graph."""
    cdef Join rows = Join.__new__(Join)
    cdef GraphEntry* entry
    rows.allocate(<int>len(patterns), variables)
    # Look up terms only after this: a property of the graph may run any code, and so may Python's
    # collector when an object is made, and that code may change the numbers of terms.
    graph_name = name_of(graph)
    rows.snapshot = open_snapshot(store)
    is_there = rows.number(patterns)
    rows.name = <uint32_t>find_number(store.terms, graph_name)
    if rows.snapshot.terms is not store.terms:
        return join(store, patterns, graph, variables)
    entry = find_graph(&store.graphs, rows.name)
    if is_there and rows.name != 0 and entry != NULL and entry.count > 0:
        rows.arrange()
        rows.look_up()
    return rows

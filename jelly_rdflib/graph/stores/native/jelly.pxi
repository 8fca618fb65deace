"""Writes statements to a `JellyStore`, as rows of numbers.

A rollback of the store undoes them, so the transaction's log has no entries for statements, only
for prefixes.
"""

cdef enum:
    MANY_ROWS = 64
    # The maximum number of operations (given as tuples) in a batch, and the minimum that is worth
    # a batch.
    MANY_OPERATIONS = 1 << 10
    FEW_OPERATIONS = 8

# The types of iterators that run no other code between two items.
cdef tuple PLAIN_ITERATORS = (type(iter([])), type(iter(())))


@cython.final
cdef class JellyChanges(Changes):
    """Changes a `JellyStore`; makes nodes only for terms that the store can't hold.

    If ``is_atomic`` and ``is_committed``, pending changes are committed before the first statement
    of a transaction. The transaction itself is committed when the next one begins, or when the
    store is freed: until then it can be undone. If the store is recorded, the transaction is part
    of the recorded one, and is not committed. A store in a file is committed immediately, since
    that may fail.

    If all operations are available without waiting (``is_held``), other threads wait until the
    store is freed.
    """

    cdef QuadStore quads
    cdef BatchNumbers numbers
    cdef bint has_begun, is_committed
    cdef size_t numbered
    # The numbers of checked graphs, by the numbers of their names, and of the default graph. They
    # are valid for `terms` only.
    cdef dict graphs
    cdef uint32_t default_name
    cdef Dictionary terms
    # The last row's graph, and its number.
    cdef Batch last_batch
    cdef uint32_t last_graph, last_name
    cdef uint32_t spelling  # of the last operation's object, as `add_row` expects it

    def __init__(self, target, UndoLog log not None, *, is_atomic, is_held, is_committed):
        super().__init__(target, log, is_atomic=is_atomic)
        self.is_committed = is_committed
        # Threads that change a recorded store take turns with the lock of its tap instead.
        if is_held and self.tap is None:
            self.turn = threading.Lock()
            self.turn.acquire()
        self.quads = target.store.quads
        self.numbers = BatchNumbers(self.quads)

    def begin(self):
        self.end_transaction()
        Changes.begin(self)

    def free(self):
        try:
            self.end_transaction()
        finally:
            Changes.free(self)

    def commit(self):
        if self.has_begun and self.store.is_in_file:
            self.end_transaction()
        elif self.is_atomic and not self.has_begun:
            # Commit, so that a rollback of the store does not undo the changes to prefixes.
            self.commit_store()

    def begin_undoing(self):
        if self.has_begun:
            with cython.critical_section(self.quads):
                self.quads.undo_marked()
                self.quads.drop_mark()
            self.has_begun = False
            # Don't commit to a file, since an error of its log would hide the error that led here.
            if not self.store.is_in_file:
                self.commit_store()

    cdef int end_transaction(self) except -1:
        if self.has_begun:
            with cython.critical_section(self.quads):
                self.quads.drop_mark()
            self.has_begun = False
            self.commit_store()
        return 0

    cdef int begin_change(self) except -1:
        if self.is_atomic and not self.has_begun:
            self.commit_store()
            self.quads.set_mark()
            self.has_begun = True
        return 0

    cdef int commit_store(self) except -1:
        if not self.is_committed:
            return 0
        if self.store.is_in_file:
            self.store.commit()
            return 0
        with cython.critical_section(self.quads):
            # Another thread may have started a recording.
            if self.quads.is_recorded:
                return 0
            self.quads.commit_all()
        self.store.keep_prefixes()
        return 0

    cdef object run_rows(self, RowIterator rows):
        cdef Batch batch
        cdef size_t row, stop
        while rows.next_row():
            # Read both now, since another thread may run next, and advance the iterator.
            batch, row = rows.batch, rows.row - 1
            if not is_statement(batch.rows.ops[row]):
                return batch.operation(
                    row, None if is_bare(batch.rows.ops[row]) else rows.need_nodes()
                )
            stop = row + 1
            while stop < rows.stop and is_statement(batch.rows.ops[stop]):
                stop += 1
            rows.row = stop
            while row < stop:
                self.change_rows(batch, row, min(stop, row + MANY_ROWS))
                row += MANY_ROWS
                # Nothing else here checks for Ctrl-C.
                PyErr_CheckSignals()
        return None

    cdef object run_operations(self, object operations):
        """Apply the statements of a list as rows of batches, numbering many at a time."""
        cdef list many = []
        if type(operations) not in PLAIN_ITERATORS:
            return Changes.run_operations(self, operations)
        for operation in operations:
            if type(operation) is tuple and len(<tuple>operation) == 5 and (
                (<tuple>operation)[0] is ADD or (<tuple>operation)[0] is DELETE
            ):
                many.append(operation)
                if len(many) == MANY_OPERATIONS:
                    self.change_many(many)
                    many = []
                continue
            self.change_many(many)
            many = []
            # Besides other operations, this applies additions and deletions whose code is a plain
            # number.
            operation = Changes.run_operations(self, iter([operation]))
            if operation is not None:
                return operation
        self.change_many(many)
        return None

    cdef int change_many(self, list operations) except -1:
        """Apply additions and deletions."""
        cdef object batches
        cdef Py_ssize_t done = 0
        cdef size_t row
        cdef Batch batch
        if len(operations) < FEW_OPERATIONS:
            Changes.run_operations(self, iter(operations))
            return 0
        batches = NodeBatches(NODE_TYPES, operations)
        while done < len(operations):
            try:
                batch = next(batches)
            except EncodeError:
                # An operation has an object that isn't a term. Continue one by one, so that the
                # operations before it are applied, and its own error is raised.
                Changes.run_operations(self, iter(operations[done:]))
                return 0
            for row in range(0, batch.rows.count, MANY_ROWS):
                self.change_rows(batch, row, min(<size_t>batch.rows.count, row + MANY_ROWS))
                PyErr_CheckSignals()
            done += batch.rows.count
        return 0

    cdef int change_rows(self, Batch batch, size_t start, size_t stop) except -1:
        """Apply a few statements.

        All rows are numbered before any is applied, so that the processor fetches the store's
        memory for all of them at once.
        """
        cdef Row[MANY_ROWS] quads
        cdef size_t i
        cdef uint32_t spelling
        cdef object failure = None
        with cython.critical_section(self.quads):
            # Begin before numbering: beginning may commit, and so change the numbers of terms.
            self.begin_change()
            try:
                self.number_rows(batch, start, stop, quads)
            except Exception as error:
                # Raise the error after the earlier rows are applied, if their numbers are still
                # valid.
                failure = error
                if self.numbers.terms is not self.quads.terms:
                    self.numbered = 0
            for i in range(self.numbered):
                self.quads.prefetch_row(&quads[i])
            for i in range(self.numbered):
                self.operations += 1
                spelling = 0
                if self.numbers.spellings:
                    spelling = self.numbers.spellings.get(batch.rows.o[start + i], 0)
                if not self.change_quad(&quads[i], spelling, batch.rows.ops[start + i] == A):
                    self.miss_row(batch, start + i)
        if failure is not None:
            self.operations += 1
            raise failure
        return 0

    cdef int number_rows(self, Batch batch, size_t start, size_t stop, Row* quads) except -1:
        """Number rows; ``numbered`` counts them."""
        cdef size_t row
        while True:
            self.numbered = 0
            self.numbers.turn_to(batch)
            for row in range(start, stop):
                self.number_row(batch, row, &quads[row - start])
                self.quads.prefetch_slot(&quads[row - start])
                self.numbered += 1
            # Normalizing a literal runs rdflib's code. Meanwhile changes by another thread may have
            # renumbered the store's terms.
            if self.numbers.terms is self.quads.terms:
                return 0

    cdef int number_row(self, Batch batch, size_t row, Row* quad) except -1:
        """Turn a statement into the store's numbers, with 0 for terms that the store lacks."""
        cdef RowColumns* columns = &batch.rows
        cdef BatchNumbers numbers = self.numbers
        cdef const uint8_t* kinds = batch.terms.columns.kinds
        cdef bint is_add = columns.ops[row] == A
        cdef uint32_t s = columns.s[row]
        cdef uint32_t p = columns.p[row]
        cdef uint32_t o = columns.o[row]
        if not is_name(kinds[s]) or not is_name(kinds[p]) or not is_term(kinds[o]):
            check_statement(
                batch.terms.make_node(s), batch.terms.make_node(p), batch.terms.make_node(o)
            )
        quad.terms[G] = self.find_name(batch, columns.g[row], is_add)
        quad.terms[S] = numbers.numbers[s] or numbers.find(s, is_add)
        quad.terms[P] = numbers.numbers[p] or numbers.find(p, is_add)
        quad.terms[O] = numbers.numbers[o] or numbers.find(o, is_add)
        return 0

    cdef bint change_quad(self, const Row* quad, uint32_t spelling, bint is_add) except -1:
        """Make a change; return whether it changed anything."""
        cdef bint is_made = False
        if is_add:
            is_made = self.quads.add_row(quad, spelling)
            self.added += is_made
        elif quad.terms[S] and quad.terms[P] and quad.terms[O] and quad.terms[G]:
            is_made = self.quads.delete_row(quad)
            self.deleted += is_made
        return is_made

    cdef int miss_row(self, Batch batch, size_t row) except -1:
        """Record a row that changed nothing; make nodes only for the first few."""
        cdef RowColumns* columns = &batch.rows
        cdef TermTable terms = batch.terms
        if not self.is_strict and len(self.missed) >= MAX_MISSED:
            self.ineffective += 1
            return 0
        return self.note_missed((
            ADD if columns.ops[row] == A else DELETE,
            terms.make_node(columns.s[row]),
            terms.make_node(columns.p[row]),
            terms.make_node(columns.o[row]),
            None if terms.is_default(columns.g[row]) else terms.make_node(columns.g[row]),
        ))

    cdef uint32_t find_name(self, Batch batch, uint32_t term, bint is_add) except? 0:
        """Return the number of the graph that a batch's term names, or 0 if the store lacks it."""
        cdef uint32_t number
        if self.terms is not self.quads.terms:
            self.graphs = {}
            self.last_batch = None
            self.terms = self.quads.terms
            self.default_name = self.number_of_graph(None)
        if term == self.last_graph and batch is self.last_batch:
            return self.last_name
        if is_unnamed(&batch.terms.columns, term):
            return self.default_name
        number = self.numbers.numbers[term] or self.numbers.find(term, is_add)
        if self.numbers.terms is not self.terms:
            # The store's terms were renumbered in the meantime, so `number` is out of date. The
            # caller notices this, and numbers the row again.
            return 0
        if number not in self.graphs:
            name = batch.terms.make_node(term)
            check_graph(name)
            if number == 0:
                # Nothing can be deleted there. Raise an error if the target has no named graphs.
                self.target.context(name)
                return 0
            self.graphs[number] = self.number_of_graph(name)
        self.last_batch, self.last_graph, self.last_name = batch, term, self.graphs[number]
        return self.last_name

    cdef uint32_t number_of_graph(self, object name) except 0:
        graph = self.target.context(name)
        return <uint32_t>self.terms.number_of_node(graph.identifier, True)

    # --- operations of nodes ----------------------------------------------------------------------

    cdef object make_graph(self, object name):
        return self.target.context(name).identifier

    cdef int number_quad(
        self, Row* quad, NodeEntry s, NodeEntry p, NodeEntry o, object graph, bint is_add
    ) except -1:
        cdef Dictionary terms
        self.begin_change()
        terms = self.quads.terms
        quad.terms[S] = <uint32_t>terms.number_of_node(s.node, is_add)
        quad.terms[P] = <uint32_t>terms.number_of_node(p.node, is_add)
        quad.terms[O] = <uint32_t>terms.number_of_node(o.node, is_add)
        self.spelling = terms.spelling
        quad.terms[G] = <uint32_t>terms.number_of_node(graph, is_add)
        if terms is not self.quads.terms:
            return self.number_quad(quad, s, p, o, graph, is_add)
        return 0

    cdef int add(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        cdef Row quad
        with cython.critical_section(self.quads):
            self.number_quad(&quad, s, p, o, graph, True)
            return self.change_quad(&quad, self.spelling, True)

    cdef int delete(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        cdef Row quad
        with cython.critical_section(self.quads):
            self.number_quad(&quad, s, p, o, graph, False)
            return self.change_quad(&quad, 0, False)


cdef inline bint is_name(int kind) noexcept:
    return kind == TermKind.IRI or kind == TermKind.BLANK_NODE


cdef inline bint is_term(int kind) noexcept:
    return TermKind.IRI <= kind <= TermKind.TYPED_LITERAL


cdef inline bint is_statement(int op) noexcept:
    return op == A or op == D


cdef inline bint is_bare(int op) noexcept:
    """Return whether an operation has no terms."""
    return op == TX or op == TC or op == TA or op == END

"""Changes to the statements of a store, with the methods that every store has."""

# The appliers that are changing stores, by the identity of the store. They are not kept in the
# stores, since some of these have no `__dict__`. This is not a `cdef dict`, since its `get` might
# return an object that another thread is freeing.
cdef object CLAIMS = {}

cdef enum:
    # How many of the operations that changed nothing are kept.
    MAX_MISSED = 10
    # How many nodes are remembered for a store that may be on a disk.
    FEW_ENTRIES = 1 << 14


cdef class Changes(Undoer):
    """Adds and deletes statements in a store, one transaction after another.

    Args:
        target: The graph or dataset to change.
        log: Gets each change before it is made, if ``is_atomic``.
        is_atomic: Whether a transaction can be undone.

    Attributes:
        tap: The recording of the store, or None. It sees changes made by the store's methods, and
        must be notified of all other changes.
        operations: The total number of operations, in all transactions.
        added, deleted: How many statements this transaction has added and deleted.
        ineffective: How many operations of this transaction changed nothing: additions of existing
            statements, and deletions that found nothing.
        missed: The first of these operations.
        is_strict: Whether such an operation raises an ApplyError.
        refusal: Why the store failed to roll back; the log has undone the changes all the same.
    """

    cdef readonly Tap tap
    cdef readonly Py_ssize_t operations, added, deleted, ineffective
    cdef readonly list missed
    cdef public bint is_strict
    cdef readonly object refusal
    cdef object target, store
    cdef UndoLog log
    cdef bint is_atomic
    # The store's identity, made in advance: freeing the store must not need memory.
    cdef object key
    # A lock that is held while this object has claimed the store, so that other threads can wait
    # for the store; None if they can't. While it is held, nothing here waits for another thread.
    cdef object turn
    cdef unsigned long thread
    cdef long process
    cdef NodeTable nodes
    # The batch whose rows were applied last, and the entries of its terms that are known.
    cdef Batch batch
    cdef list entries
    cdef object default_graph

    def __cinit__(self, *arguments, **options):
        self.nodes = NodeTable()
        self.missed = []

    def __init__(self, target, UndoLog log not None, *, is_atomic):
        self.target = target
        self.key = id(target.store)
        self.store = target.store
        self.tap = find_tap(target.store)
        self.log = log
        self.is_atomic = is_atomic

    def claim(self):
        """Claim the store, since two simultaneous appliers would undo each other's changes.

        Raises:
            ApplyError: Another applier has claimed the store, and this one can't wait for it.
        """
        cdef Changes other
        self.thread, self.process = threading.get_ident(), os.getpid()
        while True:
            # In one step: between a check and a set, another thread could claim the store.
            other = CLAIMS.setdefault(self.key, self)
            if other is self:
                return
            # In a forked child, waiting for a thread of the parent would never end.
            if (
                self.turn is None or other.turn is None or other.thread == self.thread
                or other.process != self.process
            ):
                raise ApplyError(
                    "changes are being applied to this store already, by another thread or by the"
                    " iterable of these operations: apply one after the other"
                )
            with other.turn:
                pass

    def free(self):
        """Free the store, unless another applier has claimed it."""
        if CLAIMS.get(self.key) is self:
            del CLAIMS[self.key]
            if self.turn is not None:
                self.turn.release()

    def begin(self):
        """Start a transaction; earlier changes stay."""
        self.added = self.deleted = self.ineffective = 0
        self.missed = []

    def statements(self, operations):
        """Apply adds and deletes up to an operation of another kind; return it, or None at the end.

        Raises:
            ApplyError: An operation is invalid, the store can't hold its statement, or with
            ``is_strict`` it changed nothing.
            LimitError: More terms share a hash than a store in memory can handle.
        """
        if isinstance(operations, RowIterator):
            # Two threads may apply the operations of one reader.
            with cython.critical_section(operations):
                return self.run_rows(operations)
        return self.run_operations(operations)

    def commit(self):
        """Let the store commit; up to the next `begin`, the log can still undo the transaction."""

    def begin_undoing(self):
        """Prepare for the log to undo the transaction. May be called again."""

    def end_undoing(self):
        """Update the store after the log has undone the transaction. May be called again."""

    cdef object run_operations(self, object operations):
        cdef bint is_add
        cdef Py_ssize_t before
        for operation in operations:
            code = None
            if isinstance(operation, tuple) and len(<tuple>operation) == 5:
                code = operation[0]
            # Codes are usually the members of `Op` themselves, but plain numbers are allowed, too.
            is_add = code is ADD
            if not is_add and code is not DELETE:
                check_operation(operation)
                is_add = operation[0] == ADD
                if not is_add and operation[0] != DELETE:
                    return operation
            _, s, p, o, g = operation
            self.operations += 1
            before = self.added + self.deleted
            self.change(
                is_add, self.nodes.find(s), self.nodes.find(p), self.nodes.find(o),
                None if g is None else self.nodes.find(g),
            )
            if self.added + self.deleted == before:
                self.note_missed(operation)
        return None

    cdef int note_missed(self, tuple operation) except -1:
        """Record an operation that changed nothing."""
        if self.is_strict:
            raise ApplyError(f"{operation_text(operation)} changes nothing: {self.why(operation)}")
        self.ineffective += 1
        if len(self.missed) < MAX_MISSED:
            op, s, p, o, g = operation
            self.missed.append((op, s, p, o, None if g == DATASET_DEFAULT_GRAPH_ID else g))
        return 0

    cdef str why(self, tuple operation):
        """Explain why an operation changed nothing."""
        op, s, p, o, g = operation
        if op == ADD:
            return "the statement exists already"
        found = same_value((s, p, o), self.target.context(g))
        if found is None:
            return "there is no such statement"
        return f"the value is there in another spelling, {show(found)}"

    cdef object run_rows(self, RowIterator rows):
        """Apply rows of batches, in which a number stands for each distinct node."""
        cdef Batch batch
        cdef RowColumns* columns
        cdef list entries
        cdef size_t row
        cdef uint8_t op
        cdef Py_ssize_t before
        while rows.next_row():
            # Read both now, since another thread may run next, and advance the iterator.
            batch, row = rows.batch, rows.row - 1
            nodes = rows.need_nodes()
            columns = &batch.rows
            op = columns.ops[row]
            if op != A and op != D:
                return batch.operation(row, nodes)
            if batch is not self.batch:
                self.entries = [None] * batch.terms.columns.count
                self.batch = batch
            entries = self.entries
            self.operations += 1
            before = self.added + self.deleted
            self.change(
                op == A,
                self.find_entry(entries, nodes, columns.s[row]),
                self.find_entry(entries, nodes, columns.p[row]),
                self.find_entry(entries, nodes, columns.o[row]),
                None if columns.g[row] == 0 else self.find_entry(entries, nodes, columns.g[row]),
            )
            if self.added + self.deleted == before:
                self.note_missed(batch.operation(row, nodes))
        self.batch = self.entries = None
        return None

    cdef inline NodeEntry find_entry(self, list entries, list nodes, uint32_t term):
        """Return the entry for a batch's term."""
        cdef NodeEntry entry = entries[term]
        if entry is None:
            entry = entries[term] = self.nodes.find(nodes[term])
        return entry

    cdef int change(
        self, bint is_add, NodeEntry s, NodeEntry p, NodeEntry o, NodeEntry g
    ) except -1:
        """Add or delete a statement if the store can hold it; the default graph's ``g`` is None."""
        if (
            s.kind != NodeKind.IDENTIFIED
            or p.kind != NodeKind.IDENTIFIED
            or o.kind == NodeKind.OTHER
        ):
            check_statement(s.node, p.node, o.node)
        if is_add:
            return self.add(s, p, o, self.find_graph(g))
        return self.delete(s, p, o, self.find_graph(g))

    cdef object find_graph(self, NodeEntry g):
        """Return the result of `make_graph` for a graph's name; call it once for each name."""
        if g is None:
            if self.default_graph is None:
                self.default_graph = self.make_graph(None)
            return self.default_graph
        if g.graph is None:
            check_graph(g.node)
            g.graph = self.make_graph(g.node)
        return g.graph

    cdef object make_graph(self, object name):
        """Return the graph with a name, in the form for `add` and `delete`."""
        return self.target.context(name)

    # Subclasses define these methods for a kind of store.

    cdef int add(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        """Add a statement, which the store may have already."""
        raise NotImplementedError

    cdef int delete(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        """Delete a statement, which the store may lack."""
        raise NotImplementedError


cdef class GeneralChanges(Changes):
    """Changes a store with its methods ``add`` and ``remove``.

    If a store has transactions, they are used, too: pending changes are committed when a
    transaction starts. After a rollback the log undoes all changes once more, since some stores
    roll back wrongly: rdflib's AuditableStore loses a statement that was deleted and added again.

    Raises:
        ApplyError: The store does not see its own changes.
    """

    # Unless it is in a file, a recorded store has no transactions here, since the recording commits
    # it.
    cdef bint has_transactions, has_begun
    cdef bint is_endpoint, has_own_view
    # The names of graphs that the store lists, or that the log will take off the list.
    cdef set listed
    cdef View view

    def __init__(self, target, UndoLog log not None, *, is_atomic, is_committed=True):
        super().__init__(target, log, is_atomic=is_atomic)
        store = target.store
        if isinstance(store, SPARQLUpdateStore) and store.dirty_reads and not store.autocommit:
            raise ApplyError(
                "changes can't be applied to a SPARQLUpdateStore with dirty_reads=True and"
                " autocommit=False: it does not see what it has changed itself"
            )
        self.has_transactions = is_atomic and store.transaction_aware and (
            self.tap is None or (is_committed and is_in_file(store))
        )
        self.is_endpoint = isinstance(store, SPARQLUpdateStore)
        self.listed = set()
        # If a tap sees each change, use its view, which already knows the listed graphs.
        self.has_own_view = self.tap is None or self.tap.has_journal
        self.view = open_view(store) if self.has_own_view else self.tap.view
        # Only stores in memory have dicts of nodes, which many equal hashes would slow down.
        self.nodes.is_lenient = self.view.spellings is None
        self.nodes.max_entries = FEW_ENTRIES

    def begin(self):
        self.listed.clear()
        Changes.begin(self)

    cdef tuple triple(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph):
        """Return the triple of a statement; refuse it if the store could not undo the change."""
        if self.is_endpoint and self.is_atomic:
            check_labels(self.store, (s.node, p.node, o.node, graph.identifier))
        return s.node, p.node, o.node

    cdef int add(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        cdef tuple triple = self.triple(s, p, o, graph)
        cdef object statement = self.view.addition(triple, graph)
        cdef bint is_sure = type(statement) is not Crowded
        if statement is None or self.view.is_respelled(triple, statement, graph):
            return 0
        self.begin_change()
        if self.is_atomic:
            self.note_listed(graph)
            # Undoing with Oxigraph's own quad would bypass the store and its recordings.
            self.log.note(0, triple if is_sure else statement, graph)
        self.store.add(triple, graph)
        if is_sure or self.view.has_added(statement, graph):
            self.added += 1
        return 0

    cdef int delete(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        cdef tuple triple = self.triple(s, p, o, graph)
        statement, others = self.view.removal(triple, graph)
        if statement is None:
            return 0
        self.begin_change()
        if self.is_atomic:
            for each in (*others, statement):
                self.log.note(DELETED, each, graph)
        # If the statement is a tuple, it is the triple in the store's spelling.
        self.store.remove(statement if type(statement) is tuple else triple, graph)
        self.view.put_back(others, graph)
        self.deleted += 1
        return 0

    cdef int begin_change(self) except -1:
        # Begin at the first change: a transaction that changes nothing need not touch the store.
        if self.has_transactions and not self.has_begun:
            self.store.commit()
            self.has_begun = True
        return 0

    cdef int note_listed(self, object graph) except -1:
        name = graph.identifier
        if self.view.is_graph_aware and name not in self.listed:
            if not self.view.lists(graph):
                self.log.note(0, None, graph)
                # The view of a tap records the listing when the statement is added.
                if self.has_own_view:
                    self.view.note_listing(graph, True)
            self.listed.add(name)
        return 0

    def commit(self):
        # In a file, changes to prefixes alone are committed, too.
        if self.has_begun or (self.has_transactions and self.tap is not None):
            self.store.commit()
            self.has_begun = False

    cdef int undo(self, int change, object statement, object graph) except -1:
        return self.view.undo(change, statement, graph)

    def begin_undoing(self):
        self.view.forget_failed()
        if self.has_begun and self.tap is not None:
            # Don't roll the store back, so that changes by other threads stay.
            self.has_begun = False
        if self.has_begun:
            try:
                self.store.rollback()
            except Exception as error:
                # The log undoes the changes that the store's rollback has left.
                self.refusal = ApplyError(
                    f"the store's rollback failed ({error}); nevertheless its statements are as"
                    " they were before the transaction"
                )
                self.refusal.__cause__ = error
            finally:
                self.view.forget_listed()
            self.has_begun = False

    def end_undoing(self):
        if self.has_transactions and self.view.has_undone:
            self.store.commit()
        self.view.has_undone = False


cdef bint is_in_file(object store) except -1:
    """Return whether a store is in a file, where a commit is a patch in a log."""
    return type(store) is JellyStore and store.is_in_file


cdef int check_labels(object endpoint, tuple terms) except -1:
    """Raise an ApplyError if a term is a blank node that an endpoint could not delete."""
    for term in terms:
        if not isinstance(term, BNode):
            continue
        try:
            is_iri = str(endpoint.node_to_sparql(term)).startswith("<")
        except Exception:
            # rdflib's own function refuses blank nodes; a user's function may write them as IRIs.
            is_iri = False
        if not is_iri:
            raise ApplyError(
                f"the blank node _:{term} can't be applied to a {type(endpoint).__name__}: a SPARQL"
                " endpoint gives blank nodes labels of its own, so a statement that has one can't"
                " be deleted there, nor undone; replace blank nodes by IRIs, or give the"
                " store a node_to_sparql that does"
            )
    return 0

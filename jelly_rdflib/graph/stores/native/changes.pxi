"""Changes to the statements of a store, by the methods that every store has."""

# The changes that are being made, by the store's identity: not all stores have a dictionary.
cdef dict CLAIMS = {}


cdef class Changes(Undoer):
    """Adds and deletes the statements of one transaction after the other in a store.

    Args:
        target: The graph or dataset to change.
        log: Gets each change before it is made, if ``is_atomic``.
        is_atomic: Whether a transaction can be undone.

    Attributes:
        tap: The recording of the store, if there is one. It sees the changes made by the store's
            methods, and has to be told of all others.
        operations: How many operations came in all transactions.
        added, deleted: How many statements were, in this transaction.
        refusal: Why the store failed to roll back; the log has undone the changes all the same.
    """

    cdef readonly Tap tap
    cdef readonly Py_ssize_t operations, added, deleted
    cdef readonly object refusal
    cdef object target, store
    cdef UndoLog log
    cdef bint is_atomic
    # The store's identity. Made beforehand: to free the store must take no memory.
    cdef object key

    def __init__(self, target, UndoLog log not None, *, is_atomic):
        self.target = target
        self.key = id(target.store)
        self.store = target.store
        self.tap = find_tap(target.store)
        self.log = log
        self.is_atomic = is_atomic

    def claim(self):
        """Claim the store, since two appliers at once would undo each other's changes.

        Raises:
            ApplyError: Somebody else has claimed it.
        """
        # At once: looking and then setting might let another thread in between.
        if CLAIMS.setdefault(self.key, self) is not self:
            raise ApplyError(
                "changes are being applied to this store already, by another thread or by the"
                " iterable of these operations: apply one after the other"
            )

    def free(self):
        """Free the store; nothing is done if another has it."""
        if CLAIMS.get(self.key) is self:
            del CLAIMS[self.key]

    def begin(self):
        """Start a transaction; what was committed stays."""
        self.added = self.deleted = 0

    def statements(self, operations):
        """Apply adds and deletes up to the next other operation, and return that; None at the end.

        Raises:
            ApplyError: One is no operation, or the store can't hold its statement.
            LimitError: More terms have the same hash than a store in memory can stand.
        """
        raise NotImplementedError

    def commit(self):
        """Let the store commit; up to the next `begin`, the log can still undo the transaction."""

    def begin_undoing(self):
        """Get ready for the log to undo the transaction. May be called again."""

    def end_undoing(self):
        """Bring the store up to date with what the log has undone. May be called again."""


@cython.final
cdef class GeneralChanges(Changes):
    """Changes a store by its methods ``add`` and ``remove``.

    A store's own transactions are used, too. Pending changes are committed when a transaction
    starts. After a rollback the log undoes all once more, since a store may get it wrong: rdflib's
    AuditableStore loses a statement that was deleted and added again.

    Raises:
        ApplyError: The store does not see its own changes.
    """

    # A recording commits the store itself.
    cdef bint has_transactions, has_begun
    # By their graph terms.
    cdef dict graphs
    # The names of graphs that the store lists, or that the log will take off its list.
    cdef set listed
    cdef View view
    cdef object hashes

    def __init__(self, target, UndoLog log not None, *, is_atomic):
        super().__init__(target, log, is_atomic=is_atomic)
        store = target.store
        if isinstance(store, SPARQLUpdateStore) and store.dirty_reads and not store.autocommit:
            raise ApplyError(
                "changes can't be applied to a SPARQLUpdateStore with dirty_reads=True and"
                " autocommit=False: it does not see what it has changed itself"
            )
        self.has_transactions = is_atomic and store.transaction_aware and self.tap is None
        self.graphs = {}
        self.listed = set()
        self.view = open_view(store) if self.tap is None else self.tap.view
        self.hashes = HashLimit(is_needed=self.view.spellings is not None)

    def begin(self):
        self.listed.clear()
        Changes.begin(self)

    def statements(self, operations):
        cdef bint is_add
        for operation in operations:
            check_operation(operation)
            is_add = operation[0] == ADD
            if not is_add and operation[0] != DELETE:
                return operation
            _, s, p, o, g = operation
            self.operations += 1
            check_statement(s, p, o)
            # Before the lookup: only terms are sure to have a hash.
            check_graph(g)
            if self.is_atomic and isinstance(self.store, SPARQLUpdateStore):
                check_labels(self.store, (s, p, o, g))
            self.hashes.check(o)
            graph = self.graphs.get(g)
            if graph is None:
                graph = self.graphs[g] = self.target.context(g)
            if is_add:
                self.add((s, p, o), graph)
            else:
                self.delete((s, p, o), graph)
        return None

    cdef int add(self, tuple triple, object graph) except -1:
        cdef object statement = self.view.addition(triple, graph)
        cdef bint is_sure = type(statement) is not Crowded
        if statement is None:
            return 0
        self.begin_change()
        if self.is_atomic:
            self.note_listed(graph)
            # Undoing Oxigraph's own quad would go past the store and its recordings.
            self.log.note(0, triple if is_sure else statement, graph)
        self.store.add(triple, graph)
        if is_sure or self.view.has_added(statement, graph):
            self.added += 1
        return 0

    cdef int delete(self, tuple triple, object graph) except -1:
        statement, others = self.view.removal(triple, graph)
        if statement is None:
            return 0
        self.begin_change()
        if self.is_atomic:
            for each in (*others, statement):
                self.log.note(DELETED, each, graph)
        self.store.remove(triple, graph)
        self.view.put_back(others, graph)
        self.deleted += 1
        return 0

    cdef int begin_change(self) except -1:
        # Not at the start: a transaction that changes nothing need not touch the store.
        if self.has_transactions and not self.has_begun:
            self.store.commit()
            self.has_begun = True
        return 0

    cdef int note_listed(self, object graph) except -1:
        name = graph.identifier
        if self.view.is_graph_aware and name not in self.listed:
            if not self.view.lists(graph):
                self.log.note(0, None, graph)
                # A recording sees it when the statement is added.
                if self.tap is None:
                    self.view.note_listing(graph, True)
            self.listed.add(name)
        return 0

    def commit(self):
        if self.has_begun:
            self.store.commit()
            self.has_begun = False

    cdef int undo(self, int change, object statement, object graph) except -1:
        return self.view.undo(change, statement, graph)

    def begin_undoing(self):
        self.view.forget_failed()
        if self.has_begun:
            try:
                self.store.rollback()
            except Exception as error:
                # The log undoes the changes that the store left.
                self.refusal = ApplyError(
                    f"the store's rollback failed ({error}); its statements are as they were before"
                    " the transaction all the same"
                )
                self.refusal.__cause__ = error
            finally:
                self.view.forget_listed()
            self.has_begun = False

    def end_undoing(self):
        if self.has_transactions and self.view.has_undone:
            self.store.commit()
        self.view.has_undone = False


cdef int check_labels(object endpoint, tuple terms) except -1:
    """Raise an ApplyError if a term is a blank node that could not be deleted at an endpoint."""
    for term in terms:
        if not isinstance(term, BNode):
            continue
        try:
            is_iri = str(endpoint.node_to_sparql(term)).startswith("<")
        except Exception:
            # rdflib's own function refuses blank nodes; a user's may write them as IRIs.
            is_iri = False
        if not is_iri:
            raise ApplyError(
                f"the blank node _:{term} can't be applied to a {type(endpoint).__name__}: a SPARQL"
                " endpoint gives blank nodes labels of its own, so a statement that has one can't"
                " be deleted there, nor undone; put IRIs in the place of blank nodes, or give the"
                " store a node_to_sparql that does"
            )
    return 0

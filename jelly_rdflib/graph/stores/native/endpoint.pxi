"""Changes to the statements of a SPARQL endpoint, with one update for each transaction."""

@cython.final
cdef class EndpointChanges(GeneralChanges):
    """Collects the changes of a transaction, and sends them in one request on commit, in order.

    SPARQL says that endpoints should run a request wholly or not at all. If an interrupt arrives
    after the request, or no response shows whether it was run, another request undoes the changes.
    """

    # The transaction's changes as (is_add, triple, graph): all that are still to be sent, those of
    # them that have an effect, and, once they have been sent, the changes that had an effect.
    cdef list waiting, effective, sent
    # For each statement, whether the endpoint will have it.
    cdef dict is_there

    def __init__(self, target, UndoLog log not None):
        super().__init__(target, log, is_atomic=True)

    def begin(self):
        self.waiting, self.effective, self.sent, self.is_there = [], [], [], {}
        GeneralChanges.begin(self)

    cdef int add(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        cdef tuple triple = self.triple(s, p, o, graph)
        self.note_listed(graph)
        if self.note(True, triple, graph):
            self.added += 1
        return 0

    cdef int delete(self, NodeEntry s, NodeEntry p, NodeEntry o, object graph) except -1:
        if self.note(False, self.triple(s, p, o, graph), graph):
            self.deleted += 1
        return 0

    cdef bint note(self, bint is_add, tuple triple, object graph) except -1:
        """Record a change; return whether it will have an effect."""
        key = (*map(identity, triple), graph.identifier)
        was_there = self.is_there.get(key)
        if was_there is None:
            was_there = any(True for _ in self.store.triples(triple, graph))
        self.is_there[key] = is_add
        # Send it even if it has no effect: an endpoint may treat two spellings as one literal, and
        # earlier changes may have stored the other spelling.
        self.waiting.append((is_add, triple, graph))
        if was_there == is_add:
            return False
        self.effective.append((is_add, triple, graph))
        return True

    def commit(self):
        if not self.effective:
            return
        try:
            self.send(self.waiting, self.effective)
        except Exception as error:
            # For some responses rdflib raises its own error, whose context is the HTTP error.
            answer = error if isinstance(error, HTTPError) else error.__context__
            if isinstance(answer, HTTPError) and answer.code < 500:
                # The endpoint has refused the whole request.
                self.sent = []
            raise
        finally:
            self.waiting, self.effective = [], []

    cdef int send(self, list changes, list effective) except -1:
        """Send changes; undoing reverts the ``effective`` ones, even after an error here."""
        is_direct = self.store.autocommit
        # Send the user's earlier changes first.
        self.store.commit()
        self.store.autocommit = False
        try:
            for is_add, triple, graph in changes:
                if is_add:
                    self.store.add(triple, graph)
                else:
                    self.store.remove(triple, graph)
            self.sent = effective
            self.store.commit()
        except BaseException:
            # Otherwise the next update would send these changes, too.
            self.store.rollback()
            raise
        finally:
            self.store.autocommit = is_direct
        return 0

    def begin_undoing(self):
        self.waiting, self.effective, self.is_there = [], [], {}
        if self.sent:
            taken_back = [(not is_add, *rest) for is_add, *rest in reversed(self.sent)]
            self.send(taken_back, self.sent)
            self.sent = []

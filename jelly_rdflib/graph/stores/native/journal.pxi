"""The journal of a recording, which writes changes and can undo them."""

cdef enum:
    # How many graphs are remembered; a store may have any number.
    MAX_TERMS = 1 << 14

# Stands for no graph, since None may be a graph.
cdef object NOTHING = object()
# These replace a graph term: changes to the graph are left out, or refused.
cdef object LEFT_OUT = object()
cdef object REFUSED = object()


cdef class Block:
    """A ``with`` block that is committed at its end, or undone if an exception leaves it.

    Python checks for signals at the start of its functions. This is Cython code, so that no such
    check comes before the undoing. If a method is interrupted, it is called again, so that
    everything is undone before the interrupt is raised.
    """

    def __exit__(self, kind, error, traceback):
        failure = error
        if error is None:
            try:
                self._commit_block()
            except BaseException as caught:
                failure = caught
        if failure is not None:
            try:
                _call_to_its_end(self, "_undo_block", error is None)
            except BaseException as caught:
                failure = caught
        _call_to_its_end(self, "_end_block", failure)
        if failure is not error:
            raise failure


cdef int _call_to_its_end(caller, str method, argument) except -1:
    """Call a method until it runs without an interrupt; then raise the interrupt, if any.

    Running out of memory is retried, since it may be temporary.
    """
    cdef int interrupts = 0
    cdef int failures = 0
    interrupt = None
    while True:
        try:
            # Look the method up inside the try, since that needs memory, too.
            getattr(caller, method)(argument)
            break
        except MemoryError:
            failures += 1
            if failures == MAX_FAILURES:
                raise
        except Exception:
            raise
        except BaseException as error:
            interrupts += 1
            if interrupts == MAX_INTERRUPTS:
                raise
            interrupt = error
    if interrupt is not None:
        raise interrupt
    return 0


def refuse_default_graph():
    """Refuse a change to a graph that has the name of another dataset's default graph."""
    raise RecordError(
        f"changes to the graph {DATASET_DEFAULT_GRAPH_ID} can't be recorded: it is not the "
        "default graph here, but in a patch it would be"
    )


cdef class Tap


cdef class Journal(Undoer):
    """Passes the changes to a graph or dataset to a sink, and logs how to undo them.

    A change is a tuple as in `View`. A subclass has the methods that the tap calls for prefixes
    (`expect_prefix`, `tell_prefixes`) and for the store's own transactions (`commit`, `roll_back`).

    Only the target's graphs are recorded, no other graphs in its store. The sink gets the
    operations; a transaction's first operation begins it in the sink, and sets ``is_open``. After a
    ``failure`` the transaction can't be committed. ``added`` and ``deleted`` count the statements
    of this transaction, which the log can undo.
    """

    cdef public object failure
    cdef public Py_ssize_t added, deleted
    cdef public bint is_open
    cdef readonly UndoLog log
    cdef Tap tap
    cdef object sink, write_one
    # Whether all of the store's graphs are recorded, or only one; and the name of that one, or of
    # the default graph if all are.
    cdef bint is_atomic, is_dataset, has_one_graph
    cdef object name
    # Graph terms by the names of graphs.
    cdef dict terms
    # The graph that was changed last, whether it is recorded, and its graph term.
    cdef object graph
    cdef bint is_recorded
    cdef object g

    def __init__(self, target, Tap tap not None, sink, *, is_atomic):
        self.tap = tap
        self.sink = sink
        self.write_one = sink.write
        self.is_atomic = is_atomic
        self.log = UndoLog()
        self.is_dataset = isinstance(target, ConjunctiveGraph)
        self.has_one_graph = not target.store.context_aware
        self.name = get_name(get_default_graph(target) if self.is_dataset else target)
        self.terms = {}
        self.graph = NOTHING

    def write(self, operations):
        """Pass a list of operations, or a batch, to the sink.

        If the sink raises an error, the transaction can't be committed.
        """
        if not operations:
            return
        try:
            if not self.is_open:
                # Set this first: even if `begin` fails, something may have to be aborted.
                self.is_open = True
                self.sink.begin()
            if type(operations) is list and len(operations) == 1:
                self.write_one(operations[0])
            else:
                self.sink.write_all(operations)
        except BaseException as error:
            self.failure = error
            raise

    cdef int undo(self, int change, object statement, object graph) except -1:
        return self.tap.undo(change, statement, graph, self)

    cdef int expect(self, list changes) except -1:
        """Log upcoming changes; raise a RecordError if one of them must not be made."""
        cdef tuple change
        for change in changes:
            if change[2] is not self.graph:
                self.turn_to(change[2])
            if self.g is REFUSED:
                refuse_default_graph()
            if self.is_recorded and self.is_atomic:
                self.log.note(0 if change[0] else DELETED, change[3], change[2])
        return 0

    cdef int expect_listing(self, object graph, bint is_listed) except -1:
        """Log that the store is about to list a graph, or to take it off the list."""
        if graph is not self.graph:
            self.turn_to(graph)
        if self.is_recorded and self.is_atomic:
            self.log.note(0 if is_listed else DELETED, None, graph)
        return 0

    cdef int tell(self, list changes) except -1:
        """Write changes that took effect."""
        cdef list operations = []
        cdef tuple change
        for change in changes:
            if change[2] is not self.graph:
                self.turn_to(change[2])
            if not self.is_recorded:
                continue
            s, p, o = change[1]
            if change[0]:
                self.added += 1
                operations.append((ADD, s, p, o, self.g))
            else:
                self.deleted += 1
                operations.append((DELETE, s, p, o, self.g))
        self.write(operations)
        return 0

    cdef int turn_to(self, object graph) except -1:
        name = get_name(graph)
        if name not in self.terms:
            if len(self.terms) >= MAX_TERMS:
                self.terms.clear()
            self.terms[name] = self.find_term(name)
        self.g = self.terms[name]
        self.is_recorded = self.g is not LEFT_OUT and self.g is not REFUSED
        self.graph = graph
        return 0

    cdef object find_term(self, object name):
        if self.has_one_graph or name == self.name:
            return None
        if not self.is_dataset:
            return LEFT_OUT
        return REFUSED if name == DATASET_DEFAULT_GRAPH_ID else name

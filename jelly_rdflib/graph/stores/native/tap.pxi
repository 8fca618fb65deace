"""Sees each change that takes effect in a store, whichever graph and method makes it.

All changes by rdflib's graphs, parsers and SPARQL engine go through a few methods of the store. A
tap replaces these methods on the store itself. So it sees every change, whichever object makes it.
"""

cdef str TAP = "_jelly_rdflib_tap"
# Stores with one of these methods don't run SPARQL Update themselves: rdflib's engine does.
cdef tuple NO_UPDATES = (Store.update, Memory.update, SimpleMemory.update)


def find_tap(store):
    """Return the tap of a store that is being recorded, or None if it is not."""
    return vars(store).get(TAP)


cdef class Tap:
    """Reports the changes in a store to journals, as long as any journal has joined.

    Before a change, the tap asks the store whether the change will take effect. If a store makes a
    change through other changes, such as removing a graph by removing its statements, each is
    reported once. Changes that other code makes in the meantime, such as subscribers to the store's
    events, are reported as well.

    One thread at a time can change the store; other threads wait for its lock.
    """

    cdef readonly object lock
    # Whether the store has its own journal, and can undo changes in one graph or in all.
    cdef readonly bint has_journal
    cdef object store
    cdef bint adds_one_by_one
    cdef View view
    cdef list journals
    # The changes that are being made now, innermost call first: lists, or sets of keys.
    cdef list pending
    # How many calls of the store's changing methods are nested.
    cdef Py_ssize_t depth
    # Whether the replaced methods report nothing.
    cdef bint is_quiet
    # The last graph that statements were added to, which needs no second check.
    cdef object added_to
    # The methods of the store by name, and those that the store had replaced itself.
    cdef dict methods, own
    cdef object add_to_store, remove_from_store

    def __init__(self, store):
        if isinstance(store, SPARQLUpdateStore) and not store.autocommit:
            raise RecordError(
                "a SPARQLUpdateStore can be recorded only with autocommit=True: pending changes in "
                "it can't be seen"
            )
        self.lock = threading.RLock()
        self.store = store
        self.view = open_view(store)
        self.journals = []
        self.pending = []
        self.added_to = NOTHING
        self.methods = self.find_methods()
        self.own = {name: vars(store)[name] for name in self.methods if name in vars(store)}
        self.add_to_store = store.add
        self.remove_from_store = store.remove
        # Store.addN calls `add`, which reports each triple.
        self.adds_one_by_one = type(store).addN is Store.addN

    cdef dict find_methods(self):
        """Return the methods to replace, by their names."""
        cls = type(self.store)
        names = ["add", "addN", "remove", "bind"]
        if self.store.graph_aware:
            names += ["add_graph", "remove_graph"]
        if getattr(cls, "update", Store.update) not in NO_UPDATES:
            names.append("update")
        if self.store.transaction_aware:
            names += ["commit", "rollback"]
        for name in ("open", "close", "destroy"):
            if getattr(cls, name) is not getattr(Store, name):
                names.append(name)
        return {name: getattr(self.store, name) for name in names}

    # --- journals ---------------------------------------------------------------------------------

    def join(self, Journal journal not None):
        """Report all changes to a journal from now on."""
        with self.lock:
            # Append it first, so that `leave` can undo the rest, wherever memory runs out.
            self.journals.append(journal)
            if len(self.journals) == 1:
                self.is_quiet = False
                for name in self.methods:
                    setattr(self.store, name, getattr(self, name))
                setattr(self.store, TAP, self)

    def leave(self, Journal journal not None):
        """Stop reporting to a journal. After the last one, the store gets its methods back."""
        with self.lock:
            if journal not in self.journals:
                return
            self.journals.remove(journal)
            if self.journals:
                return
            # Other code may have wrapped a replaced method, and may still call it: report nothing.
            self.is_quiet = True
            for name in self.methods:
                if getattr(vars(self.store).get(name), "__self__", None) is self:
                    delattr(self.store, name)
                    if name in self.own:
                        setattr(self.store, name, self.own[name])
            vars(self.store).pop(TAP, None)

    # --- replacements of the store's methods ------------------------------------------------------

    def add(self, triple, context, quoted=False):
        """Add a triple, and report it if the store lacked it."""
        with self.lock:
            if not self.is_telling():
                return self.add_to_store(triple, context, quoted)
            if quoted or context is not self.added_to:
                self.look_at(context, quoted)
            statement = self.view.addition(triple, context)
            return self.change(
                [] if statement is None else [(True, triple, context, statement)],
                self.add_to_store,
                (triple, context, quoted),
            )

    def addN(self, quads):
        """Add triples to graphs, and report those that the store lacked."""
        try:
            return self.add_all(quads)
        except ValueError as error:
            if "expected 4, got 3" not in str(error):
                raise
            raise RecordError(
                "rdflib can't add triples to a whole Dataset, which its SPARQL engine tries for "
                "INSERT DATA, ADD and MOVE into the default graph: set "
                "rdflib.plugins.sparql.SPARQL_DEFAULT_GRAPH_UNION = False, as jellyp record does, "
                "or write INSERT { ... } WHERE {}"
            ) from error

    cdef object add_all(self, object quads):
        if self.adds_one_by_one:
            return self.methods["addN"](quads)
        # Read all quads before taking the lock: the iterable may wait for another thread.
        quads = list(quads)
        is_endpoint = isinstance(self.store, SPARQLStore)
        with self.lock:
            if not self.is_telling():
                return self.methods["addN"](quads)
            changes = {}
            for s, p, o, context in quads:
                if is_endpoint and get_name(context) == DATASET_DEFAULT_GRAPH_ID:
                    raise RecordError(
                        f"rdflib's {type(self.store).__name__} has addN put the statements of"
                        f" the default graph into a graph {DATASET_DEFAULT_GRAPH_ID}: add them one"
                        " by one"
                    )
                if context is not self.added_to:
                    self.look_at(context, False)
                statement = self.view.addition((s, p, o), context)
                if statement is not None:
                    change = (True, (s, p, o), context, statement)
                    changes[self.view.key_of(change)] = change
            return self.change(list(changes.values()), self.methods["addN"], (quads,))

    def remove(self, triple, context=None):
        """Remove the triples that match a pattern, and report each."""
        with self.lock:
            if not self.is_telling():
                return self.remove_from_store(triple, context)
            changes = self.removals(triple, context)
            return self.change(changes, self.remove_from_store, (triple, context))

    def add_graph(self, graph):
        """Make the store list a graph, and note that for undoing."""
        with self.lock:
            if not self.is_telling():
                return self.methods["add_graph"](graph)
            self.look_at(graph, False)
            return self.change([], self.methods["add_graph"], (graph,))

    def remove_graph(self, graph):
        """Remove a graph, and report each of its statements."""
        with self.lock:
            if not self.is_telling():
                return self.methods["remove_graph"](graph)
            changes = self.removals(ANYTHING, graph)
            was_listed = self.view.lists(graph)
            try:
                return self.change(changes, self.methods["remove_graph"], (graph,))
            finally:
                self.forget_listed()
                if was_listed and not self.view.lists(graph):
                    self.expect_listing(graph, False)

    def bind(self, prefix, namespace, *args, **kwargs):
        """Bind a prefix."""
        with self.lock:
            if not self.is_telling():
                return self.methods["bind"](prefix, namespace, *args, **kwargs)
            self.expect_prefix(prefix, namespace)
            try:
                return self.methods["bind"](prefix, namespace, *args, **kwargs)
            finally:
                self.tell_prefixes()

    def update(self, *args, **kwargs):
        """Let the store run a SPARQL Update, and compare its contents before and after."""
        with self.lock:
            if not self.is_telling():
                return self.methods["update"](*args, **kwargs)
            if isinstance(self.store, SPARQLStore):
                if self.depth:
                    # The store uses its own update for a change that the tap already knows.
                    return self.methods["update"](*args, **kwargs)
                raise RecordError(
                    "the changes of an update on a SPARQL endpoint can't be seen: have rdflib run "
                    "it, by update(..., use_store_provided=False)"
                )
            listed = self.view.list_graphs()
            before = self.view.take_snapshot()
            has_run = True
            self.is_quiet = True
            try:
                return self.methods["update"](*args, **kwargs)
            except NotImplementedError:
                # rdflib's own engine will run the update, through the other methods.
                has_run = False
                raise
            finally:
                self.is_quiet = False
                if has_run:
                    self.tell_differences(before, listed)

    def commit(self):
        """Make the store commit its own transaction."""
        cdef Journal journal
        with self.lock:
            self.methods["commit"]()
            if not self.is_quiet:
                for journal in self.journals:
                    journal.commit(is_stored=True)

    def rollback(self):
        """Make the store roll back its own transaction."""
        cdef Journal journal
        with self.lock:
            if self.is_quiet:
                return self.methods["rollback"]()
            self.is_quiet = True
            try:
                return self.methods["rollback"]()
            finally:
                self.is_quiet = False
                self.forget_listed()
                for journal in self.journals:
                    journal.roll_back(is_stored=True)

    def open(self, *args, **kwargs):
        return self.call_or_refuse("open", args, kwargs)

    def close(self, *args, **kwargs):
        return self.call_or_refuse("close", args, kwargs)

    def destroy(self, *args, **kwargs):
        return self.call_or_refuse("destroy", args, kwargs)

    def call_or_refuse(self, name, args, kwargs):
        """Refuse a method that closes or destroys the store, which is needed for a rollback."""
        if not self.is_quiet:
            raise RecordError(f"{name}() can't be called while the store is being recorded")
        return self.methods[name](*args, **kwargs)

    # --- calls by journals ------------------------------------------------------------------------

    def tell_pending(self):
        """Report changes that only the store knows; here each change is reported immediately."""

    @property
    def is_behind(self):
        """Return whether the store knows of changes that have not been reported yet."""
        return False

    def commit_store(self):
        """Commit the store's own transaction, if it has any."""
        self.call_quietly("commit")

    def stop(self):
        """Stop watching the store, if no journal has joined."""

    def roll_back_store(self, of_all_graphs):
        """Roll back the store's own transaction, if any. It always includes all graphs."""
        self.view.forget_failed()
        if self.call_quietly("rollback"):
            self.forget_listed()

    cdef bint call_quietly(self, str name) except -1:
        """Call a method of the store, if it has the method, without reporting its changes."""
        cdef bint was_quiet = self.is_quiet
        if name not in self.methods:
            return False
        self.is_quiet = True
        try:
            self.methods[name]()
        finally:
            self.is_quiet = was_quiet
        return True

    cdef int undo(self, int change, object statement, object graph, Journal asker) except -1:
        """Undo a change, unless it is undone already; report that to all journals but ``asker``."""
        cdef bint was_quiet = self.is_quiet
        cdef bint was_there = change & DELETED
        cdef list changes = []
        if statement is not None and self.is_shared:
            triple = self.view.triple_of(statement)
            if self.view.is_there(change, statement, graph) != was_there:
                if was_there:
                    changes = [(True, triple, graph, statement)]
                else:
                    changes = self.view.removals(triple, graph)
                    if len(changes) > 1:
                        changes = [each for each in changes if is_answer(triple[2], each[1][2])]
        self.expect(changes, asker)
        self.is_quiet = True
        self.added_to = NOTHING
        try:
            self.view.undo(change, statement, graph)
        finally:
            self.is_quiet = was_quiet
            # Report the undoing even after an interrupt, if the change was undone before it.
            if changes and self.view.is_there(change, statement, graph) == was_there:
                self.tell(self.view.as_stored(changes), asker)
        return 0

    def expect_prefix(self, prefix, iri):
        """Announce that a prefix will be bound to an IRI, or unbound if the IRI is None."""
        cdef Journal journal
        for journal in self.journals:
            journal.expect_prefix(prefix, iri)

    def tell_prefixes(self):
        """Report that prefixes may have changed."""
        cdef Journal journal
        for journal in self.journals:
            journal.tell_prefixes()

    def tell_made(self, list changes not None, listed):
        """Report changes, and listings of graphs, that were made without the store's methods."""
        with self.lock:
            self.is_telling()
            self.tell_prefixes()
            for graph in listed:
                self.expect_listing(graph, True)
            self.added_to = NOTHING
            self.expect(changes)
            self.tell_all([each for each in changes if each[0] or not self.has_respelled(each)])

    def take_back(self):
        """Report that the last reported changes were undone without the store's methods."""
        cdef Journal journal
        for journal in self.journals:
            journal.failure = RecordError("a patch was interrupted while it was applied")

    @property
    def is_shared(self):
        """Return whether several journals have joined."""
        return len(self.journals) > 1

    # --- helpers ----------------------------------------------------------------------------------

    cdef bint is_telling(self) except -1:
        """Return whether changes are reported; raise a RecordError if no more can be made."""
        cdef Journal journal
        if self.is_quiet:
            return False
        for journal in self.journals:
            if journal.failure is not None:
                raise RecordError(
                    "nothing can be changed any more in this transaction, since a change could not"
                    f" be recorded ({journal.failure}): leave the block"
                ) from journal.failure
        return True

    cdef int look_at(self, object graph, bint is_quoted) except -1:
        """Refuse to add to a graph that a patch can't name; log that the graph will be listed."""
        if is_quoted or isinstance(graph, QuotedGraph):
            raise RecordError(
                f"the formula {get_name(graph)} can't be recorded: a patch has no formulas"
            )
        if not isinstance(graph, Graph):
            raise RecordError(f"additions to {graph!r} can't be recorded: it is not a Graph")
        if self.view.is_graph_aware and not self.view.lists(graph):
            self.expect_listing(graph, True)
        self.added_to = graph
        return 0

    cdef int expect(self, list changes, Journal asker=None) except -1:
        cdef Journal journal
        for journal in self.journals:
            if journal is not asker:
                journal.expect(changes)
        return 0

    cdef int expect_listing(self, object graph, bint is_listed) except -1:
        cdef Journal journal
        for journal in self.journals:
            journal.expect_listing(graph, is_listed)
        self.view.note_listing(graph, is_listed)
        return 0

    cdef list without_respelled(self, list changes):
        """Leave out changes of a string whose other spelling exists before and after them.

        rdflib's Memory treats ``"x"`` and ``"x"^^xsd:string`` as two terms, a patch as one.
        """
        cdef set seen = set(), added = None
        cdef list left = []
        if len(changes) == 1:
            return [] if self.has_respelled(changes[0]) else changes
        for change in changes:
            is_add, (s, p, o), graph, _ = change
            if is_string(o):
                place = (s, p, str(o), get_name(graph))
                if place in seen:
                    continue
                seen.add(place)
                if self.has_respelled(change):
                    if added is None:
                        added = {self.view.key_of(each) for each in changes if each[0]}
                    other = (True, (s, p, respell_string(o)), graph, None)
                    if not is_add or self.view.key_of(other) not in added:
                        continue
            left.append(change)
        return left

    cdef bint has_respelled(self, tuple change) except -1:
        """Return whether the store has the other spelling of a changed string."""
        _, (s, p, o), graph, _ = change
        if not is_string(o) or not self.view.tells_strings_apart:
            return False
        return self.view.has_respelled(s, p, o, graph)

    cdef int tell(self, list changes, Journal asker=None) except -1:
        if self.view.tells_strings_apart:
            changes = self.without_respelled(changes)
        return self.tell_all(changes, asker)

    cdef int tell_all(self, list changes, Journal asker=None) except -1:
        cdef Journal journal
        failure = None
        for journal in self.journals:
            try:
                if journal is not asker:
                    journal.tell(changes)
            except BaseException as error:
                failure = error
        if failure is not None:
            raise failure
        return 0

    cdef object change(self, list changes, object method, tuple arguments):
        """Call a method that makes changes, and report those that took effect."""
        cdef list outer = self.pending
        if outer:
            changes = self.without_pending(changes)
        if changes:
            self.expect(changes)
            self.pending = [changes, *outer]
        self.depth += 1
        try:
            return method(*arguments)
        except BaseException:
            self.forget_listed()
            expected, changes = changes, []
            changes = [
                each
                for each in expected
                if self.view.is_there(0 if each[0] else DELETED, each[3], each[2]) == each[0]
            ]
            raise
        finally:
            self.depth -= 1
            self.pending = outer
            if changes:
                self.tell(self.view.as_stored(changes))

    cdef list without_pending(self, list changes):
        """Return the changes except those that an outer call is making."""
        cdef Py_ssize_t i
        # Compute the keys of a list of changes once, and only if they are needed.
        for i in range(len(self.pending)):
            if type(self.pending[i]) is list:
                self.pending[i] = {self.view.key_of(change) for change in self.pending[i]}
        return [
            change
            for change in changes
            if not any([self.view.key_of(change) in keys for keys in self.pending])
        ]

    cdef int forget_listed(self) except -1:
        self.view.forget_listed()
        self.added_to = NOTHING
        return 0

    cdef list removals(self, object pattern, object graph):
        if isinstance(graph, QuotedGraph):
            self.look_at(graph, True)
        return self.view.removals(pattern, graph)

    cdef int tell_differences(self, object before, set listed) except -1:
        self.forget_listed()
        now = self.view.list_graphs()
        for name in listed ^ now:
            self.expect_listing(Graph(self.store, name), name in now)
        changes = self.without_pending(self.view.differences(before, self.view.take_snapshot()))
        self.expect(changes)
        self.tell(changes)
        return 0

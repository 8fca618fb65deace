"""Seeing each change that takes effect in a store, whichever graph and method it comes by.

All that rdflib's graphs, parsers and SPARQL engine do comes down to a few methods of the store. So
these are replaced on the store itself, and whoever has the store is seen.
"""

import threading

from jelly_rdflib.recording.journal cimport Journal
from jelly_rdflib.recording.names cimport get_name

from rdflib.graph import Graph, QuotedGraph
from rdflib.plugins.stores.memory import Memory, SimpleMemory
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from rdflib.store import Store
from rdflib.term import BNode, Literal

from jelly_rdflib.errors import RecordError

cdef str TAP = "_jelly_rdflib_tap"
cdef tuple ANYTHING = (None, None, None)
# These raise NotImplementedError, and rdflib's own engine does the update.
cdef tuple NO_UPDATES = (Store.update, Memory.update, SimpleMemory.update)


def find_tap(store):
    """Return the tap of a store that is being recorded; None if it is not."""
    return vars(store).get(TAP)


cdef class Tap:
    """Tells journals what changes in a store, as long as there are any.

    Whether a change takes effect is found out by asking the store before it is made. What a store
    changes in order to make another change, as the statements of a graph that is removed, is told
    once; what others change meanwhile, as subscribers to the store's events may, is told as well.

    One thread at a time can change the store, others wait for it.

    Args:
        store: Any store of rdflib.

    Attributes:
        lock: Held while the store is changed.

    Raises:
        RecordError: Changes of such a store can't be seen.
    """

    def __init__(self, store):
        if isinstance(store, SPARQLUpdateStore) and not store.autocommit:
            raise RecordError(
                "a SPARQLUpdateStore can be recorded only with autocommit=True: changes that wait "
                "in it can't be seen"
            )
        self.lock = threading.RLock()
        self.store = store
        self.is_graph_aware = store.graph_aware
        self.keeps_literals = type(store) in (Memory, SimpleMemory)
        self.journals = []
        self.pending = []
        self.forget_listed()
        self.methods = {name: getattr(store, name) for name in self.names_of_methods()}
        self.own = {name: vars(store)[name] for name in self.methods if name in vars(store)}
        self.add_to_store = store.add
        self.remove_from_store = store.remove

    cdef list names_of_methods(self):
        """Return the names of the store's methods that are replaced."""
        cls = type(self.store)
        names = ["add", "remove", "bind"]
        # The one that all stores have calls `add`.
        if cls.addN is not Store.addN:
            names.append("addN")
        if self.is_graph_aware:
            names += ["add_graph", "remove_graph"]
        if getattr(cls, "update", Store.update) not in NO_UPDATES:
            names.append("update")
        if self.store.transaction_aware:
            names += ["commit", "rollback"]
        for name in ("open", "close", "destroy"):
            if getattr(cls, name) is not getattr(Store, name):
                names.append(name)
        return names

    # --- who is told ------------------------------------------------------------------------------

    def join(self, Journal journal not None):
        """Tell a journal of all changes from now on."""
        with self.lock:
            if not self.journals:
                self.is_quiet = False
                for name in self.methods:
                    setattr(self.store, name, getattr(self, name))
                setattr(self.store, TAP, self)
            self.journals.append(journal)

    def leave(self, Journal journal not None):
        """Tell a journal no more; without any, the store gets its methods back."""
        with self.lock:
            self.journals.remove(journal)
            if self.journals:
                return
            # For whoever may have put something in front of a replaced method meanwhile.
            self.is_quiet = True
            for name in self.methods:
                if getattr(vars(self.store).get(name), "__self__", None) is self:
                    delattr(self.store, name)
                    if name in self.own:
                        setattr(self.store, name, self.own[name])
            delattr(self.store, TAP)

    # --- what stands in for the store's methods ---------------------------------------------------

    def add(self, triple, context, quoted=False):
        """Add a triple, and tell if it was not there."""
        with self.lock:
            if self.is_quiet:
                return self.add_to_store(triple, context, quoted)
            self.check()
            if quoted or context is not self.added_to:
                self.look_at(context, quoted)
            changes = []
            if not self.has(triple, context):
                changes.append((True, triple, context))
            return self.change(changes, self.add_to_store, (triple, context, quoted))

    def addN(self, quads):
        """Add triples to graphs, and tell of those that were not there."""
        # Not under the lock: what yields them may wait for another thread.
        quads = list(quads)
        with self.lock:
            if self.is_quiet:
                return self.methods["addN"](quads)
            self.check()
            changes = {}
            for s, p, o, context in quads:
                if context is not self.added_to:
                    self.look_at(context, False)
                if not self.has((s, p, o), context):
                    changes[True, (s, p, o), context] = None
            return self.change(list(changes), self.methods["addN"], (quads,))

    def remove(self, triple, context=None):
        """Remove the triples that match a pattern, and tell of each."""
        with self.lock:
            if self.is_quiet:
                return self.remove_from_store(triple, context)
            self.check()
            changes = self.removals(triple, context)
            return self.change(changes, self.remove_from_store, (triple, context))

    def add_graph(self, graph):
        """Have the store list a graph; what is told is only for undoing."""
        with self.lock:
            if self.is_quiet:
                return self.methods["add_graph"](graph)
            self.check()
            self.look_at(graph, False)
            return self.change([], self.methods["add_graph"], (graph,))

    def remove_graph(self, graph):
        """Remove a graph, and tell of each of its statements."""
        with self.lock:
            if self.is_quiet:
                return self.methods["remove_graph"](graph)
            self.check()
            changes = self.removals(ANYTHING, graph)
            was_listed = get_name(graph) in self.list_graphs()
            try:
                return self.change(changes, self.methods["remove_graph"], (graph,))
            finally:
                self.forget_listed()
                if was_listed and get_name(graph) not in self.list_graphs():
                    self.expect_listing(graph, False)

    def bind(self, *args, **kwargs):
        """Bind a prefix."""
        cdef Journal journal
        with self.lock:
            if self.is_quiet:
                return self.methods["bind"](*args, **kwargs)
            self.check()
            try:
                return self.methods["bind"](*args, **kwargs)
            finally:
                for journal in self.journals:
                    journal.tell_prefixes()

    def update(self, *args, **kwargs):
        """Have the store run a SPARQL Update by itself, and compare what it has then.

        Raises:
            RecordError: The store is at the other end of a network.
        """
        with self.lock:
            if self.is_quiet:
                return self.methods["update"](*args, **kwargs)
            self.check()
            if isinstance(self.store, SPARQLStore):
                if self.depth:
                    # It makes a change that is known by an update of its own.
                    return self.methods["update"](*args, **kwargs)
                raise RecordError(
                    "what an update changes on a SPARQL endpoint can't be seen: have rdflib run "
                    "it, by update(..., use_store_provided=False)"
                )
            listed = set(self.list_graphs()) if self.is_graph_aware else set()
            before = self.take_snapshot()
            has_run = True
            self.is_quiet = True
            try:
                return self.methods["update"](*args, **kwargs)
            except NotImplementedError:
                # The graph will have rdflib's own engine do it, which calls the other methods.
                has_run = False
                raise
            finally:
                self.is_quiet = False
                if has_run:
                    self.tell_differences(before, listed)

    def commit(self):
        """Have the store commit its own transaction."""
        cdef Journal journal
        with self.lock:
            self.methods["commit"]()
            if not self.is_quiet:
                for journal in self.journals:
                    journal.tell_committed()

    def rollback(self):
        """Have the store roll back its own transaction."""
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
                    journal.tell_rolled_back()

    def open(self, *args, **kwargs):
        """Refuse to: all that the store has would be other data."""
        return self.call_or_refuse("open", args, kwargs)

    def close(self, *args, **kwargs):
        """Refuse to: the store must be there to roll back in."""
        return self.call_or_refuse("close", args, kwargs)

    def destroy(self, *args, **kwargs):
        """Refuse to: nobody would be told what is gone."""
        return self.call_or_refuse("destroy", args, kwargs)

    def call_or_refuse(self, name, args, kwargs):
        """Call a method of the store, if nobody is told of it."""
        if not self.is_quiet:
            raise RecordError(f"{name}() is not for a store that is being recorded")
        return self.methods[name](*args, **kwargs)

    # --- what journals ask for --------------------------------------------------------------------

    def commit_store(self):
        """Commit the store's own transaction, if it has such."""
        if self.store.transaction_aware:
            self.call_quietly("commit", ())

    def roll_back_store(self):
        """Roll back the store's own transaction, if it has such."""
        if self.store.transaction_aware:
            self.call_quietly("rollback", ())
            self.forget_listed()

    def undo(self, bint is_add, tuple triple not None, graph, Journal asker not None):
        """Undo a change, unless it is undone already; tell all but the journal that asks."""
        cdef Journal journal
        cdef list changes, others
        if self.has(triple, graph) != is_add:
            return
        if not self.is_shared:
            self.make(not is_add, triple, graph)
            return
        changes = self.removals(triple, graph) if is_add else [(True, triple, graph)]
        others = [journal for journal in self.journals if journal is not asker]
        for journal in others:
            journal.expect(changes)
        self.make(not is_add, triple, graph)
        changes = self.as_stored(changes)
        for journal in others:
            journal.tell(changes)

    def undo_listing(self, graph, bint was_listed):
        """Have the store list a graph again, or no longer, if it is empty."""
        name = get_name(graph)
        is_listed = name in self.list_graphs()
        self.added_to = self
        if was_listed and not is_listed:
            self.call_quietly("add_graph", (graph,))
            self.listed.add(name)
        # A store need not list its default graph, and to remove that would be to empty it.
        elif is_listed and not was_listed and self.is_empty(graph):
            self.call_quietly("remove_graph", (graph,))
            self.listed.discard(name)

    def tell_made(self, list changes not None, listed):
        """Tell of changes that were made past the store's methods.

        Args:
            changes: Tuples as a `Journal` has them, of changes that took effect.
            listed: The graphs that came to be listed.
        """
        cdef Journal journal
        with self.lock:
            self.check()
            for journal in self.journals:
                journal.tell_prefixes()
            for graph in listed:
                self.expect_listing(graph, True)
            self.forget_listed()
            self.expect(changes)
            self.tell(changes)

    def take_back(self):
        """Say that what was told last was undone past the store's methods."""
        cdef Journal journal
        for journal in self.journals:
            journal.failure = RecordError("a patch was interrupted while it was applied")

    @property
    def is_shared(self):
        """Is there more than one journal?"""
        return len(self.journals) > 1

    # --- how --------------------------------------------------------------------------------------

    cdef int check(self) except -1:
        cdef Journal journal
        for journal in self.journals:
            if journal.failure is not None:
                raise RecordError(
                    "nothing can be changed any more in this transaction, since a change could not"
                    f" be recorded ({journal.failure}): leave the block"
                ) from journal.failure
        return 0

    cdef int look_at(self, object graph, bint is_quoted) except -1:
        """See that what is added to a graph can be told, and that the graph comes to be listed."""
        if is_quoted or isinstance(graph, QuotedGraph):
            raise RecordError(
                f"the formula {get_name(graph)} can't be recorded: a patch has no formulas"
            )
        if not isinstance(graph, Graph):
            raise RecordError(f"what is added to {graph!r} can't be recorded: it is no Graph")
        if self.is_graph_aware:
            name = get_name(graph)
            if name not in self.list_graphs():
                self.expect_listing(graph, True)
                self.listed.add(name)
        self.added_to = graph
        return 0

    cdef int expect(self, list changes) except -1:
        cdef Journal journal
        for journal in self.journals:
            journal.expect(changes)
        return 0

    cdef int expect_listing(self, object graph, bint is_listed) except -1:
        cdef Journal journal
        for journal in self.journals:
            journal.expect_listing(graph, is_listed)
        return 0

    cdef int tell(self, list changes) except -1:
        cdef Journal journal
        failure = None
        for journal in self.journals:
            try:
                journal.tell(changes)
            except BaseException as error:
                failure = error
        if failure is not None:
            raise failure
        return 0

    cdef object change(self, list changes, object method, tuple arguments):
        """Call a method that makes changes, and tell of those that it made."""
        cdef list outer = self.pending
        if outer:
            changes = self.without_pending(changes)
        if changes:
            self.expect(changes)
            self.pending = outer + changes if outer else changes
        self.depth += 1
        try:
            return method(*arguments)
        except BaseException:
            self.forget_listed()
            expected, changes = changes, []
            changes = [each for each in expected if self.has(each[1], each[2]) == each[0]]
            raise
        finally:
            self.depth -= 1
            self.pending = outer
            if changes:
                self.tell(self.as_stored(changes))

    cdef list without_pending(self, list changes):
        being_made = set(self.pending)
        return [change for change in changes if change not in being_made]

    cdef int forget_listed(self) except -1:
        self.listed = None
        # Not None, which somebody may want to add to.
        self.added_to = self
        return 0

    cdef set list_graphs(self):
        if self.listed is None:
            self.listed = {get_name(graph) for graph in self.store.contexts()}
        return self.listed

    cdef bint is_empty(self, object graph) except -1:
        for _ in self.store.triples(ANYTHING, graph):
            return False
        return True

    cdef bint has(self, tuple triple, object graph) except -1:
        for _ in self.store.triples(triple, graph):
            return True
        return False

    cdef int make(self, bint is_add, tuple triple, object graph) except -1:
        """Make a change that nobody is told of."""
        self.forget_listed()
        return self.call_quietly("add" if is_add else "remove", (triple, graph))

    cdef list removals(self, object pattern, object graph):
        """Return a change for each statement that matches a pattern.

        Args:
            pattern: A triple, with None for any term.
            graph: The Graph; None for all of them.
        """
        if isinstance(graph, QuotedGraph):
            self.look_at(graph, True)
        found = self.store.triples(pattern, graph)
        if graph is not None or not self.store.context_aware:
            changes = [(False, triple, graph) for triple, _ in found]
        else:
            # Some stores yield graphs, some their names, and some nothing for their only graph.
            changes = [
                (False, triple, each) for triple, graphs in found for each in graphs or (None,)
            ]
        if isinstance(self.store, SPARQLStore):
            for _, triple, _ in changes:
                if any(isinstance(term, BNode) for term in triple):
                    raise RecordError(
                        f"the removal of {triple} can't be recorded: the labels of blank nodes "
                        "that a SPARQL endpoint gives are good for nothing"
                    )
        return changes

    cdef list as_stored(self, list changes):
        """Return changes with the literals that the store has made of those that were added.

        A store may have a spelling of its own: Oxigraph's has ``"x"^^xsd:string`` for ``"x"``, and
        1 for 01. What it removes is spelled so.
        """
        cdef dict stored
        if self.keeps_literals:
            return changes
        # Mostly there is no need to look for doubles: hashes of terms and graphs are Python code.
        if len(changes) == 1:
            return self.stored_forms(changes[0])
        stored = {}
        for change in changes:
            for form in self.stored_forms(change):
                stored[form] = None
        return list(stored)

    cdef list stored_forms(self, tuple change):
        """Return what the store has made of a change: the same or another one, or none."""
        is_add, triple, graph = change
        if not is_add or not isinstance(triple[2], Literal):
            return [change]
        for found, _ in self.store.triples(triple, graph):
            return [(True, found, graph)]
        return []

    cdef object take_snapshot(self):
        """Return all that the store has, in a form for `differences`."""
        changes = self.removals(ANYTHING, None)
        return {(triple, get_name(graph)): graph for _, triple, graph in changes}

    cdef list differences(self, object before, object after):
        """Return the changes that lead from one snapshot to another."""
        removed = [(False, key[0], before[key]) for key in before.keys() - after.keys()]
        added = [(True, key[0], after[key]) for key in after.keys() - before.keys()]
        return removed + added

    cdef int tell_differences(self, object before, set listed) except -1:
        self.forget_listed()
        if self.is_graph_aware:
            now = self.list_graphs()
            for name in listed ^ now:
                self.expect_listing(Graph(self.store, name), name in now)
        changes = self.without_pending(self.differences(before, self.take_snapshot()))
        self.expect(changes)
        self.tell(changes)
        return 0

    cdef int call_quietly(self, str name, tuple arguments) except -1:
        """Call a method of the store that nobody is told of, whatever it calls in turn."""
        cdef bint was_quiet = self.is_quiet
        self.is_quiet = True
        try:
            self.methods[name](*arguments)
        finally:
            self.is_quiet = was_quiet
        return 0

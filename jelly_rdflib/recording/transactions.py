"""The consecutive transactions of a recording, each committed or undone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.term import URIRef

from jelly_rdflib.errors import RecordError, RollbackError
from jelly_rdflib.graph.stores.native import Journal, Tap
from jelly_rdflib.graph.stores.prefixes import clear_qname_cache, open_prefixes
from jelly_rdflib.operations import Op
from jelly_rdflib.recording.sinks import Sink


class Transactions(Journal):
    """The journal of a recording, one transaction after another; one is always open.

    Attributes:
        committed, aborted: How many transactions the sink has committed and aborted.
        all_added, all_deleted: How many statements committed transactions added and deleted.
    """

    def __init__(self, target: Graph, tap: Tap, sink: Sink, *, is_atomic: bool) -> None:
        super().__init__(target, tap, sink, is_atomic=is_atomic)
        self.committed = self.aborted = self.all_added = self.all_deleted = 0
        self.after_commit: Callable[[], object] | None = None
        self._tap = tap
        self._sink = sink
        self._is_atomic = is_atomic
        # Use the store's own rollback only if all graphs are recorded, since it would also undo
        # changes to other graphs.
        self._uses_rollback = (
            isinstance(target, ConjunctiveGraph)
            or not target.store.context_aware
            or tap.has_journal
        )
        # Ask for the manager before anything is recorded: if this creates the manager, rdflib binds
        # its own prefixes.
        self._manager = target.namespace_manager
        self._bound = open_prefixes(self._manager.store, self.log if is_atomic else None)
        # All prefixes, if they are in another store: the tap does not see changes there.
        self._elsewhere = None if self._manager.store is target.store else self._read_prefixes()
        # Commit, so that a later rollback of the store returns to this point.
        tap.commit_store()
        self._start()

    def _start(self) -> None:
        self.failure = None
        self.log.clear()
        self.added = self.deleted = 0
        # The IRIs of prefixes that may have changed: those at the start of the transaction, and
        # those when the prefixes were last written.
        self._at_start: dict[str, Any] = {}
        self._told: dict[str, Any] = {}
        if self._elsewhere is not None:
            self._at_start = self._elsewhere = self._read_prefixes()
            self._begin_prefixes()
            self._bound.save()

    def _begin_prefixes(self) -> None:
        if self._is_atomic:
            self.log.note_step(partial(clear_qname_cache, self._manager))
            self._bound.begin()

    def _read_prefixes(self) -> dict[str, Any]:
        return dict(self._manager.store.namespaces())

    def expect_prefix(self, prefix: str, iri: str | None) -> None:
        """Record how to undo the coming change of a prefix, which will be bound or unbound."""
        if self._elsewhere is not None:
            return
        if not self._at_start:
            self._begin_prefixes()
        for name, old in self._bound.watch(prefix, None if iri is None else URIRef(iri)).items():
            self._at_start.setdefault(name, old)
            self._told.setdefault(name, old)

    def tell_prefixes(self) -> None:
        """Write the changes to prefixes."""
        before = self._told
        if self._elsewhere is not None:
            now = self._read_prefixes()
            before = {**dict.fromkeys(now), **self._elsewhere}
            self._elsewhere = now
        else:
            now = {name: self._manager.store.namespace(name) for name in before}
            self._told = {}
        changed = [name for name, iri in before.items() if now.get(name) != iri]
        # Give a deletion its IRI, too, as in a diff, so that the patch can be inverted.
        gone = ((name, before[name]) for name in changed if before[name] is not None)
        come = ((name, iri) for name in changed if (iri := now.get(name)) is not None)
        self.write(
            [
                *((Op.PD, name, URIRef(iri), None) for name, iri in gone),
                *((Op.PA, name, URIRef(iri), None) for name, iri in come),
            ]
        )

    def commit(
        self, *, close: Callable[..., object] | None = None, is_stored: bool = False
    ) -> None:
        """Commit the transaction, and start the next one; if the commit fails, roll it back.

        For the last transaction ``close`` is the ``__exit__`` of the sink. ``is_stored`` means
        that the store itself has already committed.
        """
        with self._tap.lock:
            failure = self.failure
            if failure is not None and self._is_atomic:
                self.roll_back()
                raise RecordError(
                    f"the transaction was rolled back: a change could not be recorded ({failure})"
                ) from failure
            try:
                self._tap.tell_pending()
                failure = self.failure
                self.tell_prefixes()
                if not is_stored and not self._tap.has_journal:
                    self._tap.commit_store()
                if self.is_open:
                    self._sink.commit()
                if close is not None:
                    close(None, None, None)
                if self._tap.has_journal:
                    # Do this last: this commit can't be undone, and it can't fail.
                    self._tap.commit_store()
            except BaseException as error:
                self.failure = error
                self.roll_back()
                raise
            was_open = self.is_open
            # Do this first, so that an interrupt does not undo the committed transaction.
            self.is_open = False
            self.log.clear()
            self.committed += was_open
            self.all_added += self.added
            self.all_deleted += self.deleted
            self._start()
            if failure is not None:
                raise RecordError(
                    f"a change was made, but could not be recorded ({failure})"
                ) from failure
            if self.after_commit is not None:
                self.after_commit()

    def stop(self) -> None:
        """End the recording."""
        self._tap.leave(self)

    def leave(self, *, has_failed: bool) -> None:
        """End the transaction after a failed commit, or an exception that left its block."""
        if self._is_atomic or has_failed:
            self.roll_back()
        else:
            # The changes stay, and are recorded as far as possible. The exception that left the
            # block shows which change could not be recorded.
            self.failure = None
            self.commit()

    def roll_back_all(self, is_asked: bool) -> None:
        """Roll back changes to all graphs at a user's request, even if no log can undo them."""
        self.roll_back(is_asked=is_asked)

    def roll_back(self, *, is_stored: bool = False, is_asked: bool = False) -> None:
        """Undo the transaction, abort it in the sink, and start the next one.

        If this is interrupted, it may be called again. If a store refuses to undo a change, all
        other changes are undone. With ``is_stored`` the store itself has already rolled back: what
        remains is undone, except changes to prefixes, which are recorded in the next transaction.
        """
        with self._tap.lock:
            was_written = self.failure is None
            was_changed = self.is_open or self._tap.is_behind
            prefixes = self._at_start
            failure: BaseException | None = None
            unwritten: Exception | None = None
            # Make this outside of the `try`, which treats every exception as a failure to undo.
            first = None if is_stored else partial(self._begin_undoing, is_asked)
            if is_stored:
                self.log.drop_steps()
            try:
                if self._is_atomic or is_asked:
                    self.log.undo(self, first, self._tap.commit_store)
            except RollbackError as error:
                failure = error.__cause__
            except BaseException as error:
                failure = error
            if self.is_open:
                try:
                    # Check this, since even the TX may not have been written.
                    if self._sink.in_transaction:
                        self._sink.abort()
                except Exception as error:
                    # This is an error only if nothing failed before, since an earlier error is more
                    # helpful. Readers drop a transaction without an end anyway.
                    if was_written:
                        unwritten = error
                self.is_open = False
            self.aborted += was_changed
            self._start()
            if is_stored and self._elsewhere is not None:
                self._elsewhere = prefixes
            elif is_stored:
                self._at_start, self._told = prefixes, dict(prefixes)
            if isinstance(failure, Exception):
                raise RecordError(
                    "the store can't be restored to its earlier state: it refuses to undo a "
                    f"change ({failure})"
                ) from failure
            if failure is not None:
                raise failure
            if unwritten is not None:
                raise unwritten

    def _begin_undoing(self, of_all_graphs: bool) -> None:
        if self._tap.is_shared:
            for prefix in list(self._at_start):
                # Tell the other journals, since they must record that the prefix is restored.
                self._tap.expect_prefix(prefix, None)
        if self._uses_rollback:
            self._tap.roll_back_store(of_all_graphs)

"""The transactions of a recording: one after the other, each committed or undone."""

from __future__ import annotations

from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.term import URIRef

from jelly_rdflib.errors import RecordError
from jelly_rdflib.operations import Op
from jelly_rdflib.recording.journal import Journal
from jelly_rdflib.recording.sinks import Sink
from jelly_rdflib.recording.tap import Tap
from jelly_rdflib.stores.prefixes import open_prefixes

__all__ = ["Transactions"]


class Transactions(Journal):
    """The journal of a recording, transaction by transaction. One is always open.

    Args:
        target: The graph or dataset.
        tap: What tells of the changes in its store.
        sink: Where operations go.
        is_atomic: Whether transactions can be undone.

    Attributes:
        committed, aborted: How many transactions were, of those that the sink got to know of.
        all_added, all_deleted: How many statements were, in transactions that were committed.
    """

    def __init__(self, target: Graph, tap: Tap, sink: Sink, *, is_atomic: bool) -> None:
        super().__init__(target, sink, is_atomic=is_atomic)
        self.committed = 0
        self.aborted = 0
        self.all_added = 0
        self.all_deleted = 0
        self._tap = tap
        self._sink = sink
        self._is_atomic = is_atomic
        # What the store rolls back must be what is recorded, and not what is in other graphs.
        self._uses_rollback = isinstance(target, ConjunctiveGraph) or not target.store.context_aware
        # Where rdflib makes it only now, it binds its own prefixes, before anything is recorded.
        self._manager = target.namespace_manager
        self._undoable_prefixes = open_prefixes(self._manager.store)
        # The graphs that the store listed before, or not, and may list now, or not.
        self._listings: dict[Graph, bool] = {}
        # The first error of the store when something was undone.
        self._refusal: Exception | None = None
        self._prefixes: dict[str, Any] = {}
        self._prefixes_before: dict[str, Any] = {}

    def start(self) -> None:
        """Start the first transaction."""
        # A rollback of the store then comes back to just here.
        self._tap.commit_store()
        self._start()

    def _start(self) -> None:
        self.failure = None
        self.log.clear()
        self.is_open = False
        self.added = self.deleted = 0
        self._prefixes = self._prefixes_before = self._read_prefixes()
        if self._is_atomic:
            self._undoable_prefixes.save()

    def _read_prefixes(self) -> dict[str, Any]:
        return dict(self._manager.store.namespaces())

    def tell_prefixes(self) -> None:
        """Write which prefixes are others than they were."""
        before, now = self._prefixes, self._read_prefixes()
        if now == before:
            return
        self._prefixes = now
        # As in a diff: what a prefix stood for is known to who inverts the patch.
        gone = [(prefix, iri) for prefix, iri in before.items() if now.get(prefix) != iri]
        come = [(prefix, iri) for prefix, iri in now.items() if before.get(prefix) != iri]
        self.write(
            [
                *((Op.PD, prefix, URIRef(iri), None) for prefix, iri in gone),
                *((Op.PA, prefix, URIRef(iri), None) for prefix, iri in come),
            ]
        )

    def tell_committed(self) -> None:
        """Commit, as the store did."""
        self.commit(is_stored=True)

    def tell_rolled_back(self) -> None:
        """Roll back, as the store did."""
        self.roll_back(is_stored=True)

    def commit(self, *, is_last: bool = False, is_stored: bool = False) -> None:
        """Commit the transaction, and start the next one.

        Args:
            is_last: Whether to close the sink.
            is_stored: Whether the store has committed by itself.

        Raises:
            RecordError: A change could not be written; all are undone, if they can be.
            Exception: What the sink or the store raises; all changes are undone, if they can be.
        """
        with self._tap.lock:
            failure = self.failure
            if failure is not None and self._is_atomic:
                self.roll_back()
                raise RecordError(
                    f"the transaction was rolled back: a change could not be recorded ({failure})"
                ) from failure
            try:
                self.tell_prefixes()
                if not is_stored:
                    self._tap.commit_store()
                if self.is_open:
                    self._sink.commit()
                if is_last:
                    self._sink.close()
            except BaseException as error:
                self.failure = error
                self.roll_back()
                raise
            self.committed += self.is_open
            self.all_added += self.added
            self.all_deleted += self.deleted
            self._start()
            if failure is not None:
                raise RecordError(
                    f"a change was made, but could not be recorded ({failure})"
                ) from failure

    def leave(self) -> None:
        """End the transaction because of an exception, and start the next one.

        Raises:
            Exception: As by `roll_back` or, if it can't be rolled back, `commit`.
        """
        if self._is_atomic:
            self.roll_back()
        else:
            # What was changed is there, and so it is recorded. Of what could not be recorded, the
            # exception tells.
            self.failure = None
            self.commit()

    def roll_back(self, *, is_stored: bool = False) -> None:
        """Undo the transaction, abort it in the sink, and start the next one.

        Args:
            is_stored: Whether the store has rolled back by itself. What it left is undone, but for
                prefixes: these are recorded in the next transaction.

        Raises:
            RecordError: The store refuses to undo a change. All others are undone.
        """
        with self._tap.lock:
            was_open = self.is_open
            was_written = self.failure is None
            prefixes = self._prefixes_before
            failure = self._undo(is_stored=is_stored) if self._is_atomic else None
            self.aborted += was_open
            self._start()
            if is_stored:
                self._prefixes = prefixes
            try:
                if was_open:
                    self._sink.abort()
            except Exception:
                # A stream that ends inside a transaction has no part of it either. Where another
                # error came before, this one says less.
                if was_written:
                    raise
            finally:
                if isinstance(failure, Exception):
                    raise RecordError(
                        "the store can't be brought back to where it was: it refuses to undo a "
                        f"change ({failure})"
                    ) from failure
                if failure is not None:
                    raise failure

    def _undo(self, *, is_stored: bool) -> BaseException | None:
        """Undo all; return the first error, or else an interrupt."""
        self._refusal = None
        interrupt: KeyboardInterrupt | None = None
        steps = [self._undo_changes, self._undo_listings, self._tap.commit_store]
        if not is_stored:
            steps.append(self._restore_prefixes)
            if self._uses_rollback:
                steps.insert(0, self._tap.roll_back_store)
        while steps:
            try:
                steps[0]()
            except KeyboardInterrupt as error:
                # Nothing may be half undone: it goes on from where it was.
                interrupt = error
                continue
            except Exception as error:
                self._refuse(error)
            del steps[0]
        return self._refusal or interrupt

    def _refuse(self, error: Exception) -> None:
        if self._refusal is None:
            self._refusal = error

    def _undo_changes(self) -> None:
        log = self.log
        while log:
            flag, triple, graph = log[-3:]
            try:
                if triple is None:
                    # In the end, of several, that counts which was the first to happen.
                    self._listings[graph] = not flag
                else:
                    self._tap.undo(flag, triple, graph, self)
            except Exception as error:
                # A store that refused a change may well refuse to undo it.
                self._refuse(error)
            del log[-3:]

    def _undo_listings(self) -> None:
        while self._listings:
            graph, was_listed = next(iter(self._listings.items()))
            try:
                self._tap.undo_listing(graph, was_listed)
            except Exception as error:
                self._refuse(error)
            del self._listings[graph]

    def _restore_prefixes(self) -> None:
        if self._read_prefixes() != self._prefixes_before:
            self._undoable_prefixes.restore()
            self._manager.reset()

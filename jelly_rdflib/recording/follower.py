"""A second recording of a store in a file, in addition to the file's own log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import RecordError
from jelly_rdflib.graph.stores.native import Tap, refuse_default_graph
from jelly_rdflib.graph.stores.target import get_default_graph
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.recording.sinks import Sink
from jelly_rdflib.recording.transactions import Transactions


class HasFollower(Protocol):
    """The file of a store."""

    follower: Follower | None


class Follower:
    """Passes to a sink the transactions that also go to a file's log; used like `Transactions`.

    A store has one transaction at a time, so only the file's own recording sees the changes,
    commits them and rolls them back. The sink gets a transaction before the log does, so that
    nothing is committed that the sink can't write. The sink commits it only when the log has it,
    since the log may refuse it.

    Args:
        target: The graph or dataset that is recorded.
        file: The file of its store, which calls `writing` until `stop` is called.
        tap: The tap of the store.
        leader: The transactions of the file's own recording.
        sink: The sink.
        is_atomic: Whether an exception undoes the transaction.

    Attributes:
        committed, aborted, all_added, all_deleted: As for `Transactions`.
    """

    def __init__(
        self,
        target: Graph,
        file: HasFollower,
        tap: Tap,
        leader: Transactions,
        sink: Sink,
        *,
        is_atomic: bool,
    ) -> None:
        # Ask for the namespace manager now: this makes rdflib bind its own prefixes, which must not
        # be recorded.
        if target.namespace_manager.store is not target.store:
            raise RecordError(
                "a store in a file can't be recorded with the prefixes of another store"
            )
        self._has_one_graph = not isinstance(target, ConjunctiveGraph)
        graph = get_default_graph(target) if isinstance(target, ConjunctiveGraph) else target
        self._name = graph.identifier
        self._is_whole = not self._has_one_graph and self._name == DATASET_DEFAULT_GRAPH_ID
        self._file = file
        self._tap = tap
        self._leader = leader
        self._sink = sink
        self._is_atomic = is_atomic
        self._failure: BaseException | None = None
        # Commit pending changes first, so that they are not recorded here.
        leader.commit()
        self._aborted_before = leader.aborted
        self.committed = self.all_added = self.all_deleted = 0
        file.follower = self

    def stop(self) -> None:
        """End the recording."""
        with self._tap.lock:
            self._file.follower = None

    @property
    def aborted(self) -> int:
        """The number of aborted transactions of the file."""
        return self._leader.aborted - self._aborted_before

    def commit(self, *, close: Callable[..., object] | None = None) -> None:
        """Commit the file's transaction; if ``close`` is given, end the recording and call it.

        Raises:
            RecordError: The file has a transaction that the sink could not commit.
        """
        with self._tap.lock:
            self._leader.commit()
            if self._failure is not None:
                raise RecordError(
                    "the file of the store has a transaction that could not be recorded"
                    f" ({self._failure}), so the recording ends before it"
                ) from self._failure
            if close is not None:
                self.stop()
                close(None, None, None)

    def leave(self, *, has_failed: bool) -> None:
        """End the transaction after a failed commit, or an exception that left its block."""
        if self._is_atomic or has_failed:
            self._leader.roll_back()
        else:
            self.commit()

    @contextmanager
    def writing(self, patch: Patch) -> Iterator[None]:
        """Write a transaction; commit it after the block, in which the log stores it."""
        if self._failure is not None:
            # The sink lacks an earlier transaction, on which later ones depend: write no more.
            yield
            return
        try:
            for part in self._parts(patch.cut(1, len(patch) - 1)):
                if not self._sink.in_transaction:
                    self._sink.begin()
                self._sink.write_all(part)
            yield
        except BaseException:
            # Ignore an error of the sink: the error that led here is more helpful.
            with suppress(Exception):
                if self._sink.in_transaction:
                    self._sink.abort()
            raise
        if self._sink.in_transaction:
            try:
                self._sink.commit()
            except Exception as error:
                # Let `commit` raise this later. Raised here, it would roll back a transaction that
                # the log has already.
                self._failure = error
                return
            self.committed += 1
            self.all_added += self._added
            self.all_deleted += self._deleted

    def _parts(self, patch: Patch) -> list[Batch | list[Operation]]:
        if self._is_whole:
            self._added, self._deleted = self._leader.added, self._leader.deleted
            if patch.slices is not None:
                return [part.as_batch() for part in patch.slices]
            return [list(patch)]
        operations = list(self._recorded(patch))
        ops = [operation[0] for operation in operations]
        self._added, self._deleted = ops.count(Op.A), ops.count(Op.D)
        return [operations] if operations else []

    def _recorded(self, patch: Patch) -> Iterator[Operation]:
        """Yield the operations on the target, with graphs as in a recording of the target."""
        for operation in patch:
            if operation[0] not in (Op.A, Op.D):
                yield operation
                continue
            change: Any = operation
            op, s, p, o, g = change
            name = DATASET_DEFAULT_GRAPH_ID if g is None else g
            if name == self._name:
                yield (op, s, p, o, None)
            elif self._has_one_graph:
                continue
            elif name == DATASET_DEFAULT_GRAPH_ID:
                refuse_default_graph()
            else:
                yield operation

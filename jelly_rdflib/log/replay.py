"""Applying the patches of a log, each wholly or not at all, and knowing how far that came.

The position of a target in a log is a statement in a graph of its own, and part of the change that
a patch makes. A store with transactions has both or neither. In any other store changes come one
after another and the position last; what breaks off before it is done again, from the patch's
start, and that comes to the same, since for each statement the last thing that a patch does to it
counts. The old position goes only after the new one is there.

A patch that changes this graph is refused. What else may have put a statement there, such as a
replay without a position, can't pass it off as a position: its subject is a seal, which takes the
id of the log to make, and that is in the log's database only.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import ApplyError, LogError
from jelly_rdflib.graph.apply import apply, apply_read
from jelly_rdflib.graph.stores.statements import show_term
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.log.entry import LogEntry, check_start, stored_source
from jelly_rdflib.log.files import FORMAT
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.streams.reading import read_batches

POSITION = URIRef("urn:x-jelly-rdflib:position")
"""The predicate that says which patch of a log was applied last."""


class Position:
    """Where a target is in a log.

    Args:
        graph: The dataset.
        name: The graph in it that has the position.
        log: What the log itself is called.

    Raises:
        TypeError: The target is no dataset.
        ValueError: The name is that of the default graph.
    """

    def __init__(self, graph: Graph, name: URIRef, log: str) -> None:
        target = Target(graph)
        if not target.is_dataset:
            raise TypeError("a position is kept in a graph of its own: that takes a Dataset")
        if name == DATASET_DEFAULT_GRAPH_ID:
            raise ValueError("a position is kept in a graph of its own, not in the default graph")
        self.name = name
        self._graph = graph
        self._target = target
        self._log = log

    def read(self) -> list[URIRef]:
        """Return the ids of the patches that it names: mostly one, or none.

        There are two where a replay broke off between the new and the old one.

        Raises:
            LogError: The graph has something that is no position of this log.
        """
        ids = []
        for triple in self._triples():
            id = triple[2]
            if not isinstance(id, URIRef) or triple != self._triple(id):
                raise LogError(
                    f"the graph <{self.name}> says where the data are in the log, and has what no"
                    f" replay of this log has put there: {' '.join(map(show_term, triple))}. If"
                    " you know the version of the data, give it as since, and what is there goes;"
                    " else take another graph, or start from an empty dataset"
                )
            ids.append(id)
        return ids

    def set(self, id: URIRef | None) -> None:
        """Set it, and remove whatever else is there; None is version 0."""
        operations = self._removals(id)
        if id is not None and not any(each == self._triple(id) for each in self._triples()):
            operations.insert(0, (Op.A, *self._triple(id), self.name))
        if operations:
            apply(operations, self._graph)

    def moves(self, entry: LogEntry) -> list[Operation]:
        """Return the operations that set the position, to come after those of a patch."""
        return [(Op.A, *self._triple(entry.id), self.name), *self._removals(entry.id)]

    def _removals(self, newest: URIRef | None) -> list[Operation]:
        kept = None if newest is None else self._triple(newest)
        return [(Op.D, *triple, self.name) for triple in self._triples() if triple != kept]

    def _triples(self) -> list[tuple[Node, Node, Node]]:
        context = self._target.context(self.name)
        return [triple for triple, _ in self._target.store.triples((None, None, None), context)]

    def _triple(self, id: URIRef) -> tuple[URIRef, URIRef, URIRef]:
        seal = hmac.new(self._log.encode(), f"{self.name} {id}".encode(), hashlib.sha256)
        return URIRef(f"urn:x-jelly-rdflib:seal:{seal.hexdigest()}"), POSITION, id


_MARKS = re.compile(b"[" + bytes([Op.TX, Op.TC, Op.TA]) + b"]")
# Changes that follow one another, or one mark.
_PARTS = re.compile(b"[" + bytes([Op.PA, Op.PD, Op.A, Op.D]) + b"]+|" + _MARKS.pattern)
# A segment that has no more is decoded once, not twice.
_FEW_BATCHES = 4

Progress = Callable[[LogEntry], object]


def replay_entries(
    entries: Iterable[LogEntry],
    target: Graph,
    *,
    position: Position | None = None,
    normalize: bool | None = False,
    progress: Progress | None = None,
) -> None:
    """Apply patches to a graph or dataset.

    Args:
        entries: The patches.
        target: As for `jelly_rdflib.apply`.
        position: Where to keep how far it came.
        normalize: As for `jelly_rdflib.read_operations`.
        progress: Called with each patch that was applied.
    """
    place = Target(target)
    for entry in entries:
        moves, protected = (
            ([], None) if position is None else (position.moves(entry), position.name)
        )
        operations = _read(
            entry, stored_source(entry), normalize=normalize, moves=moves, protected=protected
        )
        apply_read(operations, place, is_held=True, limits=entry.limits)
        if progress is not None:
            progress(entry)


def _read(
    entry: LogEntry,
    source: bytes | Path,
    *,
    normalize: bool | None,
    moves: list[Operation],
    protected: URIRef | None,
) -> Iterator[Operation]:
    # A generator, which closes the inner one when it is closed.
    yield from _committed_operations(entry, source, normalize=normalize, protected=protected)
    yield from moves


def _committed_operations(
    entry: LogEntry,
    source: bytes | Path,
    *,
    normalize: bool | None = False,
    protected: URIRef | None = None,
) -> Iterator[Operation]:
    """Iterate over the statements and prefixes that a patch adds and deletes.

    There are no marks of transactions among them: applied as they come, they are one. Since a patch
    says only at the end of a transaction that it was aborted, the segment is read twice.

    Args:
        entry: The patch.
        source: What `stored_source` returned for it.
        normalize: As for `jelly_rdflib.read_operations`.
        protected: A graph that it may not change.

    Raises:
        LogError: It has not the headers that go with its place.
        ApplyError: It changes the graph that it may not change.
        DecodeError, LimitError: The segment breaks a rule of the format.
    """
    batches = read_batches(source, limits=entry.limits, normalize=normalize, format=FORMAT)
    try:
        few = list(islice(batches, _FEW_BATCHES))
        check_start(entry, few[0])
        aborted = _aborted_transactions(chain(few, batches))
    finally:
        batches.close()
    if len(few) < _FEW_BATCHES:
        yield from _changes(few, aborted, entry, protected)
        return
    del few
    batches = read_batches(source, limits=entry.limits, normalize=normalize, format=FORMAT)
    try:
        yield from _changes(batches, aborted, entry, protected)
    finally:
        batches.close()


def _aborted_transactions(batches: Iterable[Batch]) -> set[int]:
    """Return the numbers of the transactions that were aborted, counted from 0."""
    aborted: set[int] = set()
    transaction = -1
    for batch in batches:
        for mark in _MARKS.findall(bytes(batch.ops)):
            if mark[0] == Op.TX:
                transaction += 1
            elif mark[0] == Op.TA:
                aborted.add(transaction)
    return aborted


def _changes(
    batches: Iterable[Batch], aborted: set[int], entry: LogEntry, protected: URIRef | None
) -> Iterator[Operation]:
    transaction = -1
    is_skipping = False
    for batch in batches:
        for part in _PARTS.finditer(bytes(batch.ops)):
            mark = part[0][0]
            if mark == Op.TX:
                transaction += 1
                is_skipping = transaction in aborted
            elif mark in (Op.TC, Op.TA):
                is_skipping = False
            elif not is_skipping:
                if protected is not None:
                    _check_graphs(batch, part.start(), part.end(), entry, protected)
                yield from batch.operations(part.start(), part.end())


def _check_graphs(batch: Batch, start: int, stop: int, entry: LogEntry, protected: URIRef) -> None:
    if any(batch.terms[number] == protected for number in set(batch.g[start:stop])):
        raise ApplyError(
            f"the patch <{entry.id}>, version {entry.version}, changes the graph <{protected}>, in"
            " which the position of the data in the log is kept: nothing of it was applied. If it"
            " may, keep the position in another graph"
        )

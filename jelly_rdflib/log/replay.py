"""Replay: applying the patches of a log in order, each wholly or not at all.

The position of a target in a log is a statement in a separate graph, see `PatchLog.replay`. In a
store without transactions the changes are made one by one, then the new position is added, and at
the end the old one is deleted. If this is interrupted, the patch is applied again. That gives the
same result, since only a patch's last operation on each statement has a lasting effect.

The subject of a position is a keyed digest of the version and the patch's id. The key is the id of
the log, which only the log's database has, so that no statement from elsewhere passes for a
position.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from itertools import chain, islice
from typing import Any

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.core.batch import BatchSlice, SliceIterator
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import ApplyError, LogError
from jelly_rdflib.graph.apply import ApplyResult, apply, apply_read
from jelly_rdflib.graph.batches import read_batches
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.log.entry import LogEntry, check_start
from jelly_rdflib.log.files import FORMAT, headers_of
from jelly_rdflib.log.staging import rewound
from jelly_rdflib.log.versions import EMPTY, Point, point_of, position_of
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.patch.committed import committed_changes, marks_of
from jelly_rdflib.streams.open_input import closing_reader

POSITION = URIRef("urn:x-jelly-rdflib:position")
"""The predicate of a position; its object is the id of the patch that was applied last."""


class Position:
    """The position of a dataset in the log with the id ``log``; the graph ``name`` stores it."""

    def __init__(self, graph: Graph, name: URIRef, log: str) -> None:
        target = Target(graph)
        if not target.is_dataset:
            raise TypeError("a position is kept in a graph of its own: that needs a Dataset")
        if name == DATASET_DEFAULT_GRAPH_ID:
            raise ValueError("a position is kept in a graph of its own, not in the default graph")
        self.name = name
        self._graph = graph
        self._target = target
        self._log = log

    def read(self) -> Point:
        """Return the version that the graph stores; if it stores two, the later one.

        It stores two if a replay was interrupted after adding the new one, before deleting the old.
        """
        found = [EMPTY]
        for triple in self._triples():
            seal, _, id = triple
            version = str(seal).rpartition(":")[2]
            point = Point(int(version[:18]) if version.isdecimal() else 0, URIRef(str(id)))
            if triple != self._triple(point):
                raise LogError(
                    f"the graph <{self.name}> is for the position of the data in the log, but no"
                    f" replay of this log has written {' '.join(map(show, triple))}. If you"
                    " know the version of the data, give it as since, which replaces the position;"
                    " else use another graph, or start from an empty dataset"
                )
            found.append(point)
        return max(found, key=lambda point: point.version)

    def set(self, point: Point) -> None:
        """Set the position, and delete all other statements of the graph."""
        if self._triples() != ([self._triple(point)] if point.id else []):
            apply(self.moves(point), self._graph)

    def moves(self, point: Point) -> list[Operation]:
        """Return the operations that set the position; a replay appends them to each patch."""
        new = [self._triple(point)] if point.id else []
        old = [triple for triple in self._triples() if triple not in new]
        return [
            *((Op.A, *each, self.name) for each in new),
            *((Op.D, *each, self.name) for each in old),
        ]

    def _triples(self) -> list[tuple[Node, Node, Node]]:
        context = self._target.context(self.name)
        return [triple for triple, _ in self._target.store.triples((None, None, None), context)]

    def _triple(self, point: Point) -> tuple[URIRef, URIRef, Any]:
        sealed = f"{self.name} {position_of(point)}".encode()
        seal = hmac.new(self._log.encode(), sealed, hashlib.sha256)
        name = f"urn:x-jelly-rdflib:seal:{seal.hexdigest()}:{point.version}"
        return URIRef(name), POSITION, point.id


# A segment with fewer batches is kept in memory, so that it need not be decoded twice.
_FEW_BATCHES = 4

Progress = Callable[[LogEntry], object]


def replay_entries(
    entries: Iterable[LogEntry],
    target: Graph,
    *,
    position: Position | None = None,
    normalize: bool | None = False,
    strict: bool = False,
    progress: Progress | None = None,
) -> list[tuple[LogEntry, ApplyResult]]:
    """Apply patches to a graph or dataset; ``progress`` is called after each patch.

    ``strict`` refuses a patch with an operation that changes nothing. Without it, the patches with
    such operations are returned, each with the result of applying it. Squashed patches are exempt:
    they also delete statements that were added in between.
    """
    place = Target(target)
    ineffective = []
    for entry in entries:
        moves = [] if position is None else position.moves(point_of(entry))
        protected = None if position is None else position.name
        is_checked = entry.first == entry.version
        changes = _committed_changes(entry, normalize=normalize, protected=protected)
        with closing(changes):
            rows = SliceIterator(chain(changes, NodeBatches(NODE_TYPES, moves)._slices()))
            try:
                result = apply_read(
                    rows, place, strict=strict and is_checked, is_held=True, limits=entry.limits
                )
            except ApplyError as error:
                if strict:
                    raise ApplyError(f"version {entry.version}, {error}") from error
                raise
        if result.ineffective and is_checked:
            ineffective.append((entry, result))
        if progress is not None:
            progress(entry)
    return ineffective


def _committed_changes(
    entry: LogEntry, *, normalize: bool | None, protected: URIRef | None
) -> Generator[BatchSlice, None, None]:
    """Iterate over the committed changes of a patch, without its rows TX, TC and TA.

    Without these rows the whole patch is applied as one transaction. Only the end of a transaction
    shows whether it was aborted, so a long segment is read twice. ``protected`` is a graph that
    the patch must not change.
    """
    options: dict[str, Any] = {"limits": entry.limits, "normalize": normalize, "format": FORMAT}
    source = entry.stored()
    with closing(read_batches(source, **options)) as batches:
        few = list(islice(batches, _FEW_BATCHES))
        check_start(entry, headers_of(few[0]))
        marks = b"".join(marks_of(bytes(batch.ops)) for batch in chain(few, batches))
    again = iter(few) if len(few) < _FEW_BATCHES else read_batches(rewound(source), **options)
    del few
    with closing_reader(again):
        slices = (BatchSlice(batch, 0, len(batch)) for batch in again)
        for part in committed_changes(slices, marks):
            _check_graphs(part, entry, protected)
            yield part


def _check_graphs(part: BatchSlice, entry: LogEntry, protected: URIRef | None) -> None:
    terms, graphs = part.batch.terms, part.batch.g
    if protected is not None and any(
        terms[number] == protected for number in set(graphs[part.start : part.stop])
    ):
        raise ApplyError(
            f"the patch <{entry.id}>, version {entry.version}, changes the graph <{protected}>, in"
            " which the position of the data in the log is kept: nothing of the patch was applied."
            " To allow the change, keep the position in another graph"
        )

"""Applying the patches of a log, each wholly or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from rdflib.graph import Graph

from jelly_rdflib.apply import apply_read
from jelly_rdflib.log.committed import committed_operations
from jelly_rdflib.log.entry import LogEntry, stored_source
from jelly_rdflib.log.position import Position
from jelly_rdflib.log.segment import FORMAT
from jelly_rdflib.operations import Operation
from jelly_rdflib.stores.target import Target

__all__ = ["Progress", "replay_entries"]

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
        moves = [] if position is None else position.moves(entry)
        read = partial(_read, entry, normalize=normalize, moves=moves)
        apply_read(stored_source(entry), place, read, limits=entry.limits, format=FORMAT)
        if progress is not None:
            progress(entry)


def _read(
    entry: LogEntry, source: bytes | Path, *, normalize: bool | None, moves: list[Operation]
) -> Iterator[Operation]:
    # A generator, which closes the inner one when it is closed.
    yield from committed_operations(entry, source, normalize=normalize)
    yield from moves

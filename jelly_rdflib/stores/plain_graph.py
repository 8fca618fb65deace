"""Operations for a graph that has no named graphs: looked through before the first is applied.

Triples may have any graph, so a stream of triples is handed on as it comes. Of a stream of quads
every statement is looked at first, since the last of a million may be one for another graph.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import IO, Any, TypeAlias

from jelly_rdflib.batches import look_at_batches
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.batch_source import BatchSource
from jelly_rdflib.core.terms import TermKind
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.patch import Patch
from jelly_rdflib.stores.sources import is_rereadable
from jelly_rdflib.stores.statements import check_graph
from jelly_rdflib.stores.target import Target

__all__ = ["check_operations", "read_checked_operations"]

ReadOperations: TypeAlias = Callable[[Any], Iterator[Operation]]

# What a pipe gave is kept in memory up to this size, then in a file.
_MAX_IN_MEMORY = 16 << 20


def check_operations(operations: Iterable[Operation], target: Target) -> Iterator[Operation]:
    """Return the same operations, once it is sure that they don't need named graphs.

    What can be read twice, a list or the like, is looked through first. Of an iterator the first
    statement decides: if it has no graph, operations are handed on as they come, and one in a named
    graph is found only then; else they are all kept until the last was looked at.

    Args:
        operations: Operations.
        target: The plain graph they are for.

    Raises:
        ApplyError: A statement is in a named graph.
    """
    if type(operations) in (list, tuple, Patch, Batch):
        _check_graphs(operations, target)
        return iter(operations)
    start, rest = _split(iter(operations))
    if _has_graph(start):
        try:
            start.extend(rest)
        except Exception as error:
            rest = _raise(error)
        _check_graphs(start, target)
    return chain(start, rest)


def _check_graphs(operations: Iterable[Operation], target: Target) -> None:
    for g in (operation[4] for operation in operations if _is_statement(operation)):
        if g is not None:
            check_graph(g)
            target.context(g)


def read_checked_operations(
    source: Any,
    target: Target,
    read: ReadOperations,
    *,
    limits: Limits | None,
    format: str | None,
) -> Iterator[Operation]:
    """Read operations, once it is sure that they don't need named graphs.

    A stream of quads is read twice, and what a pipe or socket gave is kept for that. A stream of
    triples is read once.

    Args:
        source: What `read_operations` takes.
        target: The plain graph they are for.
        read: Reads operations from a source.
        limits: As `read_operations` takes them.
        format: As `read_operations` takes it, or that of Jelly-RDF.

    Raises:
        ApplyError: A statement is in a named graph.
    """
    if is_rereadable(source):
        _check_batches(look_at_batches(source, limits=limits, format=format), target)
    elif getattr(source, "seekable", bool)():
        position = source.tell()
        _check_batches(look_at_batches(source, limits=limits, format=format), target)
        source.seek(position)
    else:
        return _read_checked_pipe(source, target, read, limits, format)
    return read(source)


def _read_checked_pipe(
    pipe: Any, target: Target, read: ReadOperations, limits: Limits | None, format: str | None
) -> Iterator[Operation]:
    recorder = _Recorder(pipe)
    try:
        operations = read(recorder)
        start, rest = _split(operations)
        # A text has no options that would say that no graph comes later.
        if not _has_graph(start) and getattr(operations, "options", None) is not None:
            recorder.stop()
            return chain(start, rest)
        while recorder.read(1 << 16):
            pass
        recorder.copy.seek(0)
        _check_batches(look_at_batches(recorder.copy, limits=limits, format=format), target)
        recorder.copy.seek(0)
    except BaseException:
        recorder.stop()
        raise
    return _read_and_close(recorder.copy, read)


def _read_and_close(file: IO[bytes], read: ReadOperations) -> Iterator[Operation]:
    with file:
        yield from read(file)


def _split(operations: Iterator[Operation]) -> tuple[list[Operation], Iterator[Operation]]:
    """Return the operations up to the first statement, and the rest."""
    start: list[Operation] = []
    try:
        for operation in operations:
            start.append(operation)
            if _is_statement(operation):
                break
    except Exception as error:
        # What came before it is to be applied, as if nobody had looked ahead.
        return start, _raise(error)
    return start, operations


def _has_graph(start: list[Operation]) -> bool:
    return bool(start) and _is_statement(start[-1]) and start[-1][4] is not None


def _is_statement(operation: Any) -> bool:
    # What is no operation is left to where it would be applied, as for a dataset.
    return isinstance(operation, tuple) and len(operation) == 5 and operation[0] in (Op.A, Op.D)


def _raise(error: Exception) -> Iterator[Operation]:
    raise error
    yield


def _check_batches(batches: BatchSource, target: Target) -> None:
    try:
        for batch in batches:
            graphs = {g for op, g in zip(batch.ops, batch.g, strict=True) if op in (Op.A, Op.D)}
            if 0 in graphs and batches.options is not None:
                # A stream of triples: no statement has a graph. A text may have both.
                return
            graphs.discard(0)
            kinds = batch.terms.kinds
            for g in graphs:
                if kinds[g] != TermKind.DEFAULT_GRAPH:
                    check_graph(batch.terms[g])
                    target.context(batch.terms[g])
    except DecodeError:
        # What comes before it is to be applied, and it is found again then.
        return


class _Recorder:
    """A binary file that keeps a copy of what is read through it from another."""

    def __init__(self, file: IO[bytes]) -> None:
        self._read = getattr(file, "read1", None) or file.read
        self._is_recording = True
        self.copy = tempfile.SpooledTemporaryFile(max_size=_MAX_IN_MEMORY)  # noqa: SIM115

    def read(self, size: int) -> bytes:
        data: bytes = self._read(size)
        if self._is_recording and data:
            self.copy.write(data)
        return data

    def stop(self) -> None:
        """Keep no more of it, and throw away what was kept."""
        self._is_recording = False
        self.copy.close()

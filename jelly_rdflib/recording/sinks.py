"""Sinks of recordings: a `PatchWriter`, or a `PatchSink`, which has the same methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, cast

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.operations import Header, Op, Operation
from jelly_rdflib.patch.patch import Patch, join_parts
from jelly_rdflib.streams.writing import PatchWriter


class TakesPatches(Protocol):
    """Anything that accepts patches: a list, a `jelly_rdflib.PatchLog`, or the like."""

    def append(self, patch: Patch, /) -> object:
        """Append a patch."""
        ...


class PatchSink:
    """Calls a function with a `Patch` for each transaction that is committed.

    Each patch starts with ``headers``.
    """

    def __init__(self, take: Callable[[Patch], object], headers: list[Header]) -> None:
        self._take = take
        self._headers = headers
        self._parts: list[Operation | Batch] = []
        self.write = self._parts.append
        self.abort = self._parts.clear

    @property
    def in_transaction(self) -> bool:
        """Return whether a patch has been started."""
        return bool(self._parts)

    def begin(self) -> None:
        """Start a patch."""
        self._parts += [*self._headers, (Op.TX,)]

    def write_all(self, operations: list[Operation] | Batch) -> None:
        """Write operations, given as a list or as the rows of a batch."""
        if isinstance(operations, Batch):
            self.write(operations)
        else:
            self._parts.extend(operations)

    def commit(self) -> None:
        """Pass the patch to the function."""
        self.write((Op.TC,))
        if Batch in map(type, self._parts):
            patch = join_parts(self._parts)
        else:
            patch = Patch(cast("list[Operation]", self._parts))
        self.abort()
        self._take(patch)


Sink: TypeAlias = PatchWriter | PatchSink

"""Sinks of recordings: a `PatchWriter`, or a `PatchSink` with the methods of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.writing import PatchWriter


class PatchSink:
    """Calls a function with a `Patch` for each transaction that is committed."""

    def __init__(self, take: Callable[[Patch], object]) -> None:
        self._take = take
        self._operations: list[Operation] = []
        self.write = self._operations.append
        self.write_all = self._operations.extend
        self.abort = self._operations.clear

    @property
    def in_transaction(self) -> bool:
        """Has a patch been started?"""
        return bool(self._operations)

    def begin(self) -> None:
        """Start a patch."""
        self.write((Op.TX,))

    def commit(self) -> None:
        """Hand the patch over."""
        self.write((Op.TC,))
        patch = Patch(self._operations)
        self.abort()
        self._take(patch)


Sink: TypeAlias = PatchWriter | PatchSink

"""Where the operations of a recording go: into a stream, or as patches to a function.

A sink is opened before anything is recorded. It gets each transaction as `begin`, its operations,
and `commit` or `abort`. At the end it is closed, or left after an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from jelly_rdflib.errors import RecordError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.writing import PatchWriter


class WriterSink:
    """Writes transactions to a `PatchWriter`, which stays open."""

    def __init__(self, writer: PatchWriter) -> None:
        self._writer = writer
        self.write = writer.write
        self.write_all = writer.write_all

    def open(self) -> None:
        """Raise a RecordError if the writer is in a transaction."""
        if self._writer.in_transaction:
            raise RecordError(
                "the writer has a transaction open, and a recording starts its own: commit() or "
                "abort() it first"
            )

    def begin(self) -> None:
        """Write a TX."""
        self._writer.begin()

    def commit(self) -> None:
        """Write a TC."""
        self._writer.commit()

    def abort(self) -> None:
        """Write a TA, if the TX could be written."""
        if self._writer.in_transaction:
            self._writer.abort()

    def close(self) -> None:
        """Leave the writer to its owner."""

    def leave(self, *error: Any) -> None:
        """Leave the writer to its owner."""


class FileSink(WriterSink):
    """Writes transactions to a `PatchWriter` of its own, which is made when the sink is opened."""

    def __init__(self, make: Callable[[], PatchWriter]) -> None:
        self._make = make

    def open(self) -> None:
        """Make the writer."""
        super().__init__(self._make())

    def close(self) -> None:
        """Close the writer."""
        self._writer.close()

    def leave(self, *error: Any) -> None:
        """Close the writer."""
        self._writer.__exit__(*error)


class PatchSink:
    """Calls a function with a `Patch` for each transaction that is committed."""

    def __init__(self, take: Callable[[Patch], object]) -> None:
        self._take = take
        self._operations: list[Operation] = []
        self.write = self._operations.append
        self.write_all = self._operations.extend

    def open(self) -> None:
        """Do nothing."""

    def begin(self) -> None:
        """Start a patch."""
        self._operations.clear()
        self._operations.append((Op.TX,))

    def commit(self) -> None:
        """Hand the patch over."""
        self._operations.append((Op.TC,))
        patch = Patch(self._operations)
        self._operations.clear()
        self._take(patch)

    def abort(self) -> None:
        """Throw the patch away."""
        self._operations.clear()

    def close(self) -> None:
        """Do nothing."""

    def leave(self, *error: Any) -> None:
        """Do nothing."""


Sink: TypeAlias = WriterSink | PatchSink

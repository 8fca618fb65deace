"""Where the operations of a recording go: into a stream, or as patches to whoever takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Protocol

from jelly_rdflib.errors import RecordError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.writing import PatchWriter


class Sink(Protocol):
    """Takes the operations of a recording, transaction by transaction."""

    def open(self) -> None:
        """Get ready, before anything is recorded."""

    def begin(self) -> None:
        """A transaction starts."""

    def write(self, operation: Operation) -> None:
        """Take an operation of the transaction."""

    def write_all(self, operations: Iterable[Operation]) -> None:
        """Take operations of the transaction."""

    def commit(self) -> None:
        """The transaction is committed."""

    def abort(self) -> None:
        """The transaction is aborted."""

    def close(self) -> None:
        """Nothing more comes."""

    def leave(
        self,
        kind: type[BaseException],
        error: BaseException,
        traceback: TracebackType | None,
    ) -> None:
        """Nothing more comes, because of an exception."""


class WriterSink:
    """Writes transactions to a `PatchWriter`, which stays open.

    Args:
        writer: The writer.
    """

    def __init__(self, writer: PatchWriter) -> None:
        self._writer = writer
        self.write = writer.write
        self.write_all = writer.write_all

    def open(self) -> None:
        """See that the writer is between transactions.

        Raises:
            RecordError: It is in one.
        """
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
    """Writes transactions to a `PatchWriter` of its own.

    Args:
        make: Makes the writer, and with it the file.
    """

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
    """Makes a `Patch` of each transaction that is committed.

    Args:
        take: Called with each patch.
    """

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

"""Sources that are gone through twice: for their headers, then for all they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from jelly_rdflib.algebra.sources import (
    check_source,
    closing_reader,
    is_held,
    open_operations,
    operation_at,
)
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.errors import LimitError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.sources import is_readable, is_rereadable

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

# Stands for any operation but a header and the end of a patch.
_ANY: Operation = (Op.TX,)


class Replay:
    """A source of operations that is gone through twice.

    Bytes, paths, files that can seek and collections are there twice. Of all else a copy is kept.
    A context manager, which removes the copy.

    Args:
        source: What `jelly_rdflib.apply` takes.
        limits: As for `jelly_rdflib.apply`, where the source can be read.
        normalize: As for `jelly_rdflib.apply`, where the source can be read.
        format: As for `jelly_rdflib.apply`, where the source can be read.

    Raises:
        TypeError: ``source`` is of another kind.
    """

    def __init__(
        self, source: Any, *, limits: Limits | None, normalize: bool | None, format: str | None
    ) -> None:
        check_source(source)
        self._source = source
        self._reading: dict[str, Any] = {"limits": None, "normalize": None, "format": None}
        if is_readable(source):
            self._reading = {"limits": limits, "normalize": normalize, "format": format}
        self._spool = Spool()
        self._position = 0
        # What is read from, while it is skimmed.
        self._batches: BatchSource | None = None

    def __enter__(self) -> Self:
        self._spool.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._spool.__exit__(kind, error, traceback)

    @property
    def is_held(self) -> bool:
        """Whether the operations are in memory, whatever becomes of them here."""
        return is_held(self._source)

    def skim(self) -> Iterator[Operation]:
        """Iterate over the headers and the ends of patches; call it once, before `operations`.

        Yields:
            These, and between any two of them at least one other where there are any.
        """
        if self._is_readable_twice():
            if not is_rereadable(self._source):
                self._position = self._source.tell()
            opened = open_input(self._source, holds_changes=True, **self._reading)
            with closing(opened.batches()) as self._batches:
                yield from _skim(self._batches)
            self._batches = None
        elif self.is_held:
            yield from self._open()
        else:
            with closing_reader(self._open()) as operations:
                for operation in operations:
                    self._spool.append(operation)
                    yield operation
            self._source = self._spool

    def place_error(self, error: LimitError) -> None:
        """Tell an error of what `skim` gave last where in the source that is."""
        if self._batches is not None:
            self._batches.place_error(error)

    def operations(self) -> Iterator[Operation]:
        """Iterate over all operations."""
        if isinstance(self._source, Spool):
            yield from self._source
            return
        if self._is_readable_twice() and not is_rereadable(self._source):
            self._source.seek(self._position)
        with closing_reader(self._open()) as operations:
            yield from operations

    def _open(self) -> Iterator[Operation]:
        return open_operations(self._source, **self._reading)

    def _is_readable_twice(self) -> bool:
        if not is_readable(self._source):
            return False
        return is_rereadable(self._source) or getattr(self._source, "seekable", bool)()


def _skim(batches: Iterable[Batch]) -> Iterator[Operation]:
    for batch in batches:
        codes = bytes(batch.ops)
        if Op.H not in codes and Op.END not in codes:
            if codes:
                yield _ANY
            continue
        for row, code in enumerate(codes):
            yield operation_at(batch, row) if code in (Op.H, Op.END) else _ANY

"""Sources that are read twice: for their headers, then for all operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

from jelly_rdflib.algebra.sources import closing_reader, is_held, open_operations, operation_at
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import Batch, BatchSource
from jelly_rdflib.errors import LimitError
from jelly_rdflib.graph.stores.statements import check_source
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.streams.sources import is_readable, is_rereadable

# Stands for any operation but a header and the end of a patch.
_ANY: Operation = (Op.TX,)


class RereadableSource:
    """A source of operations that is read twice: by `skim`, then by `operations`.

    Bytes, paths, files that can seek and collections are read again. Of any other source `spool`
    keeps a copy, which the caller closes.

    Args:
        source: As for `jelly_rdflib.apply`.
        limits, normalize, format: As for `jelly_rdflib.apply`; without effect on operations.
    """

    def __init__(
        self, source: Any, *, limits: Limits | None, normalize: bool | None, format: str | None
    ) -> None:
        check_source(source)
        self._source = source
        reading = {"limits": limits, "normalize": normalize, "format": format}
        self._is_readable = is_readable(source)
        self._reading: dict[str, Any] = reading if self._is_readable else dict.fromkeys(reading)
        # Are the operations in memory anyway?
        self.is_held = is_held(source)
        self.spool = Spool()
        self._is_spooled = False
        # Where a file that can seek starts.
        self._position: int | None = None
        self._batches: BatchSource | None = None

    def skim(self) -> Iterator[Operation]:
        """Iterate over the headers and the ends of patches.

        Other operations between two of them come as one or more of any kind.
        """
        if self._is_readable and self._is_seekable():
            opened = open_input(self._source, holds_changes=True, **self._reading)
            with closing(opened.batches()) as self._batches:
                yield from _skim(self._batches)
            self._batches = None
        elif self.is_held:
            yield from self._open()
        else:
            self._is_spooled = True
            with closing_reader(self._open()) as operations:
                for operation in operations:
                    self.spool.append(operation)
                    yield operation

    def place_error(self, error: LimitError) -> None:
        """Give an error the place in the source that `skim` has reached."""
        if self._batches is not None:
            self._batches.place_error(error)

    def operations(self) -> Iterator[Operation]:
        """Iterate over all operations, after `skim`."""
        if self._is_spooled:
            yield from self.spool
            return
        if self._position is not None:
            self._source.seek(self._position)
        with closing_reader(self._open()) as operations:
            yield from operations

    def _open(self) -> Iterator[Operation]:
        return open_operations(self._source, **self._reading)

    def _is_seekable(self) -> bool:
        """Can the source be read again? Take note of the position in a file."""
        if is_rereadable(self._source):
            return True
        if not getattr(self._source, "seekable", bool)():
            return False
        self._position = self._source.tell()
        return True


def _skim(batches: Iterable[Batch]) -> Iterator[Operation]:
    for batch in batches:
        codes = bytes(batch.ops)
        if Op.H not in codes and Op.END not in codes:
            if codes:
                yield _ANY
            continue
        for row, code in enumerate(codes):
            yield operation_at(batch, row) if code in (Op.H, Op.END) else _ANY

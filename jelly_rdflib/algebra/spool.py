"""A list of batches; a long list is kept in a temporary file."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from jelly_rdflib.core.batch import Batch, dump_batch, load_batch

# The maximum number of bytes that are kept in memory.
_MAX_SIZE = 4 << 20


class Spool:
    """A list of any length: batches are appended at its end, and read from either end.

    A long list is kept in a temporary file. Batches are read back without their metadata.

    It is a context manager, which removes the file.
    """

    def __init__(self) -> None:
        self._file: Any = None
        # The end of each batch in the file, and its node factory, usually the same for all.
        self._ends = array("Q", [0])
        self._factories: list[Any] = []

    def __enter__(self) -> Spool:
        self._file = tempfile.SpooledTemporaryFile(_MAX_SIZE)
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._factories)

    def __iter__(self) -> Iterator[Batch]:
        return map(self._read, range(len(self)))

    def __reversed__(self) -> Iterator[Batch]:
        return map(self._read, reversed(range(len(self))))

    def extend(self, batches: Iterable[Batch]) -> None:
        """Append batches."""
        for batch in batches:
            self._file.seek(self._ends[-1])
            self._ends.append(self._ends[-1] + self._file.write(dump_batch(batch)))
            self._factories.append(batch.terms.factory)

    def clear(self) -> None:
        """Remove all batches."""
        del self._ends[1:], self._factories[:]

    def _read(self, number: int) -> Batch:
        self._file.seek(self._ends[number])
        dumped = self._file.read(self._ends[number + 1] - self._ends[number])
        return load_batch(dumped, self._factories[number])

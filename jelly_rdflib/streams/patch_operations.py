"""The operations of one patch, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rdflib.graph import Graph

from jelly_rdflib.core.batch import BatchSlice, SliceIterator
from jelly_rdflib.headers import Headers
from jelly_rdflib.operations import Op, Operation

if TYPE_CHECKING:
    from typing_extensions import Self


class PatchOperations:
    """The operations of one patch, in order, without the `Op.END` after them.

    They are tuples, or rows of batches in ``slices``, as a reader returns them. A final `Op.END`
    is left out. Operations after an `Op.END` raise a ValueError: they would be another patch.
    """

    def __init__(self, operations: Iterable[Operation] = ()) -> None:
        if isinstance(operations, str | bytes | bytearray | memoryview | Graph):
            raise TypeError(
                f"{type(operations).__name__} has no operations: read_patches(path) reads the"
                " patches of a file, and diff(Graph(), graph) makes a patch of a graph"
            )
        self._operations = list(operations)
        self.slices: list[BatchSlice] | None = None
        if self._operations and self._operations[-1] == (Op.END,):
            del self._operations[-1]
        if (Op.END,) in self._operations:
            raise ValueError("a patch ends at its Op.END, but here operations follow it")

    @classmethod
    def of_slices(cls, slices: list[BatchSlice]) -> Self:
        """Return the patch that consists of rows of batches; the rows are not checked."""
        patch = cls()
        patch.slices = slices
        return patch

    def __iter__(self) -> Iterator[Operation]:
        if self.slices is None:
            return iter(self._operations)
        return SliceIterator(self.slices)

    def __len__(self) -> int:
        if self.slices is None:
            return len(self._operations)
        return sum(map(len, self.slices))

    def cut(self, start: int, stop: int) -> Self:
        """Return the operations from number ``start`` up to number ``stop``, exclusive."""
        if self.slices is None:
            return type(self)(self._operations[start:stop])
        slices = []
        for part in self.slices:
            first, last = max(start, 0), min(stop, len(part))
            if first < last:
                slices.append(BatchSlice(part.batch, part.start + first, part.start + last))
            start, stop = start - len(part), stop - len(part)
        return self.of_slices(slices)

    @property
    def header(self) -> Headers:
        """The headers by key; a repeated key has its last value.

        Keys keep their spelling. As in Jena, the search for a key ignores case, and ``prev`` also
        finds ``previous``.
        """
        if self.slices is None:
            headers = (each for each in self._operations if each[0] == Op.H)
        else:
            headers = (each for part in self.slices for each in part.headers())
        return Headers((key, value) for _, key, value in headers)

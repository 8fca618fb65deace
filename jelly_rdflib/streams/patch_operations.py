"""The operations of one patch, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jelly_rdflib.core.batch import BatchSlice, SliceIterator
from jelly_rdflib.headers import Headers
from jelly_rdflib.operations import Op, Operation

if TYPE_CHECKING:
    from typing_extensions import Self


class PatchOperations:
    """The operations of one patch, in order, without the `Op.END` after them.

    They were given as tuples, or ``slices`` has them as rows of batches, as a reader has them. An
    `Op.END` as the last one is left out; before others it is a ValueError, as that is more than one
    patch.
    """

    def __init__(self, operations: Iterable[Operation] = ()) -> None:
        self._operations = list(operations)
        self.slices: list[BatchSlice] | None = None
        if self._operations and self._operations[-1] == (Op.END,):
            del self._operations[-1]
        if (Op.END,) in self._operations:
            raise ValueError("a patch ends at its Op.END, but here operations follow it")

    @classmethod
    def of_slices(cls, slices: list[BatchSlice]) -> Self:
        """Return the patch that consists of rows of batches, which are not checked."""
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
        """Return the operations from number ``start`` up to, without, number ``stop``."""
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
        """The headers by key; of a key that comes more than once, the last value.

        Keys are as they came, and are found as Jena finds them: in any case of letters, and
        ``previous`` by ``prev``.
        """
        if self.slices is None:
            headers = (each for each in self._operations if each[0] == Op.H)
        else:
            headers = (each for part in self.slices for each in part.headers())
        return Headers((key, value) for _, key, value in headers)

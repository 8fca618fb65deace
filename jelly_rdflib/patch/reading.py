"""`read_patches` reads a stream of changes patch by patch."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource
from jelly_rdflib.errors import LimitError
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.open_input import open_input

_DEFAULT_LIMITS = Limits()
# The smallest number of operations that a batch counts as.
_BATCH_COST = 128


def read_patches(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
    on_repeated_options: RepeatedOptions = "continue",
) -> PatchIterator:
    """Iterate over the patches of a stream of changes.

    One patch at a time is in memory, as columns. ``limits.max_held_operations`` is the largest
    size of a patch, in which each frame counts as 128 operations or more. For a patch that is
    larger than memory, use `read_operations` or `apply`.

    Args:
        source: As for `read_operations`.
        limits: As for `read_operations`.
        normalize: As for `read_operations`.
        format: As for `read_operations`.
        on_repeated_options: As for `read_operations`.

    Returns:
        An iterator of `Patch`.

    Raises:
        DecodeError, LimitError, TypeError, LookupError, OSError: As for `read_operations`.

    Examples:
        >>> from rdflib import URIRef
        >>> from jelly_rdflib import Op, PatchEncoder, PatchOptions
        >>> options = PatchOptions(stream_type="FRAME")
        >>> frame = PatchEncoder(options).encode_frame(
        ...     [(Op.H, "id", URIRef("urn:uuid:1")), (Op.TX,), (Op.TC,)]
        ... )
        >>> [patch.header["id"] for patch in read_patches(frame)]
        [rdflib.term.URIRef('urn:uuid:1')]
    """
    opened = open_input(
        source,
        holds_changes=True,
        limits=limits,
        normalize=normalize,
        format=format,
        on_repeated_options=on_repeated_options,
    )
    most = (limits or _DEFAULT_LIMITS).max_held_operations
    return PatchIterator(opened.batches(), max_held_operations=most)


class PatchIterator:
    """Iterates over the patches of a stream; see `read_patches`."""

    def __init__(self, batches: BatchSource, *, max_held_operations: int) -> None:
        self._batches = batches
        self._max_held = max_held_operations
        # The slices of the next patch, and the sum that is compared with the limit.
        self._slices: list[BatchSlice] = []
        self._held = 0
        # The current batch, its operation codes, and the start of the next patch in it.
        self._batch: Batch | None = None
        self._ops = b""
        self._start = 0

    def __iter__(self) -> PatchIterator:
        return self

    def __next__(self) -> Patch:
        while True:
            if self._batch is None:
                self._batch = next(self._batches)
                self._ops = bytes(self._batch.ops)
                self._start = 0
            end = self._ops.find(Op.END, self._start)
            is_whole = end >= 0
            if not is_whole:
                end = len(self._ops)
            if end > self._start:
                self._hold(BatchSlice(self._batch, self._start, end))
            self._start = end + 1
            if self._start >= len(self._ops):
                self._batch = None
            if is_whole:
                slices, self._slices = self._slices, []
                self._held = 0
                return Patch.of_slices(slices)

    def _hold(self, piece: BatchSlice) -> None:
        self._held += max(len(piece), _BATCH_COST)
        if self._held > self._max_held:
            error = LimitError(
                f"a patch has more than {self._max_held} operations (limit max_held_operations;"
                f" each frame counts as {_BATCH_COST} or more)"
            )
            self._batches.place_error(error)
            self.close()
            raise error
        self._slices.append(piece)

    def close(self) -> None:
        """Stop reading, and close the file if the reader opened it."""
        self._batches.close()
        self._slices = []
        self._batch = None

    @property
    def options(self) -> PatchOptions | None:
        """The stream's options; None before its first frame was read."""
        options: PatchOptions | None = self._batches.options
        return options

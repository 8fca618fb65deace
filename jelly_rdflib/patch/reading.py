"""`read_patches` reads a stream of changes patch by patch."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from inspect import GEN_CLOSED, getgeneratorstate

from jelly_rdflib.algebra.sources import cut_patches, ends_patch
from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource, Tabular
from jelly_rdflib.errors import LimitError
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.open_input import closing_reader, open_input
from jelly_rdflib.types import ChangeFormat, Readable

_DEFAULT_LIMITS = Limits()
# A batch counts as at least this many operations.
_BATCH_COST = 128


def read_patches(
    source: Readable,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
    on_repeated_options: RepeatedOptions = "continue",
) -> PatchIterator:
    """Iterate over the patches of a stream of changes.

    Memory holds one patch at a time, as columns. ``limits.max_held_operations`` bounds the size of
    a patch, where each frame counts as at least 128 operations. For patches that are larger than
    memory, use `read_operations` or `apply`.

    Args:
        source: What to read: bytes, a path or a binary file; see `read_operations`.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        normalize: Whether literals get the normal form of their value; see `read_operations`.
        format: The name of the format, an extension or a media type; see `read_operations`.
        on_repeated_options: How to handle a frame that repeats the options; see
            `read_operations`.

    Returns:
        An iterator of `Patch`.

    Raises:
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has an unsupported type.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.

    See Also:
        - `read_operations`: read patches of any size, operation by operation.

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


class PatchIterator(Tabular):
    """Iterates over the patches of a stream; see `read_patches`."""

    def __init__(self, batches: BatchSource, *, max_held_operations: int) -> None:
        self._batches = batches
        self._patches = _split(batches, max_held_operations)

    def __iter__(self) -> PatchIterator:
        return self

    def __repr__(self) -> str:
        return f"<PatchIterator of {self._batches!r}>"

    def __next__(self) -> Patch:
        return next(self._patches)

    def _is_used_up(self) -> bool:
        return getgeneratorstate(self._patches) == GEN_CLOSED

    def _slices(self) -> Iterator[BatchSlice]:
        (end,) = NodeBatches(NODE_TYPES, [(Op.END,)])
        for patch in self:
            yield from patch.slices or ()
            yield BatchSlice(end, 0, 1)

    def close(self) -> None:
        """Stop reading, and close the file if the reader opened it."""
        self._batches.close()
        self._patches.close()

    @property
    def options(self) -> PatchOptions | None:
        """The stream's options; None before its first frame is read."""
        options: PatchOptions | None = self._batches.options
        return options


def _split(batches: BatchSource, max_held: int) -> Generator[Patch, None, None]:
    collector = PatchCollector(max_held)
    with closing_reader(batches):
        for batch in batches:
            yield from collector.take(batch)
            # Free the memory of this batch before the next one is read.
            del batch


class PatchCollector:
    """Collects the batches of a stream into patches.

    Args:
        max_held: The largest size of a patch; each batch counts as at least 128 operations.
    """

    def __init__(self, max_held: int) -> None:
        self._max_held = max_held
        self._slices: list[BatchSlice] = []
        self._held = 0

    @property
    def is_open(self) -> bool:
        """Whether a patch has started but not ended yet."""
        return bool(self._slices)

    def take(self, batch: Batch) -> Iterator[Patch]:
        """Add a batch, and yield the patches that end in it; see `add`."""
        for part in cut_patches(batch._slices()):
            is_last = ends_patch(part)
            self.add(batch, part.start, part.stop - is_last)
            if is_last:
                yield self.end()

    def add(self, batch: Batch, start: int, stop: int) -> None:
        """Add some rows of a batch without `Op.END`.

        Raises:
            LimitError: The patch is too large.
        """
        if stop > start:
            self._held += max(stop - start, _BATCH_COST)
            self._slices.append(BatchSlice(batch, start, stop))
        if self._held > self._max_held:
            raise LimitError(
                f"a patch has more than {self._max_held} operations, where each frame counts as"
                f" {_BATCH_COST} or more",
                limit="max_held_operations",
                value=self._max_held,
            )

    def end(self) -> Patch:
        """End the patch, and return it."""
        patch = Patch.of_slices(self._slices)
        self._slices, self._held = [], 0
        return patch

"""Reading changes, and frames of Jelly-Patch one by one, as people call it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource, OperationReader, SliceIterator
from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder
from jelly_rdflib.core.nodes import OperationSink
from jelly_rdflib.errors import LimitError
from jelly_rdflib.headers import Headers
from jelly_rdflib.nodes import NODE_TYPES, make_node_factory
from jelly_rdflib.open_input import open_input
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions

if TYPE_CHECKING:
    from rdflib.graph import Graph

    from jelly_rdflib.apply import ApplyResult

__all__ = [
    "Patch",
    "PatchDecoder",
    "PatchEncoder",
    "PatchIterator",
    "read_operations",
    "read_patches",
]

_DEFAULT_LIMITS = Limits()
# What a batch takes however small it is, in operations.
_BATCH_COST = 128


def read_operations(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
    on_repeated_options: RepeatedOptions = "continue",
) -> OperationReader:
    """Iterate over the operations of a stream of changes: Jelly-Patch or RDF Patch.

    Memory is bounded by the largest frame, of RDF Patch by the longest row. A file that is opened
    here is closed at the end of the stream, at an error, and by ``close()`` of the iterator.

    Args:
        source: Bytes (anything with the buffer protocol), a path, or a binary file object; plain
            or compressed with gzip or zstd; delimited frames or one bare frame.
        limits: What to accept; by default `Limits`' own defaults.
        normalize: Whether literals get the normal form of their value, as rdflib's own parsers
            do: ``"01"^^xsd:integer`` becomes ``1``. None follows ``rdflib.NORMALIZE_LITERALS``;
            False keeps each lexical form.
        format: ``"jelly-patch"``, ``"rdf-patch"`` or ``"rdf-patch-thrift"``, one of its file
            extensions or media types. None: what a path's name says (``.jellyp``, ``.rdfp``,
            ``.rdfpb``, also with ``.gz`` or ``.zst``), else what the first bytes look like.
        on_repeated_options: As for `PatchDecoder`: ``"restart"`` reads files of Jelly-Patch that
            were put together as they are (``cat a.jellyp b.jellyp``).

    Returns:
        An iterator of operations: tuples that start with an `Op`.

    Raises:
        DecodeError: The input breaks a rule of the format. (Raised by the iterator.)
        LimitError: The input asks for more than ``limits``.
        TypeError: ``source`` is none of these.
        LookupError: There is no such format for changes.
        OSError: The path can't be opened or read.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import PatchWriter
        >>> file = io.BytesIO()
        >>> with PatchWriter(file) as writer:
        ...     writer.add(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> for operation in read_operations(file.getvalue()):
        ...     print(operation[0].name, *operation[1:])
        A urn:s urn:p o urn:x-rdflib:default
        END
    """
    opened = open_input(
        source,
        holds_changes=True,
        limits=limits,
        normalize=normalize,
        format=format,
        on_repeated_options=on_repeated_options,
    )
    return opened.operations()


def read_patches(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
    on_repeated_options: RepeatedOptions = "continue",
) -> PatchIterator:
    """Iterate over the patches of a stream of changes.

    One patch at a time is in memory, as columns; ``limits.max_held_operations`` says how large it
    may be, and of it each frame counts as 128 operations or more. For a patch that is larger than
    memory, use `read_operations` or `apply`.

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
        >>> from rdflib import Literal, URIRef
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
        # Of the patch that comes next.
        self._slices: list[BatchSlice] = []
        self._held = 0
        # The batch that is not used up, its codes, and where the next patch starts in it.
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
                return Patch._of_slices(slices)

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


class Patch:
    """One RDF Patch: operations in order, its headers among them, without the `Op.END`.

    Iterating gives the operations, any number of times. A patch can be pickled.

    Args:
        operations: Operations as tuples. An `Op.END` as the last one is left out.

    Raises:
        ValueError: There is an `Op.END` before the last operation: that is more than one patch.

    Examples:
        >>> from rdflib import URIRef
        >>> patch = Patch([(Op.H, "id", URIRef("urn:uuid:1")), (Op.TX,), (Op.TC,)])
        >>> patch.header
        {'id': rdflib.term.URIRef('urn:uuid:1')}
        >>> len(patch)
        3
    """

    def __init__(self, operations: Iterable[Operation] = ()) -> None:
        self._operations = list(operations)
        self._slices: list[BatchSlice] | None = None
        if self._operations and self._operations[-1] == (Op.END,):
            del self._operations[-1]
        if (Op.END,) in self._operations:
            raise ValueError("a patch ends at its Op.END, but here operations follow it")

    @classmethod
    def _of_slices(cls, slices: list[BatchSlice]) -> Patch:
        patch = cls()
        patch._slices = slices
        return patch

    def __reduce__(self) -> tuple[Any, ...]:
        return (Patch, (list(self),))

    def __iter__(self) -> Iterator[Operation]:
        if self._slices is None:
            return iter(self._operations)
        return SliceIterator(self._slices)

    def __len__(self) -> int:
        if self._slices is None:
            return len(self._operations)
        return sum(map(len, self._slices))

    def __repr__(self) -> str:
        return f"<Patch: {len(self)} operations, header {self.header}>"

    @property
    def header(self) -> Headers:
        """The headers by key; of a key that comes more than once, the last value.

        Keys are as they came, and are found as Jena finds them: in any case of letters, and
        ``previous`` by ``prev``.
        """
        if self._slices is None:
            headers = (each for each in self._operations if each[0] == Op.H)
        else:
            headers = (each for part in self._slices for each in part.headers())
        return Headers((key, value) for _, key, value in headers)

    def invert(self) -> Patch:
        """Return the inverse: the patch that undoes this one.

        See `jelly_rdflib.invert`.

        Raises:
            PatchError, ApplyError: As by `jelly_rdflib.invert`.
        """
        from jelly_rdflib.algebra.invert import invert

        return Patch(invert(self))

    def compact(self, *, assume_effective: bool = False) -> Patch:
        """Return the smallest patch that does the same to any dataset.

        See `jelly_rdflib.compact`.

        Args:
            assume_effective: As for `jelly_rdflib.compact`.

        Raises:
            ApplyError: As by `jelly_rdflib.compact`.
        """
        from jelly_rdflib.algebra.compact import compact

        return Patch(compact(self, assume_effective=assume_effective))

    def effective(self, dataset: Graph) -> Patch:
        """Return what of the patch changes something in a graph or dataset.

        See `jelly_rdflib.effective`.

        Args:
            dataset: As for `jelly_rdflib.effective`.

        Raises:
            ApplyError: As by `jelly_rdflib.effective`.
        """
        from jelly_rdflib.algebra.effective import effective

        return Patch(effective(self, dataset))

    def apply(self, target: Graph, *, atomic: bool = True) -> ApplyResult:
        """Apply the patch to a graph or dataset.

        Args:
            target: As for `jelly_rdflib.apply`.
            atomic: As for `jelly_rdflib.apply`.

        Raises:
            ApplyError: As by `jelly_rdflib.apply`.
        """
        from jelly_rdflib.apply import apply

        return apply(self, target, atomic=atomic)


class PatchDecoder:
    """Decodes frames that come one by one, as from Kafka, MQTT or gRPC.

    The frames of one stream must come in order, all of them, to one decoder.

    Args:
        limits: What to accept; by default `Limits`' own defaults.
        normalize: As for `read_operations`.
        on_repeated_options: What a frame means that has the stream's options again, which nothing
            in it tells. ``"continue"``: the stream goes on, with its lookups; the options must be
            the same (Jelly-Patch, "Patch stream options"). ``"restart"``: a new stream starts, with
            empty lookups and options of its own: what producers send that write options only when
            they start, or make each message a stream. Options must come first in their frame then.
            The old stream ends as by `finish`, but for a transaction that it leaves open: an
            `Op.TA` ends that. ``"error"``: a `DecodeError`.

    Raises:
        ValueError: ``on_repeated_options`` is none of these.

    Examples:
        >>> from rdflib import BNode, Literal, URIRef
        >>> encoder, decoder = PatchEncoder(), PatchDecoder()
        >>> message = encoder.encode_frame([(Op.A, BNode("b"), URIRef("urn:p"), Literal(1), None)])
        >>> for operation in decoder.decode_frame(message):
        ...     print(operation[:3])
        (<Op.A: 7>, rdflib.term.BNode('b'), rdflib.term.URIRef('urn:p'))

        A producer that has been started anew:

        >>> decoder = PatchDecoder(on_repeated_options="restart")
        >>> for iri in ("urn:1", "urn:2"):
        ...     message = PatchEncoder().encode_frame([(Op.H, "by", URIRef(iri))])
        ...     for operation in decoder.decode_frame(message):
        ...         print(operation[0].name, *operation[1:])
        H by urn:1
        END
        H by urn:2
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        normalize: bool | None = None,
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None:
        self._decoder = PatchFrameDecoder(
            make_node_factory(normalize, limits),
            limits or _DEFAULT_LIMITS,
            on_repeated_options=on_repeated_options,
        )

    def decode_frame(self, data: Any) -> Batch:
        """Decode a bare frame.

        Args:
            data: The frame's bytes (anything with the buffer protocol), without a length.

        Returns:
            The frame's operations; iterate over them, or use their columns.

        Raises:
            DecodeError: The frame breaks a rule; the stream can't be decoded further.
            LimitError: It asks for more than the limits.
        """
        return self._decoder.decode_frame(memoryview(data).cast("B"))

    def finish(self) -> Batch:
        """Say that no frame follows.

        Returns:
            A batch with the `Op.END` of a patch that only the end of the stream ends, or an empty
            batch.

        Raises:
            DecodeError: The stream ends inside a transaction, or has no options.
        """
        return self._decoder.finish()

    @property
    def options(self) -> PatchOptions | None:
        """The stream's options; None before its first frame."""
        return self._decoder.options


class PatchEncoder:
    """Encodes frames one by one, as for Kafka, MQTT or gRPC.

    Args:
        options: The stream's options. ``frame_rows``, ``frame_bytes`` and ``delimited`` mean
            nothing here: each call makes one bare frame.

    Examples:
        >>> encoder = PatchEncoder(PatchOptions.small(stream_type="FLAT"))
        >>> len(encoder.encode_frame([(Op.TX,), (Op.TC,)]))
        25
    """

    def __init__(self, options: PatchOptions | None = None) -> None:
        self._encoder = PatchFrameEncoder(NODE_TYPES, options or PatchOptions())
        self._sink = OperationSink(NODE_TYPES, self._encoder)

    def encode_frame(self, operations: Iterable[Operation]) -> bytes:
        """Encode operations to one bare frame.

        In a FRAME stream they are one patch, with or without an `Op.END` after it. In the others
        a patch may go on in the next frame.

        Args:
            operations: Tuples (see `jelly_rdflib.Op`), or a `Batch`, which is fastest.

        Raises:
            EncodeError: An operation can't be expressed with the stream's options, or is out of
                place. Those before it are in the frame that the next call returns.
        """
        return self._encoder.encode_frame(partial(self._sink.write_all, operations))

    @property
    def options(self) -> PatchOptions:
        """The stream's options."""
        return self._encoder.options

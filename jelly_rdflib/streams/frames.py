"""Reading the frames of Jelly-RDF: their statements, namespaces and metadata."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable, Iterator

from rdflib.term import URIRef

from jelly_rdflib.core.batch import Batch, BatchSource, dump_batch, load_batch
from jelly_rdflib.display.operations import operations_html
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.operations import Op, Operation, Statement
from jelly_rdflib.options import Directions, Limits, RepeatedOptions, StreamOptions
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.types import Readable


def read_frames(
    source: Readable,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    strict: bool = True,
    directions: Directions = "keep",
    on_repeated_options: RepeatedOptions = "continue",
) -> FrameIterator:
    """Iterate over the frames of a Jelly-RDF stream: their statements, namespaces, metadata.

    Args:
        source: What to read: bytes, a path or a binary file; see `read_statements`.
        limits: Input limits; by default those of `jelly_rdflib.Limits()`.
        normalize: Whether literals get the normal form of their value; see `read_statements`.
        strict: Whether to refuse a stream whose logical type does not fit; see `read_statements`.
        directions: Whether to keep the base directions of literals or to drop them; see
            `read_statements`.
        on_repeated_options: How to handle a frame that repeats options; see `read_statements`.

    Returns:
        An iterator of `Frame`.

    Raises:
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds one of ``limits``.
        TypeError: ``source`` is of another type.
        OSError: The path can't be opened or read.

    See Also:
        - `read_statements`: without the frames.
        - `StatementDecoder`: frames from a message queue.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import StatementWriter
        >>> file = io.BytesIO()
        >>> with StatementWriter(file) as writer:
        ...     writer.add(URIRef("urn:s"), URIRef("urn:p"), Literal(1))
        ...     writer.end_frame({"time": b"12:00"})
        >>> for frame in read_frames(file.getvalue()):
        ...     print(len(frame), frame.metadata)
        1 {'time': b'12:00'}
    """
    opened = open_input(
        source,
        holds_changes=False,
        limits=limits,
        normalize=normalize,
        strict=strict,
        format=JELLY.name,
        directions=directions,
        on_repeated_options=on_repeated_options,
    )
    return FrameIterator(opened.batches())


def message_parts(
    batches: Iterable[Batch],
) -> Iterator[tuple[Batch | Iterable[Operation], bool, dict[str, bytes]]]:
    """Yield each part of a message, whether the message ends there, and the frame's metadata.

    In a stream without messages, each frame is one message. Asking for the next part skips the
    rest of the part before it. Namespaces belong to the message of the next statement; after the
    last message they are left out.
    """
    held: list[Operation] = []
    is_open = False
    for batch in batches:
        if batch.message_ends is None:
            yield batch, True, batch.metadata
            continue
        # Use one iterator for all messages, so that the frame's nodes are made only once.
        rows, start = iter(batch), 0
        for end in batch.message_ends:
            part = itertools.islice(rows, end - start)
            yield itertools.chain(held, part), True, batch.metadata
            # Skip the operations that the caller did not read.
            collections.deque(part, 0)
            held, start, is_open = [], end, False
        if start == len(batch):
            continue
        if is_open or Op.A in batch.ops[start:]:
            yield itertools.chain(held, rows), False, batch.metadata
            held, is_open = [], True
        else:
            held += rows


class FrameIterator(Iterator["Frame"]):
    """Iterates over the frames of a stream; see `read_frames`."""

    def __init__(self, batches: BatchSource) -> None:
        self._batches = batches

    def __repr__(self) -> str:
        return f"<FrameIterator of {self._batches!r}>"

    def __next__(self) -> Frame:
        return Frame(next(self._batches))

    def place_error(self, error: DecodeError) -> None:
        """Add the position of the last frame to an error that its processing has raised."""
        self._batches.place_error(error)

    def close(self) -> None:
        """Stop reading, and close the file if the reader opened it."""
        self._batches.close()

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options, or None before its first frame was read."""
        options: StreamOptions | None = self._batches.options
        return options


class Frame:
    """One frame of a Jelly-RDF stream; iterating over it yields its statements.

    Attributes:
        batch: The frame as columns.

    Examples:
        >>> from rdflib import Literal
        >>> from jelly_rdflib import StatementDecoder, StatementEncoder, StreamOptions
        >>> encoder = StatementEncoder(StreamOptions(namespace_declarations=True))
        >>> message = encoder.encode_frame(
        ...     [(URIRef("urn:s"), URIRef("urn:p"), Literal(1))], namespaces=[("ex", "urn:ex#")]
        ... )
        >>> frame = StatementDecoder().decode_frame(message)
        >>> frame, frame.namespaces
        (<Frame: 1 statement, 1 namespace>, [('ex', rdflib.term.URIRef('urn:ex#'))])
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    @property
    def statements(self) -> list[Statement]:
        """The statements: ``(s, p, o)`` in a stream of triples, else ``(s, p, o, g)``."""
        return list(self.batch.statements())

    @property
    def namespaces(self) -> list[tuple[str, URIRef]]:
        """The namespaces that the frame declares, as pairs of prefix and IRI."""
        if Op.PA not in bytes(self.batch.ops):
            return []
        return [(each[1], each[2]) for each in self.batch if each[0] == Op.PA]

    @property
    def metadata(self) -> dict[str, bytes]:
        """The metadata of the frame."""
        return self.batch.metadata

    def __iter__(self) -> Iterator[Statement]:
        return self.batch.statements()

    def __len__(self) -> int:
        return bytes(self.batch.ops).count(Op.A)

    def __repr__(self) -> str:
        # Count operation codes, since a list of the namespaces would make nodes of all terms.
        namespaces = bytes(self.batch.ops).count(Op.PA)
        return f"<Frame: {count(len(self), 'statement')}, {count(namespaces, 'namespace')}>"

    def _repr_html_(self) -> str:
        # Also show terms that rdflib has no nodes for.
        shown = load_batch(dump_batch(self.batch), self.batch.terms.factory.for_messages())
        return operations_html("Frame", shown, len(shown))

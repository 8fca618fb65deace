"""Reading and writing statements, and frames of Jelly-RDF one by one, as people call it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rdflib.term import URIRef

from jelly_rdflib.core.batch import Batch, BatchSource, StatementReader
from jelly_rdflib.core.destination import Destination
from jelly_rdflib.core.jelly_decoder import StatementFrameDecoder
from jelly_rdflib.core.jelly_encoder import StatementFrameEncoder
from jelly_rdflib.core.nodes import StatementSink
from jelly_rdflib.encodings import choose_encoding
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.nodes import NODE_TYPES, as_iri, make_node_factory
from jelly_rdflib.open_input import open_input
from jelly_rdflib.operations import Op, Statement
from jelly_rdflib.options import Limits, RepeatedOptions, StreamOptions

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = [
    "Frame",
    "FrameIterator",
    "StatementDecoder",
    "StatementEncoder",
    "StatementWriter",
    "read_frames",
    "read_statements",
]

_DEFAULT_LIMITS = Limits()


def read_statements(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    strict: bool = True,
    format: str | None = None,
    base: str | None = None,
    isolated: bool = False,
    on_repeated_options: RepeatedOptions = "continue",
) -> StatementReader:
    """Iterate over the statements of a Jelly-RDF stream, or of another syntax of RDF.

    Memory is bounded by the largest frame of Jelly-RDF, whatever frames mean, and by the longest
    line of N-Triples and N-Quads; of another text, by what pyoxigraph makes of the bytes that
    ``max_frame_size`` lets stand between two statements. A file that is opened here is closed at
    the end of the stream, at an error, and by ``close()`` of the iterator.

    Args:
        source: Bytes (anything with the buffer protocol), a path, or a binary file object; plain
            or compressed with gzip or zstd; of Jelly-RDF delimited frames or one bare frame.
        limits: What to accept; by default `Limits`' own defaults.
        normalize: Whether literals get the normal form of their value, as rdflib's own parsers
            do. None follows ``rdflib.NORMALIZE_LITERALS``; False keeps each lexical form.
        strict: Refuse a stream of Jelly-RDF whose logical type does not go with its physical type,
            and in a text IRIs and language tags that are none. If False, the stream is read with
            a warning, and what stands in a text is taken as it is.
        format: ``"jelly-rdf"``, ``"n-triples"``, ``"n-quads"``, ``"turtle"``, ``"trig"``,
            ``"n3"``, ``"rdf-xml"`` or ``"json-ld"``, one of its file extensions or media types.
            None: what a path's name says (``.jelly``, ``.nt``, ``.nq``, ``.ttl``, …, also with
            ``.gz`` or ``.zst``), else what the first bytes look like, which tells Jelly-RDF,
            RDF/XML and JSON-LD. All but Jelly-RDF, N-Triples and N-Quads need the extra
            ``syntaxes``.
        base: The IRI that relative IRIs of a text are relative to. Without one, and without a base
            in the text, they are an error.
        isolated: Parse a text in a child process, as is needed where strangers wrote it:
            pyoxigraph may crash, or take much memory or time. The child has ``max_parser_memory``
            and ``max_parser_seconds`` of ``limits``. If it crashes or hangs, that is a
            `DecodeError`. For Jelly-RDF, N-Triples and N-Quads, which this package itself reads,
            it changes nothing.
        on_repeated_options: As for `StatementDecoder`: ``"restart"`` reads files of Jelly-RDF that
            were put together as they are (``cat a.jelly b.jelly``).

    Returns:
        An iterator of ``(s, p, o)`` for a stream of triples, of ``(s, p, o, g)`` for one of quads
        or graphs; the default graph is rdflib's ``DATASET_DEFAULT_GRAPH_ID``.

    Raises:
        DecodeError: The input breaks a rule of the format, or its first bytes don't tell what it
            is. (Raised by the iterator.)
        LimitError: The input asks for more than ``limits``.
        TypeError: ``source`` is none of these.
        LookupError: There is no such format for statements.
        ImportError: The format needs a package that is not there; the message names the extra.
        ValueError: The base is no absolute IRI, or the format has no relative IRIs.
        OSError: The path can't be opened or read; or the child process can't be started.
        NotImplementedError: A text is to be parsed in a child process, and the system has no limits
            for processes (as Windows has none), or Python is embedded in another program.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> triple = (URIRef("urn:s"), URIRef("urn:p"), Literal(1))
        >>> frame = StatementEncoder().encode_frame([triple])
        >>> for s, p, o, g in read_statements(frame):
        ...     print(s, p, o, g)
        urn:s urn:p 1 urn:x-rdflib:default
    """
    opened = open_input(
        source,
        holds_changes=False,
        limits=limits,
        normalize=normalize,
        strict=strict,
        format=format,
        base=base,
        isolated=isolated,
        on_repeated_options=on_repeated_options,
    )
    return StatementReader(opened.batches())


def read_frames(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    strict: bool = True,
    on_repeated_options: RepeatedOptions = "continue",
) -> FrameIterator:
    """Iterate over the frames of a Jelly-RDF stream: their statements, namespaces, metadata.

    Args:
        source: As for `read_statements`.
        limits: As for `read_statements`.
        normalize: As for `read_statements`.
        strict: As for `read_statements`.
        on_repeated_options: As for `read_statements`.

    Returns:
        An iterator of `Frame`.

    Raises:
        DecodeError, LimitError, TypeError, OSError: As for `read_statements`.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
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
        on_repeated_options=on_repeated_options,
    )
    return FrameIterator(opened.batches())


class FrameIterator:
    """Iterates over the frames of a stream; see `read_frames`."""

    def __init__(self, batches: BatchSource) -> None:
        self._batches = batches

    def __iter__(self) -> FrameIterator:
        return self

    def __next__(self) -> Frame:
        return Frame(next(self._batches))

    def close(self) -> None:
        """Stop reading, and close the file if the reader opened it."""
        self._batches.close()

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options; None before its first frame was read."""
        options: StreamOptions | None = self._batches.options
        return options


class Frame:
    """One frame of a Jelly-RDF stream; iterating gives its statements.

    Attributes:
        batch: The frame as columns.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    @property
    def statements(self) -> list[Statement]:
        """The statements: ``(s, p, o)`` in a stream of triples, else ``(s, p, o, g)``."""
        return list(self.batch.statements())

    @property
    def namespaces(self) -> list[tuple[str, URIRef]]:
        """The namespaces that are declared: prefix and IRI."""
        if Op.PA not in bytes(self.batch.ops):
            return []
        return [(each[1], each[2]) for each in self.batch if each[0] == Op.PA]

    @property
    def metadata(self) -> dict[str, bytes]:
        """What is attached to the frame."""
        return self.batch.metadata

    def __iter__(self) -> Iterator[Statement]:
        return self.batch.statements()

    def __len__(self) -> int:
        return bytes(self.batch.ops).count(Op.A)

    def __repr__(self) -> str:
        return f"<Frame: {len(self)} statements, {len(self.namespaces)} namespaces>"


class StatementDecoder:
    """Decodes frames that come one by one, as from Kafka, MQTT or gRPC.

    The frames of one stream must come in order, all of them, to one decoder.

    Args:
        limits: What to accept; by default `Limits`' own defaults.
        normalize: As for `read_statements`.
        strict: As for `read_statements`.
        on_repeated_options: As for `PatchDecoder`. A graph that the old stream leaves open ends
            with it.

    Raises:
        ValueError: ``on_repeated_options`` is none of those.

    Examples:
        >>> from rdflib import BNode, Literal, URIRef
        >>> encoder, decoder = StatementEncoder(), StatementDecoder()
        >>> message = encoder.encode_frame([(BNode("b"), URIRef("urn:p"), Literal(1))])
        >>> decoder.decode_frame(message).statements[0][:2]
        (rdflib.term.BNode('b'), rdflib.term.URIRef('urn:p'))
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        normalize: bool | None = None,
        strict: bool = True,
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None:
        self._decoder = StatementFrameDecoder(
            make_node_factory(normalize, limits),
            limits or _DEFAULT_LIMITS,
            strict=strict,
            on_repeated_options=on_repeated_options,
        )

    def decode_frame(self, data: Any) -> Frame:
        """Decode a bare frame.

        Args:
            data: The frame's bytes (anything with the buffer protocol), without a length.

        Raises:
            DecodeError: The frame breaks a rule; the stream can't be decoded further.
            LimitError: It asks for more than the limits.
        """
        return Frame(self._decoder.decode_frame(memoryview(data).cast("B")))

    def finish(self) -> None:
        """Say that no frame follows.

        Raises:
            DecodeError: The stream has no options.
        """
        self._decoder.finish()

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options; None before its first frame."""
        return self._decoder.options


class StatementEncoder:
    """Encodes frames one by one, as for Kafka, MQTT or gRPC.

    Args:
        options: The stream's options; by default `StreamOptions()`. ``frame_rows``,
            ``frame_bytes`` and ``delimited`` mean nothing here: each call makes one bare frame.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> encoder = StatementEncoder(StreamOptions.small(physical_type="TRIPLES"))
        >>> triple = (URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> len(encoder.encode_frame([triple])), len(encoder.encode_frame([triple]))
        (58, 4)
    """

    def __init__(self, options: StreamOptions | None = None) -> None:
        self._encoder = StatementFrameEncoder(NODE_TYPES, options or StreamOptions())
        self._sink = StatementSink(NODE_TYPES, self._encoder)

    def encode_frame(
        self,
        statements: Iterable[Statement] | Batch,
        *,
        namespaces: Iterable[tuple[str, str]] = (),
        metadata: Mapping[str, bytes] | None = None,
    ) -> bytes:
        """Encode statements to one bare frame.

        Args:
            statements: Tuples of three or four terms, or a `Batch`, which is fastest; its
                namespaces are left out if the options are without them.
            namespaces: Prefixes and their IRIs, to be declared before the statements; the options
                need ``namespace_declarations``.
            metadata: What to attach to the frame.

        Raises:
            EncodeError: Something can't be expressed with the stream's options. What came before
                it is in the frame that the next call returns; but of a stream of graphs or datasets
                it is dropped, or it would be a part of the next one.
        """

        def write() -> None:
            for prefix, iri in namespaces:
                self._sink.add_namespace(prefix, as_iri(iri))
            self._sink.write_all(statements)

        return self._encoder.encode_frame(write, metadata)

    @property
    def options(self) -> StreamOptions:
        """The stream's options."""
        return self._encoder.options


class StatementWriter(StatementSink):
    """Writes statements: a Jelly-RDF stream, or another syntax of RDF.

    As a context manager it closes the stream at the end of the block; if the block is left by an
    exception, a graph or dataset of Jelly-RDF that was not ended is left out, and the options with
    it if it is the first. A frame is written in one piece, and so are some thousand statements of a
    text.

    In a stream of physical type GRAPHS, graphs are started and ended as the statements' graphs ask
    for it: fewest rows are written if statements come graph by graph.

    Args:
        destination: A path, or a binary file object, which stays open. A path that ends with
            ``.gz`` or ``.zst`` makes a compressed file.
        options: The options of a Jelly-RDF stream; by default `StreamOptions()`. If their logical
            type is one of graphs or datasets, each frame is one of them and ends with `end_frame`
            only. A text has none.
        format: ``"jelly-rdf"``, ``"n-triples"``, ``"n-quads"``, ``"turtle"``, ``"trig"``,
            ``"n3"``, ``"rdf-xml"`` or ``"json-ld"``, one of its file extensions or media types.
            None: what a path's name says (``.jelly``, ``.nt``, ``.nq``, ``.ttl``, …), else
            Jelly-RDF. All others need the extra ``syntaxes``.

    Raises:
        EncodeError: By its methods: what is to be written can't be expressed in the format, or
            with the options. The stream is then as if it had not been tried.
        RuntimeError: By its methods: another thread is writing at this moment, or the file that is
            written to calls back. That writing goes on, and nothing is lost.
        LookupError: There is no such format for statements, or the path's name says one for
            changes.
        ImportError: The format needs a package that is not there; the message names the extra.
        ValueError: There are options, but the format has none.
        OSError: The path can't be opened or written.

    Examples:
        >>> import io
        >>> from rdflib import Literal, URIRef
        >>> file = io.BytesIO()
        >>> with StatementWriter(file, StreamOptions(physical_type="TRIPLES")) as writer:
        ...     writer.add(URIRef("http://example.org/s"), URIRef("urn:p"), Literal(1))
        >>> len(list(read_statements(file.getvalue())))
        1
    """

    def __init__(
        self, destination: Any, options: StreamOptions | None = None, *, format: str | None = None
    ) -> None:
        opened = Destination(destination)
        encoding = choose_encoding(destination, format, holds_changes=False)
        encoder = encoding.make_encoder(NODE_TYPES, options, opened.write)
        super().__init__(NODE_TYPES, encoder)
        self._destination = opened
        # Last, so that nothing is overwritten for want of good options.
        self._destination.open()

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options; None for a text."""
        options: StreamOptions | None = self.encoder.options
        return options

    def write_all(self, statements: Iterable[Statement] | Batch) -> None:
        """Write each statement of an iterable; those of a `Batch`, and its namespaces, as a whole.

        Of a batch namespaces are left out where the format, or the options, have no place for them.
        """
        super().write_all(statements)

    def add_namespace(self, prefix: str, iri: str) -> None:
        """Declare a namespace, for people to read.

        Options of Jelly-RDF need ``namespace_declarations``. N-Triples, N-Quads and JSON-LD have no
        place for it, nor has RDF/XML after the first statement: there it is left out.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef, a Namespace, or a str.
        """
        super().add_namespace(prefix, as_iri(iri))

    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None:
        """End the frame: what follows is in the next one. Of a text, hand on what is written.

        Args:
            metadata: What to attach to the frame: a dict of str to bytes. A text has no place for
                it.
        """
        self.encoder.end_frame(metadata)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._destination.close_after(
            self.encoder.finish if error is None else self.encoder.abandon
        )

    def close(self) -> None:
        """Write what is left, and close the file if the writer opened it.

        Raises:
            RuntimeError: Another thread is writing, or the file calls back: nothing is closed.
        """
        self._destination.close_after(self.encoder.finish)

"""Decoding and encoding frames one by one, as for Kafka, MQTT or gRPC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.jelly_decoder import PatchFrameDecoder, StatementFrameDecoder
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder, StatementFrameEncoder
from jelly_rdflib.nodes import NODE_TYPES, as_iri, make_node_factory
from jelly_rdflib.nodes.conversion import OperationSink, StatementSink
from jelly_rdflib.operations import GivenStatement, Operation
from jelly_rdflib.options import (
    Directions,
    Limits,
    PatchOptions,
    RepeatedOptions,
    StreamOptions,
    as_limits,
    drops_directions,
)
from jelly_rdflib.streams.frames import Frame

if TYPE_CHECKING:
    from typing_extensions import Buffer


class PatchDecoder:
    """Decodes single frames of a stream of changes, such as Kafka, MQTT or gRPC messages.

    One decoder must get all frames of one stream, in order.

    Args:
        limits: Input limits; by default those of `Limits()`.
        normalize: Whether literals get the normal form of their value; see `read_operations`.
        on_repeated_options: How to handle a frame that repeats the options. ``"continue"``: the
            stream continues with its lookups; the options must be the same (Jelly-Patch, "Patch
            stream options"). ``"restart"``: a new stream starts, with empty lookups and its own
            options. Use this for producers that write options only when they start, or that make
            each message a stream. The options must come first in their frame. The old stream ends
            as with `finish`, but an open transaction is ended by an `Op.TA`. ``"error"``: raise a
            `DecodeError`.

    Raises:
        ValueError: ``on_repeated_options`` has another value.

    See Also:
        - `read_operations`: from a file or a pipe.

    Examples:
        >>> from rdflib import BNode, Literal, URIRef
        >>> from jelly_rdflib import Op
        >>> encoder, decoder = PatchEncoder(), PatchDecoder()
        >>> message = encoder.encode_frame([(Op.A, BNode("b"), URIRef("urn:p"), Literal(1), None)])
        >>> for operation in decoder.decode_frame(message):
        ...     print(operation[:3])
        (<Op.A: 7>, rdflib.term.BNode('b'), rdflib.term.URIRef('urn:p'))

        A producer that was restarted:

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
        limits = as_limits(limits)
        factory = make_node_factory(normalize, limits)
        self._decoder = PatchFrameDecoder(factory, limits, on_repeated_options=on_repeated_options)

    def __repr__(self) -> str:
        return f"<PatchDecoder: {self.options or 'before the first frame'}>"

    def decode_frame(self, data: Buffer) -> Batch:
        """Decode a bare frame.

        Args:
            data: The frame's bytes (anything with the buffer protocol), without a length.

        Returns:
            The frame's operations; iterate over them, or use their columns.

        Raises:
            DecodeError: The frame breaks a rule; the stream can't be decoded further.
            LimitError: The frame exceeds a limit.
        """
        return self._decoder.decode_frame(memoryview(data).cast("B"))

    def finish(self) -> Batch:
        """Signal that no frame follows.

        Returns:
            A batch with an `Op.END` if the end of the stream ends a patch, else an empty batch.

        Raises:
            DecodeError: The stream ends inside a transaction, or has no options.
        """
        return self._decoder.finish()

    @property
    def options(self) -> PatchOptions | None:
        """The stream's options, or None before its first frame."""
        return self._decoder.options


class PatchEncoder:
    """Encodes single frames of a stream of changes, such as Kafka, MQTT or gRPC messages.

    Args:
        options: The stream's options. ``frame_rows``, ``frame_bytes`` and ``delimited`` are
            ignored: each call makes one bare frame.

    See Also:
        - `PatchWriter`: to a file.

    Examples:
        >>> from jelly_rdflib import Op
        >>> encoder = PatchEncoder(PatchOptions.small(stream_type="FLAT"))
        >>> len(encoder.encode_frame([(Op.TX,), (Op.TC,)]))
        25
    """

    def __init__(self, options: PatchOptions | None = None) -> None:
        self._encoder = PatchFrameEncoder(NODE_TYPES, options or PatchOptions())
        self._sink = OperationSink(NODE_TYPES, self._encoder)

    def __repr__(self) -> str:
        return f"<PatchEncoder: {self.options}>"

    def encode_frame(self, operations: Iterable[Operation]) -> bytes:
        """Encode operations as one bare frame.

        In a FRAME stream they are one patch, with or without an `Op.END` after it. In other streams
        a patch may continue in the next frame.

        Args:
            operations: Tuples (see `jelly_rdflib.Op`), or a `Batch`, which is fastest.

        Raises:
            EncodeError: An operation can't be expressed with the stream's options, or is out of
                place. The operations before it are in the frame that the next call returns.
        """
        return self._encoder.encode_frame(partial(self._sink.write_all, operations))

    @property
    def options(self) -> PatchOptions:
        """The stream's options."""
        return self._encoder.options


class StatementDecoder:
    """Decodes single frames of a stream of statements, such as Kafka, MQTT or gRPC messages.

    One decoder must get all frames of one stream, in order.

    Args:
        limits: Input limits; by default those of `Limits()`.
        normalize: Whether literals get the normal form of their value; see `read_statements`.
        strict: Whether to refuse a stream whose logical type does not fit; see `read_statements`.
        directions: Whether to keep the base directions of literals or to drop them; see
            `read_statements`.
        on_repeated_options: How to handle a frame that repeats the options; see `PatchDecoder`.
            With ``"restart"``, the end of the old stream also ends its open graph. With the other
            values, repeated options of Jelly-RDF 1.2 are read as in its draft: they empty the
            lookups, and an error is raised if they change the stream's types.

    Raises:
        ValueError: ``on_repeated_options`` or ``directions`` has another value.

    See Also:
        - `read_statements` and `read_frames`: from a file or a pipe.

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
        directions: Directions = "keep",
        on_repeated_options: RepeatedOptions = "continue",
    ) -> None:
        limits = as_limits(limits)
        factory = make_node_factory(normalize, limits)
        self._decoder = StatementFrameDecoder(
            factory,
            limits,
            strict=strict,
            drop_directions=drops_directions(directions),
            on_repeated_options=on_repeated_options,
        )

    def __repr__(self) -> str:
        return f"<StatementDecoder: {self.options or 'before the first frame'}>"

    def decode_frame(self, data: Buffer) -> Frame:
        """Decode a bare frame.

        Args:
            data: The frame's bytes (anything with the buffer protocol), without a length.

        Raises:
            DecodeError: The frame breaks a rule; the stream can't be decoded further.
            LimitError: The frame exceeds a limit.
        """
        return Frame(self._decoder.decode_frame(memoryview(data).cast("B")))

    def finish(self) -> None:
        """Signal that no frame follows.

        Raises:
            DecodeError: The stream has no options.
        """
        self._decoder.finish()

    @property
    def options(self) -> StreamOptions | None:
        """The stream's options, or None before its first frame."""
        return self._decoder.options


class StatementEncoder:
    """Encodes single frames of a stream of statements, such as Kafka, MQTT or gRPC messages.

    Args:
        options: The stream's options; by default `StreamOptions()`. ``frame_rows``,
            ``frame_bytes`` and ``delimited`` are ignored: each call makes one bare frame.

    See Also:
        - `StatementWriter`: to a file.

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

    def __repr__(self) -> str:
        return f"<StatementEncoder: {self.options}>"

    def encode_frame(
        self,
        statements: Iterable[GivenStatement] | Batch,
        *,
        namespaces: Iterable[tuple[str, str]] = (),
        metadata: Mapping[str, bytes] | None = None,
    ) -> bytes:
        """Encode statements as one bare frame.

        Args:
            statements: Tuples of three or four terms, or a `Batch`, which is fastest. The
                namespaces of a batch are left out unless the options allow namespaces.
            namespaces: Prefixes and their IRIs, to be declared before the statements; the options
                need ``namespace_declarations``.
            metadata: The metadata of the frame.

        Raises:
            EncodeError: A statement, namespace or metadata can't be expressed with the options.
                The statements before it are in the frame that the next call returns. In a stream
                of graphs or datasets they are dropped, since the next frame is another graph.
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

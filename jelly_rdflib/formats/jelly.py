"""Jelly-RDF as an encoding (Jelly-RDF, "Internet media type and file extension")."""

from __future__ import annotations

from collections.abc import Callable

from jelly_rdflib.core.jelly_decoder import BatchReader, PatchFrameDecoder, StatementFrameDecoder
from jelly_rdflib.core.jelly_encoder import StatementFrameEncoder
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.formats.encoding import Encoding
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.nodes.conversion import NodeTypes
from jelly_rdflib.options import StreamOptions


def open_batches(source: memoryview | ByteSource, reading: Reading) -> BatchReader:
    """Make batches of Jelly of the kind that is wanted; of either, its options tell which it is."""
    patches = PatchFrameDecoder(
        reading.factory,
        reading.limits,
        faults=reading.faults,
        on_repeated_options=reading.on_repeated_options,
    )
    statements = StatementFrameDecoder(
        reading.factory,
        reading.limits,
        strict=reading.strict and not reading.is_quiet,
        is_quiet=reading.is_quiet,
        faults=reading.faults,
        on_repeated_options=reading.on_repeated_options,
    )
    if reading.holds_changes is None:
        return BatchReader(source, patches, reading.limits, statements)
    return BatchReader(source, patches if reading.holds_changes else statements, reading.limits)


def make_encoder(
    types: NodeTypes, options: StreamOptions | None, sink: Callable[[bytes], object]
) -> StatementFrameEncoder:
    """Make an encoder."""
    return StatementFrameEncoder(types, StreamOptions() if options is None else options, sink)


JELLY = Encoding(
    name="jelly-rdf",
    # A name that other packages have for it too, and may have a plugin of.
    aliases=("jelly",),
    extensions=("jelly",),
    media_types=("application/x-jelly-rdf",),
    holds_changes=False,
    # Fallback when no other format matches; the stream's options say which Jelly it is.
    starts_like=lambda start: False,
    open_batches=open_batches,
    make_encoder=make_encoder,
    tells_kind=True,
)

"""The formats that need protobuf: Jelly as text, and Apache Jena's RDF Protobuf.

protobuf is imported only when one of them is read or written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from jelly_rdflib.core.batch import BatchSource, GeneratedBatches, PlacedBatches
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder, StatementFrameEncoder
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.extras import advice, check_version
from jelly_rdflib.formats.format import Format, Reading
from jelly_rdflib.nodes.conversion import NodeTypes
from jelly_rdflib.options import Limits, PatchOptions, StreamOptions


def check_protobuf(title: str) -> None:
    """Raise an ImportError, which names the format, if protobuf is missing or too old."""
    what = title, "jelly-rdflib[protobuf]"
    with advice(*what):
        protobuf = import_module("google.protobuf")
    check_version(*what, protobuf, (6, 30))


def _open_text(format: Format, source: memoryview | ByteSource, reading: Reading) -> BatchSource:
    check_protobuf(format.title)
    from jelly_rdflib.formats.protobuf.jelly_text import TextBatches

    return PlacedBatches(TextBatches(format, source, reading))


def frames_of_text(format: Format, source: memoryview | ByteSource, limits: Limits) -> ByteSource:
    """Return the delimited frames that Jelly as text describes."""
    check_protobuf(format.title)
    from jelly_rdflib.formats.protobuf.jelly_text import frame_source

    return frame_source(format, source, limits.max_frame_size)


def _text_encoder(
    types: NodeTypes, options: PatchOptions | StreamOptions, sink: Callable[[bytes], object]
) -> Any:
    is_patch = isinstance(options, PatchOptions)
    format = JELLY_PATCH_TEXT if is_patch else JELLY_TEXT
    check_protobuf(format.title)
    from jelly_rdflib.formats.protobuf.jelly_text import FrameTexts

    kind: Any = PatchFrameEncoder if is_patch else StatementFrameEncoder
    encoder = kind(types, options, FrameTexts(format, sink))
    encoder.leave_lengths_out()
    return encoder


def _starts_with(options: str) -> re.Pattern[bytes]:
    """Return a pattern for the text of a first frame whose options start with these fields."""
    return re.compile(rb"# Frame \d+\s+rows \{\s+options \{\s+(%b)" % options.encode())


def _open_rows(format: Format, source: memoryview | ByteSource, reading: Reading) -> BatchSource:
    check_protobuf(format.title)
    from jelly_rdflib.formats.protobuf.rdf_reader import RowBatches

    return GeneratedBatches(RowBatches(source, reading))


def _row_encoder(types: NodeTypes, format: Format, sink: Callable[[bytes], object]) -> Any:
    check_protobuf(format.title)
    from jelly_rdflib.formats.protobuf.rdf_encoder import RdfEncoder

    return RdfEncoder(types, sink, format)


# The aliases are the names in jelly-cli and in Jena.
JELLY_TEXT = Format(
    name="jelly-text",
    title="Jelly-RDF as text",
    extensions=("jelly.txt",),
    media_types=(),
    holds_changes=False,
    start=_starts_with("stream_name|physical_type"),
    open_batches=_open_text,
    open_encoder=_text_encoder,
    options_type=StreamOptions,
)
JELLY_PATCH_TEXT = Format(
    name="jelly-patch-text",
    title="Jelly-Patch as text",
    extensions=("jellyp.txt",),
    media_types=(),
    start=_starts_with("statement_type"),
    open_batches=_open_text,
    open_encoder=_text_encoder,
    options_type=PatchOptions,
)
# RDF Protobuf has no `start`: it starts with a length and a field's tag, just as Jelly does.
RDF_PROTOBUF = Format(
    name="rdf-protobuf",
    title="RDF Protobuf",
    aliases=("rdf-proto", "jena-proto", "jenaproto"),
    extensions=("rpb", "pbrdf"),
    media_types=("application/rdf+protobuf",),
    holds_changes=False,
    is_text=False,
    is_generalized=True,
    open_batches=_open_rows,
    open_encoder=_row_encoder,
)

"""Jelly-RDF as an encoding (Jelly-RDF, "Internet media type and file extension")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.batch_reader import BatchReader
from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.core.statement_decoder import StatementFrameDecoder
from jelly_rdflib.core.statement_encoder import StatementFrameEncoder
from jelly_rdflib.encodings.encoding import Encoding
from jelly_rdflib.options import Limits, RepeatedOptions, StreamOptions

__all__ = ["JELLY"]


def open_batches(
    source: Any,
    factory: NodeFactory,
    limits: Limits,
    *,
    strict: bool = True,
    on_repeated_options: RepeatedOptions = "continue",
) -> BatchReader:
    """Open a source as batches."""
    decoder = StatementFrameDecoder(
        factory, limits, strict=strict, on_repeated_options=on_repeated_options
    )
    return BatchReader(source, decoder, limits)


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
    # What nothing else takes is taken for Jelly; which Jelly it is, the stream's options say.
    starts_like=lambda start: False,
    open_batches=open_batches,
    make_encoder=make_encoder,
)

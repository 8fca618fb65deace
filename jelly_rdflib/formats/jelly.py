"""Jelly-RDF and Jelly-Patch as formats (see "Internet media type and file extension").

Jelly is the fallback if no other format matches the first bytes.
"""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.jelly_decoder import BatchReader, PatchFrameDecoder, StatementFrameDecoder
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder, StatementFrameEncoder
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.formats.format import Format, Reading
from jelly_rdflib.options import PatchOptions, StreamOptions, drops_directions


def make_decoders(reading: Reading) -> tuple[PatchFrameDecoder, StatementFrameDecoder]:
    """Make a decoder of Jelly-Patch and a decoder of Jelly-RDF."""
    shared: Any = {"faults": reading.faults, "on_repeated_options": reading.on_repeated_options}
    patches = PatchFrameDecoder(reading.factory, reading.limits, **shared)
    strict = reading.strict and not reading.is_quiet
    statements = StatementFrameDecoder(
        reading.factory,
        reading.limits,
        strict=strict,
        is_quiet=reading.is_quiet,
        drop_directions=drops_directions(reading.directions),
        **shared,
    )
    return patches, statements


def _open_batches(_: Format, source: memoryview | ByteSource, reading: Reading) -> BatchReader:
    """Read Jelly-Patch or Jelly-RDF; if both are allowed, the stream's options decide."""
    patches, statements = make_decoders(reading)
    if reading.holds_changes is None:
        return BatchReader(source, patches, reading.limits, statements)
    return BatchReader(source, patches if reading.holds_changes else statements, reading.limits)


JELLY = Format(
    name="jelly-rdf",
    title="Jelly-RDF",
    # This is only an alias, since other packages may have an rdflib plugin with this name.
    aliases=("jelly",),
    extensions=("jelly",),
    media_types=("application/x-jelly-rdf",),
    holds_changes=False,
    is_text=False,
    open_batches=_open_batches,
    open_encoder=StatementFrameEncoder,
    options_type=StreamOptions,
)
JELLY_PATCH = Format(
    name="jelly-patch",
    title="Jelly-Patch",
    extensions=("jellyp",),
    media_types=("application/x-jelly-rdf-patch",),
    is_text=False,
    open_batches=_open_batches,
    open_encoder=PatchFrameEncoder,
    options_type=PatchOptions,
)

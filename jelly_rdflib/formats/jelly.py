"""Jelly-RDF and Jelly-Patch as formats ("Internet media type and file extension" of each)."""

from __future__ import annotations

from jelly_rdflib.core.jelly_decoder import BatchReader, PatchFrameDecoder, StatementFrameDecoder
from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder, StatementFrameEncoder
from jelly_rdflib.core.source import ByteSource
from jelly_rdflib.formats.format import Format
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.options import PatchOptions, StreamOptions


def _open_batches(source: memoryview | ByteSource, reading: Reading) -> BatchReader:
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


def _starts_like(start: bytes) -> bool:
    """Jelly is the fallback where no other format matches; its options say which Jelly it is."""
    return False


JELLY = Format(
    name="jelly-rdf",
    # Other packages call it so, too, and may have a plugin of that name.
    aliases=("jelly",),
    extensions=("jelly",),
    media_types=("application/x-jelly-rdf",),
    holds_changes=False,
    starts_like=_starts_like,
    open_batches=_open_batches,
    open_encoder=StatementFrameEncoder,
    options_type=StreamOptions,
    tells_kind=True,
)
JELLY_PATCH = Format(
    name="jelly-patch",
    extensions=("jellyp",),
    media_types=("application/x-jelly-rdf-patch",),
    starts_like=_starts_like,
    open_batches=_open_batches,
    open_encoder=PatchFrameEncoder,
    options_type=PatchOptions,
    tells_kind=True,
)

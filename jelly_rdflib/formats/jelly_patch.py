"""Jelly-Patch as an encoding (Jelly-Patch, "Internet media type and file extension")."""

from __future__ import annotations

from collections.abc import Callable

from jelly_rdflib.core.jelly_encoder import PatchFrameEncoder
from jelly_rdflib.formats.encoding import Encoding
from jelly_rdflib.formats.jelly import open_batches
from jelly_rdflib.nodes.conversion import NodeTypes
from jelly_rdflib.options import PatchOptions


def make_encoder(
    types: NodeTypes, options: PatchOptions | None, sink: Callable[[bytes], object]
) -> PatchFrameEncoder:
    """Make an encoder."""
    return PatchFrameEncoder(types, PatchOptions() if options is None else options, sink)


JELLY_PATCH = Encoding(
    name="jelly-patch",
    extensions=("jellyp",),
    media_types=("application/x-jelly-rdf-patch",),
    # Fallback when no other format matches.
    starts_like=lambda start: False,
    open_batches=open_batches,
    make_encoder=make_encoder,
    tells_kind=True,
)

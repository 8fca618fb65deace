"""Jelly-Patch as an encoding (Jelly-Patch, "Internet media type and file extension")."""

from __future__ import annotations

from jelly_rdflib.batches import read_batches
from jelly_rdflib.encodings.encoding import Encoding
from jelly_rdflib.patch import PatchWriter, read_operations

__all__ = ["JELLY_PATCH"]

JELLY_PATCH = Encoding(
    name="jelly-patch",
    extensions=("jellyp",),
    media_types=("application/x-jelly-rdf-patch",),
    read_operations=read_operations,
    read_batches=read_batches,
    writer=PatchWriter,
)

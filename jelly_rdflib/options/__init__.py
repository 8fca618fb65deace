"""Options of streams, and the limits a reader sets to what strangers may ask for."""

from jelly_rdflib.options.limits import Limits
from jelly_rdflib.options.patch_options import PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.options.repeated_options import RepeatedOptions
from jelly_rdflib.options.stream_options import (
    LogicalStreamType,
    PhysicalStreamType,
    StreamOptions,
)

__all__ = [
    "Limits",
    "LogicalStreamType",
    "PatchOptions",
    "PatchStatementType",
    "PatchStreamType",
    "PhysicalStreamType",
    "RepeatedOptions",
    "StreamOptions",
]

"""Jelly-Patch for rdflib: record, move and apply changes to RDF data."""

from jelly_rdflib.apply import ApplyResult, apply
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.diff import diff
from jelly_rdflib.errors import ApplyError, DecodeError, EncodeError, JellyError, LimitError
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions, PatchStatementType, PatchStreamType
from jelly_rdflib.patch import (
    Patch,
    PatchDecoder,
    PatchEncoder,
    PatchWriter,
    read_batches,
    read_operations,
    read_patches,
)
from jelly_rdflib.plugins import register as _register_plugins
from jelly_rdflib.terms import TripleTerm

__all__ = [
    "ApplyError",
    "ApplyResult",
    "Batch",
    "DecodeError",
    "EncodeError",
    "JellyError",
    "LimitError",
    "Limits",
    "Op",
    "Operation",
    "Patch",
    "PatchDecoder",
    "PatchEncoder",
    "PatchOptions",
    "PatchStatementType",
    "PatchStreamType",
    "PatchWriter",
    "TripleTerm",
    "apply",
    "diff",
    "read_batches",
    "read_operations",
    "read_patches",
]

_register_plugins()

"""Jelly-Patch and Jelly-RDF for rdflib: record, move and apply changes to RDF data."""

from jelly_rdflib.algebra.compact import compact
from jelly_rdflib.algebra.concat import concat
from jelly_rdflib.algebra.effective import effective
from jelly_rdflib.algebra.invert import invert
from jelly_rdflib.apply import ApplyResult, apply
from jelly_rdflib.batches import read_batches
from jelly_rdflib.core.batch import Batch
from jelly_rdflib.core.terms import TermKind
from jelly_rdflib.diff import diff
from jelly_rdflib.errors import (
    ApplyError,
    DecodeError,
    EncodeError,
    JellyError,
    LimitError,
    LogConflict,
    LogError,
    PatchError,
)
from jelly_rdflib.graphs import read_graphs, write_graphs
from jelly_rdflib.log import LogEntry, LogProblem, PatchLog, Replica
from jelly_rdflib.operations import Op, Operation, Statement
from jelly_rdflib.options import (
    Limits,
    LogicalStreamType,
    PatchOptions,
    PatchStatementType,
    PatchStreamType,
    PhysicalStreamType,
    StreamOptions,
)
from jelly_rdflib.patch import (
    Patch,
    PatchDecoder,
    PatchEncoder,
    read_operations,
    read_patches,
)
from jelly_rdflib.patch_writer import PatchWriter
from jelly_rdflib.plugins import register as _register_plugins
from jelly_rdflib.rdf import (
    Frame,
    StatementDecoder,
    StatementEncoder,
    StatementWriter,
    read_frames,
    read_statements,
)
from jelly_rdflib.terms import TripleTerm

__all__ = [
    "ApplyError",
    "ApplyResult",
    "Batch",
    "DecodeError",
    "EncodeError",
    "Frame",
    "JellyError",
    "LimitError",
    "Limits",
    "LogConflict",
    "LogEntry",
    "LogError",
    "LogProblem",
    "LogicalStreamType",
    "Op",
    "Operation",
    "Patch",
    "PatchDecoder",
    "PatchEncoder",
    "PatchError",
    "PatchLog",
    "PatchOptions",
    "PatchStatementType",
    "PatchStreamType",
    "PatchWriter",
    "PhysicalStreamType",
    "Replica",
    "Statement",
    "StatementDecoder",
    "StatementEncoder",
    "StatementWriter",
    "StreamOptions",
    "TermKind",
    "TripleTerm",
    "apply",
    "compact",
    "concat",
    "diff",
    "effective",
    "invert",
    "read_batches",
    "read_frames",
    "read_graphs",
    "read_operations",
    "read_patches",
    "read_statements",
    "write_graphs",
]

_register_plugins()

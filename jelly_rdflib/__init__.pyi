"""Jelly-Patch and Jelly-RDF for rdflib: record, move and apply changes to RDF data.

The public names. They are imported from here by people, and at run time by `__init__.py`.
"""

from .algebra.compact import compact as compact
from .algebra.concat import concat as concat
from .algebra.effective import effective as effective
from .algebra.invert import invert as invert
from .apply import (
    ApplyResult as ApplyResult,
    apply as apply,
)
from .batches import read_batches as read_batches
from .core.batch import Batch as Batch
from .core.terms import TermKind as TermKind
from .diff import diff as diff
from .errors import (
    ApplyError as ApplyError,
    DecodeError as DecodeError,
    EncodeError as EncodeError,
    JellyError as JellyError,
    LimitError as LimitError,
    LogConflict as LogConflict,
    LogError as LogError,
    PatchError as PatchError,
    RecordError as RecordError,
)
from .graphs import (
    read_graphs as read_graphs,
    write_graphs as write_graphs,
)
from .inspection import (
    FrameReport as FrameReport,
    LookupReport as LookupReport,
    StreamReport as StreamReport,
    Tally as Tally,
    inspect as inspect,
    inspect_frames as inspect_frames,
)
from .log import (
    LogEntry as LogEntry,
    LogProblem as LogProblem,
    PatchLog as PatchLog,
    Replica as Replica,
)
from .operations import (
    Op as Op,
    Operation as Operation,
    Statement as Statement,
)
from .options import (
    Limits as Limits,
    LogicalStreamType as LogicalStreamType,
    PatchOptions as PatchOptions,
    PatchStatementType as PatchStatementType,
    PatchStreamType as PatchStreamType,
    PhysicalStreamType as PhysicalStreamType,
    StreamOptions as StreamOptions,
)
from .patch import (
    Patch as Patch,
    PatchDecoder as PatchDecoder,
    PatchEncoder as PatchEncoder,
    read_operations as read_operations,
    read_patches as read_patches,
)
from .patch_writer import PatchWriter as PatchWriter
from .rdf import (
    Frame as Frame,
    StatementDecoder as StatementDecoder,
    StatementEncoder as StatementEncoder,
    StatementWriter as StatementWriter,
    read_frames as read_frames,
    read_statements as read_statements,
)
from .record import (
    Recorder as Recorder,
    record as record,
)
from .terms import TripleTerm as TripleTerm
from .validation import (
    RULES as RULES,
    Fault as Fault,
    Rule as Rule,
    validate as validate,
)

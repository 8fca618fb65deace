# cython: nonecheck=False
# Classes whose attributes may be None when a method runs have it on.
"""Looks at frames as they are written: what they have, and which fields they should not have."""

cimport cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from jelly_rdflib.core.batch cimport TermKind
from jelly_rdflib.core.jelly_decoder cimport (
    GRAPH,
    IS_BLANK_NODE,
    IS_DEFAULT_GRAPH,
    IS_IRI,
    IS_LITERAL,
    MAX_DATATYPE_TABLE_SIZE,
    MAX_NAME_TABLE_SIZE,
    MAX_PREFIX_TABLE_SIZE,
    METADATA,
    OPTIONS_ROW,
    ROWS_FIELD,
    UNSET,
    BatchReader,
    DecodedNamespace,
    EncodedLiteral,
    EncodedTerm,
    FrameDecoder,
    PatchFrameDecoder,
    StatementFrameDecoder,
    TermDecoder,
)
from jelly_rdflib.core.wire cimport (
    EMPTY_MESSAGE,
    FIRST_MESSAGE,
    GRAPH_START_MESSAGE,
    IRI_MESSAGE,
    LENGTH_DELIMITED,
    LITERAL_MESSAGE,
    LOOKUP_ENTRY,
    MAX_FIELD,
    MESSAGES,
    NAMESPACE_DECLARATION,
    PATCH_HEADER,
    PATCH_NAMESPACE,
    PATCH_OPTIONS,
    PATCH_ROW,
    QUAD_MESSAGE,
    STREAM_OPTIONS,
    STREAM_ROW,
    TRIPLE_MESSAGE,
    TRIPLE_STATEMENT,
    UNKNOWN,
    Failure,
    Span,
    fail,
    fail_number,
    failure_to_error,
    field_kind,
    read_span,
    read_tag,
    read_uint32,
    skip_field,
)

include "jelly/unexpected_fields.pxi"
include "jelly/frame_statistics.pxi"

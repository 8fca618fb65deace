# cython: nonecheck=False
# Classes whose attributes may be None when a method runs have it on.
"""Decodes the frames of Jelly-RDF and Jelly-Patch to batches."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.string cimport memcmp, memcpy, memset

from jelly_rdflib.core.batch cimport (
    OperationPlace,
    hash_seed,
    intern_padded_text,
    intern_text,
    make_batch,
    place_init,
    place_operation,
    rows_append,
    rows_free,
    rows_init,
    term_hash,
    terms_check_count,
    terms_clear,
    terms_copy,
    terms_free,
    terms_init,
    terms_intern,
    terms_intern_tail,
    terms_intern_triple,
    terms_reserve,
    terms_set_max,
)
from jelly_rdflib.core.wire cimport (
    A,
    BLOCK,
    D,
    EMPTY_MESSAGE,
    END,
    ENUM,
    FLAT,
    FRAME,
    GRAPHS,
    GRAPH_END,
    GRAPH_START,
    H,
    HEADER,
    IRI_MESSAGE,
    LENGTH_DELIMITED,
    LITERAL_MESSAGE,
    NAMESPACE_ADD,
    NAMESPACE_DELETE,
    PA,
    PATCH_DATATYPE,
    PATCH_NAME,
    PATCH_OPTIONS,
    PATCH_PREFIX,
    PATCH_ROW,
    PD,
    PEEK_LIMIT,
    PUNCTUATED,
    PUNCTUATION,
    QUAD,
    QUADS,
    RDF_DATATYPE,
    RDF_NAME,
    RDF_PREFIX,
    ROWS_TAG,
    STATEMENT_ADD,
    STATEMENT_DELETE,
    STREAM_OPTIONS,
    STREAM_ROW,
    TA,
    TC,
    TEXT,
    TRANSACTION_COMMIT,
    TRANSACTION_START,
    TRIPLE,
    TRIPLES,
    TRIPLE_MESSAGE,
    TX,
    UNKNOWN,
    VARINT,
    buffer_free,
    buffer_reserve,
    check_message,
    check_text,
    expect_wire_type,
    fail,
    fail_limit,
    fail_memory,
    failure_to_error,
    field_kind,
    hash_text,
    is_language_tag,
    is_utf8,
    load64_little,
    peek_varint,
    put_bytes,
    put_varint,
    read_span,
    read_tag,
    read_uint32,
    read_varint,
    skip_field,
    transaction_fault,
)

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.options import LogicalStreamType, PatchOptions, PhysicalStreamType, StreamOptions

include "jelly/lookup.pxi"
include "jelly/checkpoint.pxi"
include "jelly/term_decoder.pxi"
include "jelly/frame_decoder.pxi"
include "jelly/patch_decoder.pxi"
include "jelly/statement_decoder.pxi"
include "jelly/stream_kind.pxi"
include "jelly/frame_reader.pxi"
include "jelly/batch_reader.pxi"
include "jelly/part_reader.pxi"

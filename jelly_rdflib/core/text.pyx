# cython: nonecheck=False
# Classes whose attributes may be None when a method runs have it on.
"""RDF Patch text and N-Triples, to batches and back."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp, memmove, memset, strlen

from jelly_rdflib.core.batch cimport (
    MAX_NESTING_DEPTH,
    BatchBuilder,
    BatchSource,
    TermKind,
    hash_seed,
    intern_padded_text,
    intern_text,
    is_default_graph,
    is_jena_default_graph,
    make_batch,
    refuse_node,
    rows_append,
    rows_free,
    rows_init,
    term_hash,
    terms_free,
    terms_init,
    terms_intern_tail,
    terms_intern_triple,
    terms_reserve,
    terms_truncate,
)
from jelly_rdflib.core.io cimport (
    FINISHED,
    PADDING,
    InputBuffer,
    Output,
    check_usable,
    claim_output,
    free_output,
)
from jelly_rdflib.core.wire cimport (
    A,
    ABORT_CODE,
    COMMIT_CODE,
    CUT_OFF,
    D,
    END,
    H,
    IRI_IS_GOOD,
    IRI_IS_RELATIVE,
    MAX_LENGTH,
    NO_CODE,
    PA,
    PATCH_END_CODE,
    PD,
    START_CODE,
    TA,
    TC,
    TX,
    IriFault,
    RowCode,
    buffer_free,
    check_iri,
    copy_and_hash,
    fail_limit,
    fail_memory,
    failure_to_error,
    find_iri_escape,
    find_iri_stop,
    find_long_stop,
    find_row_code,
    find_string_escape,
    find_string_stop,
    is_ascii_name_part,
    is_continuation,
    is_digit,
    is_language_tag,
    is_letter,
    is_name_part,
    is_name_start,
    is_utf8,
    is_well_formed,
    load64,
    load64_little,
    put_byte,
    put_bytes,
    read_code_point,
    read_name_part,
    transaction_fault,
)

from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op

include "text/text_decoder.pxi"
include "text/tokens.pxi"
include "text/rows.pxi"
include "text/terms.pxi"
include "text/strings.pxi"
include "text/text_reader.pxi"
include "text/quad_reader.pxi"
include "text/term_parser.pxi"
include "text/term_texts.pxi"
include "text/term_checks.pxi"
include "text/text_encoder.pxi"
include "text/patch_encoder.pxi"
include "text/line_encoder.pxi"

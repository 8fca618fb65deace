# cython: nonecheck=False
# `__cinit__` sets all that is used, and nothing sets it to None later.
"""Reads and writes RDF Patch in Thrift's compact protocol: bytes to batches, and back.

The protocol is https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md;
the structs are those of proto/rdf-patch.thrift. Each part in the folder ``thrift`` is one concept.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset, strlen

from jelly_rdflib.core.batch cimport Batch, RowColumns, rows_append
from jelly_rdflib.core.batch_builder cimport BatchBuilder
from jelly_rdflib.core.batch_source cimport BatchSource
from jelly_rdflib.core.default_graph cimport is_default_graph, is_jena_default_graph
from jelly_rdflib.core.failure cimport (
    Failure,
    fail,
    fail_limit,
    fail_memory,
    fail_number,
    failure_to_error,
)
from jelly_rdflib.core.hashing cimport load64_little
from jelly_rdflib.core.input_buffer cimport InputBuffer
from jelly_rdflib.core.interning cimport intern_padded_text, intern_text
from jelly_rdflib.core.language_tag cimport is_language_tag
from jelly_rdflib.core.node_maker cimport NodeMaker
from jelly_rdflib.core.operation_codes cimport A, D, END, H, PA, PD, TA, TC, TX
from jelly_rdflib.core.output cimport FINISHED, Output, claim_output, free_output
from jelly_rdflib.core.term_table cimport TermTable
from jelly_rdflib.core.terms cimport (
    TermColumns,
    TermKind,
    terms_intern_triple,
    terms_truncate,
)
from jelly_rdflib.core.wire cimport Span
from jelly_rdflib.core.write_buffer cimport (
    WriteBuffer,
    buffer_free,
    buffer_reserve,
    put_byte,
    put_bytes,
    put_varint,
)

from decimal import Decimal

from jelly_rdflib.errors import DecodeError, EncodeError, LimitError


include "thrift/cursor.pxi"
include "thrift/schema.pxi"
include "thrift/numbers.pxi"
include "thrift/row_decoder.pxi"
include "thrift/batch_reader.pxi"
include "thrift/encoder.pxi"

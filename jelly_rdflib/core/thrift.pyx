# cython: nonecheck=False
# `__cinit__` sets all attributes, and nothing sets them to None later.
"""Converts RDF and RDF Patch in Thrift's compact protocol to batches and back.

The protocol is https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md;
the structs are those of jelly_rdflib/proto/rdf-patch.thrift. Each part in the folder ``thrift`` is
about one concept.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcmp, memcpy, memset, strlen

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.io cimport (
    FINISHED, InputBuffer, Output, claim_output, free_output, set_state,
)
from jelly_rdflib.core.wire cimport *

from decimal import Decimal

from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op
from jelly_rdflib.rules import Rule

include "thrift/cursor.pxi"
include "thrift/schema.pxi"
include "thrift/numbers.pxi"
include "thrift/batch_reader.pxi"
include "thrift/encoder.pxi"

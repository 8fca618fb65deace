"""Converts the rows of batches to Arrow columns and back."""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int32_t, int64_t, uint32_t, uint8_t
from libc.string cimport memcmp, memcpy, memset, strlen

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.text cimport TermParser, TermTexts, TextDecoder, WrittenTerm
from jelly_rdflib.core.wire cimport *

from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op

include "arrow/row_filter.pxi"
include "arrow/distinct_terms.pxi"
include "arrow/row_selection.pxi"
include "arrow/row_columns.pxi"
include "arrow/column_batches.pxi"

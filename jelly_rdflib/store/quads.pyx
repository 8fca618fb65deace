# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Quads as rows of numbers: a dictionary of terms, indexes, transactions and snapshots."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from jelly_rdflib.core.tables cimport *

from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import DecodeError, EncodeError, LimitError, RecordError

include "quads/dictionary.pxi"
include "quads/rows.pxi"
include "quads/graph_table.pxi"
include "quads/runs.pxi"
include "quads/snapshot.pxi"
include "quads/quad_store.pxi"
include "quads/undoing.pxi"
include "quads/vacuum.pxi"
include "quads/reading.pxi"
include "quads/joining.pxi"
include "quads/batch_numbers.pxi"
include "quads/row_batch.pxi"
include "quads/journal.pxi"

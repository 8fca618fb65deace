# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Converts the terms of batches to rdflib's nodes, and back."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_Compare, PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcmp, memcpy, memset, strlen

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.io cimport Output
from jelly_rdflib.core.wire cimport *

import contextlib
import datetime

from jelly_rdflib.core.batch import dump_batch, load_batch
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import DecodeError, EncodeError, InUseError, LimitError
from jelly_rdflib.operations import Op

include "conversion/operation_codes.pxi"
include "conversion/node_types.pxi"
include "conversion/nodes.pxi"
include "conversion/literals.pxi"
include "conversion/node_interner.pxi"
include "conversion/node_batches.pxi"
include "conversion/node_sink.pxi"

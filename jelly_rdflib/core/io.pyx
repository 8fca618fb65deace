# cython: nonecheck=False
# A class whose attributes may be None while a method runs turns nonecheck on.
"""Input buffers, and the output of encoders."""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.string cimport memcpy, memmove, memset

from jelly_rdflib.core.wire cimport END, TX, transaction_fault, transaction_rule

from jelly_rdflib.core.source import open_source
from jelly_rdflib.errors import DecodeError, EncodeError, InUseError
from jelly_rdflib.rules import Rule

include "io/input_buffer.pxi"
include "io/output.pxi"

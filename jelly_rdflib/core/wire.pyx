"""Reads and writes protobuf's wire format, byte by byte, and finds faults in it."""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stddef cimport ptrdiff_t

from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.rules import Rule

include "wire/failure.pxi"
include "wire/wire.pxi"
include "wire/columns.pxi"
include "wire/option_fields.pxi"

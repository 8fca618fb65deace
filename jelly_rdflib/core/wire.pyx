"""The wire format of protobuf, byte by byte: reading, writing, and what can be wrong with it."""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stddef cimport ptrdiff_t
from libc.string cimport memset

from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op

include "wire/failure.pxi"
include "wire/wire.pxi"
include "wire/columns.pxi"
include "wire/operation_codes.pxi"
include "wire/option_fields.pxi"

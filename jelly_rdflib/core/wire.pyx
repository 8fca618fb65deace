"""The wire format of protobuf, byte by byte: reading, writing, and what can be wrong with it."""

cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES, PyBUF_WRITABLE
from libc.string cimport memchr, memset, strstr

from jelly_rdflib.errors import DecodeError, EncodeError, LimitError
from jelly_rdflib.operations import Op

include "wire/failure.pxi"
include "wire/wire.pxi"
include "wire/language_tag.pxi"
include "wire/columns.pxi"
include "wire/operation_codes.pxi"
include "wire/iri.pxi"
include "wire/option_fields.pxi"

"""Reads and writes protobuf's wire format, byte by byte, and finds faults in it."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libc.string cimport memcmp, memcpy, memmove

include "wire/failure.pxd"
include "wire/hashing.pxd"
include "wire/utf8.pxd"
include "wire/scanning.pxd"
include "wire/write_buffer.pxd"
include "wire/wire.pxd"
include "wire/language_tag.pxd"
include "wire/columns.pxd"
include "wire/operation_codes.pxd"
include "wire/transaction.pxd"
include "wire/row_fields.pxd"

"""Numbers and entries for distinct rdflib nodes."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

include "numbering/known_hash.pxd"
include "numbering/node_numbers.pxd"
include "numbering/node_table.pxd"

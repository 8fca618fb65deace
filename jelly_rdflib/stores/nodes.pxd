"""Distinct nodes of rdflib, found by rdflib's equality or an exact one."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

include "nodes/known_hash.pxd"
include "nodes/node_numbers.pxd"
include "nodes/node_table.pxd"

"""Converts the terms of batches to rdflib's nodes, and back."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.object cimport PyObject, PyObject_TypeCheck, PyTypeObject
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from jelly_rdflib.core.batch cimport *

include "conversion/literals.pxd"
include "conversion/node_types.pxd"
include "conversion/nodes.pxd"
include "conversion/node_interner.pxd"

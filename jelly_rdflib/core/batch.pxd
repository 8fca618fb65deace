"""Batches: rows of numbers, with a table that has each distinct term once."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcmp, memcpy, strlen

from jelly_rdflib.core.wire cimport *

include "batch/terms.pxd"
include "batch/identity.pxd"
include "batch/default_graph.pxd"
include "batch/operation_place.pxd"
include "batch/term_table.pxd"
include "batch/batch.pxd"
include "batch/batch_source.pxd"
include "batch/batch_builder.pxd"

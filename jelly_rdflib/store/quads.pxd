"""Quads as rows of numbers: a dictionary of terms, indexes, transactions and snapshots."""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.tables cimport *
from jelly_rdflib.core.wire cimport *
from jelly_rdflib.nodes.conversion cimport *

include "quads/dictionary.pxd"
include "quads/rows.pxd"
include "quads/graph_table.pxd"
include "quads/runs.pxd"
include "quads/quad_store.pxd"
include "quads/snapshot.pxd"
include "quads/batch_numbers.pxd"
include "quads/row_batch.pxd"
include "quads/journal.pxd"

# cython: nonecheck=False
# Classes whose attributes may be None while a method runs switch it on.
"""The quads of a `JellyStore` as sorted batches, with or without those of another one."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.tables cimport *
from jelly_rdflib.core.wire cimport *
from jelly_rdflib.store.quads cimport *

include "sorted_batches/term_ranks.pxi"
include "sorted_batches/counterpart.pxi"
include "sorted_batches/store_batches.pxi"

# cython: nonecheck=False
# Classes with attributes that may be None while a method runs switch the check on again.
"""The quads of a `JellyStore` as sorted batches, optionally without those of another."""

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

"""Arrays that grow, hash tables of numbers, and sorting by keys.

All functions are inline: each module that uses them has its own copy.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from jelly_rdflib.core.batch cimport resize

include "tables/arrays.pxd"
include "tables/slots.pxd"
include "tables/sorting.pxd"

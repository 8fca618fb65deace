"""The last operation on each distinct statement of a stream, transaction by transaction."""

cimport cython
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from jelly_rdflib.core.batch cimport *
from jelly_rdflib.core.wire cimport A, D, TA, TC, TX, Failure, failure_to_error, mix
from jelly_rdflib.nodes.numbering cimport NodeNumbers

from jelly_rdflib.operations import Op
from jelly_rdflib.transactions import follow_transaction

include "net_statements/quad_table.pxi"
include "net_statements/net_statements.pxi"

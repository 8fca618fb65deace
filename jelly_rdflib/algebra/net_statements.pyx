"""The last operation on each distinct statement of a stream, transaction by transaction."""

cimport cython
from cpython.mem cimport (
    PyMem_Free,
    PyMem_RawCalloc,
    PyMem_RawFree,
    PyMem_RawMalloc,
    PyMem_RawRealloc,
    PyMem_Realloc,
)
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from jelly_rdflib.core.batch cimport (
    Batch,
    TermColumns,
    TermKind,
    TermTable,
    hash_seed,
    terms_copy,
    terms_free,
    terms_init,
)
from jelly_rdflib.core.wire cimport A, D, TA, TC, TX, Failure, failure_to_error, mix
from jelly_rdflib.nodes.numbering cimport NodeNumbers

from jelly_rdflib.operations import Op
from jelly_rdflib.transactions import follow_transaction

include "net_statements/quad_table.pxi"
include "net_statements/net_statements.pxi"

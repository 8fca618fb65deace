"""Builds batches of terms and operations that another library has parsed."""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from jelly_rdflib.core.batch cimport RowColumns
from jelly_rdflib.core.failure cimport Failure
from jelly_rdflib.core.node_maker cimport NodeMaker
from jelly_rdflib.core.terms cimport TermColumns, TermKind


@cython.final
cdef class BatchBuilder:
    cdef NodeMaker factory
    cdef RowColumns rows
    cdef TermColumns terms
    cdef Failure failure
    cdef uint64_t seed  # of hashes
    cdef size_t max_string_size
    cdef size_t max_text_size
    cdef uint64_t given  # bytes of text for the batch, of each term as often as it was given

    cdef int start_batch(self) except -1
    cdef int64_t intern(self, TermKind kind, str text, uint32_t extra) except -1
    cdef int64_t check(self, int64_t number) except -1
    cdef int append(self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1
    cdef int add(self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1
    cdef int check_number(self, uint32_t number) except -1

"""A number for each distinct node."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t


ctypedef struct RecentNumber:
    PyObject* node
    uint32_t number


cdef class NodeNumbers:
    # Number 0 is None.
    cdef list nodes
    cdef Py_hash_t* hashes
    cdef size_t capacity
    # Open addressing over the hashes; 0 is a free slot, as None is never looked for.
    cdef uint32_t* slots
    cdef size_t mask
    cdef RecentNumber* recent
    cdef int64_t find(self, object node) except -1
    cdef int64_t find_or_add(self, object node) except -1
    cdef int grow(self) except -1

"""Tells operations that are given as tuples apart."""


cdef int operation_code(object operation) except -1

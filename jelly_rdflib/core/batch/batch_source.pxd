# Iterates over the batches, the operations and the statements of a stream.

cdef class BatchSource(Tabular):
    cdef bint is_finished
    cdef bint is_reading
    # Of a file or an address, for errors; else None.
    cdef public object name

    cdef Batch next_batch(self)
    cpdef int place_error(self, error) except -1

    # A subclass for a kind of stream defines these.
    cdef Batch read_batch(self)
    cdef int locate_error(self, error) except -1
    cdef int close_source(self) except -1

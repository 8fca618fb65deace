# Iterates over the batches, the operations and the statements of a stream.

cdef class BatchSource(Tabular):
    cdef bint is_finished
    cdef bint is_reading
    # The path or address of the source, for errors; else None.
    cdef public object name

    cdef Batch next_batch(self)
    cpdef int place_error(self, error) except -1

    # Subclasses define these for their kind of stream.
    cdef Batch read_batch(self)
    cdef int locate_error(self, error) except -1
    cdef int close_source(self) except -1

"""Batches that a Python generator yields."""

@cython.nonecheck(True)
cdef class GeneratedBatches(BatchSource):
    """Iterates over the batches of a generator, and closes it when no more are needed."""

    cdef object batches

    def __cinit__(self, batches not None):
        self.batches = batches

    cdef Batch read_batch(self):
        return next(self.batches, None)

    cdef int close_source(self) except -1:
        self.batches.close()
        return 0


@cython.nonecheck(True)
@cython.final
cdef class PlacedBatches(GeneratedBatches):
    """Iterates over the batches of a generator that yields each frame's batch and position.

    An item is a tuple of the batch, the stream's options, and the frame's offset and number.
    """

    cdef object last_options
    cdef uint64_t offset, frame

    @property
    @cython.critical_section
    def options(self):
        """The stream's options, or None before its first frame is read."""
        return self.last_options

    cdef Batch read_batch(self):
        found = next(self.batches, None)
        if found is None:
            return None
        batch, self.last_options, self.offset, self.frame = found
        return batch

    cdef int locate_error(self, error) except -1:
        error.offset, error.frame = self.offset, self.frame
        return 0

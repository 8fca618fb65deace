"""Exports memory of C code to Python through the buffer protocol."""

# The owner must live as long as the column, so the garbage collector must not clear the reference.
@cython.no_gc_clear
@cython.final
@cython.internal
cdef class Column:
    """A read-only view of memory that ``owner`` keeps alive, or that the column itself owns."""

    cdef object owner
    cdef bint owns_memory
    cdef void* start
    cdef Py_ssize_t size

    def __dealloc__(self):
        if self.owns_memory:
            PyMem_RawFree(self.start)

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.start, self.size, True, flags)


cdef object export_column(object owner, void* start, Py_ssize_t items, Py_ssize_t item_size):
    """Return a memoryview of ``items`` unsigned numbers of 1 or 4 bytes, without a copy."""
    cdef Column column = Column.__new__(Column)
    column.owner = owner
    column.start = start
    column.size = items * item_size
    view = memoryview(column)
    return view if item_size == 1 else view.cast("I")


cdef object take_memory(WriteBuffer* buffer):
    """Return the contents of a buffer as a memoryview, without a copy, and empty the buffer."""
    cdef Column column = Column.__new__(Column)
    # Allocate memory even for an empty column, whose start must not be NULL.
    buffer_reserve(buffer, 1)
    column.start = buffer.data
    column.size = buffer.size
    column.owns_memory = True
    buffer.data = NULL
    buffer.size = buffer.capacity = 0
    return memoryview(column)

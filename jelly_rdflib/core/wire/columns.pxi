"""Memory of C code that Python sees through the buffer protocol."""

cdef const char* BYTE_FORMAT = b"B"
cdef const char* NUMBER_FORMAT = b"I"


# The owner must live as long as the column: the garbage collector may not take it away before.
@cython.no_gc_clear
@cython.final
@cython.internal
cdef class Column:
    """A read-only view of an array: ``owner`` keeps it alive, or it is the column's own."""

    cdef object owner
    cdef bint owns_memory
    cdef void* start
    cdef Py_ssize_t shape[1]
    cdef Py_ssize_t strides[1]

    def __dealloc__(self):
        if self.owns_memory:
            PyMem_RawFree(self.start)

    def __getbuffer__(self, Py_buffer* view, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("a column is read-only")
        view.buf = self.start
        view.obj = self
        view.len = self.shape[0] * self.strides[0]
        view.readonly = True
        view.itemsize = self.strides[0]
        view.format = NULL
        if flags & PyBUF_FORMAT:
            view.format = <char*>(BYTE_FORMAT if self.strides[0] == 1 else NUMBER_FORMAT)
        view.ndim = 1
        view.shape = self.shape if flags & PyBUF_ND else NULL
        view.strides = self.strides if (flags & PyBUF_STRIDES) == PyBUF_STRIDES else NULL
        view.suboffsets = NULL
        view.internal = NULL


cdef object export_column(object owner, void* start, Py_ssize_t items, Py_ssize_t item_size):
    """Return a memoryview of ``items`` unsigned numbers of 1 or 4 bytes, without a copy."""
    return memoryview(make_column(owner, start, items, item_size))


cdef Column make_column(object owner, void* start, Py_ssize_t items, Py_ssize_t item_size):
    cdef Column column = Column.__new__(Column)
    column.owner = owner
    column.start = start
    column.shape[0] = items
    column.strides[0] = item_size
    return column


cdef object take_memory(WriteBuffer* buffer):
    """Return what a buffer holds as a memoryview, without a copy; the buffer is empty after that."""
    cdef Column column
    # Even an empty column has a start.
    buffer_reserve(buffer, 1)
    column = make_column(None, buffer.data, buffer.size, 1)
    column.owns_memory = True
    buffer.data = NULL
    buffer.size = buffer.capacity = 0
    return memoryview(column)

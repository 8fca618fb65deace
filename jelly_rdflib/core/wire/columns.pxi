"""Memory of C code that Python sees through the buffer protocol."""

cdef const char* BYTE_FORMAT = b"B"
cdef const char* NUMBER_FORMAT = b"I"


@cython.final
@cython.internal
cdef class Column:
    """A read-only view of an array: ``owner`` keeps it alive, or it is the column's own."""

    cdef object owner
    cdef void* start
    cdef Py_ssize_t shape[1]
    cdef Py_ssize_t strides[1]

    def __dealloc__(self):
        if self.owner is None:
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
    cdef Column column = Column.__new__(Column)
    column.owner = owner
    column.start = start
    column.shape[0] = items
    column.strides[0] = item_size
    return memoryview(column)


cdef object take_memory(WriteBuffer* buffer):
    """Return what a buffer holds as a memoryview, without a copy; the buffer is empty after that."""
    cdef void* start
    cdef size_t size = buffer.size
    # Even of nothing there is a start.
    buffer_reserve(buffer, 1)
    start = buffer.data
    buffer.data = NULL
    buffer.size = buffer.capacity = 0
    return export_column(None, start, size, 1)

"""Memory that C code has filled, handed to whoever takes the buffer protocol."""

@cython.final
@cython.internal
cdef class Memory:
    """Read-only bytes that live as long as somebody looks at them."""

    cdef void* data
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 1, flags)

    def __len__(self):
        return self.size

    def __dealloc__(self):
        PyMem_RawFree(self.data)


cdef object take_memory(WriteBuffer* buffer):
    """Return what a buffer holds, without a copy; the buffer is empty after that."""
    cdef Memory memory = Memory.__new__(Memory)
    # Even of nothing there is a start.
    buffer_reserve(buffer, 1)
    memory.data = buffer.data
    memory.size = buffer.size
    buffer.data = NULL
    buffer.size = buffer.capacity = 0
    return memory

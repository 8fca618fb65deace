# Memory of C code that Python sees through the buffer protocol.

cdef object export_column(object owner, void* start, Py_ssize_t items, Py_ssize_t item_size)
cdef object take_memory(WriteBuffer* buffer)

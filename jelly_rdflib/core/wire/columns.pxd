# Exports memory of C code to Python through the buffer protocol.

cdef object export_column(object owner, void* start, Py_ssize_t items, Py_ssize_t item_size)
cdef object take_memory(WriteBuffer* buffer)

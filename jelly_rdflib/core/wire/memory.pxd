# Memory that C code has filled, handed to whoever takes the buffer protocol.

cdef object take_memory(WriteBuffer* buffer)

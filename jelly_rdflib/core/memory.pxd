"""Memory that C code has filled, handed to whoever takes the buffer protocol."""

from jelly_rdflib.core.write_buffer cimport WriteBuffer


cdef object take_memory(WriteBuffer* buffer)

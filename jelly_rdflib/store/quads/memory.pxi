"""Memory that grows."""

cdef int grow(void** memory, size_t size) except -1:
    """Resize memory; on failure it stays as it was."""
    if resize(memory, size) < 0:
        raise MemoryError
    return 0

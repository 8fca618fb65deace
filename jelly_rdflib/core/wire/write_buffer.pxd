# A growing buffer of bytes, and functions that write the wire format's numbers to it.

ctypedef struct WriteBuffer:
    uint8_t* data
    size_t size
    size_t capacity


cdef inline int buffer_reserve(WriteBuffer* buffer, size_t more) except -1:
    cdef size_t capacity
    cdef uint8_t* grown
    if buffer.size + more <= buffer.capacity:
        return 0
    capacity = 2 * buffer.capacity + more
    grown = <uint8_t*>PyMem_RawRealloc(buffer.data, capacity)
    if grown == NULL:
        raise MemoryError
    buffer.data = grown
    buffer.capacity = capacity
    return 0


cdef inline void buffer_free(WriteBuffer* buffer) noexcept:
    PyMem_RawFree(buffer.data)
    buffer.data = NULL
    buffer.size = buffer.capacity = 0


cdef inline size_t varint_size(uint64_t number) noexcept:
    cdef size_t size = 1
    while number >= 0x80:
        number >>= 7
        size += 1
    return size


cdef inline uint8_t* store_varint(uint8_t* at, uint64_t number) noexcept:
    """Write a number, and return the end of its bytes."""
    while number >= 0x80:
        at[0] = <uint8_t>(number | 0x80)
        number >>= 7
        at += 1
    at[0] = <uint8_t>number
    return at + 1


# The functions below write without checking the capacity: call `buffer_reserve` first.

cdef inline void put_byte(WriteBuffer* buffer, uint8_t byte) noexcept:
    buffer.data[buffer.size] = byte
    buffer.size += 1


cdef inline void put_varint(WriteBuffer* buffer, uint64_t number) noexcept:
    buffer.size = store_varint(buffer.data + buffer.size, number) - buffer.data


cdef inline void put_bytes(WriteBuffer* buffer, const uint8_t* data, size_t size) noexcept:
    memcpy(buffer.data + buffer.size, data, size)
    buffer.size += size


cdef inline void put_tag(WriteBuffer* buffer, uint32_t field, uint32_t wire_type) noexcept:
    put_varint(buffer, field << 3 | wire_type)


cdef inline int close_message(WriteBuffer* buffer, size_t start) except -1:
    """Prefix the bytes from ``start`` on with their length."""
    cdef size_t size = buffer.size - start
    cdef size_t prefix = varint_size(size)
    cdef size_t end
    buffer_reserve(buffer, prefix)
    memmove(buffer.data + start + prefix, buffer.data + start, size)
    end = buffer.size + prefix
    buffer.size = start
    put_varint(buffer, size)
    buffer.size = end
    return 0

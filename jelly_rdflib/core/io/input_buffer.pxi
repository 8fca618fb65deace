"""The bytes of a source that were read, but not yet consumed."""

cdef enum:
    CHUNK = 1 << 18
    # The number of bytes to read at once is limited, since they are briefly in memory twice.
    MAX_PIECE = 1 << 20


@cython.nonecheck(True)
cdef class InputBuffer:
    """The bytes of a source that are ready to be decoded: from ``begin`` to ``end``.

    Memory grows only as bytes arrive. Input in memory is not copied, except for its last bytes if
    ``padding`` is set: then there are `PADDING` readable bytes after ``end``.
    """

    def __cinit__(self, source, limits, *_, bint padding=False, **__):
        opened = open_source(source, limits)
        if isinstance(opened, memoryview):
            PyObject_GetBuffer(opened, &self.view, PyBUF_SIMPLE)
            self.has_view = True
            self.begin = <const uint8_t*>self.view.buf
            self.end = self.begin + self.view.len
            self.is_at_end = not padding
            if padding:
                # Hold the last bytes back as padding, until `read_more` copies them.
                self.end -= min(self.view.len, PADDING)
        else:
            self.source = opened
            self.make_room(CHUNK)

    def __dealloc__(self):
        self.release()
        PyMem_RawFree(self.memory)

    def __del__(self):
        self.close()

    @cython.critical_section
    def close(self):
        """Close the source that `open_source` opened."""
        if self.is_reading:
            raise ValueError("the source is being read, and can't be closed")
        self.release()
        if self.source is not None:
            self.source.close()

    cdef void release(self) noexcept:
        if self.has_view:
            self.has_view = False
            self.begin = self.end = NULL
            PyBuffer_Release(&self.view)

    cdef void take(self, size_t size) noexcept:
        """Consume ``size`` bytes."""
        self.begin += size
        self.position += size

    cdef bint fill(self, size_t size) except -1:
        """Make ``size`` bytes available from `begin` on; return False if the input has fewer."""
        while <size_t>(self.end - self.begin) < size:
            if self.is_at_end:
                return False
            self.read_more(size)
        return True

    cdef int skip_byte_order_mark(self) except -1:
        if self.fill(3) and self.begin[:3] == b"\xEF\xBB\xBF":
            self.take(3)
        return 0

    cdef int read_more(self, size_t wanted=0) except -1:
        """Read some more bytes, or detect the end of the input; this moves the bytes in memory.

        Full memory is doubled, up to the wanted size plus one chunk.
        """
        cdef size_t held = self.end - self.begin
        cdef bytes piece
        if self.is_reading:
            # The source's read() called this buffer, or another thread is reading.
            raise ValueError("the source is already being read")
        if self.source is None:
            return self.keep_tail()
        # Move the unconsumed bytes to the start of the memory.
        if self.begin != self.memory:
            memmove(self.memory, self.begin, held)
            self.begin = self.memory
            self.end = self.memory + held
        if held == self.capacity:
            self.make_room(min(2 * self.capacity, max(wanted, self.capacity) + CHUNK))
        self.is_reading = True
        try:
            piece = self.source.read(min(self.capacity - held, <size_t>MAX_PIECE))
        except DecodeError as error:
            # For bad compressed data, report the position in the decompressed input.
            error.offset = self.position + held
            raise
        finally:
            self.is_reading = False
        if <size_t>len(piece) > self.capacity - held:
            raise ValueError("the source's read() returned more bytes than it was asked for")
        if not piece:
            self.is_at_end = True
            return 0
        memcpy(<void*>self.end, PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece))
        self.end += PyBytes_GET_SIZE(piece)
        return 0

    cdef int keep_tail(self) except -1:
        """Copy the last bytes of input in memory, so that padding follows them."""
        cdef const uint8_t* left = self.begin
        cdef size_t size = 0
        self.is_at_end = True
        if self.has_view:
            size = <const uint8_t*>self.view.buf + self.view.len - left
        self.make_room(size)
        if size > 0:
            memcpy(self.memory, left, size)
        self.begin = self.memory
        self.end = self.memory + size
        return 0

    cdef int make_room(self, size_t size) except -1:
        """Make room for ``size`` bytes, and keep the content."""
        cdef size_t held = self.end - self.begin
        cdef uint8_t* grown = <uint8_t*>PyMem_RawRealloc(self.memory, size + PADDING)
        if grown == NULL:
            raise MemoryError
        memset(grown + size, 0, PADDING)
        if self.source is not None:
            self.begin = grown
            self.end = grown + held
        self.memory = grown
        self.capacity = size
        return 0

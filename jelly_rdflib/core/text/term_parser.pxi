"""Parses a string that is one term in N-Triples: the inverse of `TermTexts`."""

cdef enum:
    # The number of bytes of the string that an error shows.
    SHOWN = 80


@cython.nonecheck(True)
@cython.final
cdef class TermParser:
    """Parses strings in N-Triples, and interns their terms in the table of its decoder.

    A string must be one term, without surrounding white space and without Turtle's short forms. It
    need not be canonical: needless escapes are accepted.
    """

    def __cinit__(self, factory not None, limits):
        self.decoder = TextDecoder(factory, limits)
        self.decoder.grammar = ONE_TERM
        self.start()

    def __dealloc__(self):
        buffer_free(&self.scratch)

    cdef int start(self) except -1:
        """Create an empty table of terms if the last one was handed over."""
        if self.decoder.start_batch() < 0:
            raise MemoryError
        return 0

    cdef uint32_t parse(self, const uint8_t* text, size_t size) except 0:
        """Parse a string that is one term; return the number of the term in the table."""
        cdef TextDecoder decoder = self.decoder
        cdef const uint8_t* start
        cdef const uint8_t* end
        cdef uint32_t number = 0
        # Copy the text, since the decoder finds the end of a token by the byte after it.
        self.scratch.size = 0
        buffer_reserve(&self.scratch, size + 2 + PADDING)
        put_bytes(&self.scratch, text, size)
        put_bytes(&self.scratch, b" .", 2)
        memset(self.scratch.data + self.scratch.size, 0, PADDING)
        start = self.scratch.data
        memset(&decoder.failure, 0, sizeof(decoder.failure))
        decoder.end = start + size + 2
        decoder.is_final = True
        decoder.row_start = decoder.place.at = start
        if size == 0:
            raise self.error(text, size, "it is empty")
        end = read_term(decoder, start, &number, 0)
        if end == NULL:
            error = decoder.make_error()
            if isinstance(error, LimitError):
                raise error
            raise self.error(text, size, getattr(error, "message", "out of memory"))
        if end != start + size:
            raise self.error(text, size, f"the term ends at byte {end - start}")
        return number

    cdef object error(self, const uint8_t* text, size_t size, str reason):
        shown = (<bytes>text[:min(size, <size_t>SHOWN)]).decode("utf-8", "replace")
        dots = "…" if size > SHOWN else ""
        return DecodeError(f"{shown + dots!r} is not an N-Triples term: {reason}")

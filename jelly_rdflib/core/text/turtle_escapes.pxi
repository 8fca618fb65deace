"""Finds what a lenient parser takes in Turtle and TriG, but the grammar does not."""

cdef enum Context:
    # Where a byte of the text stands.
    BETWEEN_TOKENS
    LOCAL_ESCAPE  # behind the backslash of a prefixed name
    COMMENT
    IRI_START
    INSIDE_IRI
    FIRST_QUOTE  # behind it
    SECOND_QUOTE
    SHORT_STRING
    LONG_STRING

# PN_LOCAL_ESC of Turtle.
cdef uint8_t[256] IS_LOCAL_ESCAPE
# The first bytes of tokens other than names.
cdef uint8_t[256] IS_TOKEN_START
for byte in range(256):
    IS_LOCAL_ESCAPE[byte] = byte in b"_~.-!$&'()*+,;=/?#@%"
    IS_TOKEN_START[byte] = byte in b"#<\"'\\"


@cython.nonecheck(True)
@cython.final
cdef class TurtleEscapes:
    """Looks through a text piece by piece, as it is given to a parser.

    A backslash in a prefixed name stands for one of some punctuation marks only: ``:a\\u0039``
    means nothing. In a string, half of a pair of surrogates is no character. A string with a line
    break takes three quotes.
    """

    cdef Context context
    cdef uint8_t quote
    cdef int quotes  # that follow one another in a long string
    cdef int escaped  # how many bytes of an escape that matters came in a string

    def find_fault(self, bytes text not None):
        """Return the place of the first wrong escape or line break in the piece; -1 if none is."""
        cdef const uint8_t* start = <const uint8_t*>PyBytes_AS_STRING(text)
        cdef const uint8_t* end = start + PyBytes_GET_SIZE(text)
        cdef const uint8_t* fault
        with nogil:
            fault = self.scan(start, end)
        return -1 if fault == NULL else fault - start

    cdef const uint8_t* scan(self, const uint8_t* at, const uint8_t* end) noexcept nogil:
        while at < end:
            if self.context == BETWEEN_TOKENS:
                while at < end and not IS_TOKEN_START[at[0]]:
                    at += 1
                if at == end:
                    return NULL
                self.start_token(at[0])
            elif self.context == LOCAL_ESCAPE:
                if not IS_LOCAL_ESCAPE[at[0]]:
                    return at
                self.context = BETWEEN_TOKENS
            elif self.context == COMMENT:
                while at < end and at[0] != b"\n" and at[0] != b"\r":
                    at += 1
                if at == end:
                    return NULL
                self.context = BETWEEN_TOKENS
            elif self.context == IRI_START:
                # Two brackets start a quoted triple.
                self.context = BETWEEN_TOKENS if at[0] == b"<" or at[0] == b">" else INSIDE_IRI
            elif self.context == INSIDE_IRI:
                at = find(at, end, b">")
                if at == end:
                    return NULL
                self.context = BETWEEN_TOKENS
            elif self.context == FIRST_QUOTE and at[0] == self.quote:
                self.context = SECOND_QUOTE
            elif self.context == SECOND_QUOTE and at[0] == self.quote:
                self.context = LONG_STRING
            elif self.context == SECOND_QUOTE:
                # The string was empty, and this is behind it.
                self.context = BETWEEN_TOKENS
                continue
            else:
                if self.context == FIRST_QUOTE:
                    self.context = SHORT_STRING
                if self.escaped == 0:
                    self.skip_plain(&at, end)
                    if at == end:
                        return NULL
                if not self.take_from_string(at[0]):
                    return at
            at += 1
        return NULL

    cdef inline void start_token(self, uint8_t byte) noexcept nogil:
        self.quotes = self.escaped = 0
        if byte == b"\\":
            self.context = LOCAL_ESCAPE
        elif byte == b"#":
            self.context = COMMENT
        elif byte == b"<":
            self.context = IRI_START
        else:
            self.context = FIRST_QUOTE
            self.quote = byte

    cdef inline void skip_plain(self, const uint8_t** at, const uint8_t* end) noexcept nogil:
        """Skip what is neither a quote nor an escape, nor a line break in a short string."""
        cdef const uint8_t* start = at[0]
        cdef bint is_short = self.context == SHORT_STRING
        while at[0] < end and at[0][0] != self.quote and at[0][0] != b"\\":
            if is_short and (at[0][0] == b"\n" or at[0][0] == b"\r"):
                break
            at[0] += 1
        if at[0] > start:
            self.quotes = 0

    cdef inline bint take_from_string(self, uint8_t byte) noexcept nogil:
        """Take a quote, or a byte of an escape; False says that it can't stand there."""
        if self.escaped == 1:
            self.escaped = 2 if byte == b"u" else 0
        elif self.escaped == 2:
            self.escaped = 3 if byte | 0x20 == b"d" else 0
        elif self.escaped == 3:
            self.escaped = 0
            return hex_value(byte) < 8
        elif byte == b"\\":
            self.escaped = 1
            self.quotes = 0
        elif byte != self.quote:
            # A line break.
            return False
        else:
            self.quotes = self.quotes + 1
            if self.context == SHORT_STRING or self.quotes == 3:
                self.context = BETWEEN_TOKENS
        return True

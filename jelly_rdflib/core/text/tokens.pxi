"""Skips blanks and comments between tokens, finds the end of a row, and records failures."""

# White space: that of Turtle, and the form feed, which Jena also skips.
cdef uint8_t[256] IS_BLANK
for byte in range(256):
    IS_BLANK[byte] = byte in b" \t\r\n\f"


cdef const uint8_t* refuse(TextDecoder self, const uint8_t* at, const char* message) noexcept nogil:
    fail(&self.failure, at, b"format", message)
    return NULL


cdef const uint8_t* fail_size(TextDecoder self) noexcept nogil:
    self.is_cut_off = True
    fail_limit(
        &self.failure, self.row_start,
        b"max_frame_size", b"row of more than {bound} bytes", 0, self.max_row_size,
    )
    return NULL


cdef const uint8_t* fail_term(TextDecoder self, const uint8_t* at) noexcept nogil:
    if at[0] == b".":
        return refuse(self, at, b"the row ends where a term is expected")
    return fail_token(self, at, b"expected a term")


cdef const uint8_t* fail_token(
    TextDecoder self, const uint8_t* at, const char* message
) noexcept nogil:
    cdef uint32_t c
    cdef int size = 1 if at[0] < 0x80 else read_code_point(at, self.end, &c)
    if size < 0:
        return cut_off(self)
    if size == 0:
        message = b"the text is not UTF-8"
    return refuse(self, at, message)


cdef const uint8_t* cut_off(TextDecoder self) noexcept nogil:
    """Record that the text ends inside a row; it is a failure only at the end of the input."""
    if <size_t>(self.end - self.row_start) > self.max_row_size:
        return fail_size(self)
    if self.is_final:
        self.is_cut_off = True
        return refuse(self, self.end, b"the input ends inside a row")
    return NULL


cdef inline const uint8_t* skip_blanks(TextDecoder self, const uint8_t* at) noexcept nogil:
    while at < self.end and IS_BLANK[at[0]]:
        at += 1
    return at


cdef inline const uint8_t* skip_line_ends(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Skip blanks and line ends; another statement may follow a line end."""
    while at < self.end and IS_BLANK[at[0]] and at[0] != b"\f":
        if at[0] == b"\n" or at[0] == b"\r":
            self.has_statement = False
        at += 1
    return at


cdef const uint8_t* skip_comment(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Skip a comment, except for the line break that ends it."""
    cdef const uint8_t* start = at
    while at < self.end and at[0] != b"\n" and at[0] != b"\r":
        at += 1
    if at == self.end and not self.is_final:
        return cut_off(self)
    if <size_t>(at - start) > self.max_row_size:
        return fail_size(self)
    if not is_utf8(start, at):
        return refuse(self, start, b"comment is not UTF-8")
    return at


cdef inline const uint8_t* next_token(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Skip blanks and comments before the next token of the row."""
    # Nearly always exactly one space separates two tokens.
    if at != NULL and at + 1 < self.end and at[0] == b" " and at[1] > b" " and at[1] != b"#":
        return at + 1
    return find_token(self, at)


cdef const uint8_t* find_token(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Do the same as `next_token`, in the general case."""
    while at != NULL:
        if self.grammar < LINES:
            at = skip_blanks(self, at)
        else:
            while at < self.end and (at[0] == b" " or at[0] == b"\t"):
                at += 1
        if at == self.end:
            return cut_off(self)
        if self.grammar >= LINES and (at[0] == b"\n" or at[0] == b"\r" or at[0] == b"#"):
            return refuse(self, at, b"the line ends inside a statement")
        if at[0] != b"#":
            return at
        at = skip_comment(self, at)
    return NULL


cdef inline int ends_row(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Return whether ``at`` is the dot that ends a row, or -1 if the text ends or has failed."""
    if at == NULL:
        return -1
    if at[0] != b".":
        return 0
    if self.grammar >= LINES:
        return 1
    if at + 1 == self.end:
        if self.is_final:
            return 1
        cut_off(self)
        return -1
    return not is_digit(at[1])

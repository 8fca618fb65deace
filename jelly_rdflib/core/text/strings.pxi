"""Scans strings, IRIs and words, and interns them in the table of terms."""

cdef const char* DATATYPES[SHORT_FORMS]
DATATYPES[INTEGER] = b"http://www.w3.org/2001/XMLSchema#integer"
DATATYPES[DECIMAL] = b"http://www.w3.org/2001/XMLSchema#decimal"
DATATYPES[DOUBLE] = b"http://www.w3.org/2001/XMLSchema#double"
DATATYPES[BOOLEAN] = b"http://www.w3.org/2001/XMLSchema#boolean"


# The bytes with a short escape in strings, and the letters after the backslash.
ESCAPED_BYTES = b'\b\t\n\f\r"\\'
ESCAPE_LETTERS = b'btnfr"\\'

# For each of these letters, the byte that its escape stands for.
cdef uint8_t[256] UNESCAPED
memset(UNESCAPED, 0, sizeof(UNESCAPED))
for byte, letter in zip(ESCAPED_BYTES, ESCAPE_LETTERS):
    UNESCAPED[letter] = byte
UNESCAPED[b"'"] = b"'"


cdef inline int hex_value(uint8_t byte) noexcept nogil:
    if is_digit(byte):
        return byte - 0x30
    byte |= 0x20
    return byte - 0x57 if b"a" <= byte <= b"f" else -1


cdef inline uint8_t* put_character(uint8_t* target, uint32_t c) noexcept nogil:
    """Write a character as UTF-8, and return the end of its bytes."""
    cdef int more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000)
    cdef int i
    for i in range(more, 0, -1):
        target[i] = <uint8_t>(0x80 | c & 0x3F)
        c >>= 6
    # The number of leading one bits in the first byte is the number of bytes of the character.
    target[0] = <uint8_t>(c | (0xF0 << (3 - more) if more else 0))
    return target + 1 + more


cdef const uint8_t* read_name(
    TextDecoder self, const uint8_t* at, uint32_t* number, const char* message
) noexcept nogil:
    """Read a header's key or a prefix's name, which is a word or a string."""
    cdef Span word
    if at != NULL and (at[0] == b'"' or at[0] == b"'"):
        return read_string(self, at, TermKind.STRING, number)
    word.start = at
    word.end = at = scan_name(self, at, False)
    if at == NULL:
        return NULL
    if at == word.start or at[0] == b":":
        return fail_token(self, word.start, message)
    return at if intern_span(self, TermKind.STRING, word, 0, number) == 0 else NULL


cdef const uint8_t* read_string(
    TextDecoder self, const uint8_t* at, TermKind kind, uint32_t* number
) noexcept nogil:
    """Read a string that is not a literal."""
    cdef Text text
    at = scan_quoted(self, at, &text)
    return at if at != NULL and intern_raw(self, kind, &text, 0, number) == 0 else NULL


cdef const uint8_t* scan_name(TextDecoder self, const uint8_t* start, bint is_label) noexcept nogil:
    """Return the end of a word (Turtle's PN_PREFIX) or label, or ``start`` if none starts there.

    A label may start with a digit or underscore. N-Triples and N-Quads allow no colons in it; the
    grammar ONE_TERM allows escapes.
    """
    cdef const uint8_t* at = start
    cdef const uint8_t* name_end = start
    cdef int size
    if at == NULL:
        return NULL
    while at < self.end:
        size = read_name_part(at, self.end, at == start, is_label)
        if size < 0 and not self.is_final:
            return cut_off(self)
        if size <= 0 and is_label:
            if at[0] == b":" and self.grammar < LINES:
                size = 1
            elif at[0] == b"\\" and self.grammar == ONE_TERM:
                size = 10 if at[1] == b"U" else 6
        if size > 0:
            at += size
            name_end = at
        elif at[0] == b"." and at > start:
            # Dots belong to the name only if more of it follows.
            at += 1
        else:
            return name_end
    # Dots at the end of the text are not part of the name.
    if self.is_final and name_end < self.end:
        return name_end
    return cut_off(self)


cdef inline const uint8_t* find_iri_end(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Find the end of an IRI, an escape, or a character that IRIs can't have."""
    if self.grammar == GRAMMATICAL_LINES:
        return find_iri_escape(at, self.end)
    if self.grammar == LINES:
        return find_string_stop(at, self.end, b">")
    return find_iri_stop(at, self.end)


cdef inline const uint8_t* scan_quoted(
    TextDecoder self, const uint8_t* at, Text* text
) noexcept nogil:
    """Find the end of a quoted string, with any kind of quotes."""
    cdef uint8_t quote = at[0]
    cdef int quotes = 1
    if at + 1 < self.end and at[1] == quote:
        if at + 2 == self.end:
            return cut_off(self)
        if at[2] == quote and self.grammar == RDF_PATCH:
            quotes = 3
    at += quotes
    text.span.start = at
    text.is_string = True
    text.has_escapes = False
    while True:
        if quotes == 1:
            at = find_string_stop(at, self.end, quote)
        else:
            at = find_long_stop(at, self.end, quote)
        if self.end - at < quotes:
            return cut_off(self)
        if at[0] == b"\\":
            text.has_escapes = True
            at += 2
        elif at[0] != quote:
            if self.grammar == RDF_PATCH:
                return refuse(self, at, b"line break in a string: use triple quotes, or \\n")
            return refuse(self, at, b"line break in a string: write \\n")
        elif quotes == 1 or (at[1] == quote and at[2] == quote):
            break
        else:
            at += 1
    text.span.end = at
    return at + quotes


cdef int intern_span(
    TextDecoder self, TermKind kind, Span text, uint32_t extra, uint32_t* number
) noexcept nogil:
    cdef int64_t term = intern_padded_text(
        &self.terms, kind, text.start, text.end - text.start, extra, self.seed,
        self.max_string_size, &self.failure,
    )
    number[0] = <uint32_t>term
    return -1 if term < 0 else 0


cdef inline int intern_raw(
    TextDecoder self, TermKind kind, Text* text, uint32_t extra, uint32_t* number
) noexcept nogil:
    """Intern a term whose text may have escapes."""
    if text.has_escapes:
        return intern_escaped(self, kind, text, extra, number)
    return intern_span(self, kind, text.span, extra, number)


cdef int intern_escaped(
    TextDecoder self, TermKind kind, Text* text, uint32_t extra, uint32_t* number
) noexcept nogil:
    cdef const uint8_t* start = text.span.start
    cdef uint8_t* target
    cdef Span plain
    # The size of the span is enough, since an escape is never shorter than its character.
    if terms_reserve(&self.terms, text.span.end - start, start, &self.failure) < 0:
        return -1
    target = self.terms.data + self.terms.offsets[self.terms.count]
    plain.start = target
    plain.end = unescape(self, text, target)
    if plain.end == NULL:
        return -1
    if (
        kind == TermKind.IRI and not text.is_string and self.grammar == RDF_PATCH
        and plain.end - target >= 2 and target[0] == b"_" and target[1] == b":"
    ):
        kind = TermKind.BLANK_NODE
        plain.end -= 2
        memmove(target, target + 2, plain.end - target)
    if intern_span(self, kind, plain, extra, number) < 0:
        self.failure.at = start
        return -1
    return 0


cdef const uint8_t* unescape(TextDecoder self, const Text* text, uint8_t* target) noexcept nogil:
    """Write a text with its escapes resolved, and return its end."""
    cdef const uint8_t* at = text.span.start
    cdef const uint8_t* end = text.span.end
    cdef const uint8_t* escape
    cdef uint32_t c
    cdef int digits, value
    while True:
        escape = find_long_stop(at, end, b"\\")
        if escape >= end:
            memcpy(target, at, end - at)
            return target + (end - at)
        memcpy(target, at, escape - at)
        target += escape - at
        at = escape + 2
        if at > end:
            return refuse(self, escape, b"this is not an escape")
        if escape[1] == b"u" or escape[1] == b"U":
            c = 0
            for digits in range(4 if escape[1] == b"u" else 8):
                value = hex_value(at[0]) if at < end else -1
                if value < 0 or c > 0x10FFFF >> 4:
                    return refuse(
                        self, escape, b"this is not a character: \\u needs 4 hexadecimal digits,"
                        b" and \\U needs 8, up to 0010FFFF"
                    )
                c = c << 4 | <uint32_t>value
                at += 1
            if 0xD800 <= c < 0xE000:
                return refuse(self, escape, b"a surrogate is not a character")
            target = put_character(target, c)
        elif not text.is_string:
            return refuse(self, escape, b"only \\u and \\U are escapes between < and >")
        elif UNESCAPED[escape[1]] == 0:
            return refuse(self, escape, b"this is not an escape of a string")
        else:
            target[0] = UNESCAPED[escape[1]]
            target += 1


cdef int intern_short(
    TextDecoder self, const uint8_t* start, const uint8_t* end, int form, uint32_t* number
) noexcept nogil:
    """Intern a literal that was written in one of Turtle's short forms."""
    cdef Span text
    cdef int64_t datatype
    if self.datatypes[form] == 0:
        text.start = <const uint8_t*>DATATYPES[form]
        text.end = text.start + strlen(DATATYPES[form])
        datatype = intern_text(
            &self.terms, TermKind.IRI, text, 0, self.seed, self.max_string_size, &self.failure
        )
        if datatype < 0:
            self.failure.at = start
            return -1
        self.datatypes[form] = <uint32_t>datatype
    text.start = start
    text.end = end
    return intern_span(self, TermKind.TYPED_LITERAL, text, self.datatypes[form], number)

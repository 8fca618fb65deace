"""Strings, IRIs and words: finding their ends, and interning them in the table of terms."""

cdef const char* DATATYPES[SHORT_FORMS]
DATATYPES[INTEGER] = b"http://www.w3.org/2001/XMLSchema#integer"
DATATYPES[DECIMAL] = b"http://www.w3.org/2001/XMLSchema#decimal"
DATATYPES[DOUBLE] = b"http://www.w3.org/2001/XMLSchema#double"
DATATYPES[BOOLEAN] = b"http://www.w3.org/2001/XMLSchema#boolean"


cdef inline int hex_value(uint8_t byte) noexcept nogil:
    if is_digit(byte):
        return byte - 0x30
    byte |= 0x20
    return byte - 0x57 if b"a" <= byte <= b"f" else -1


cdef inline size_t put_character(uint8_t* target, uint32_t c) noexcept nogil:
    """Write a character's UTF-8, and return how many bytes it has."""
    if c < 0x80:
        target[0] = <uint8_t>c
        return 1
    if c < 0x800:
        target[0] = <uint8_t>(0xC0 | c >> 6)
        target[1] = <uint8_t>(0x80 | c & 0x3F)
        return 2
    if c < 0x10000:
        target[0] = <uint8_t>(0xE0 | c >> 12)
        target[1] = <uint8_t>(0x80 | c >> 6 & 0x3F)
        target[2] = <uint8_t>(0x80 | c & 0x3F)
        return 3
    target[0] = <uint8_t>(0xF0 | c >> 18)
    target[1] = <uint8_t>(0x80 | c >> 12 & 0x3F)
    target[2] = <uint8_t>(0x80 | c >> 6 & 0x3F)
    target[3] = <uint8_t>(0x80 | c & 0x3F)
    return 4


cdef const uint8_t* read_name(
    TextDecoder self, const uint8_t* at, uint32_t* number, const char* message
) noexcept nogil:
    """Read a header's key or a prefix's name: a word or a string."""
    cdef Span word
    if at[0] == b'"' or at[0] == b"'":
        return read_string(self, at, TermKind.STRING, number)
    at = read_word(self, at, &word)
    if at == NULL:
        return NULL
    if word.start == word.end or at[0] == b":":
        return fail_token(self, word.start, message)
    if intern_span(self, TermKind.STRING, word, 0, number) < 0:
        return NULL
    return at


cdef const uint8_t* read_string(
    TextDecoder self, const uint8_t* at, TermKind kind, uint32_t* number
) noexcept nogil:
    """Read a string that is no literal."""
    cdef QuotedText text
    at = scan_quoted(self, at, &text)
    if at == NULL or intern_quoted(self, kind, &text, 0, number) < 0:
        return NULL
    return at


cdef inline const uint8_t* read_word(
    TextDecoder self, const uint8_t* at, Span* word
) noexcept nogil:
    """Read a word, PN_PREFIX of Turtle; one of no characters if there is none."""
    word.start = at
    word.end = scan_name(self, at, False)
    return word.end


cdef const uint8_t* scan_name(TextDecoder self, const uint8_t* start, bint is_label) noexcept nogil:
    """Return the end of a word or a label; ``start`` if there is none.

    A label may start with a digit or underscore. Lines allow no colons in it; a text of one term
    allows escapes.
    """
    cdef const uint8_t* at = start
    cdef const uint8_t* name_end = start
    cdef int size
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
            # Only if more of the name follows.
            at += 1
        else:
            return name_end
    # Dots at the very end are not the name's.
    if self.is_final and name_end < self.end:
        return name_end
    return cut_off(self)


cdef inline const uint8_t* find_iri_end(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Find the end of an IRI, an escape, or a character that no IRI has."""
    if self.grammar == LINES:
        return find_string_stop(at, self.end, b">")
    return find_iri_stop(at, self.end)


cdef inline const uint8_t* scan_quoted(
    TextDecoder self, const uint8_t* at, QuotedText* text
) noexcept nogil:
    """Find the end of a string in quotes, of whichever kind."""
    cdef uint8_t quote = at[0]
    cdef const uint8_t* stop
    if at + 1 < self.end and at[1] == quote:
        if at + 2 == self.end:
            return cut_off(self)
        if at[2] == quote and self.grammar == RDF_PATCH:
            return scan_long_quoted(self, at + 3, quote, text)
    text.has_escapes = False
    text.span.start = at + 1
    stop = find_string_stop(at + 1, self.end, quote)
    while stop < self.end and stop[0] == b"\\":
        text.has_escapes = True
        stop = find_string_stop(stop + 2, self.end, quote)
    if stop >= self.end:
        return cut_off(self)
    if stop[0] != quote:
        if self.grammar == RDF_PATCH:
            return fail(
                self, stop, b"line break in a string: it takes three quotes, or \\n"
            )
        return fail(self, stop, b"line break in a string, which has it as \\n")
    text.span.end = stop
    return stop + 1


cdef const uint8_t* scan_long_quoted(
    TextDecoder self, const uint8_t* at, uint8_t quote, QuotedText* text
) noexcept nogil:
    """Find the end of a string in three quotes, whose first character is at ``at``."""
    cdef const uint8_t* start = at
    text.has_escapes = False
    text.span.start = at
    while True:
        at = find_long_stop(at, self.end, quote)
        if self.end - at < 3:
            return cut_off(self)
        if at[0] == b"\\":
            text.has_escapes = True
            at += 2
        elif at[1] == quote and at[2] == quote:
            break
        else:
            at += 1
    text.span.end = at
    count_lines(&self.place, start, at)
    return at + 3


cdef inline int intern_span(
    TextDecoder self, TermKind kind, Span text, uint32_t extra, uint32_t* number
) noexcept nogil:
    cdef int64_t term = intern_padded_text(
        &self.terms, kind, text.start, text.end - text.start, extra, self.seed,
        self.max_string_size, &self.failure,
    )
    number[0] = <uint32_t>term
    return -1 if term < 0 else 0


cdef int intern_tag(TextDecoder self, Span tag, uint32_t* number) noexcept nogil:
    """Intern a language tag: in lines in lower case, as in what pyoxigraph reads."""
    cdef const uint8_t* start = tag.start
    cdef size_t size = tag.end - start
    cdef size_t index
    if self.grammar >= LINES:
        if terms_reserve(&self.terms, size, start, &self.failure) < 0:
            return -1
        tag.start = self.terms.data + self.terms.offsets[self.terms.count]
        tag.end = tag.start + size
        for index in range(size):
            # Digits and hyphens have this bit already.
            (<uint8_t*>tag.start)[index] = start[index] | 0x20
    if intern_span(self, TermKind.STRING, tag, 0, number) < 0:
        self.failure.at = start
        return -1
    return 0


cdef inline int intern_quoted(
    TextDecoder self, TermKind kind, QuotedText* text, uint32_t extra, uint32_t* number
) noexcept nogil:
    if text.has_escapes:
        return intern_escaped(self, kind, text.span, True, extra, number)
    return intern_span(self, kind, text.span, extra, number)


cdef int intern_escaped(
    TextDecoder self, TermKind kind, Span text, bint is_string, uint32_t extra, uint32_t* number
) noexcept nogil:
    """Intern a term whose text has escapes: those of a string, or those of an IRI."""
    cdef uint8_t* target
    cdef int64_t size
    cdef uint64_t bits, hash
    # An escape is never shorter than its character.
    if terms_reserve(&self.terms, text.end - text.start, text.start, &self.failure) < 0:
        return -1
    target = self.terms.data + self.terms.offsets[self.terms.count]
    size = unescape(self, text, is_string, target)
    if size < 0:
        return -1
    if (
        kind == TermKind.IRI and not is_string and self.grammar == RDF_PATCH
        and size >= 2 and target[0] == b"_" and target[1] == b":"
    ):
        kind = TermKind.BLANK_NODE
        size -= 2
        memmove(target, target + 2, size)
    if not is_utf8(target, target + size):
        fail(self, text.start, b"string is not UTF-8")
        return -1
    if <size_t>size > self.max_string_size:
        return fail_limit(
            &self.failure, text.start, b"string of {number} bytes (limit max_string_size:"
            b" {bound})", size, self.max_string_size,
        )
    hash = copy_and_hash(target, target, size, self.seed, &bits)
    number[0] = <uint32_t>terms_intern_tail(
        &self.terms, kind, size, extra, term_hash(kind, hash, self.terms.hashes[extra])
    )
    return 0


cdef int64_t unescape(TextDecoder self, Span text, bint is_string, uint8_t* target) noexcept nogil:
    """Write a text with its escapes resolved, and return its size."""
    cdef const uint8_t* at = text.start
    cdef const uint8_t* escape
    cdef uint8_t* start = target
    cdef uint32_t c
    cdef int digits, value
    while True:
        escape = find_long_stop(at, text.end, b"\\")
        if escape >= text.end:
            memcpy(target, at, text.end - at)
            return target + (text.end - at) - start
        memcpy(target, at, escape - at)
        target += escape - at
        at = escape + 2
        if at > text.end:
            fail(self, escape, b"this is no escape")
            return -1
        if escape[1] == b"u" or escape[1] == b"U":
            c = 0
            for digits in range(4 if escape[1] == b"u" else 8):
                value = hex_value(at[0]) if at < text.end else -1
                if value < 0 or c > 0x10FFFF >> 4:
                    fail(
                        self, escape, b"this is no character: \\u takes 4 hexadecimal digits,"
                        b" \\U 8 up to 0010FFFF"
                    )
                    return -1
                c = c << 4 | <uint32_t>value
                at += 1
            if 0xD800 <= c < 0xE000:
                fail(self, escape, b"a surrogate is no character")
                return -1
            target += put_character(target, c)
            continue
        if not is_string:
            fail(self, escape, b"only \\u and \\U are escapes between < and >")
            return -1
        if escape[1] == b"n":
            target[0] = 0x0A
        elif escape[1] == b'"' or escape[1] == b"\\" or escape[1] == b"'":
            target[0] = escape[1]
        elif escape[1] == b"t":
            target[0] = 0x09
        elif escape[1] == b"r":
            target[0] = 0x0D
        elif escape[1] == b"b":
            target[0] = 0x08
        elif escape[1] == b"f":
            target[0] = 0x0C
        else:
            fail(self, escape, b"this is no escape of a string")
            return -1
        target += 1


cdef int intern_short(
    TextDecoder self, const uint8_t* start, const uint8_t* end, int form, uint32_t* number
) noexcept nogil:
    """Intern a literal in one of Turtle's short forms."""
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

"""Scans Turtle and TriG before another library's parser gets them.

The scanner finds faults that a lenient parser accepts, and unknown RDF versions. It adds marks,
which are suffixes of datatypes and language tags, for what the parser drops: an explicit datatype
xsd:string, and the capitals of a language tag. `QuadReader` removes the marks.
"""

cdef enum Context:
    # The context of a byte in the text.
    BETWEEN_TOKENS
    LOCAL_ESCAPE  # after a backslash in a prefixed name
    COMMENT
    IRI_START
    INSIDE_IRI
    FIRST_QUOTE  # after the first quote
    SECOND_QUOTE
    SHORT_STRING
    LONG_STRING
    BEHIND_STRING  # a tag or datatype may follow
    FIRST_CARET  # after the first caret
    BEHIND_CARETS

cdef enum Stop:
    # The reason why the scanner stops within a piece of text.
    AT_END
    AT_FAULT
    AT_VERSION  # an unknown version of RDF
    AT_DATATYPE  # a datatype that needs a mark
    AT_TAG  # a language tag that needs a mark
    INSIDE_TOKEN  # a token that continues in the next piece

# The mark of a datatype that may be xsd:string: the last character that both Turtle and IRIs allow.
# A datatype that may itself end with this character or with the next mark also gets the mark.
cdef str DATATYPE_MARK = "\U000EFFFD"
# The mark of <>, the IRI of the base: a fragment, since a bare character would be a relative path.
cdef str EMPTY_IRI_MARK = "#\U000EFFFC"
# The start of a language tag's mark: a private-use part whose hexadecimal digits encode which
# characters are capitals. A tag with an "x" gets one, too, since it may itself have such a part.
cdef str TAG_MARK = "-x-case-"

# The end of the IRI of xsd:string: the longest part that a name without escapes can have, and "#".
cdef const char* STRING_END = b"#string"
cdef enum:
    STRING_END_SIZE = 7

# PN_LOCAL_ESC of Turtle.
cdef uint8_t[256] IS_LOCAL_ESCAPE
# The first bytes of tokens other than names.
cdef uint8_t[256] IS_TOKEN_START
# The bytes of subtags, and of prefixed names and IRIs, including their escapes.
cdef uint8_t[256] IS_IN_TAG
cdef uint8_t[256] IS_IN_NAME
cdef uint8_t[256] IS_IN_IRI
for byte in range(256):
    IS_LOCAL_ESCAPE[byte] = byte in b"_~.-!$&'()*+,;=/?#@%"
    # V and v start VERSION.
    IS_TOKEN_START[byte] = byte in b"#<\"'\\Vv"
    IS_IN_TAG[byte] = is_letter(byte) or is_digit(byte)
    IS_IN_NAME[byte] = IS_IN_TAG[byte] or byte in b"_-.:%\\" or byte >= 0x80
    IS_IN_IRI[byte] = byte > 0x20 and byte not in b'<>"{}|^`'


cdef str without_datatype_mark(str datatype):
    """Return a datatype without its mark."""
    cdef Py_ssize_t size = len(datatype)
    cdef Py_UCS4 last = datatype[size - 1] if size > 0 else 0
    if last == 0xEFFFD:
        return datatype[: size - 1]
    return datatype[: size - 2] if last == 0xEFFFC else datatype


cdef bytearray tag_mark(const uint8_t* tag, Py_ssize_t size):
    """Make the mark of a language tag, with one digit for every four of its characters."""
    cdef bytearray mark = bytearray(TAG_MARK.encode())
    cdef Py_ssize_t index
    cdef uint8_t digit = 0
    for index in range(size):
        digit |= (b"A" <= tag[index] <= b"Z") << index % 4
        if index % 4 == 3 or index == size - 1:
            mark.append(b"0123456789abcdef"[digit])
            digit = 0
            # Start a new subtag, since a subtag has at most eight characters.
            if index % 32 == 31 and index < size - 1:
                mark.append(b"-")
    return mark


cdef str without_tag_mark(str tag):
    """Return a language tag without its mark, with its capitals restored."""
    cdef Py_ssize_t size = tag.rfind(TAG_MARK)
    cdef Py_ssize_t index
    if size < 0:
        return tag
    cdef bytearray spelled = bytearray(tag[:size].encode())
    cdef bytes digits = tag[size + len(TAG_MARK) :].replace("-", "").encode()
    for index in range(min(size, 4 * len(digits))):
        if hex_value(digits[index // 4]) >> index % 4 & 1:
            spelled[index] = spelled[index] & ~0x20
    return spelled.decode()


@cython.nonecheck(True)
@cython.final
cdef class TurtleScanner:
    """Scans a text piece by piece, before each piece is given to a parser.

    In a prefixed name a backslash may only escape some punctuation marks: ``:a\\u0039`` is wrong.
    In a string, half of a surrogate pair is not a character. A string with a line break needs
    triple quotes.

    Args:
        finds_faults: Whether to look for wrong escapes and line breaks.
        parser_checks_tags: Whether the parser refuses some language tags. Such tags get no mark,
            nor do irregular ones, such as ``en-GB-oed``, which can't have a private-use part.
        max_marks: The maximum number of marks whose columns are kept.

    Attributes:
        fault: The position of a wrong escape, line break or version in the last piece, or -1.
        taken: The number of bytes of the last piece that were scanned. The other bytes belong to an
            unfinished token, and must be passed again, with more bytes.
        line: The line of the next byte, counted from 1.
    """

    cdef readonly Py_ssize_t fault
    cdef readonly Py_ssize_t taken
    cdef readonly uint64_t line
    cdef uint64_t column  # the column of the next byte, from 0, without marks
    cdef object marks  # the line, column and length of the last marks
    cdef bint finds_faults
    cdef bint parser_checks_tags
    cdef bint is_last  # whether no piece follows
    cdef const uint8_t* piece
    cdef uint8_t last_byte  # the byte before the piece
    cdef Stop stop
    cdef const uint8_t* token  # the token that needs a mark, without "@" or "<"
    cdef const uint8_t* token_end
    cdef Context context
    cdef Context outer  # the context around a comment
    cdef bint is_behind_return
    cdef uint8_t quote
    cdef int quotes  # consecutive quotes in a long string
    cdef int escaped  # how many bytes of a \u escape in a string were read

    def __cinit__(self, *, bint finds_faults, bint parser_checks_tags, size_t max_marks):
        self.finds_faults = finds_faults
        self.parser_checks_tags = parser_checks_tags
        self.line = 1
        self.marks = deque(maxlen=max_marks)

    def mark(self, bytes text not None, bint is_last):
        """Scan the next piece, and return the scanned part with marks.

        Args:
            text: The piece.
            is_last: Whether no piece follows, so that all of the piece is scanned.
        """
        cdef const uint8_t* start = <const uint8_t*>PyBytes_AS_STRING(text)
        cdef const uint8_t* end = start + PyBytes_GET_SIZE(text)
        cdef const uint8_t* at = start
        cdef const uint8_t* done = start  # the end of the part with marks
        cdef bytearray marked = None
        cdef bytearray mark
        self.is_last = is_last
        self.piece = start
        while True:
            with nogil:
                at = self.scan(at, end)
            if self.stop != AT_DATATYPE and self.stop != AT_TAG:
                break
            if self.stop == AT_TAG:
                mark = tag_mark(self.token, self.token_end - self.token)
            else:
                mark = bytearray(
                    (DATATYPE_MARK if self.token < self.token_end else EMPTY_IRI_MARK).encode()
                )
            if self.token_end < end and self.token_end[0] == b".":
                # In "p:.q:r" the dot ends the statement; after a mark it would not.
                mark += b" "
            if marked is None:
                marked = bytearray()
            marked += done[: self.token_end - done]
            marked += mark
            self.pass_over(done, self.token_end)
            done = self.token_end
            self.marks.append((self.line, self.column, len(mark.decode())))
        self.pass_over(done, at)
        self.taken = at - start
        if at > start:
            self.last_byte = (at - 1)[0]
        self.fault = self.taken if self.stop == AT_FAULT or self.stop == AT_VERSION else -1
        if marked is None or self.fault >= 0:
            return text if at == end else text[: self.taken]
        marked += done[: at - done]
        return bytes(marked)

    def original_column(self, uint64_t line, uint64_t column):
        """Convert a column of the text with marks, counted from 1, to one of the original text."""
        cdef uint64_t at, size
        for marked_line, at, size in self.marks:
            if marked_line == line and column > at + 1:
                # A position inside a mark becomes the position of the mark.
                column -= min(size, column - at - 1)
        return column

    def original_message(self, str message not None):
        """Remove datatype marks from a message of the parser; such messages have no tag marks."""
        return message.replace(EMPTY_IRI_MARK, "").replace(DATATYPE_MARK, "")

    cdef void pass_over(self, const uint8_t* start, const uint8_t* end) noexcept nogil:
        """Update line and column; a line ends with a line feed, a carriage return, or both."""
        cdef const uint8_t* at
        cdef Py_ssize_t size = end - start
        cdef Py_ssize_t index
        cdef uint64_t line_ends = 0
        cdef uint64_t characters = 0
        if size <= 0:
            return
        for index in range(size):
            line_ends += start[index] == b"\n" or start[index] == b"\r"
        for index in range(1, size):
            line_ends -= start[index] == b"\n" and start[index - 1] == b"\r"
        line_ends -= self.is_behind_return and start[0] == b"\n"
        self.line = self.line + line_ends
        self.is_behind_return = (end - 1)[0] == b"\r"
        at = end
        while at > start and (at - 1)[0] != b"\n" and (at - 1)[0] != b"\r":
            at -= 1
        if at > start:
            self.column = 0
        while at < end:
            # Each character has exactly one byte that isn't a continuation byte.
            characters += (at[0] & 0xC0) != 0x80
            at += 1
        self.column = self.column + characters

    cdef const uint8_t* scan(self, const uint8_t* at, const uint8_t* end) noexcept nogil:
        """Scan a piece from ``at`` on; return the position at which the scanner stops."""
        self.stop = AT_END
        while at < end:
            if self.context == BETWEEN_TOKENS:
                while at < end and not IS_TOKEN_START[at[0]]:
                    at += 1
                if at == end:
                    break
                if at[0] | 0x20 == b"v":
                    self.look_at_version(at, end)
                    if self.stop != AT_END:
                        break
                else:
                    self.start_token(at[0])
            elif self.context == LOCAL_ESCAPE:
                if self.finds_faults and not IS_LOCAL_ESCAPE[at[0]]:
                    self.stop = AT_FAULT
                    break
                self.context = BETWEEN_TOKENS
            elif self.context == COMMENT:
                while at < end and at[0] != b"\n" and at[0] != b"\r":
                    at += 1
                if at == end:
                    break
                self.context = self.outer
            elif self.context == IRI_START:
                # Two brackets start a quoted triple.
                self.context = BETWEEN_TOKENS if at[0] == b"<" or at[0] == b">" else INSIDE_IRI
            elif self.context == INSIDE_IRI:
                at = find(at, end, b">")
                if at == end:
                    break
                self.context = BETWEEN_TOKENS
            elif self.context == BEHIND_STRING or self.context == BEHIND_CARETS:
                while at < end and IS_BLANK[at[0]]:
                    at += 1
                if at == end:
                    break
                if at[0] == b"#":
                    self.start_token(b"#")
                elif at[0] == b"^" and self.context == BEHIND_STRING:
                    self.context = FIRST_CARET
                else:
                    self.look_at_suffix(at, end)
                    if self.stop != INSIDE_TOKEN:
                        self.context = BETWEEN_TOKENS
                    if self.stop != AT_END:
                        break
                    # Scan the suffix, which may also have wrong escapes.
                    continue
            elif self.context == FIRST_CARET:
                self.context = BEHIND_CARETS if at[0] == b"^" else BETWEEN_TOKENS
            elif self.context == FIRST_QUOTE and at[0] == self.quote:
                self.context = SECOND_QUOTE
            elif self.context == SECOND_QUOTE and at[0] == self.quote:
                self.context = LONG_STRING
            elif self.context == SECOND_QUOTE:
                # The string was empty, and this byte follows it.
                self.context = BEHIND_STRING
                continue
            else:
                if self.context == FIRST_QUOTE:
                    self.context = SHORT_STRING
                if self.escaped == 0:
                    self.skip_plain(&at, end)
                    if at == end:
                        break
                if not self.take_from_string(at[0]) and self.finds_faults:
                    self.stop = AT_FAULT
                    break
            at += 1
        return at

    cdef void look_at_version(self, const uint8_t* at, const uint8_t* end) noexcept nogil:
        """Stop if the string after VERSION is unfinished or isn't an RDF version."""
        cdef const uint8_t* word = b"version"
        cdef Span version
        if IS_IN_NAME[self.last_byte if at == self.piece else (at - 1)[0]]:
            return
        while at < end and word[0] != 0 and at[0] | 0x20 == word[0]:
            at += 1
            word += 1
        while at < end and word[0] == 0 and IS_BLANK[at[0]]:
            at += 1
        if at < end:
            if word[0] != 0 or (at[0] != b'"' and at[0] != b"'"):
                return
            version.start = at + 1
            version.end = at = find(at + 1, end, at[0])
        if at < end:
            self.stop = AT_END if is_rdf_version(version) else AT_VERSION
        elif not self.is_last:
            self.stop = INSIDE_TOKEN

    cdef void look_at_suffix(self, const uint8_t* at, const uint8_t* end) noexcept nogil:
        """Stop at a tag or datatype that needs a mark, or is unfinished."""
        cdef bint wants_mark = False
        if self.context == BEHIND_CARETS:
            self.stop = AT_DATATYPE
            if at[0] == b"<":
                at = self.find_iri_end(at + 1, end, &wants_mark)
            else:
                at = self.find_name_end(at, end, &wants_mark)
        elif at[0] == b"@":
            self.stop = AT_TAG
            at = self.find_tag_end(at + 1, end, &wants_mark)
        if at == end and not self.is_last:
            self.stop = INSIDE_TOKEN
        elif not wants_mark:
            self.stop = AT_END

    cdef const uint8_t* find_iri_end(
        self, const uint8_t* at, const uint8_t* end, bint* wants_mark
    ) noexcept nogil:
        cdef bint has_escape = False
        self.token = at
        while at < end and IS_IN_IRI[at[0]]:
            has_escape |= at[0] == b"\\"
            at += 1
        self.token_end = at
        if at < end and at[0] == b">":
            wants_mark[0] = (
                at == self.token or has_escape or (at - 1)[0] >= 0x80
                or (
                    at - self.token >= STRING_END_SIZE
                    and memcmp(at - STRING_END_SIZE, STRING_END, STRING_END_SIZE) == 0
                )
            )
        return at

    cdef const uint8_t* find_name_end(
        self, const uint8_t* at, const uint8_t* end, bint* wants_mark
    ) noexcept nogil:
        """Find the end of a prefixed name and of any dots after it; they are not part of it."""
        cdef const uint8_t* local = NULL
        cdef bint has_escape = False
        cdef size_t size
        self.token = self.token_end = at
        while at < end and IS_IN_NAME[at[0]]:
            if at[0] == b"\\":
                has_escape = True
                at += at + 1 < end
                self.token_end = at + 1
            elif at[0] != b".":
                self.token_end = at + 1
                if at[0] == b":" and local == NULL:
                    local = at + 1
            elif at == local:
                # A dot here is not part of the name, since no local name starts with a dot.
                break
            at += 1
        if local != NULL:
            size = self.token_end - local
            wants_mark[0] = (
                has_escape or (self.token_end - 1)[0] >= 0x80
                or (
                    size < STRING_END_SIZE
                    and memcmp(local, STRING_END + STRING_END_SIZE - size, size) == 0
                )
            )
        return at

    cdef const uint8_t* find_tag_end(
        self, const uint8_t* at, const uint8_t* end, bint* wants_mark
    ) noexcept nogil:
        """Find the end of a language tag; a direction may follow after two hyphens."""
        cdef Span tag
        tag.start = at
        while at < end and (IS_IN_TAG[at[0]] or at[0] == b"-"):
            if at[0] == b"-" and at + 1 < end and not IS_IN_TAG[(at + 1)[0]]:
                break
            wants_mark[0] |= b"A" <= at[0] <= b"Z" or at[0] == b"x"
            at += 1
        tag.end = at
        if wants_mark[0] and self.parser_checks_tags:
            wants_mark[0] = is_well_formed(tag) and not is_registered(tag)
        wants_mark[0] &= (at - 1)[0] != b"-"
        self.token = tag.start
        self.token_end = tag.end
        return at

    cdef inline void start_token(self, uint8_t byte) noexcept nogil:
        self.quotes = self.escaped = 0
        if byte == b"\\":
            self.context = LOCAL_ESCAPE
        elif byte == b"#":
            self.outer = self.context
            self.context = COMMENT
        elif byte == b"<":
            self.context = IRI_START
        else:
            self.context = FIRST_QUOTE
            self.quote = byte

    cdef inline void skip_plain(self, const uint8_t** at, const uint8_t* end) noexcept nogil:
        """Skip bytes up to a quote or an escape, and in a short string also to a line break."""
        cdef const uint8_t* start = at[0]
        cdef bint is_short = self.context == SHORT_STRING
        while at[0] < end and at[0][0] != self.quote and at[0][0] != b"\\":
            if is_short and (at[0][0] == b"\n" or at[0][0] == b"\r"):
                break
            at[0] += 1
        if at[0] > start:
            self.quotes = 0

    cdef inline bint take_from_string(self, uint8_t byte) noexcept nogil:
        """Process a quote, or a byte of an escape; return False if it is not allowed there."""
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
            # Refuse a line break.
            return False
        else:
            self.quotes = self.quotes + 1
            if self.context == SHORT_STRING or self.quotes == 3:
                self.context = BEHIND_STRING
        return True

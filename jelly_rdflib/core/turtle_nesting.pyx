"""Watches the nesting of N-Triples, N-Quads, Turtle, TriG and N3."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport UINT64_MAX, uint8_t, uint64_t
from libc.string cimport memchr, memcmp

from jelly_rdflib.core.nesting cimport WORD_SIZE, NestingWatch

from jelly_rdflib.errors import DecodeError, LimitError


cdef enum TurtleState:
    IN_TEXT
    ESCAPE_IN_TEXT
    IN_COMMENT
    AFTER_LESS_THAN
    AFTER_ARROW
    IN_IRI
    AFTER_QUOTE
    AFTER_TWO_QUOTES
    IN_STRING
    ESCAPE_IN_STRING
    IN_LONG_STRING
    ESCAPE_IN_LONG_STRING
    QUOTE_IN_LONG_STRING
    TWO_QUOTES_IN_LONG_STRING


cdef enum:
    # Of shorter ones there may be as many as there may be prefixes.
    LONG_PREFIX = 1 << 10


cdef enum Declaration:
    NO_DECLARATION
    PREFIX_DECLARATION
    BASE_DECLARATION


cdef enum IriKind:
    UNKNOWN_IRI
    ABSOLUTE_IRI
    RELATIVE_IRI


@cython.final
cdef class TurtleNesting(NestingWatch):
    """Watches the brackets and the quoted triples of N-Triples, N-Quads, Turtle, TriG and N3.

    Their parser holds up to three terms for each open bracket, and all of a quoted triple. A term
    has the text that stands there, and of a prefix or a base.

    Args:
        limit: How many levels of brackets there may be.
        max_held: As for `NestingWatch`; and how many bytes all long prefixes may have.
        max_quoted: How many levels of quoted triples there may be.
        has_arrows: Whether ``<=`` and ``<-`` are more than the start of an IRI: in N3. Its parser
            takes them for arrows if what follows up to a ``>`` makes no IRI. So they are refused
            where that can't be told by the byte behind them.
        is_lenient: Whether IRIs may have whatever bytes.
        base_size: How many bytes the base has that the parser is given.

    Examples:
        >>> watch = TurtleNesting(2)
        >>> watch.look(b'<s:s> <s:p> "((((", <s:((((>, ( [ ] ), ( ( ')' # )')')
        >>> watch.look(b" ( ")
        Traceback (most recent call last):
        jelly_rdflib.errors.LimitError: brackets or elements nest deeper than 2 levels (byte 49)
    """

    cdef bint has_arrows
    cdef bint is_lenient
    cdef size_t max_quoted
    cdef size_t quoted
    # What each level holds, the outermost first; those that are open, without the innermost.
    cdef uint64_t* levels
    cdef size_t top
    cdef uint64_t held
    # The longest IRI that a prefix or a base stands for; the base; all that are long.
    cdef uint64_t expansion
    cdef uint64_t base_size
    cdef uint64_t declared
    cdef Declaration declaration
    cdef IriKind iri_kind
    cdef size_t token_start
    # The same, but for what stands between commas and semicolons; and of comments.
    cdef size_t part_start
    cdef bint in_token
    cdef bint is_after_at
    cdef uint8_t previous
    cdef uint8_t[WORD_SIZE] word
    cdef size_t word_size
    cdef bint is_name

    def __init__(
        self, size_t limit, *, uint64_t max_held=UINT64_MAX, size_t max_quoted=1000,
        bint has_arrows=False, bint is_lenient=False, uint64_t base_size=0
    ):
        super().__init__(limit, max_held=max_held)
        self.max_quoted = max_quoted
        self.has_arrows = has_arrows
        self.is_lenient = is_lenient
        self.expansion = self.base_size = base_size
        PyMem_Free(self.levels)
        self.levels = <uint64_t*>PyMem_Calloc(limit + max_quoted + 2, sizeof(uint64_t))
        if self.levels == NULL:
            raise MemoryError
        self.is_ready = True

    def __dealloc__(self):
        PyMem_Free(self.levels)

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        cdef TurtleState state = <TurtleState>self.state
        cdef const uint8_t* found
        cdef uint8_t byte
        cdef uint8_t quote = self.quote
        cdef size_t at = 0
        while at < size:
            # Most bytes are in IRIs and strings.
            if state == IN_IRI:
                found = <const uint8_t*>memchr(text + at, b">", size - at)
                if self.declaration != NO_DECLARATION:
                    self.look_at_iri(text + at, (size if found == NULL else found - text) - at)
                if found == NULL:
                    break
                state = IN_TEXT
                at = found - text + 1
                self.end_iri(at)
                continue
            if state == IN_STRING:
                while at < size and text[at] != quote and text[at] != b"\\":
                    at += 1
                if at == size:
                    break
                if text[at] == quote:
                    state = IN_TEXT
                    self.end_string(at)
                else:
                    state = ESCAPE_IN_STRING
                at += 1
                continue
            byte = text[at]
            at += 1
            if state == AFTER_LESS_THAN:
                if byte == b"<":
                    state = IN_TEXT
                    self.open_quoted(at - 1)
                elif byte == b">":
                    state = IN_TEXT
                    self.end_iri(at)
                elif self.has_arrows and (byte == b"=" or byte == b"-"):
                    state = AFTER_ARROW
                else:
                    state = IN_IRI
                    if self.declaration != NO_DECLARATION:
                        self.look_at_iri(&byte, 1)
                continue
            if state == AFTER_ARROW:
                self.check_arrow(byte)
                state = IN_TEXT
            elif state == AFTER_TWO_QUOTES:
                if byte == quote:
                    state = IN_LONG_STRING
                    continue
                state = IN_TEXT
            if state == IN_TEXT:
                if self.is_in_token(byte, at - 1):
                    if byte == b"\\":
                        state = ESCAPE_IN_TEXT
                    continue
                if byte == b"<":
                    state = AFTER_LESS_THAN
                    self.token_start = self.part_start = self.position + at
                    self.iri_kind = UNKNOWN_IRI
                elif byte == b'"' or byte == b"'":
                    state = AFTER_QUOTE
                    quote = byte
                    self.token_start = self.part_start = self.position + at
                elif byte == b"#":
                    state = IN_COMMENT
                    self.part_start = self.position + at
                elif byte == b"(" or byte == b"[" or byte == b"{":
                    self.enter(at - 1)
                    self.open_level(at - 1)
                elif byte == b")" or byte == b"]" or byte == b"}":
                    if self.depth > 0:
                        self.leave()
                        self.close_level()
                elif byte == b">":
                    if self.previous == b">" and self.quoted > 0:
                        self.close_quoted()
                        byte = 0
                elif self.previous == b"." and self.top == 0:
                    # A blank: the statement has ended.
                    self.levels[0] = 0
                self.previous = byte
            elif state == ESCAPE_IN_TEXT:
                state = IN_TEXT
            elif state == IN_COMMENT:
                if byte == b"\n" or byte == b"\r":
                    state = IN_TEXT
            elif state == AFTER_QUOTE:
                if byte == quote:
                    state = AFTER_TWO_QUOTES
                else:
                    state = ESCAPE_IN_STRING if byte == b"\\" else IN_STRING
            elif state == ESCAPE_IN_STRING:
                state = IN_STRING
            elif state == ESCAPE_IN_LONG_STRING:
                state = IN_LONG_STRING
            elif byte == quote:
                if state == IN_LONG_STRING:
                    state = QUOTE_IN_LONG_STRING
                elif state == QUOTE_IN_LONG_STRING:
                    state = TWO_QUOTES_IN_LONG_STRING
                else:
                    state = IN_TEXT
                    self.end_string(at)
            else:
                state = ESCAPE_IN_LONG_STRING if byte == b"\\" else IN_LONG_STRING
        self.state = state
        self.quote = quote
        return 0

    cdef int check_arrow(self, uint8_t byte) except -1:
        """Refuse an arrow unless the byte behind it can be of no IRI."""
        if self.is_lenient or not (byte <= b" " or byte == b"<" or byte == b'"' or byte == b"{"):
            raise DecodeError(
                "this may be an arrow or an IRI: it is read only as an arrow with a blank behind it"
                " (and not where IRIs may have any characters)",
                offset=self.token_start - 1,
            )
        return 0

    cdef size_t find_token(self) noexcept:
        cdef TurtleState state = <TurtleState>self.state
        if (state == IN_TEXT or state == ESCAPE_IN_TEXT) and not self.in_token:
            return self.position
        return self.part_start

    cdef inline int is_in_token(self, uint8_t byte, size_t at) except -1:
        """Note a byte of a name, a number or a word; False if it is of none."""
        if (
            byte == b" " or byte == b"\n" or byte == b"<" or byte == b'"' or byte == b"'"
            or byte == b"\t" or byte == b"\r" or byte == b"#" or byte == b"(" or byte == b")"
            or byte == b"[" or byte == b"]" or byte == b"{" or byte == b"}" or byte == b">"
        ):
            if self.in_token:
                self.end_token(at)
            return False
        self.previous = byte
        if not self.in_token:
            self.in_token = True
            self.token_start = self.part_start = self.position + at
            self.start_word()
        if b"A" <= (byte & 0xDF) <= b"Z":
            if self.word_size < WORD_SIZE:
                self.word[self.word_size] = byte | 0x20
                self.word_size += 1
            return True
        if self.is_after_at:
            # Whatever follows: "@prefix:<urn:a>" declares a prefix.
            self.look_at_word()
        if byte == b"@" or byte == b"." or byte == b";" or byte == b",":
            # A word may start behind them.
            self.start_word()
            self.is_after_at = byte == b"@"
            if byte == b";" or byte == b",":
                self.part_start = self.position + at
        elif b"0" <= byte <= b"9":
            self.word_size = 0
        else:
            self.is_name = True
        return True

    cdef inline void start_word(self) noexcept:
        self.word_size = 0
        self.is_name = self.is_after_at = False

    cdef void look_at_word(self) noexcept:
        if not self.is_name:
            if self.word_size == 6 and memcmp(self.word, b"prefix", 6) == 0:
                self.declaration = PREFIX_DECLARATION
            elif self.word_size == 4 and memcmp(self.word, b"base", 4) == 0:
                self.declaration = BASE_DECLARATION

    cdef int end_token(self, size_t at) except -1:
        self.in_token = False
        self.look_at_word()
        return self.hold(self.position + at - self.token_start, at)

    cdef int end_string(self, size_t at) except -1:
        # Of others nothing is held when a bracket comes.
        if self.quoted > 0:
            self.hold(self.position + at - self.token_start, at)
        self.previous = 0
        return 0

    cdef int end_iri(self, size_t at) except -1:
        cdef uint64_t size = self.position + at - self.token_start
        self.previous = 0
        self.hold(size, at)
        if self.declaration == NO_DECLARATION:
            return 0
        if self.iri_kind != ABSOLUTE_IRI:
            size += self.base_size
        if self.declaration == BASE_DECLARATION:
            self.base_size = size
        self.expansion = max(self.expansion, size)
        self.declaration = NO_DECLARATION
        # How many prefixes there may be is another limit.
        if size > LONG_PREFIX:
            self.declared += size
            self.check_held(self.declared, at)
        return 0

    cdef void look_at_iri(self, const uint8_t* text, size_t size) noexcept:
        """Look whether an IRI has a scheme."""
        cdef size_t at
        for at in range(size):
            if self.iri_kind != UNKNOWN_IRI:
                return
            if text[at] == b":":
                self.iri_kind = ABSOLUTE_IRI
            elif text[at] == b"/" or text[at] == b"?" or text[at] == b"#":
                self.iri_kind = RELATIVE_IRI

    cdef inline int hold(self, uint64_t size, size_t at) except -1:
        """Note a term, or a word that may be one."""
        cdef uint64_t* level = &self.levels[self.top]
        size += self.expansion
        if self.quoted > 0:
            level[0] += size
            return self.check_held(self.held + level[0], at)
        level[0] = max(level[0], 3 * size)
        return 0

    cdef int open_quoted(self, size_t at) except -1:
        self.quoted += 1
        if self.quoted > self.max_quoted:
            raise LimitError(
                f"quoted triples nest deeper than {self.max_quoted} (limit max_nesting_depth)",
                offset=self.position + at,
            )
        self.previous = 0
        return self.open_level(at)

    cdef int open_level(self, size_t at) except -1:
        self.held += self.levels[self.top]
        self.top += 1
        self.levels[self.top] = 0
        return self.check_held(self.held, at)

    cdef void close_level(self) noexcept:
        cdef uint64_t inner = self.levels[self.top]
        self.top -= 1
        self.held -= self.levels[self.top]
        if self.quoted > 0:
            self.levels[self.top] += inner

    cdef void close_quoted(self) noexcept:
        cdef uint64_t inner = self.levels[self.top]
        self.close_level()
        self.quoted -= 1
        if self.quoted == 0:
            self.levels[self.top] = max(self.levels[self.top] - inner, 3 * inner)

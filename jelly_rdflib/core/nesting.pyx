"""Watches how deep a text nests and what it will take, on its way to a parser that trusts it.

Only as much of a syntax is known here as tells its brackets and tags from what looks like them, and
bounds what the parser makes of them: IRIs that a few bytes stand for, and what stays in memory
until brackets and tags are closed. The bounds are from above, and need not be close.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport UINT64_MAX, uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memset

import json

from jelly_rdflib.errors import LimitError

cdef enum:
    # A document type is to define a few entities, and each may stand for as much text as it has.
    MAX_DOCUMENT_TYPE = 1 << 16
    # The longest words that are to be known: "@prefix", and "parseType".
    WORD_SIZE = 12


cdef class NestingWatch:
    """Watches how deep a text nests. Subclasses know a syntax.

    Args:
        limit: How many levels there may be.
        max_held: How many bytes the parser may hold of what is not closed yet.

    Attributes:
        depth: How many levels are open.
    """

    cdef bint is_ready
    cdef int state
    cdef uint8_t quote
    cdef readonly size_t depth
    cdef size_t limit
    cdef uint64_t max_held
    cdef size_t position  # of the next piece

    def __init__(self, size_t limit, *, uint64_t max_held=UINT64_MAX):
        if self.is_ready:
            raise ValueError("it is initialized already")
        self.limit = limit
        self.max_held = max_held

    def look(self, bytes piece not None):
        """Look at the next piece of the text.

        Raises:
            LimitError: It nests deeper than the limit.
        """
        if not self.is_ready:
            raise ValueError("it is not initialized")
        self.look_through(
            <const uint8_t*>PyBytes_AS_STRING(piece), <size_t>PyBytes_GET_SIZE(piece)
        )
        self.position += PyBytes_GET_SIZE(piece)

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        raise NotImplementedError

    cdef inline int enter(self, size_t at) except -1:
        self.depth += 1
        if self.depth > self.limit:
            raise LimitError(
                f"brackets or elements nest deeper than {self.limit} levels",
                offset=self.position + at,
            )
        return 0

    cdef inline void leave(self) noexcept:
        if self.depth > 0:
            self.depth -= 1

    cdef inline int check_held(self, uint64_t held, size_t at) except -1:
        if held > self.max_held:
            raise LimitError(
                f"a parser would hold more than {self.max_held} bytes at once (limit max_text_size)",
                offset=self.position + at,
            )
        return 0


cdef enum TurtleState:
    IN_TEXT
    ESCAPE_IN_TEXT
    IN_COMMENT
    AFTER_LESS_THAN
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
        has_arrows: Whether ``<=`` is no start of an IRI: in N3.
        base_size: How many bytes the base has that the parser is given.

    Examples:
        >>> watch = TurtleNesting(2)
        >>> watch.look(b'<s:s> <s:p> "((((", <s:((((>, ( [ ] ), ( ( ')' # )')')
        >>> watch.look(b" ( ")
        Traceback (most recent call last):
        jelly_rdflib.errors.LimitError: brackets or elements nest deeper than 2 levels (byte 49)
    """

    cdef bint has_arrows
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
    cdef bint in_token
    cdef uint8_t previous
    cdef uint8_t[WORD_SIZE] word
    cdef size_t word_size
    cdef bint is_name

    def __init__(
        self, size_t limit, *, uint64_t max_held=UINT64_MAX, size_t max_quoted=1000,
        bint has_arrows=False, uint64_t base_size=0
    ):
        super().__init__(limit, max_held=max_held)
        self.max_quoted = max_quoted
        self.has_arrows = has_arrows
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
                elif byte == b">" or (byte == b"=" and self.has_arrows):
                    # An empty IRI, or an arrow.
                    state = IN_TEXT
                    if byte == b">":
                        self.end_iri(at)
                else:
                    state = IN_IRI
                    if self.declaration != NO_DECLARATION:
                        self.look_at_iri(&byte, 1)
                continue
            if state == AFTER_TWO_QUOTES:
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
                    self.token_start = self.position + at
                    self.iri_kind = UNKNOWN_IRI
                elif byte == b'"' or byte == b"'":
                    state = AFTER_QUOTE
                    quote = byte
                    self.token_start = self.position + at
                elif byte == b"#":
                    state = IN_COMMENT
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
            self.token_start = self.position + at
            self.word_size = 0
            self.is_name = False
        if byte == b"@" or byte == b"." or byte == b";" or byte == b",":
            # A word may start behind them.
            self.word_size = 0
            self.is_name = False
        elif b"A" <= (byte & 0xDF) <= b"Z":
            if self.word_size < WORD_SIZE:
                self.word[self.word_size] = byte | 0x20
                self.word_size += 1
        elif b"0" <= byte <= b"9":
            self.word_size = 0
        else:
            self.is_name = True
        return True

    cdef int end_token(self, size_t at) except -1:
        self.in_token = False
        if not self.is_name:
            if self.word_size == 6 and memcmp(self.word, b"prefix", 6) == 0:
                self.declaration = PREFIX_DECLARATION
            elif self.word_size == 4 and memcmp(self.word, b"base", 4) == 0:
                self.declaration = BASE_DECLARATION
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


cdef enum JsonState:
    BETWEEN_STRINGS
    IN_JSON_STRING
    ESCAPE_IN_JSON_STRING


cdef enum:
    # What a parser takes for each event of JSON (again in each object around it, except for the
    # outermost), key and statement, in bytes; measured, and more.
    EVENT_SIZE = 72
    INNER_EVENT_SIZE = 112
    KEY_SIZE = 600
    STATEMENT_SIZE = 680
    # Of contexts that are copied: bytes for each that is read.
    CONTEXT_WORK = 1 << 13
    # By how much longer it takes where contexts are in contexts: they are made anew each time.
    SCOPED_WORK = 10
    # As long as "@context" is when all of it is escaped.
    KEY_START = 48


# The same, to begin with: about a second.
cdef uint64_t FREE_CONTEXT_WORK = <uint64_t>1 << 32


cdef struct JsonObject:
    uint64_t events  # in it
    uint64_t keys  # of its own
    uint64_t held  # of the object in it that takes the most
    uint64_t objects  # in it, with itself
    uint64_t depth  # of objects in it, with itself
    uint64_t context  # bytes that its own context takes
    uint64_t definitions  # of its own context
    uint64_t longest  # IRI that its own context makes of a few bytes
    uint64_t openings  # of contexts in it
    uint64_t open_contexts  # at once
    uint64_t open_definitions
    uint64_t open_longest  # IRIs one after the other
    uint64_t contexts  # bytes of those that are open at once
    uint64_t scoped_contexts  # the same if each object opens them anew
    uint64_t work  # to copy them
    uint64_t scoped_work


@cython.final
cdef class JsonNesting(NestingWatch):
    """Watches the brackets of JSON, and what JSON-LD makes of it.

    Its parser keeps an outermost object until that ends, since its context may come last, and then
    makes all its statements at once. A context is copied by each one that is inside of it.

    Args:
        limit: How many levels there may be.
        max_held: As for `NestingWatch`.
        measure_context: Called with a context's bytes; returns the size of the longest IRI that it
            makes of a few bytes, that of all of them, the number of its definitions, and whether
            there are contexts in it. Without it contexts are not watched.
        is_lenient: Whether IRIs may have blanks.
    """

    cdef object measure_context
    cdef bint is_lenient
    cdef JsonObject* objects  # that are open, from 1
    cdef uint8_t* is_array  # by depth
    cdef size_t top
    cdef bint expects_key
    cdef bint is_part_next  # of what its object says, and no statement
    cdef bint in_scalar
    cdef size_t token_start
    cdef bint has_blank
    cdef bint has_escape
    cdef uint8_t[KEY_START] key
    # Of the outermost object.
    cdef uint64_t events
    cdef uint64_t statements
    cdef uint64_t text
    cdef uint64_t longest_key
    cdef uint64_t longest_value
    cdef bint has_scoped
    cdef uint64_t work
    # Where the context is that is being read, as far as it is.
    cdef bint is_context_next
    cdef size_t context_depth
    cdef bytearray context

    def __init__(
        self, size_t limit, *, uint64_t max_held=UINT64_MAX, measure_context=None,
        bint is_lenient=False
    ):
        super().__init__(limit, max_held=max_held)
        self.measure_context = measure_context
        self.is_lenient = is_lenient
        self.context = bytearray()
        PyMem_Free(self.objects)
        PyMem_Free(self.is_array)
        self.is_array = NULL
        self.objects = <JsonObject*>PyMem_Calloc(limit + 2, sizeof(JsonObject))
        self.is_array = <uint8_t*>PyMem_Calloc(limit + 2, 1)
        if self.objects == NULL or self.is_array == NULL:
            raise MemoryError
        self.is_ready = True

    def __dealloc__(self):
        PyMem_Free(self.objects)
        PyMem_Free(self.is_array)

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        cdef JsonState state = <JsonState>self.state
        cdef uint8_t byte
        cdef size_t at
        cdef size_t start
        # Of a context that is being read.
        cdef size_t context_start = 0
        for at in range(size):
            byte = text[at]
            if state != BETWEEN_STRINGS:
                start = self.position + at - self.token_start
                if start < KEY_START:
                    self.key[start] = byte
                if state == ESCAPE_IN_JSON_STRING:
                    state = IN_JSON_STRING
                elif byte == b'"':
                    state = BETWEEN_STRINGS
                    self.end_string(at)
                elif byte == b"\\":
                    state = ESCAPE_IN_JSON_STRING
                    self.has_escape = True
                elif byte <= b" ":
                    self.has_blank = True
                continue
            if byte <= b" " or byte == b"," or byte == b":" or byte == b"]" or byte == b"}":
                if self.in_scalar:
                    self.end_scalar(at)
                if byte == b":":
                    self.expects_key = False
                elif byte == b",":
                    self.expects_key = self.depth > 0 and not self.is_array[self.depth]
                elif byte > b" " and self.depth > 0:
                    self.close(at)
                    if self.context_depth == self.depth:
                        self.context += text[context_start:at + 1]
                        self.end_context()
                    self.leave()
            elif byte == b'"':
                state = IN_JSON_STRING
                self.token_start = self.position + at + 1
                self.has_blank = self.has_escape = False
            elif byte == b"{" or byte == b"[":
                self.enter(at)
                if self.is_context_next:
                    self.is_context_next = False
                    self.context_depth = self.depth
                    context_start = at
                self.open(byte == b"[", at)
            elif not self.in_scalar:
                self.is_context_next = False
                self.in_scalar = True
                self.token_start = self.position + at
                self.note_event(not self.is_part_next, at)
                self.is_part_next = False
        if self.context_depth > 0:
            self.context += text[context_start:size]
        self.state = state
        return 0

    cdef int note_event(self, bint is_statement, size_t at) except -1:
        """Note a part of an object, or nothing outside of all objects."""
        if self.top == 0:
            return 0
        self.objects[self.top].events += 1
        self.events += 1
        if is_statement and self.context_depth == 0:
            self.statements += 1
        return self.check_held(
            EVENT_SIZE * self.events + KEY_SIZE * self.objects[1].keys + 3 * self.text, at
        )

    cdef int end_scalar(self, size_t at) except -1:
        self.in_scalar = False
        self.text += self.position + at - self.token_start
        return 0

    cdef int end_string(self, size_t at) except -1:
        cdef uint64_t size = self.position + at - self.token_start
        self.text += size
        if not self.expects_key:
            self.is_context_next = False
            if self.context_depth == 0 and (self.is_lenient or not self.has_blank):
                self.longest_value = max(self.longest_value, size)
            self.note_event(not self.is_part_next, at)
            self.is_part_next = False
            return 0
        if self.context_depth == 0:
            self.longest_key = max(self.longest_key, size)
            self.is_context_next = self.is_context_key(size) and self.measure_context is not None
        self.is_part_next = not self.has_escape and (
            (size == 3 and memcmp(self.key, b"@id", 3) == 0)
            or (size == 6 and memcmp(self.key, b"@value", 6) == 0)
            or (size == 9 and memcmp(self.key, b"@language", 9) == 0)
        )
        self.objects[self.top].keys += 1
        return self.note_event(False, at)

    cdef bint is_context_key(self, uint64_t size) except -1:
        if size > KEY_START:
            return False
        if not self.has_escape:
            return size == 8 and memcmp(self.key, b"@context", 8) == 0
        try:
            return json.loads(b'"%b"' % self.key[:size]) == "@context"
        except ValueError:
            return False

    cdef int open(self, bint is_array, size_t at) except -1:
        self.note_event(not is_array, at)
        self.is_array[self.depth] = is_array
        self.expects_key = not is_array
        self.is_part_next = False
        if not is_array:
            self.top += 1
            memset(&self.objects[self.top], 0, sizeof(JsonObject))
            self.objects[self.top].objects = 1
        return 0

    cdef int close(self, size_t at) except -1:
        self.expects_key = False
        if self.is_array[self.depth]:
            return self.note_event(False, at)
        cdef JsonObject* inner = &self.objects[self.top]
        cdef JsonObject* outer = inner - 1
        self.sum_up(inner)
        if self.context_depth > 0:
            # No object of data.
            inner.objects = inner.depth = 0
        if self.top == 1:
            self.end_outermost(inner, at)
        else:
            outer.events += inner.events
            outer.held = max(
                outer.held, inner.held + INNER_EVENT_SIZE * inner.events + KEY_SIZE * inner.keys
            )
            outer.objects += inner.objects
            outer.depth = max(outer.depth, inner.depth)
            outer.openings += inner.openings
            outer.open_contexts = max(outer.open_contexts, inner.open_contexts)
            outer.open_definitions = max(outer.open_definitions, inner.open_definitions)
            outer.open_longest = max(outer.open_longest, inner.open_longest)
            outer.contexts = max(outer.contexts, inner.contexts)
            outer.scoped_contexts = max(outer.scoped_contexts, inner.scoped_contexts)
            outer.work += inner.work
            outer.scoped_work += inner.scoped_work
        self.top -= 1
        return self.note_event(False, at)

    cdef void sum_up(self, JsonObject* whole) noexcept:
        """Add an object's own context to those in it: each of these has a copy of it."""
        whole.depth += 1
        if whole.context == 0:
            return
        whole.openings += 1
        whole.open_contexts += 1
        # Those in it may begin each of their IRIs with its longest.
        cdef uint64_t begun = whole.longest * whole.open_definitions
        whole.contexts += (whole.context + begun) * whole.open_contexts
        whole.scoped_contexts += (whole.context + begun) * whole.depth
        whole.work += (whole.context + begun) * whole.openings
        whole.scoped_work += SCOPED_WORK * (whole.context + begun) * whole.objects
        whole.open_definitions += whole.definitions
        whole.open_longest += whole.longest

    cdef int end_outermost(self, JsonObject* whole, size_t at) except -1:
        # A statement may have a subject, a predicate, a datatype and the name of a graph.
        cdef uint64_t iris = (
            2 * self.longest_value + self.longest_key + 4 * whole.open_longest
        )
        self.check_held(
            EVENT_SIZE * self.events + KEY_SIZE * whole.keys + 3 * self.text + whole.held
            + (whole.scoped_contexts if self.has_scoped else whole.contexts)
            + self.statements * (STATEMENT_SIZE + iris),
            at,
        )
        self.work += whole.scoped_work if self.has_scoped else whole.work
        if self.work > FREE_CONTEXT_WORK + CONTEXT_WORK * (self.position + at):
            raise LimitError(
                f"contexts are copied so often that it is more than {CONTEXT_WORK} bytes for each"
                " byte of the input",
                offset=self.position + at,
            )
        self.events = self.statements = self.text = 0
        self.longest_key = self.longest_value = 0
        self.has_scoped = False
        return 0

    cdef int end_context(self) except -1:
        cdef JsonObject* whole = &self.objects[self.top]
        longest, size, definitions, is_scoped = self.measure_context(bytes(self.context))
        self.context.clear()
        self.context_depth = 0
        whole.context += size
        whole.definitions += definitions
        whole.longest += longest
        self.has_scoped = self.has_scoped or is_scoped
        return 0


cdef enum XmlState:
    IN_CONTENT
    REFERENCE_IN_CONTENT
    AFTER_MARKUP_START
    IN_TAG
    SLASH_IN_TAG
    QUOTE_IN_TAG
    REFERENCE_IN_TAG
    IN_END_TAG
    AFTER_EXCLAMATION_MARK
    DASH_AFTER_EXCLAMATION_MARK
    IN_XML_COMMENT
    DASH_IN_XML_COMMENT
    TWO_DASHES_IN_XML_COMMENT
    IN_CDATA
    BRACKET_IN_CDATA
    TWO_BRACKETS_IN_CDATA
    IN_INSTRUCTION
    QUESTION_MARK_IN_INSTRUCTION
    IN_DOCUMENT_TYPE
    AMPERSAND_IN_DOCUMENT_TYPE


cdef enum:
    # What a parser takes for a statement that is not read yet, and an identifier that it knows.
    TRIPLE_SIZE = 600
    IDENTIFIER_SIZE = 150
    # Of attributes and namespaces that are compared: in the time that a byte takes to be read, and
    # to begin with.
    COMPARISONS = 100
    FREE_COMPARISONS = 1 << 24


cdef enum AttributePrefix:
    NO_PREFIX
    XML_PREFIX
    XMLNS_PREFIX
    OTHER_PREFIX


cdef struct XmlElement:
    uint64_t held
    uint64_t namespaces  # how many it declares
    uint64_t namespace_size
    bint is_collection
    bint is_literal


@cython.final
cdef class XmlNesting(NestingWatch):
    """Watches the elements of XML, and the text that entities and namespaces stand for.

    The parser of RDF/XML holds the terms of all open elements, the members of collections, and all
    identifiers (``rdf:ID``), since none may come twice.

    Args:
        limit: How many levels there may be.
        max_held: As for `NestingWatch`; and how many bytes all identifiers may take.
        base_size: How many bytes the base has that the parser is given.

    Attributes:
        expansion: How much text the references to entities may stand for at the most, in bytes,
            since this was last set to 0; and namespaces in XML literals. What is defined in XML
            itself does not count.
    """

    cdef public size_t expansion
    cdef XmlElement* elements  # that are open, from 1
    cdef uint64_t held
    cdef uint64_t namespaces  # that are declared
    cdef uint64_t namespace_size
    # The longest IRI that is declared as a namespace or a base.
    cdef uint64_t longest
    cdef uint64_t identifiers
    cdef uint64_t work
    # Of a tag: where it started, the attribute that is read, and how many there are.
    cdef size_t tag_start
    cdef size_t value_start
    # What entities stand for in all, and before the tag and the attribute's value.
    cdef uint64_t expanded
    cdef uint64_t expanded_before_tag
    cdef uint64_t expanded_before_value
    cdef uint64_t attributes
    cdef uint64_t longest_value
    cdef AttributePrefix prefix
    cdef uint8_t[WORD_SIZE] word  # its name behind the prefix
    cdef size_t word_size
    cdef bint is_name_over
    cdef uint8_t[WORD_SIZE] value
    cdef size_t document_type_size
    cdef int angles  # that are open in the document type
    cdef uint8_t[5] name  # of an entity, as far as it may be one of XML's own
    cdef size_t name_size

    def __init__(
        self, size_t limit, *, uint64_t max_held=UINT64_MAX, uint64_t base_size=0
    ):
        super().__init__(limit, max_held=max_held)
        self.longest = base_size
        PyMem_Free(self.elements)
        self.elements = <XmlElement*>PyMem_Calloc(limit + 2, sizeof(XmlElement))
        if self.elements == NULL:
            raise MemoryError
        self.is_ready = True

    def __dealloc__(self):
        PyMem_Free(self.elements)

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        cdef XmlState state = <XmlState>self.state
        cdef uint8_t byte
        cdef size_t at
        for at in range(size):
            byte = text[at]
            if state == IN_CONTENT:
                if byte == b"<":
                    state = AFTER_MARKUP_START
                elif byte == b"&":
                    state = REFERENCE_IN_CONTENT
            elif state == REFERENCE_IN_CONTENT or state == REFERENCE_IN_TAG:
                if self.is_in_name(byte):
                    continue
                self.end_reference()
                if state == REFERENCE_IN_CONTENT:
                    state = AFTER_MARKUP_START if byte == b"<" else IN_CONTENT
                elif byte == self.quote:
                    self.end_attribute(at)
                    state = IN_TAG
                else:
                    state = QUOTE_IN_TAG
            elif state == QUOTE_IN_TAG:
                if byte == self.quote:
                    self.end_attribute(at)
                    state = IN_TAG
                elif byte == b"&":
                    state = REFERENCE_IN_TAG
                elif self.position + at - self.value_start < WORD_SIZE:
                    self.value[self.position + at - self.value_start] = byte
            elif state == AFTER_MARKUP_START:
                if byte == b"/":
                    self.close()
                    state = IN_END_TAG
                elif byte == b"!":
                    state = AFTER_EXCLAMATION_MARK
                elif byte == b"?":
                    state = IN_INSTRUCTION
                else:
                    self.enter(at)
                    self.open(at)
                    state = IN_TAG
            elif state == IN_TAG or state == SLASH_IN_TAG:
                if byte == b">":
                    self.end_tag(at)
                    if state == SLASH_IN_TAG:
                        self.close()
                    state = IN_CONTENT
                elif byte == b'"' or byte == b"'":
                    self.quote = byte
                    self.start_value(at + 1)
                    state = QUOTE_IN_TAG
                else:
                    self.note_name(byte)
                    state = SLASH_IN_TAG if byte == b"/" else IN_TAG
            elif state == IN_END_TAG:
                if byte == b">":
                    state = IN_CONTENT
            elif state >= IN_DOCUMENT_TYPE:
                state = self.look_at_document_type(state, byte, at)
            else:
                state = self.look_at_other_markup(state, byte)
        self.state = state
        return 0

    cdef int open(self, size_t at) except -1:
        memset(&self.elements[self.depth], 0, sizeof(XmlElement))
        if self.elements[self.depth - 1].is_literal:
            # There all namespaces are declared anew.
            self.expansion += self.namespace_size
            self.work += self.namespaces * self.namespaces
        self.compare(self.namespaces, at)
        self.tag_start = self.position + at
        self.expanded_before_tag = self.expanded
        self.attributes = self.longest_value = 0
        self.is_name_over = True
        return 0

    cdef void note_name(self, uint8_t byte) noexcept:
        """Note a byte of a tag, outside of values."""
        if byte == b" " or byte == b"=" or byte == b"\n" or byte == b"\t" or byte == b"\r":
            self.is_name_over = True
            return
        if self.is_name_over:
            self.is_name_over = False
            self.prefix = NO_PREFIX
            self.word_size = 0
        if byte == b":":
            if self.is_word(b"xmlns", 5):
                self.prefix = XMLNS_PREFIX
            else:
                self.prefix = XML_PREFIX if self.is_word(b"xml", 3) else OTHER_PREFIX
            self.word_size = 0
            return
        if self.word_size < WORD_SIZE:
            self.word[self.word_size] = byte
        self.word_size += 1

    cdef inline bint is_word(self, const char* word, size_t size) noexcept:
        return self.word_size == size and memcmp(self.word, word, size) == 0

    cdef void start_value(self, size_t at) noexcept:
        self.value_start = self.position + at
        self.expanded_before_value = self.expanded
        self.is_name_over = True
        memset(self.value, 0, WORD_SIZE)

    cdef int end_attribute(self, size_t at) except -1:
        cdef XmlElement* element = &self.elements[self.depth]
        cdef uint64_t raw_size = self.position + at - self.value_start
        cdef uint64_t size = raw_size + self.expanded - self.expanded_before_value
        self.attributes += 1
        self.longest_value = max(self.longest_value, size)
        self.compare(self.attributes + self.namespaces, at)
        if self.prefix == XMLNS_PREFIX or (self.prefix == NO_PREFIX and self.is_word(b"xmlns", 5)):
            element.namespaces += 1
            element.namespace_size += size + 2 * WORD_SIZE
            self.namespaces += 1
            self.namespace_size += size + 2 * WORD_SIZE
            self.longest = max(self.longest, size)
        elif self.prefix == XML_PREFIX and self.is_word(b"base", 4):
            self.longest = max(self.longest, size)
        elif self.prefix == OTHER_PREFIX and self.is_word(b"ID", 2):
            self.identifiers += IDENTIFIER_SIZE + size + self.longest
            self.check_held(self.identifiers, at)
        elif self.prefix == OTHER_PREFIX and self.is_word(b"parseType", 9):
            if raw_size == 10 and memcmp(self.value, b"Collection", 10) == 0:
                element.is_collection = True
            elif raw_size != 8 or memcmp(self.value, b"Resource", 8) != 0:
                element.is_literal = True
        return 0

    cdef inline int compare(self, uint64_t count, size_t at) except -1:
        """Note names that are compared with one."""
        self.work += count
        if self.work > FREE_COMPARISONS + COMPARISONS * (self.position + at):
            raise LimitError(
                f"attributes and namespaces are so many that it takes more than {COMPARISONS}"
                " comparisons for each byte",
                offset=self.position + at,
            )
        return 0

    cdef int end_tag(self, size_t at) except -1:
        cdef XmlElement* element = &self.elements[self.depth]
        cdef uint64_t size = (
            self.position + at - self.tag_start + self.expanded - self.expanded_before_tag
        )
        # A subject, a predicate, a datatype, a language, and a copy of the subject.
        self.hold(element, 2 * size + 4 * self.longest)
        if (element - 1).is_collection:
            self.hold(element - 1, TRIPLE_SIZE + size + self.longest)
        return self.check_held(
            self.held
            + self.attributes * (TRIPLE_SIZE + self.longest_value + 2 * self.longest),
            at,
        )

    cdef inline void hold(self, XmlElement* element, uint64_t size) noexcept:
        element.held += size
        self.held += size

    cdef void close(self) noexcept:
        if self.depth == 0:
            return
        cdef XmlElement* element = &self.elements[self.depth]
        self.held -= element.held
        self.namespaces -= element.namespaces
        self.namespace_size -= element.namespace_size
        self.leave()

    cdef XmlState look_at_other_markup(self, XmlState state, uint8_t byte) noexcept:
        if state == AFTER_EXCLAMATION_MARK:
            if byte == b"-":
                return DASH_AFTER_EXCLAMATION_MARK
            if byte == b"[":
                return IN_CDATA
            self.angles = 1
            return IN_DOCUMENT_TYPE
        if state == DASH_AFTER_EXCLAMATION_MARK:
            return IN_XML_COMMENT
        if state == IN_XML_COMMENT:
            return DASH_IN_XML_COMMENT if byte == b"-" else IN_XML_COMMENT
        if state == DASH_IN_XML_COMMENT:
            return TWO_DASHES_IN_XML_COMMENT if byte == b"-" else IN_XML_COMMENT
        if state == TWO_DASHES_IN_XML_COMMENT:
            if byte == b">":
                return IN_CONTENT
            return TWO_DASHES_IN_XML_COMMENT if byte == b"-" else IN_XML_COMMENT
        if state == IN_CDATA:
            return BRACKET_IN_CDATA if byte == b"]" else IN_CDATA
        if state == BRACKET_IN_CDATA:
            return TWO_BRACKETS_IN_CDATA if byte == b"]" else IN_CDATA
        if state == TWO_BRACKETS_IN_CDATA:
            if byte == b">":
                return IN_CONTENT
            return TWO_BRACKETS_IN_CDATA if byte == b"]" else IN_CDATA
        if state == IN_INSTRUCTION:
            return QUESTION_MARK_IN_INSTRUCTION if byte == b"?" else IN_INSTRUCTION
        if byte == b">":
            return IN_CONTENT
        return QUESTION_MARK_IN_INSTRUCTION if byte == b"?" else IN_INSTRUCTION

    cdef XmlState look_at_document_type(
        self, XmlState state, uint8_t byte, size_t at
    ) except *:
        self.document_type_size += 1
        if self.document_type_size > MAX_DOCUMENT_TYPE:
            raise LimitError(
                f"the document type has more than {MAX_DOCUMENT_TYPE} bytes",
                offset=self.position + at,
            )
        if state == AMPERSAND_IN_DOCUMENT_TYPE and byte != b"#":
            # A few of these can stand for any amount of text.
            raise LimitError(
                "the document type refers to an entity: those that are made of others aren't read",
                offset=self.position + at,
            )
        if byte == b"&":
            return AMPERSAND_IN_DOCUMENT_TYPE
        if byte == b"<":
            self.angles += 1
        elif byte == b">":
            self.angles -= 1
            if self.angles == 0:
                return IN_CONTENT
        return IN_DOCUMENT_TYPE

    cdef inline bint is_in_name(self, uint8_t byte) noexcept:
        """Note a byte of a reference; False if it ends there."""
        if byte == b";" or byte == b"<" or byte == b"&" or byte == b'"' or byte == b"'":
            return False
        if self.name_size < sizeof(self.name):
            self.name[self.name_size] = byte
        self.name_size += 1
        return True

    cdef void end_reference(self) noexcept:
        cdef size_t size = self.name_size
        self.name_size = 0
        if size > 0 and self.name[0] == b"#":
            return
        if (
            (size == 2 and (memcmp(self.name, b"lt", 2) == 0 or memcmp(self.name, b"gt", 2) == 0))
            or (size == 3 and memcmp(self.name, b"amp", 3) == 0)
            or (
                size == 4
                and (memcmp(self.name, b"quot", 4) == 0 or memcmp(self.name, b"apos", 4) == 0)
            )
        ):
            return
        self.expansion += self.document_type_size
        self.expanded += self.document_type_size

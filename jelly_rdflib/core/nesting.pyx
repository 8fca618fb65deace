"""Watches how deep a text nests, on its way to a parser that trusts its stack and its memory.

Only as much of a syntax is known here as tells its brackets and tags from what looks like them.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp

from jelly_rdflib.errors import LimitError

cdef enum:
    # A document type is to define a few entities, and each may stand for as much text as it has.
    MAX_DOCUMENT_TYPE = 1 << 16


cdef class NestingWatch:
    """Watches how deep a text nests. Subclasses know a syntax.

    Args:
        limit: How many levels there may be.

    Attributes:
        depth: How many levels are open.
    """

    cdef int state
    cdef uint8_t quote
    cdef readonly size_t depth
    cdef size_t limit
    cdef size_t position  # of the next piece

    def __init__(self, size_t limit):
        self.limit = limit

    def look(self, bytes piece not None):
        """Look at the next piece of the text.

        Raises:
            LimitError: It nests deeper than the limit.
        """
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


@cython.final
cdef class TurtleNesting(NestingWatch):
    """Watches the brackets of N-Triples, N-Quads, Turtle, TriG and N3.

    Args:
        limit: How many levels there may be.
        has_arrows: Whether ``<=`` is no start of an IRI: in N3.

    Examples:
        >>> watch = TurtleNesting(2)
        >>> watch.look(b'<s:s> <s:p> "((((", <s:((((>, ( [ ] ), ( ( ')' # )')')
        >>> watch.look(b" ( ")
        Traceback (most recent call last):
        jelly_rdflib.errors.LimitError: brackets or elements nest deeper than 2 levels (byte 49)
    """

    cdef bint has_arrows

    def __init__(self, size_t limit, *, bint has_arrows=False):
        super().__init__(limit)
        self.has_arrows = has_arrows

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
                if found == NULL:
                    break
                state = IN_TEXT
                at = found - text + 1
                continue
            if state == IN_STRING:
                while at < size and text[at] != quote and text[at] != b"\\":
                    at += 1
                if at == size:
                    break
                state = IN_TEXT if text[at] == quote else ESCAPE_IN_STRING
                at += 1
                continue
            byte = text[at]
            at += 1
            if state == AFTER_LESS_THAN:
                if byte == b">" or byte == b"<" or (byte == b"=" and self.has_arrows):
                    # An empty IRI, the start of a quoted triple, or an arrow.
                    state = IN_TEXT
                else:
                    state = IN_IRI
                continue
            if state == AFTER_TWO_QUOTES:
                if byte == quote:
                    state = IN_LONG_STRING
                    continue
                state = IN_TEXT
            if state == IN_TEXT:
                if byte == b"<":
                    state = AFTER_LESS_THAN
                elif byte == b'"' or byte == b"'":
                    state = AFTER_QUOTE
                    quote = byte
                elif byte == b"#":
                    state = IN_COMMENT
                elif byte == b"\\":
                    state = ESCAPE_IN_TEXT
                elif byte == b"(" or byte == b"[" or byte == b"{":
                    self.enter(at - 1)
                elif byte == b")" or byte == b"]" or byte == b"}":
                    self.leave()
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
            else:
                state = ESCAPE_IN_LONG_STRING if byte == b"\\" else IN_LONG_STRING
        self.state = state
        self.quote = quote
        return 0


cdef enum JsonState:
    BETWEEN_STRINGS
    IN_JSON_STRING
    ESCAPE_IN_JSON_STRING


@cython.final
cdef class JsonNesting(NestingWatch):
    """Watches the brackets of JSON."""

    cdef int look_through(self, const uint8_t* text, size_t size) except -1:
        cdef JsonState state = <JsonState>self.state
        cdef uint8_t byte
        cdef size_t at
        for at in range(size):
            byte = text[at]
            if state == IN_JSON_STRING:
                if byte == b'"':
                    state = BETWEEN_STRINGS
                elif byte == b"\\":
                    state = ESCAPE_IN_JSON_STRING
            elif state == ESCAPE_IN_JSON_STRING:
                state = IN_JSON_STRING
            elif byte == b'"':
                state = IN_JSON_STRING
            elif byte == b"{" or byte == b"[":
                self.enter(at)
            elif byte == b"}" or byte == b"]":
                self.leave()
        self.state = state
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


@cython.final
cdef class XmlNesting(NestingWatch):
    """Watches the elements of XML, and the text that its entities stand for.

    Attributes:
        expansion: How much text the references to entities may stand for at the most, in bytes,
            since this was last set to 0. What is defined in XML itself does not count.
    """

    cdef public size_t expansion
    cdef size_t document_type_size
    cdef int angles  # that are open in the document type
    cdef uint8_t[5] name  # of an entity, as far as it may be one of XML's own
    cdef size_t name_size

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
                else:
                    state = IN_TAG if byte == self.quote else QUOTE_IN_TAG
            elif state == QUOTE_IN_TAG:
                if byte == self.quote:
                    state = IN_TAG
                elif byte == b"&":
                    state = REFERENCE_IN_TAG
            elif state == AFTER_MARKUP_START:
                if byte == b"/":
                    self.leave()
                    state = IN_END_TAG
                elif byte == b"!":
                    state = AFTER_EXCLAMATION_MARK
                elif byte == b"?":
                    state = IN_INSTRUCTION
                else:
                    self.enter(at)
                    state = IN_TAG
            elif state == IN_TAG or state == SLASH_IN_TAG:
                if byte == b">":
                    if state == SLASH_IN_TAG:
                        self.leave()
                    state = IN_CONTENT
                elif byte == b'"' or byte == b"'":
                    self.quote = byte
                    state = QUOTE_IN_TAG
                else:
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

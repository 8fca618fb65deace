"""Watches the nesting of RDF/XML."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport UINT64_MAX, uint8_t, uint64_t
from libc.string cimport memcmp, memset

from jelly_rdflib.core.nesting cimport WORD_SIZE, NestingWatch

from jelly_rdflib.errors import LimitError

cdef enum:
    # A document type is to define a few entities, and each may stand for as much text as it has.
    MAX_DOCUMENT_TYPE = 1 << 16


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

"""Terms as text, in canonical N-Triples or in RDF Patch.

For N-Triples the spelling is the canonical one (RDF 1.2 N-Triples, "A Canonical form of
N-Triples"), with these exceptions:

- a literal of datatype xsd:string keeps its datatype, since rdflib distinguishes ``"x"`` from it;
- a character that is not allowed at its position in a blank node's label is written ``\\uXXXX``
  or ``\\UXXXXXXXX``, so that any label can be written; ``_:`` alone is the empty label;
- a quoted triple is ``<< s p o >>``.

RDF Patch differs in blank nodes, which are written ``<_:label>``.
"""

cdef const char* HEX = b"0123456789ABCDEF"

cdef enum:
    # The least value of `max_size`, in bytes: a smaller limit is raised to it.
    LEAST_SIZE = 1 << 16
    # The size of an escape, and of an escape in a label.
    ESCAPE_SIZE = 6
    LABEL_ESCAPE_SIZE = 10

# How a byte is written: unchanged, or as an escape. U+FFFE and U+FFFF start with EF.
cdef enum:
    AS_IT_IS = 0
    IN_HEX = 1
    PERHAPS_NO_CHARACTER = 2

cdef uint8_t[256] STRING_ESCAPES
cdef uint8_t[256] IRI_ESCAPES
for byte in range(256):
    STRING_ESCAPES[byte] = IN_HEX if byte < 0x20 or byte == 0x7F else AS_IT_IS
    IRI_ESCAPES[byte] = IN_HEX if byte <= 0x20 or byte in b'<>"{}|^`\\' else AS_IT_IS
for byte, letter in zip(ESCAPED_BYTES, ESCAPE_LETTERS):
    STRING_ESCAPES[byte] = letter
STRING_ESCAPES[0xEF] = PERHAPS_NO_CHARACTER


cdef inline Span span_of_bytes(bytes text):
    cdef Span span
    span.start = <const uint8_t*>PyBytes_AS_STRING(text)
    span.end = span.start + PyBytes_GET_SIZE(text)
    return span


cdef str str_of_span(Span text):
    return text.start[:text.end - text.start].decode("utf-8")


cdef inline int put_escaped(WriteBuffer* out, const char* head, Span text, char tail) except -1:
    """Write a text between a head and a tail, with the escapes of a string or of an IRI."""
    cdef size_t size = text.end - text.start
    cdef bint is_string = tail == b'"'
    cdef uint8_t* target
    cdef const uint8_t* stop
    # Reserve room after the copy, so that it can be read in blocks.
    buffer_reserve(out, strlen(head) + size + 1 + BLOCK)
    put_bytes(out, <const uint8_t*>head, strlen(head))
    target = out.data + out.size
    memcpy(target, text.start, size)
    if is_string:
        stop = find_string_escape(target, target + size)
    else:
        stop = find_iri_escape(target, target + size)
    if stop >= target + size:
        out.size += size
    else:
        out.size += stop - target
        text.start += stop - target
        put_escapes(out, text.start, text.end, is_string)
        buffer_reserve(out, 1)
    put_byte(out, tail)
    return 0


cdef int put_escapes(
    WriteBuffer* out, const uint8_t* at, const uint8_t* end, bint is_string
) except -1:
    cdef const uint8_t* start = at
    cdef uint8_t escape
    while at < end:
        escape = STRING_ESCAPES[at[0]] if is_string else IRI_ESCAPES[at[0]]
        if escape == AS_IT_IS or (
            escape == PERHAPS_NO_CHARACTER and not (at[1] == 0xBF and at[2] >= 0xBE)
        ):
            at += 1
            continue
        buffer_reserve(out, at - start + ESCAPE_SIZE)
        put_bytes(out, start, at - start)
        put_byte(out, b"\\")
        if escape == PERHAPS_NO_CHARACTER:
            put_bytes(out, b"uFFFE" if at[2] == 0xBE else b"uFFFF", 5)
            at += 2
        elif escape == IN_HEX:
            put_bytes(out, b"u00", 3)
            put_byte(out, HEX[at[0] >> 4])
            put_byte(out, HEX[at[0] & 0xF])
        else:
            put_byte(out, escape)
        at += 1
        start = at
    buffer_reserve(out, at - start)
    put_bytes(out, start, at - start)
    return 0


cdef int put_label(WriteBuffer* out, Span label) except -1:
    """Write a blank node's label, with escapes for characters that labels can't have."""
    cdef const uint8_t* at = label.start
    cdef uint32_t c
    cdef int length, shift
    cdef bint is_plain
    buffer_reserve(out, 2 + LABEL_ESCAPE_SIZE * (label.end - at))
    put_bytes(out, b"_:", 2)
    while at < label.end:
        length = 1
        c = at[0]
        if c >= 0x80:
            length = read_code_point(at, label.end, &c)
            is_plain = is_name_part(c) if at > label.start else is_name_start(c)
        elif c == b".":
            is_plain = label.start < at < label.end - 1
        else:
            is_plain = c == b":" or (
                is_ascii_name_part(<uint8_t>c) and (c != b"-" or at > label.start)
            )
        if is_plain:
            put_bytes(out, at, length)
        else:
            put_byte(out, b"\\")
            put_byte(out, b"u" if c < 0x10000 else b"U")
            for shift in range(12 if c < 0x10000 else 28, -1, -4):
                put_byte(out, HEX[c >> shift & 0xF])
        at += length
    return 0


@cython.final
cdef class TermTexts:
    """The texts of a batch's terms; each is made at its first use.

    Args:
        max_size: The maximum size of a quoted triple, in bytes; all texts together may have eight
            times this size, since an escape replaces one byte with six.
        is_patch: Whether to write RDF Patch; else N-Triples.
        default_graph: The IRI of the default graph as a subject or object.
    """

    def __cinit__(self, size_t max_size, *, bint is_patch=False, bytes default_graph=None):
        self.max_size = max(max_size, <size_t>LEAST_SIZE)
        self.is_patch = is_patch
        self.default_graph = default_graph

    def __dealloc__(self):
        buffer_free(&self.out)
        PyMem_RawFree(self.places)

    cdef int start(self, TermTable table) except -1:
        """Prepare to write a table's terms; if it is still the same table, keep their texts."""
        if table is not self.table:
            self.end()
        self.start_columns(&table.columns)
        self.table = table
        return 0

    cdef int start_columns(self, const TermColumns* terms) except -1:
        cdef size_t capacity
        cdef void* grown
        if terms.count > self.capacity:
            # A table that is still being filled grows by a few terms at a time.
            capacity = max(<size_t>terms.count, 2 * self.capacity)
            grown = PyMem_RawRealloc(self.places, capacity * sizeof(WrittenTerm))
            if grown == NULL:
                raise MemoryError
            self.places = <WrittenTerm*>grown
            self.capacity = capacity
        if terms.count > self.count:
            memset(
                self.places + self.count, 0, (terms.count - self.count) * sizeof(WrittenTerm)
            )
            self.count = terms.count
        self.terms = terms
        return 0

    cdef int end(self) except -1:
        """Forget the batch and the texts."""
        self.table = None
        self.terms = NULL
        self.count = 0
        self.out.size = 0
        self.buffer += 1
        return 0

    cdef inline WrittenTerm* find(self, uint32_t term) except NULL:
        """Return where in ``out`` a term's text is; the term must not be number 0 or a STRING."""
        if self.places[term].size == 0:
            self.make(term)
        return &self.places[term]

    cdef int make(self, uint32_t term) except -1:
        cdef size_t start = self.out.size
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            return self.make_triple(term)
        self.put(&self.out, term)
        return self.keep(term, start)

    cdef int put_anew(self, WriteBuffer* out, uint32_t term) except -1:
        """Write the text of a term and a space, and record its position."""
        cdef size_t start = out.size
        self.put(out, term)
        # Reserve an extra block, since texts are copied in whole blocks.
        buffer_reserve(out, 1 + BLOCK)
        put_byte(out, b" ")
        self.places[term] = WrittenTerm(start, out.size - start, self.buffer)
        return 0

    cdef int put(self, WriteBuffer* out, uint32_t term) except -1:
        """Write the text of a term other than a quoted triple."""
        cdef Span text = text_of(self.terms, term)
        cdef int kind = self.terms.kinds[term]
        if kind == TermKind.IRI:
            return self.put_iri(out, text)
        if kind == TermKind.BLANK_NODE:
            return put_escaped(out, b"<_:", text, b">") if self.is_patch else put_label(out, text)
        if kind == TermKind.DEFAULT_GRAPH and self.default_graph is not None:
            return self.put_iri(out, span_of_bytes(self.default_graph))
        if kind < TermKind.SIMPLE_LITERAL or kind > TermKind.TYPED_LITERAL:
            refuse_node(None if term == 0 else self.table.make_node(term))
        put_escaped(out, b'"', text, b'"')
        text = text_of(self.terms, self.terms.extras[term])
        if kind == TermKind.TYPED_LITERAL:
            buffer_reserve(out, 2)
            put_bytes(out, b"^^", 2)
            return self.put_iri(out, text)
        if kind == TermKind.LANGUAGE_LITERAL:
            if self.is_patch and not is_language_tag(text):
                refuse_direction(
                    text_of(self.terms, term), text, "RDF Patch text has", EncodeError
                )
                raise EncodeError(
                    f"RDF Patch text can't have {str_of_span(text)!r}: it is not a language tag"
                )
            buffer_reserve(out, 1 + (text.end - text.start))
            put_byte(out, b"@")
            put_bytes(out, text.start, text.end - text.start)
        return 0

    cdef int keep(self, uint32_t term, size_t start) except -1:
        if self.out.size > 8 * self.max_size:
            raise LimitError(
                f"the frame's terms take more than {8 * self.max_size} bytes as N-Triples, which is"
                " 8 times the limit", limit="max_text_size", value=self.max_size,
            )
        # Reserve room after the texts, so that they can be copied in whole blocks.
        buffer_reserve(&self.out, BLOCK)
        self.places[term].start = start
        self.places[term].size = self.out.size - start
        return 0

    cdef int make_triple(self, uint32_t term) except -1:
        cdef uint32_t[3] numbers
        cdef size_t size = 6
        cdef size_t start
        cdef int position
        memcpy(numbers, self.terms.data + self.terms.offsets[term], sizeof(numbers))
        for position in range(3):
            size += self.find(numbers[position]).size + 1
        # Limit the text: a few triples that share quoted triples may expand to very long text.
        if size > self.max_size:
            raise LimitError(
                f"a quoted triple has more than {self.max_size} bytes", limit="max_text_size",
                value=self.max_size,
            )
        buffer_reserve(&self.out, size)
        start = self.out.size
        put_bytes(&self.out, b"<< ", 3)
        for position in range(3):
            put_bytes(
                &self.out, self.out.data + self.places[numbers[position]].start,
                self.places[numbers[position]].size,
            )
            put_byte(&self.out, b" ")
        put_bytes(&self.out, b">>", 2)
        return self.keep(term, start)

    cdef int put_iri(self, WriteBuffer* out, Span text) except -1:
        if (
            self.is_patch and text.end - text.start >= 2
            and text.start[0] == b"_" and text.start[1] == b":"
        ):
            raise EncodeError(
                f"RDF Patch text can't have the IRI {str_of_span(text)!r}: between < and > it would"
                " be a blank node"
            )
        return put_escaped(out, b"<", text, b">")

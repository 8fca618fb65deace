"""Decodes terms and statements: what Jelly-RDF and Jelly-Patch share of the wire format."""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.string cimport memcpy, memset

from jelly_rdflib.core.failure cimport fail, fail_limit, fail_memory, fail_number
from jelly_rdflib.core.hashing cimport hash_text
from jelly_rdflib.core.lookup cimport (
    EMPTY_PREFIX,
    FIRST_SERIAL,
    LookupEntry,
    lookup_find,
    lookup_free,
    lookup_init,
    lookup_set,
)
from jelly_rdflib.core.terms cimport (
    hash_seed,
    term_hash,
    terms_clear,
    terms_copy,
    terms_free,
    terms_init,
    terms_intern,
    terms_intern_tail,
    terms_intern_triple,
    terms_reserve,
)
from jelly_rdflib.core.utf8 cimport is_utf8
from jelly_rdflib.core.wire cimport (
    LENGTH_DELIMITED,
    VARINT,
    expect_wire_type,
    fail_wire_type,
    read_span,
    read_tag,
    read_uint32,
    skip_field,
)

# The members of the graph oneof of RdfQuad, fields 13 to 16, are in an order of their own.
cdef int[4] GRAPH_KINDS = [IS_IRI, IS_BLANK_NODE, IS_DEFAULT_GRAPH, IS_LITERAL]


@cython.final
cdef class TermDecoder:
    """The state that terms are decoded with: lookups, last terms, and the frame's term table.

    Methods return -1 on failure, with ``failure`` filled in; none needs the GIL.
    """

    def __cinit__(self):
        self.next_serial = FIRST_SERIAL

    def __dealloc__(self):
        lookup_free(&self.names)
        lookup_free(&self.prefixes)
        lookup_free(&self.datatypes)
        terms_free(&self.terms)
        for position in range(4):
            terms_free(&self.carried[position])
        self.free_merged()

    cdef int set_lookups(
        self, uint32_t names, uint32_t prefixes, uint32_t datatypes
    ) noexcept nogil:
        """Make the lookups; their sizes have been checked against the limits."""
        if (
            lookup_init(&self.names, b"name", names) < 0
            or lookup_init(&self.prefixes, b"prefix", prefixes) < 0
            or lookup_init(&self.datatypes, b"datatype", datatypes) < 0
        ):
            return fail_memory(&self.failure, NULL)
        return 0

    cdef int begin_frame(self, uint32_t terms, size_t text) noexcept nogil:
        """Start a new term table, with room for so many terms and bytes before it grows."""
        self.frame += 1
        terms_free(&self.terms)
        if terms_init(&self.terms, terms, text, self.limits.text_size) < 0:
            return fail_memory(&self.failure, NULL)
        return 0

    cdef int end_frame(self) noexcept nogil:
        """Keep the last terms for the next frame, which has a table of its own."""
        cdef int position
        cdef int64_t term
        for position in range(4):
            if self.last[position] == NOT_YET or self.last[position] == CARRIED:
                continue
            if self.carried[position].slots != NULL and self.carried[position].data_capacity < 4096:
                terms_clear(&self.carried[position])
            else:
                terms_free(&self.carried[position])
                if terms_init(&self.carried[position], 4, 256, self.limits.text_size) < 0:
                    return fail_memory(&self.failure, NULL)
            term = terms_copy(
                &self.carried[position], &self.terms, self.last[position], NULL, &self.failure
            )
            if term < 0:
                return -1
            self.carried_term[position] = <uint32_t>term
            self.last[position] = CARRIED
        self.free_merged()
        return 0

    cdef int set_entry(self, Lookup* lookup, Span entry) noexcept nogil:
        self.next_serial += 1
        return lookup_set(
            lookup, entry, self.next_serial, self.limits.string_size, self.limits.text_size,
            &self.failure,
        )

    cdef int decode_statement(
        self, Span message, uint32_t* quad, bint has_graph
    ) noexcept nogil:
        """Decode an RdfQuad or RdfTriple whose unset terms are repeated terms.

        Without ``has_graph`` the fields of the graph are read but mean nothing.
        """
        cdef EncodedTerm[4] terms
        cdef int position
        cdef int64_t number
        memset(terms, 0, sizeof(terms))
        if self.read_statement(message, terms, True) < 0:
            return -1
        for position in range(3):
            if terms[position].kind == UNSET:
                number = self.repeat(position, message.start)
            else:
                number = self.decode_term(&terms[position], position, 0)
            if number < 0:
                return -1
            quad[position] = <uint32_t>number
            self.last[position] = <uint32_t>number
        quad[GRAPH] = 0
        if has_graph:
            return self.decode_graph(&terms[GRAPH], message.start, &quad[GRAPH])
        return 0

    cdef int decode_graph(
        self, EncodedTerm* term, const uint8_t* at, uint32_t* number
    ) noexcept nogil:
        """Decode a graph node; statements and namespaces share the last one."""
        cdef int64_t graph
        if term.kind == UNSET:
            graph = self.repeat(GRAPH, at)
        else:
            graph = self.decode_term(term, GRAPH, 0)
        if graph < 0:
            return -1
        number[0] = <uint32_t>graph
        self.last[GRAPH] = <uint32_t>graph
        return 0

    cdef int read_statement(
        self, Span message, EncodedTerm* terms, bint has_graph
    ) noexcept nogil:
        """Read the fields of an RdfQuad (or RdfTriple) into ``terms``, in whatever order."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef int position, kind
        cdef Span span
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0:
                return -1
            if field > 16 or (field > 12 and not has_graph):
                if skip_field(&at, message.end, field, wire_type, &self.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.failure) < 0
                or read_span(&at, message.end, &span, &self.failure) < 0
            ):
                return -1
            position = (field - 1) >> 2
            kind = (field - 1) & 3
            kind = GRAPH_KINDS[kind] if position == GRAPH else kind + 1
            if terms[position].kind == UNSET:
                terms[position].kind = kind
                terms[position].span = span
            elif self.keep(kind, &terms[position], span) < 0:
                return -1
        return 0

    cdef int keep(self, int kind, EncodedTerm* term, Span span) noexcept nogil:
        """Set a member of a oneof that is set already.

        Of a oneof the last member wins; the same member again is merged if it is a message
        (protobuf, "Last One Wins"), and the encodings of two messages, one after the other, are
        the encoding of the merged message.
        """
        if kind == term.kind and kind != IS_BLANK_NODE:
            return self.merge(&term.span, span)
        term.kind = kind
        term.span = span
        return 0

    cdef int merge(self, Span* merged, Span more) noexcept nogil:
        cdef size_t first = merged.end - merged.start
        cdef size_t second = more.end - more.start
        cdef MergedSpan* node
        cdef uint8_t* copy
        node = <MergedSpan*>PyMem_RawMalloc(sizeof(MergedSpan) + first + second)
        if node == NULL:
            return fail_memory(&self.failure, more.start)
        node.next = self.merged
        self.merged = node
        copy = <uint8_t*>(node + 1)
        memcpy(copy, merged.start, first)
        memcpy(copy + first, more.start, second)
        merged.start = copy
        merged.end = copy + first + second
        return 0

    cdef void free_merged(self) noexcept nogil:
        cdef MergedSpan* node
        while self.merged != NULL:
            node = self.merged
            self.merged = node.next
            PyMem_RawFree(node)

    cdef int64_t repeat(self, int position, const uint8_t* at) noexcept nogil:
        """Return the last term of that position (Jelly-RDF, "Repeated terms")."""
        if self.last[position] == NOT_YET:
            return fail_number(
                &self.failure, at,
                b"repeated term, but there was no term before it in position {number} of 4"
                b" (s, p, o, g)",
                position + 1, 0,
            )
        if self.last[position] == CARRIED:
            return terms_copy(
                &self.terms, &self.carried[position], self.carried_term[position], at,
                &self.failure,
            )
        return self.last[position]

    cdef int64_t decode_term(
        self, EncodedTerm* term, int position, int depth
    ) noexcept nogil:
        """Decode a term that is set; ``depth`` counts the quoted triples around it."""
        cdef Span span = term.span
        if term.kind == IS_IRI:
            return self.decode_iri(span)
        if term.kind == IS_LITERAL:
            if position != OBJECT and not self.generalized:
                return fail(
                    &self.failure, span.start,
                    b"literal that is not an object, but the options do not have"
                    b" generalized_statements",
                )
            return self.decode_literal(span)
        if term.kind == IS_DEFAULT_GRAPH:
            if self.check_empty(span) < 0:
                return -1
            return terms_intern(
                &self.terms, TermKind.DEFAULT_GRAPH, span.start, 0, 0,
                term_hash(TermKind.DEFAULT_GRAPH, 0, 0), span.start, &self.failure,
            )
        if position == PREDICATE and not self.generalized:
            return fail(
                &self.failure, span.start,
                b"predicate that is not an IRI, but the options do not have"
                b" generalized_statements",
            )
        if term.kind == IS_TRIPLE_TERM:
            return self.decode_triple(span, depth + 1)
        return self.decode_blank_node(span)

    cdef int check_empty(self, Span message) noexcept nogil:
        """Check a message of which no field is known."""
        cdef const uint8_t* at = message.start
        cdef uint32_t field, wire_type
        while at < message.end:
            if (
                read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0
                or skip_field(&at, message.end, field, wire_type, &self.failure) < 0
            ):
                return -1
        return 0

    cdef int64_t decode_iri(self, Span message) noexcept nogil:
        """Decode an RdfIri (Jelly-RDF, "IRIs")."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint32_t prefix_id = 0
        cdef uint32_t name_id = 0
        cdef LookupEntry* name
        cdef LookupEntry* prefix = NULL
        cdef uint64_t prefix_serial = EMPTY_PREFIX
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0:
                return -1
            if field > 2:
                if skip_field(&at, message.end, field, wire_type, &self.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(VARINT, field, wire_type, tag_at, &self.failure) < 0
                or read_uint32(
                    &at, message.end, &prefix_id if field == 1 else &name_id, &self.failure
                ) < 0
            ):
                return -1
        if prefix_id != 0:
            self.last_prefix = prefix_id
        if name_id == 0:
            if self.last_name == 0xFFFFFFFFU:
                return fail(&self.failure, message.start, b"name id is beyond 32 bits")
            name_id = self.last_name + 1
        self.last_name = name_id
        name = lookup_find(&self.names, name_id, message.start, &self.failure)
        if name == NULL:
            return -1
        if self.last_prefix != 0:
            prefix = lookup_find(&self.prefixes, self.last_prefix, message.start, &self.failure)
            if prefix == NULL:
                return -1
            prefix_serial = prefix.serial
        if name.frame == self.frame and name.prefix == prefix_serial:
            return name.term
        return self.intern_iri(name, prefix, prefix_serial, message.start)

    cdef int64_t intern_iri(
        self, LookupEntry* name, LookupEntry* prefix, uint64_t prefix_serial, const uint8_t* at
    ) noexcept nogil:
        cdef size_t prefix_size = 0 if prefix == NULL else prefix.size
        cdef size_t size = prefix_size + name.size
        cdef uint8_t* text
        if size > self.limits.string_size:
            return fail_limit(
                &self.failure, at, b"IRI of {number} bytes (limit max_string_size: {bound})",
                size, self.limits.string_size,
            )
        if terms_reserve(&self.terms, size, at, &self.failure) < 0:
            return -1
        text = self.terms.data + self.terms.offsets[self.terms.count]
        if prefix != NULL:
            memcpy(text, prefix.text, prefix_size)
        memcpy(text + prefix_size, name.text, name.size)
        if name.prefix != prefix_serial:
            name.prefix = prefix_serial
            name.hash = term_hash(TermKind.IRI, hash_text(text, size, hash_seed()), 0)
        name.frame = self.frame
        name.term = <uint32_t>terms_intern_tail(&self.terms, TermKind.IRI, size, 0, name.hash)
        return name.term

    cdef int check_text(self, Span text) noexcept nogil:
        if <size_t>(text.end - text.start) > self.limits.string_size:
            return fail_limit(
                &self.failure, text.start,
                b"string of {number} bytes (limit max_string_size: {bound})",
                text.end - text.start, self.limits.string_size,
            )
        if not is_utf8(text.start, text.end):
            return fail(&self.failure, text.start, b"string is not UTF-8")
        return 0

    cdef int64_t intern_text(self, TermKind kind, Span text, uint32_t extra) noexcept nogil:
        cdef size_t size = text.end - text.start
        return terms_intern(
            &self.terms, kind, text.start, size, extra,
            term_hash(
                kind, hash_text(text.start, size, hash_seed()), self.terms.hashes[extra]
            ),
            text.start, &self.failure,
        )

    cdef int64_t decode_blank_node(self, Span label) noexcept nogil:
        if self.check_text(label) < 0:
            return -1
        return self.intern_text(TermKind.BLANK_NODE, label, 0)

    cdef int64_t intern_string(self, Span text) noexcept nogil:
        """Decode a string that is not a term of RDF: a header's key, a prefix's name."""
        if self.check_text(text) < 0:
            return -1
        return self.intern_text(TermKind.STRING, text, 0)

    cdef int64_t decode_literal(self, Span message) noexcept nogil:
        """Decode an RdfLiteral (Jelly-RDF, "Literals")."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint32_t datatype = 0
        cdef int64_t extra
        cdef TermKind kind = TermKind.SIMPLE_LITERAL
        cdef Span lexical
        cdef Span language
        lexical.start = lexical.end = message.end
        language = lexical
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0:
                return -1
            if field == 1:
                if (
                    expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.failure) < 0
                    or read_span(&at, message.end, &lexical, &self.failure) < 0
                    or self.check_text(lexical) < 0
                ):
                    return -1
            elif field == 2:
                kind = TermKind.LANGUAGE_LITERAL
                if (
                    expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.failure) < 0
                    or read_span(&at, message.end, &language, &self.failure) < 0
                    or self.check_text(language) < 0
                ):
                    return -1
            elif field == 3:
                kind = TermKind.TYPED_LITERAL
                if (
                    expect_wire_type(VARINT, field, wire_type, tag_at, &self.failure) < 0
                    or read_uint32(&at, message.end, &datatype, &self.failure) < 0
                ):
                    return -1
            elif skip_field(&at, message.end, field, wire_type, &self.failure) < 0:
                return -1
        if kind == TermKind.SIMPLE_LITERAL:
            return self.intern_text(kind, lexical, 0)
        if kind == TermKind.LANGUAGE_LITERAL:
            if not is_language_tag(language):
                return fail(&self.failure, language.start, b"this is no language tag")
            extra = self.intern_text(TermKind.STRING, language, 0)
        else:
            extra = self.decode_datatype(datatype, message.start)
        if extra < 0:
            return -1
        return self.intern_text(kind, lexical, <uint32_t>extra)

    cdef int64_t decode_datatype(self, uint32_t id, const uint8_t* at) noexcept nogil:
        # Id 0 is out of range here: datatypes have no default.
        cdef LookupEntry* entry = lookup_find(&self.datatypes, id, at, &self.failure)
        if entry == NULL:
            return -1
        if entry.frame == self.frame:
            return entry.term
        if entry.prefix != EMPTY_PREFIX:
            entry.prefix = EMPTY_PREFIX
            entry.hash = term_hash(
                TermKind.IRI, hash_text(entry.text, entry.size, hash_seed()), 0
            )
        extra = terms_intern(
            &self.terms, TermKind.IRI, entry.text, entry.size, 0, entry.hash, at, &self.failure
        )
        if extra >= 0:
            entry.frame = self.frame
            entry.term = <uint32_t>extra
        return extra

    cdef int64_t decode_triple(self, Span message, int depth) noexcept nogil:
        """Decode an RdfTriple that is a term (Jelly-RDF, "Quoted triples")."""
        cdef EncodedTerm[4] terms
        cdef uint32_t[3] numbers
        cdef int position
        cdef int64_t number
        if not self.rdf_star:
            return fail(
                &self.failure, message.start,
                b"quoted triple, but the options do not have rdf_star",
            )
        if depth > self.limits.nesting_depth:
            return fail_limit(
                &self.failure, message.start,
                b"quoted triples nest deeper than {number} (limit max_nesting_depth)",
                self.limits.nesting_depth, 0,
            )
        memset(terms, 0, sizeof(terms))
        if self.read_statement(message, terms, False) < 0:
            return -1
        for position in range(3):
            if terms[position].kind == UNSET:
                return fail_number(
                    &self.failure, message.start,
                    b"repeated term in a quoted triple, in position {number} of 3",
                    position + 1, 0,
                )
            number = self.decode_term(&terms[position], position, depth)
            if number < 0:
                return -1
            numbers[position] = <uint32_t>number
        return terms_intern_triple(
            &self.terms, numbers[0], numbers[1], numbers[2], message.start, &self.failure
        )


cdef bint is_language_tag(Span tag) noexcept nogil:
    """The LANGTAG of N-Triples and Turtle: letters, then groups of letters and digits."""
    cdef const uint8_t* at = tag.start
    cdef bint is_first_group = True
    cdef const uint8_t* group = at
    while at < tag.end:
        if at[0] == b"-":
            if at == group:
                return False
            group = at + 1
            is_first_group = False
        elif not (
            b"a" <= at[0] <= b"z" or b"A" <= at[0] <= b"Z"
            or (b"0" <= at[0] <= b"9" and not is_first_group)
        ):
            return False
        at += 1
    return at != group

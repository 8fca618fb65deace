"""Decodes rows: statements, headers, prefixes, and the bounds of transactions and patches."""

# The codes of operations from H on, two bytes each; TB is TX in the first edition of RDF Patch.
cdef const char* ROW_CODES = b"H TXTCTAPAPDA D Z TB"


cdef inline bint is_code_part(const uint8_t* at, const uint8_t* end) noexcept nogil:
    return at < end and (is_ascii_name_part(at[0]) or at[0] == b":" or at[0] >= 0x80)


cdef int find_operation(const uint8_t* at, const uint8_t* end, bint is_final) noexcept nogil:
    """Return the operation whose code is at ``at``, 0 if none is, or -1 if the text ends early."""
    cdef bint is_long = is_code_part(at + 1, end)
    cdef const uint8_t* code_end = at + 1 + is_long
    cdef uint8_t second = at[1] if is_long else b" "
    cdef int op
    # The end of the text also ends a word.
    if end - at < 3 and not is_final:
        return -1
    if is_code_part(code_end, end):
        return 0
    for op in range(1, CODES + 1):
        if at[0] == ROW_CODES[2 * op - 2] and second == ROW_CODES[2 * op - 1]:
            return op if op < CODES else TX
    return 0


cdef inline const uint8_t* add_row(
    TextDecoder self, const uint8_t* at, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept nogil:
    """Add the row that ends at ``at`` to the batch."""
    if <size_t>(at - self.row_start) > self.max_row_size:
        return fail_size(self)
    if rows_append(&self.rows, op, s, p, o, g) < 0:
        fail_memory(&self.failure, at)
        return NULL
    self.needs_end = op != END
    return at


cdef inline const uint8_t* end_row(
    TextDecoder self, const uint8_t* at, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept nogil:
    """Read the dot that ends a row; the other tokens of the row have been read."""
    cdef int is_dot = ends_row(self, at)
    if is_dot < 0:
        return NULL
    if not is_dot:
        return fail_token(self, at, b"expected the dot that ends the row")
    return add_row(self, at + 1, op, s, p, o, g)


cdef inline const uint8_t* decode_row(TextDecoder self, const uint8_t* at) noexcept nogil:
    cdef const uint8_t* word_end
    cdef int op
    if at + 1 < self.end and at[1] == b" " and (at[0] == b"A" or at[0] == b"D"):
        return decode_statement(self, at + 1, A if at[0] == b"A" else D)
    word_end = scan_name(self, at, False)
    if word_end == NULL:
        return NULL
    op = find_operation(at, word_end, True)
    # A longer word, such as one with a dot, is not an operation code.
    if op == 0 or word_end - at > 2:
        return fail_token(
            self, at, b"expected the code of a row: H, TX, TC, TA, PA, PD, A, D or Z"
        )
    at = word_end
    if op == A or op == D:
        return decode_statement(self, at, op)
    if op == H:
        return decode_header(self, at)
    if op == PA or op == PD:
        return decode_prefix(self, at, op)
    return decode_mark(self, at, op)


cdef inline const uint8_t* decode_line(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Decode a statement of N-Triples or N-Quads."""
    if self.has_statement:
        return fail_token(self, at, b"a line has only one statement")
    at = decode_version(self, at) if at[0] == b"V" else decode_statement(self, at, A)
    self.has_statement = at != NULL
    return at


cdef inline bint is_rdf_version(Span text) noexcept nogil:
    """Return whether a text is a version label of RDF 1.2."""
    return (
        has_bytes(text, b"1.2", 3) or has_bytes(text, b"1.2-basic", 9) or has_bytes(text, b"1.1", 3)
    )


cdef const uint8_t* decode_version(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Read ``VERSION "1.2"``, which RDF 1.2 allows on a separate line."""
    cdef Text version
    cdef const uint8_t* start
    if self.end - at < 7:
        return cut_off(self)
    if memcmp(at, b"VERSION", 7) != 0:
        return fail_term(self, at)
    start = next_token(self, at + 7)
    if start == NULL:
        return NULL
    if start[0] != b'"':
        return fail_token(self, start, b'expected a version of RDF, such as "1.2"')
    at = scan_quoted(self, start, &version)
    if at != NULL and not is_rdf_version(version.span):
        return refuse(
            self, start, b"unknown RDF version: it must be 1.1, 1.2 or 1.2-basic"
        )
    return at


cdef inline const uint8_t* decode_statement(
    TextDecoder self, const uint8_t* at, uint8_t op
) noexcept nogil:
    cdef uint32_t[4] quad
    cdef int is_dot
    cdef Span nothing
    quad[GRAPH] = 0
    at = read_position(self, next_token(self, at), SUBJECT, &quad[SUBJECT])
    at = read_position(self, next_token(self, at), PREDICATE, &quad[PREDICATE])
    at = read_position(self, next_token(self, at), OBJECT, &quad[OBJECT])
    at = next_token(self, at)
    is_dot = ends_row(self, at)
    if is_dot > 0:
        if self.grammar >= LINES and self.has_graphs:
            nothing.start = nothing.end = at
            if self.default_graph == 0 and intern_span(
                self, TermKind.DEFAULT_GRAPH, nothing, 0, &self.default_graph
            ) < 0:
                return NULL
            quad[GRAPH] = self.default_graph
        return add_row(
            self, at + 1, op, quad[SUBJECT], quad[PREDICATE], quad[OBJECT], quad[GRAPH]
        )
    if is_dot == 0 and self.has_graphs:
        at = next_token(self, read_graph(self, at, &quad[GRAPH]))
    return end_row(self, at, op, quad[SUBJECT], quad[PREDICATE], quad[OBJECT], quad[GRAPH])


cdef const uint8_t* decode_header(TextDecoder self, const uint8_t* at) noexcept nogil:
    cdef uint32_t key, value
    cdef const uint8_t* value_end
    at = read_name(
        self, next_token(self, at), &key, b"expected the header's key: a word or a quoted string"
    )
    value_end = read_term(self, next_token(self, at), &value, 0)
    at = next_token(self, value_end)
    if (
        at != NULL and at[0] == b"T" and at == value_end + 1 and value_end[0] == b"\n"
        and self.is_lenient and is_prev(self, key)
    ):
        # Accept a header without a dot before a TX on the next line, as rdflib 7 writes it.
        if self.end - at < 3:
            return cut_off(self)
        if at[1] == b"X" and at[2] == b" ":
            return add_row(self, at, H, key, 0, value, 0)
    return end_row(self, at, H, key, 0, value, 0)


cdef bint is_prev(TextDecoder self, uint32_t key) noexcept nogil:
    """Return whether a header's key is ``prev``, in upper or lower case."""
    cdef const uint8_t* text = self.terms.data + self.terms.offsets[key]
    cdef const uint8_t* prev = b"prev"
    cdef int index
    if self.terms.offsets[key + 1] - self.terms.offsets[key] != 4:
        return False
    for index in range(4):
        # In ASCII the two cases of a letter differ only in this bit.
        if text[index] | 0x20 != prev[index]:
            return False
    return True


cdef const uint8_t* decode_prefix(TextDecoder self, const uint8_t* at, uint8_t op) noexcept nogil:
    """Decode the row of an added or deleted prefix; a graph may come last.

    A deleted prefix may have its IRI, as a string or before a graph. A single IRI in <> is a graph,
    as in Jena.
    """
    cdef uint32_t name
    cdef uint32_t iri = 0, graph = 0
    at = read_name(
        self, next_token(self, at), &name,
        b"expected the prefix's name: a word or a quoted string, without a colon",
    )
    at = next_token(self, at)
    if at != NULL and (at[0] == b'"' or at[0] == b"'"):
        at = next_token(self, read_string(self, at, TermKind.IRI, &iri))
    elif op == PA:
        at = read_real_iri(self, at, &iri, b"expected the prefix's IRI, in <> or quoted")
        at = next_token(self, at)
    if ends_row(self, at) == 0:
        at = next_token(self, read_graph(self, at, &graph))
        if op == PD and iri == 0 and ends_row(self, at) == 0:
            if self.terms.kinds[graph] != TermKind.IRI:
                return refuse(self, at, b"expected the dot that ends the row")
            iri = graph
            at = next_token(self, read_graph(self, at, &graph))
    return end_row(self, at, op, name, 0, iri, graph)


cdef const uint8_t* decode_mark(TextDecoder self, const uint8_t* at, uint8_t op) noexcept nogil:
    cdef const char* fault = transaction_fault(self.in_transaction, op)
    if fault != NULL and not self.is_in_doubt:
        refuse(self, self.row_start, fault)
        self.failure.rule = transaction_rule(op)
        return NULL
    at = end_row(self, next_token(self, at), op, 0, 0, 0, 0)
    if at != NULL:
        self.in_transaction = op == TX
        self.is_in_doubt = False
    return at

"""Rows: statements, headers, prefixes, and where transactions and patches start and end."""

cdef inline const uint8_t* add_row(
    TextDecoder self, const uint8_t* at, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept nogil:
    """Add the row that ends at ``at`` to the batch."""
    if <size_t>(at - self.row_start) > self.max_row_size:
        return fail_size(self)
    if rows_append(&self.rows, op, s, p, o, g) < 0:
        fail_memory(&self.failure, at)
        return NULL
    self.is_open = op != END
    return at


cdef inline const uint8_t* end_row(
    TextDecoder self, const uint8_t* at, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept nogil:
    """Read the dot that ends a row, whose other tokens have been read."""
    cdef int is_dot = ends_row(self, at)
    if is_dot < 0:
        return NULL
    if not is_dot:
        return fail_token(self, at, b"expected the dot that ends the row")
    return add_row(self, at + 1, op, s, p, o, g)


cdef inline const uint8_t* decode_row(TextDecoder self, const uint8_t* at) noexcept nogil:
    cdef Span code
    cdef size_t size
    if at + 1 < self.end and at[1] == b" ":
        if at[0] == b"A":
            return decode_statement(self, at + 1, A)
        if at[0] == b"D":
            return decode_statement(self, at + 1, D)
    at = read_word(self, at, &code)
    if at == NULL:
        return NULL
    size = code.end - code.start
    if size == 1:
        if code.start[0] == b"A":
            return decode_statement(self, at, A)
        if code.start[0] == b"D":
            return decode_statement(self, at, D)
        if code.start[0] == b"H":
            return decode_header(self, at)
        if code.start[0] == b"Z":
            return decode_mark(self, at, END)
    elif size == 2 and code.start[0] == b"T":
        # The first edition of RDF Patch has TB for TX.
        if code.start[1] == b"X" or code.start[1] == b"B":
            return decode_mark(self, at, TX)
        if code.start[1] == b"C":
            return decode_mark(self, at, TC)
        if code.start[1] == b"A":
            return decode_mark(self, at, TA)
    elif size == 2 and code.start[0] == b"P":
        if code.start[1] == b"A":
            return decode_prefix(self, at, PA)
        if code.start[1] == b"D":
            return decode_prefix(self, at, PD)
    return fail_token(
        self, code.start, b"expected the code of a row: H, TX, TC, TA, PA, PD, A, D or Z"
    )


cdef inline const uint8_t* decode_line(TextDecoder self, const uint8_t* at) noexcept nogil:
    """Decode a statement of N-Triples or N-Quads."""
    if self.has_statement:
        return fail_token(self, at, b"a line has only one statement")
    at = decode_statement(self, at, A)
    self.has_statement = at != NULL
    return at


cdef inline const uint8_t* decode_statement(
    TextDecoder self, const uint8_t* at, uint8_t op
) noexcept nogil:
    cdef uint32_t[4] quad
    cdef int position, is_dot
    cdef Span nothing
    for position in range(3):
        at = next_token(self, at)
        if at == NULL:
            return NULL
        at = read_position(self, at, position, &quad[position])
        if at == NULL:
            return NULL
    at = next_token(self, at)
    if at == NULL:
        return NULL
    is_dot = ends_row(self, at)
    if is_dot < 0:
        return NULL
    quad[GRAPH] = 0
    if is_dot:
        if self.grammar >= LINES and self.has_graphs:
            nothing.start = nothing.end = at
            if intern_span(self, TermKind.DEFAULT_GRAPH, nothing, 0, &quad[GRAPH]) < 0:
                return NULL
    elif self.has_graphs:
        at = read_graph(self, at, &quad[GRAPH])
        if at == NULL:
            return NULL
        at = next_token(self, at)
        if at == NULL:
            return NULL
    return end_row(self, at, op, quad[SUBJECT], quad[PREDICATE], quad[OBJECT], quad[GRAPH])


cdef const uint8_t* decode_header(TextDecoder self, const uint8_t* at) noexcept nogil:
    cdef uint32_t key, value
    cdef const uint8_t* value_end
    at = next_token(self, at)
    if at == NULL:
        return NULL
    at = read_name(
        self, at, &key, b"expected the header's key: a word or a quoted string"
    )
    if at == NULL:
        return NULL
    at = next_token(self, at)
    if at == NULL:
        return NULL
    value_end = read_term(self, at, &value, 0)
    if value_end == NULL:
        return NULL
    at = next_token(self, value_end)
    if at == NULL:
        return NULL
    if (
        at[0] == b"T" and at == value_end + 1 and value_end[0] == b"\n" and self.is_lenient
        and is_prev(self, key)
    ):
        # As rdflib 7 writes it: without a dot, and a TX in the next line.
        if self.end - at < 3:
            return cut_off(self)
        if at[1] == b"X" and at[2] == b" ":
            return add_row(self, at, H, key, 0, value, 0)
    return end_row(self, at, H, key, 0, value, 0)


cdef bint is_prev(TextDecoder self, uint32_t key) noexcept nogil:
    """Is it this header's key, in any case of letters?"""
    cdef const uint8_t* text = self.terms.data + self.terms.offsets[key]
    cdef const uint8_t* prev = b"prev"
    cdef int index
    if self.terms.offsets[key + 1] - self.terms.offsets[key] != 4:
        return False
    for index in range(4):
        # In ASCII this bit is all that a letter's two cases differ in.
        if text[index] | 0x20 != prev[index]:
            return False
    return True


cdef const uint8_t* decode_prefix(TextDecoder self, const uint8_t* at, uint8_t op) noexcept nogil:
    """Decode a prefix that is added or deleted; a graph may stand last.

    A deleted prefix may have its IRI, as a string or before a graph: one IRI alone is a graph,
    as it is for Jena.
    """
    cdef uint32_t name
    cdef uint32_t iri = 0
    cdef uint32_t graph = 0
    cdef int is_dot
    at = next_token(self, at)
    if at == NULL:
        return NULL
    at = read_name(
        self, at, &name, b"expected the prefix's name: a word or a quoted string, without colon"
    )
    if at == NULL:
        return NULL
    at = next_token(self, at)
    if at == NULL:
        return NULL
    if at[0] == b'"' or at[0] == b"'":
        at = read_string(self, at, TermKind.IRI, &iri)
        if at == NULL:
            return NULL
        at = next_token(self, at)
    elif op == PA:
        at = read_real_iri(self, at, &iri, b"expected the prefix's IRI, in <> or quoted")
        if at == NULL:
            return NULL
        at = next_token(self, at)
    if at == NULL:
        return NULL
    is_dot = ends_row(self, at)
    if is_dot == 0:
        at = read_graph(self, at, &graph)
        if at == NULL:
            return NULL
        at = next_token(self, at)
        if at == NULL:
            return NULL
        is_dot = ends_row(self, at)
        if is_dot == 0 and op == PD and iri == 0:
            if self.terms.kinds[graph] != TermKind.IRI:
                return fail(self, at, b"expected the dot that ends the row")
            iri = graph
            at = read_graph(self, at, &graph)
            if at == NULL:
                return NULL
            at = next_token(self, at)
            if at == NULL:
                return NULL
    return end_row(self, at, op, name, 0, iri, graph)


cdef const uint8_t* decode_mark(TextDecoder self, const uint8_t* at, uint8_t op) noexcept nogil:
    cdef const char* fault = transaction_fault(self.in_transaction, op)
    if fault != NULL and not self.is_in_doubt:
        return fail(self, self.row_start, fault)
    at = next_token(self, at)
    if at == NULL:
        return NULL
    at = end_row(self, at, op, 0, 0, 0, 0)
    if at != NULL:
        self.in_transaction = op == TX
        self.is_in_doubt = False
        self.has_end |= op == END
    return at

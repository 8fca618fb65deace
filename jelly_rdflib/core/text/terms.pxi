"""Reads terms: IRIs, blank nodes, literals, quoted triples."""

cdef const char* LANGUAGE_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
cdef const char* DIRECTED_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString"


cdef inline bint has_text(const TermColumns* terms, uint32_t term, const char* text) noexcept nogil:
    cdef uint32_t start = terms.offsets[term]
    cdef size_t size = terms.offsets[term + 1] - start
    return size == strlen(text) and memcmp(terms.data + start, text, size) == 0


cdef inline bint wants_tag(const TermColumns* terms, uint32_t datatype) noexcept nogil:
    """Return whether literals of a datatype must have a language tag."""
    return has_text(terms, datatype, LANGUAGE_STRING) or has_text(terms, datatype, DIRECTED_STRING)


cdef inline bint is_same(const uint8_t* one, const uint8_t* other, size_t size) noexcept nogil:
    """Compare two texts of at least one byte; both must have 8 readable bytes after them."""
    while size > 8:
        if load64(one) != load64(other):
            return False
        one += 8
        other += 8
        size -= 8
    return (load64_little(one) ^ load64_little(other)) << (64 - 8 * size) == 0


cdef inline const uint8_t* read_position(
    TextDecoder self, const uint8_t* at, int position, uint32_t* number
) noexcept nogil:
    """Read a term of a statement, which is often the same as in the previous statement."""
    cdef LastIri* last = &self.last[position]
    cdef const uint8_t* next_at
    if at == NULL:
        return NULL
    if (
        last.size > 0 and <size_t>(self.end - at) > last.size
        and is_same(at, last.start, last.size)
    ):
        number[0] = last.number
        return at + last.size
    if at[0] != b"<" or at[1] == b"<":
        return read_part(self, at, position, number, 0)
    next_at = read_iri(self, at, number)
    if next_at != NULL:
        last.start = at
        last.size = next_at - at
        last.number = number[0]
    return next_at


cdef inline const uint8_t* read_graph(
    TextDecoder self, const uint8_t* at, uint32_t* number
) noexcept nogil:
    if at != NULL and at[0] == b"<" and at + 1 < self.end and at[1] == b"<":
        return refuse(self, at, b"a quoted triple can't be a graph")
    at = read_position(self, at, GRAPH, number)
    if (
        at != NULL and self.grammar == RDF_PATCH
        and is_jena_default_graph(&self.terms, number[0])
    ):
        number[0] = 0
    return at


cdef inline bint may_stand(int kind, int position) noexcept nogil:
    """Return whether RDF 1.1 allows a kind of term in a position of a statement."""
    return (
        position == OBJECT or kind == TermKind.IRI
        or (kind == TermKind.BLANK_NODE and position != PREDICATE)
    )


cdef const uint8_t* read_part(
    TextDecoder self, const uint8_t* at, int position, uint32_t* number, int depth
) noexcept nogil:
    """Read a term of a statement or quoted triple; RDF Patch allows any term in any position."""
    cdef const uint8_t* next_at = read_term(self, at, number, depth)
    if (
        next_at == NULL or self.grammar < LINES or self.is_generalized
        or may_stand(self.terms.kinds[number[0]], position)
    ):
        return next_at
    if position == PREDICATE:
        return refuse(self, at, b"a predicate must be an IRI")
    return refuse(self, at, b"a subject or graph must be an IRI or a blank node")


cdef const uint8_t* read_term(
    TextDecoder self, const uint8_t* at, uint32_t* number, int depth
) noexcept nogil:
    """Read a term; ``depth`` counts the quoted triples around it."""
    cdef uint8_t first
    if at == NULL:
        return NULL
    first = at[0]
    if first == b"<":
        if at + 1 == self.end:
            return cut_off(self)
        if at[1] == b"<":
            return read_triple(self, at, number, depth + 1)
        return read_iri(self, at, number)
    if first == b'"' or (first == b"'" and self.grammar == RDF_PATCH):
        return read_literal(self, at, number)
    if first == b"_":
        return read_label(self, at, number)
    if self.grammar != RDF_PATCH:
        return fail_term(self, at)
    if is_digit(first) or first == b"+" or first == b"-" or first == b".":
        return read_number(self, at, number)
    return read_boolean(self, at, number)


cdef inline const uint8_t* read_iri(
    TextDecoder self, const uint8_t* at, uint32_t* number
) noexcept nogil:
    """Read ``<IRI>``, or the blank node ``<_:label>``."""
    cdef const uint8_t* stop = find_iri_end(self, at + 1)
    cdef uint32_t count = self.terms.count
    cdef TermKind kind = TermKind.IRI
    cdef const uint8_t* start
    cdef const uint8_t* end
    cdef int fault
    cdef Text text
    text.is_string = text.has_escapes = False
    while stop < self.end and stop[0] == b"\\":
        text.has_escapes = True
        stop = find_iri_end(self, stop + 1)
    if stop >= self.end:
        return cut_off(self)
    if stop[0] != b">":
        return refuse(self, stop, b"this character is not allowed in <>")
    text.span.start = at + 1
    text.span.end = stop
    if (
        self.grammar == RDF_PATCH and at[1] == b"_" and at[2] == b":" and not text.has_escapes
    ):
        kind = TermKind.BLANK_NODE
        text.span.start += 2
    if intern_raw(self, kind, &text, 0, number) < 0:
        return NULL
    if self.grammar > LINES and number[0] == count:
        start = self.terms.data + self.terms.offsets[count]
        end = self.terms.data + self.terms.offsets[count + 1]
        if self.grammar == STRICT_LINES:
            fault = check_iri(start, end)
        elif text.has_escapes:
            fault = check_iri_by_grammar(start, end)
        else:
            # The search for the end has checked the characters.
            fault = RELATIVE_IRI if skip_scheme(start, end) == NULL else NO_FAULT
        if fault == RELATIVE_IRI:
            return refuse(self, at, b"this IRI is relative: it has no scheme")
        if fault != NO_FAULT:
            return refuse(self, at, b"this is not an IRI")
    return stop + 1


cdef const uint8_t* read_real_iri(
    TextDecoder self, const uint8_t* at, uint32_t* number, const char* message
) noexcept nogil:
    """Read an IRI; any other term is an error."""
    cdef const uint8_t* next_at
    if at == NULL:
        return NULL
    if at[0] != b"<":
        return fail_token(self, at, message)
    if at + 1 == self.end:
        return cut_off(self)
    if at[1] == b"<":
        return refuse(self, at, message)
    next_at = read_iri(self, at, number)
    if next_at != NULL and self.terms.kinds[number[0]] != TermKind.IRI:
        return refuse(self, at, message)
    return next_at


cdef const uint8_t* read_label(
    TextDecoder self, const uint8_t* at, uint32_t* number
) noexcept nogil:
    """Read ``_:label``."""
    cdef Text text
    if self.end - at < 2:
        return cut_off(self)
    if at[1] != b":":
        return fail_term(self, at)
    text.is_string = text.has_escapes = False
    text.span.start = at + 2
    text.span.end = at = scan_name(self, at + 2, True)
    if at == NULL:
        return NULL
    if self.grammar == ONE_TERM:
        # With this grammar any text can be a label, even an empty one.
        text.has_escapes = memchr(text.span.start, b"\\", at - text.span.start) != NULL
    elif at == text.span.start:
        return fail_token(self, at, b"expected the blank node's label")
    return at if intern_raw(self, TermKind.BLANK_NODE, &text, 0, number) == 0 else NULL


cdef const uint8_t* read_literal(
    TextDecoder self, const uint8_t* at, uint32_t* number
) noexcept nogil:
    cdef Text lexical
    at = scan_quoted(self, at, &lexical)
    if self.grammar != ONE_TERM:
        at = next_token(self, at)
    if at == NULL:
        return NULL
    if at[0] == b"@":
        return read_tagged(self, at, &lexical, number)
    if at[0] == b"^":
        return read_typed(self, at, &lexical, number)
    return at if intern_raw(self, TermKind.SIMPLE_LITERAL, &lexical, 0, number) == 0 else NULL


cdef const uint8_t* read_tagged(
    TextDecoder self, const uint8_t* at, Text* lexical, uint32_t* number
) noexcept nogil:
    """Read a literal's ``@``, its language tag, and its direction if it has one."""
    cdef Span tag, plain
    cdef int direction
    cdef uint32_t language = 0
    at += 1
    tag.start = at
    while at < self.end and (is_letter(at[0]) or is_digit(at[0]) or at[0] == b"-"):
        at += 1
    if at == self.end:
        return cut_off(self)
    tag.end = at
    direction = split_direction(tag, &plain)
    if not is_language_tag(plain):
        return fail_token(self, tag.start, b"this is not a language tag")
    if direction != 0 and self.grammar == RDF_PATCH:
        return refuse(self, plain.end, b"RDF Patch has no base directions: remove it from the tag")
    if direction < 0:
        return refuse(self, plain.end, b"the direction after a language tag is not --ltr or --rtl")
    if (self.grammar == STRICT_LINES and not is_well_formed(plain)) or (
        self.grammar == GRAMMATICAL_LINES and has_long_subtag(plain)
    ):
        return refuse(self, tag.start, b"this is not a language tag of BCP 47")
    if direction > 0 and self.drops_directions:
        tag = plain
        self.has_dropped = True
    if (
        intern_span(self, TermKind.STRING, tag, 0, &language) < 0
        or intern_raw(self, TermKind.LANGUAGE_LITERAL, lexical, language, number) < 0
    ):
        return NULL
    return at


cdef const uint8_t* read_typed(
    TextDecoder self, const uint8_t* at, Text* lexical, uint32_t* number
) noexcept nogil:
    """Read a literal's ``^^`` and datatype."""
    cdef const uint8_t* start
    cdef uint32_t datatype = 0
    if self.end - at < 2:
        return cut_off(self)
    if at[1] != b"^":
        return refuse(self, at, b"expected ^^ and the literal's datatype")
    start = at + 2 if self.grammar == ONE_TERM else next_token(self, at + 2)
    at = read_real_iri(self, start, &datatype, b"expected the literal's datatype: an IRI in <>")
    if at == NULL:
        return NULL
    if self.grammar > LINES and wants_tag(&self.terms, datatype):
        return refuse(self, start, b"a literal of this datatype must have a language tag")
    if intern_raw(self, TermKind.TYPED_LITERAL, lexical, datatype, number) < 0:
        return NULL
    return at


cdef inline const uint8_t* skip_digits(TextDecoder self, const uint8_t* at) noexcept nogil:
    while at < self.end and is_digit(at[0]):
        at += 1
    return at


cdef const uint8_t* read_number(
    TextDecoder self, const uint8_t* at, uint32_t* number
) noexcept nogil:
    """Read a literal that is a number in one of Turtle's short forms."""
    cdef const uint8_t* start = at
    cdef const uint8_t* whole = at + (at[0] == b"+" or at[0] == b"-")
    cdef const uint8_t* stop
    cdef const uint8_t* exponent
    cdef int form = INTEGER
    at = stop = skip_digits(self, whole)
    # A dot is part of the number unless it ends the input, and so the row.
    if at < self.end and at[0] == b"." and (at + 1 < self.end or not self.is_final):
        stop = skip_digits(self, at + 1)
    if stop == self.end:
        return cut_off(self)
    if stop > at + 1:
        form = DECIMAL
    elif at == whole:
        return fail_term(self, start)
    if stop[0] | 0x20 == b"e":
        exponent = stop + 1
        exponent += exponent < self.end and (exponent[0] == b"+" or exponent[0] == b"-")
        if exponent == self.end:
            return cut_off(self)
        if is_digit(exponent[0]):
            form = DOUBLE
            stop = skip_digits(self, exponent)
            if stop == self.end:
                return cut_off(self)
    if form != INTEGER:
        # The dot is part of this number; after an integer it ends the row.
        at = stop
    return at if intern_short(self, start, at, form, number) == 0 else NULL


cdef const uint8_t* read_boolean(
    TextDecoder self, const uint8_t* at, uint32_t* number
) noexcept nogil:
    """Read ``true`` or ``false``, the only words that are terms."""
    cdef const uint8_t* start = at
    at = scan_name(self, at, False)
    if at == NULL:
        return NULL
    if not (
        (at - start == 4 and memcmp(start, b"true", 4) == 0)
        or (at - start == 5 and memcmp(start, b"false", 5) == 0)
    ):
        if at[0] == b":":
            return refuse(
                self, start, b"prefixed name: RDF Patch needs full IRIs, between < and >"
            )
        return fail_term(self, start)
    return at if intern_short(self, start, at, BOOLEAN, number) == 0 else NULL


cdef const uint8_t* read_triple(
    TextDecoder self, const uint8_t* at, uint32_t* number, int depth
) noexcept nogil:
    """Read ``<< s p o >>``, or RDF 1.2's ``<<( s p o )>>``."""
    cdef const uint8_t* start = at
    cdef uint32_t[3] numbers
    cdef int position
    cdef int64_t term
    cdef bint has_brackets
    if depth > self.max_nesting_depth:
        fail_limit(
            &self.failure, at,
            b"max_nesting_depth", b"quoted triples nest deeper than {bound}",
            0, self.max_nesting_depth,
        )
        return NULL
    if self.end - at < 3:
        return cut_off(self)
    has_brackets = at[2] == b"("
    if self.grammar >= LINES and not has_brackets:
        return refuse(self, at, b"a quoted triple must be between <<( and )>>")
    at += 2 + has_brackets
    for position in range(3):
        at = read_part(self, next_token(self, at), position, &numbers[position], depth)
    at = next_token(self, at)
    if at == NULL:
        return NULL
    if self.end - at < 2 + has_brackets:
        return cut_off(self)
    if has_brackets:
        if at[0] != b")":
            return fail_token(self, at, b"expected )>> after the quoted triple's terms")
        at += 1
    if at[0] != b">" or at[1] != b">":
        return fail_token(self, at, b"expected >> after the quoted triple's terms")
    term = terms_intern_triple(
        &self.terms, numbers[0], numbers[1], numbers[2], start, &self.failure
    )
    number[0] = <uint32_t>term
    return at + 2 if term >= 0 else NULL

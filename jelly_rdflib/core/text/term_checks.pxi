"""Finds the terms of a batch that RDF or its syntaxes do not allow."""

cpdef enum TermFault:
    # The fault of a term.
    NO_FAULT
    RELATIVE_IRI
    BAD_CHARACTER
    BAD_ESCAPE
    BAD_PORT
    BAD_ADDRESS
    LABEL  # a blank node's label that no RDF syntax allows
    LANGUAGE_TAG
    UNTAGGED_LANGUAGE_STRING

cdef enum:
    # Marks a term that has no fault itself, but contains a term with one.
    HAS_PARTS = 0x80


cdef bytearray make_marks(Batch batch):
    """Return a bytearray with a zero for each term of a batch."""
    if batch.terms is None:
        raise TypeError("this batch was not made by a reader")
    return bytearray(batch.terms.columns.count)


def find_term_faults(Batch batch not None):
    """Return a tuple for each term with a fault: its first row, its number and its `TermFault`.

    The tuples are in ascending order of rows.
    """
    cdef bytearray marks = make_marks(batch)
    cdef uint8_t* faults = <uint8_t*>PyByteArray_AS_STRING(marks)
    cdef const RowColumns* rows = &batch.rows
    cdef const TermColumns* terms = &batch.terms.columns
    cdef list found = []
    cdef bint has_any
    cdef size_t row
    with nogil:
        has_any = mark_faults(terms, faults)
    for row in range(rows.count if has_any else 0):
        # Check s and p only in statements: in other rows s is a header's key or a prefix's name.
        if rows.ops[row] == A or rows.ops[row] == D:
            take_faults(terms, faults, row, rows.s[row], found)
            take_faults(terms, faults, row, rows.p[row], found)
        take_faults(terms, faults, row, rows.o[row], found)
        take_faults(terms, faults, row, rows.g[row], found)
    return found


cdef int take_faults(
    const TermColumns* terms, uint8_t* faults, size_t row, uint32_t term, list found
) except -1:
    """Append the faults of a term and its parts to ``found``, and clear them in ``faults``."""
    cdef uint8_t fault = faults[term]
    cdef uint32_t[3] parts
    cdef int i
    if fault == 0:
        return 0
    faults[term] = 0
    if fault != HAS_PARTS:
        found.append((row, term, fault))
    if terms.kinds[term] == TermKind.TRIPLE_TERM:
        memcpy(parts, terms.data + terms.offsets[term], sizeof(parts))
        for i in range(3):
            take_faults(terms, faults, row, parts[i], found)
    elif terms.extras[term] != 0:
        take_faults(terms, faults, row, terms.extras[term], found)
    return 0


cdef bint mark_faults(const TermColumns* terms, uint8_t* faults) noexcept nogil:
    """Check each term once, after its parts; return whether any has a fault."""
    cdef uint32_t term, extra
    cdef uint32_t[3] parts
    cdef Span tag
    cdef bint has_any = False
    for term in range(1, terms.count):
        extra = terms.extras[term]
        faults[term] = find_fault(terms, term)
        if terms.kinds[term] == TermKind.LANGUAGE_LITERAL:
            split_direction(text_of(terms, extra), &tag)
            # Another rule reports a malformed tag.
            if is_language_tag(tag) and not is_well_formed(tag):
                faults[extra] = LANGUAGE_TAG
                faults[term] = HAS_PARTS
        elif terms.kinds[term] == TermKind.TYPED_LITERAL and faults[extra] != 0:
            if faults[term] == 0:
                faults[term] = HAS_PARTS
        elif terms.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(parts, terms.data + terms.offsets[term], sizeof(parts))
            if faults[parts[0]] | faults[parts[1]] | faults[parts[2]]:
                faults[term] = HAS_PARTS
        has_any |= faults[term] != 0
    return has_any


cdef int find_fault(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Return a term's own `TermFault`, ignoring those of its parts, tag and datatype."""
    cdef Span text = text_of(terms, term)
    if terms.kinds[term] == TermKind.IRI:
        return check_iri(text.start, text.end)
    if terms.kinds[term] == TermKind.BLANK_NODE:
        return NO_FAULT if is_label(text) else LABEL
    if (
        terms.kinds[term] == TermKind.TYPED_LITERAL
        and has_text(terms, terms.extras[term], LANGUAGE_STRING)
    ):
        return UNTAGGED_LANGUAGE_STRING
    return NO_FAULT


cdef bint is_label(Span text) noexcept nogil:
    """Return whether N-Triples allows a label (BLANK_NODE_LABEL, without colons)."""
    cdef const uint8_t* at = text.start
    cdef int size
    while at < text.end:
        size = read_name_part(at, text.end, at == text.start, True)
        if size <= 0:
            if at == text.start or at[0] != b".":
                return False
            size = 1
        at += size
    return at > text.start and (at - 1)[0] != b"."


def find_generalized_statement(Batch batch not None):
    """Return the first row of a generalized statement, or None.

    Such a statement, or a quoted triple in it, has a literal as its subject or graph, or a
    predicate that is not an IRI.
    """
    # For each term, whether it is a generalized quoted triple, or contains one.
    cdef bytearray marks = make_marks(batch)
    cdef uint8_t* inside = <uint8_t*>PyByteArray_AS_STRING(marks)
    cdef const RowColumns* rows = &batch.rows
    cdef const TermColumns* terms = &batch.terms.columns
    cdef uint32_t[3] parts
    cdef uint32_t term
    cdef size_t row
    with nogil:
        for term in range(1, terms.count):
            if terms.kinds[term] == TermKind.TRIPLE_TERM:
                memcpy(parts, terms.data + terms.offsets[term], sizeof(parts))
                inside[term] = is_generalized(terms, inside, parts[0], parts[1], parts[2])
    for row in range(rows.count):
        if (
            (rows.ops[row] == A or rows.ops[row] == D)
            and is_generalized(terms, inside, rows.s[row], rows.p[row], rows.o[row])
        ):
            return row
        # Check the values of headers and the graphs of prefixes, too.
        if inside[rows.o[row]] or is_literal(terms, rows.g[row]):
            return row
    return None


cdef inline bint is_generalized(
    const TermColumns* terms, const uint8_t* inside, uint32_t s, uint32_t p, uint32_t o
) noexcept nogil:
    return (
        is_literal(terms, s) or terms.kinds[p] != TermKind.IRI or inside[s] != 0 or inside[o] != 0
    )


cdef inline bint is_literal(const TermColumns* terms, uint32_t term) noexcept nogil:
    return TermKind.SIMPLE_LITERAL <= terms.kinds[term] <= TermKind.TYPED_LITERAL

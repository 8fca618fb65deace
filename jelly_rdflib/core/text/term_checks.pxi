"""Finds the terms of a batch that RDF or its syntaxes do not allow."""

cpdef enum TermFault:
    # The fault of a term; the first ones are those of `iri.IriFault`.
    NO_FAULT
    RELATIVE_IRI
    BAD_CHARACTER
    BAD_ESCAPE
    BAD_PORT
    BAD_ADDRESS
    LABEL  # of a blank node, that no syntax of RDF can have
    LANGUAGE_TAG
    UNTAGGED_LANGUAGE_STRING

cdef enum:
    # A term that has a part with a fault, and no fault of its own.
    HAS_PARTS = 0x80


@cython.nonecheck(True)
cdef class TermFaults:
    """The faults of a batch's terms, and their rows."""

    cdef Batch batch
    cdef uint8_t* faults  # by term
    cdef bint has_any

    def __cinit__(self, Batch batch not None):
        self.batch = batch
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        self.faults = <uint8_t*>PyMem_RawCalloc(batch.terms.columns.count, 1)
        if self.faults == NULL:
            raise MemoryError
        with nogil:
            self.has_any = find_faults(&batch.terms.columns, self.faults)

    def __dealloc__(self):
        PyMem_RawFree(self.faults)

    def find(self):
        """Return for each term with a fault, once: a row where it stands, itself, and the fault.

        The rows rise.
        """
        cdef size_t row
        found = []
        if not self.has_any:
            return found
        for row in range(self.batch.rows.count):
            # The subject's place may be that of a header's key or of a prefix's name.
            if self.batch.rows.ops[row] == A or self.batch.rows.ops[row] == D:
                self.find_in(row, self.batch.rows.s[row], found)
                self.find_in(row, self.batch.rows.p[row], found)
            self.find_in(row, self.batch.rows.o[row], found)
            self.find_in(row, self.batch.rows.g[row], found)
        return found

    cdef int find_in(self, size_t row, uint32_t term, list found) except -1:
        """Find the faults of a term and its parts, each of them once in a batch."""
        cdef const TermColumns* terms = &self.batch.terms.columns
        cdef uint8_t fault = self.faults[term]
        cdef uint32_t[3] parts
        cdef int i
        if fault == 0:
            return 0
        self.faults[term] = 0
        if fault != HAS_PARTS:
            found.append((row, term, fault))
        if terms.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(parts, terms.data + terms.offsets[term], sizeof(parts))
            for i in range(3):
                self.find_in(row, parts[i], found)
        elif terms.extras[term] != 0:
            self.find_in(row, terms.extras[term], found)
        return 0


cdef inline Span span_of_term(const TermColumns* terms, uint32_t term) noexcept nogil:
    cdef Span span
    span.start = terms.data + terms.offsets[term]
    span.end = terms.data + terms.offsets[term + 1]
    return span


cdef bint find_faults(const TermColumns* terms, uint8_t* faults) noexcept nogil:
    """Look at each term once; its parts come before it. Are there any faults?"""
    cdef uint32_t term
    cdef Span text
    cdef uint32_t extra
    cdef uint32_t[3] parts
    cdef bint has_any = False
    for term in range(1, terms.count):
        text = span_of_term(terms, term)
        extra = terms.extras[term]
        if terms.kinds[term] == TermKind.IRI:
            faults[term] = check_iri(text.start, text.end)
        elif terms.kinds[term] == TermKind.BLANK_NODE:
            faults[term] = 0 if is_label(text) else <uint8_t>TermFault.LABEL
        elif terms.kinds[term] == TermKind.LANGUAGE_LITERAL:
            text = span_of_term(terms, extra)
            # A malformed tag is another rule's fault.
            if is_language_tag(text) and not is_well_formed(text):
                faults[extra] = <uint8_t>TermFault.LANGUAGE_TAG
                faults[term] = HAS_PARTS
        elif terms.kinds[term] == TermKind.TYPED_LITERAL:
            if is_text(terms, extra, LANGUAGE_STRING):
                faults[term] = <uint8_t>TermFault.UNTAGGED_LANGUAGE_STRING
            elif faults[extra] != 0:
                faults[term] = HAS_PARTS
        elif terms.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(parts, text.start, sizeof(parts))
            if faults[parts[0]] | faults[parts[1]] | faults[parts[2]]:
                faults[term] = HAS_PARTS
        has_any |= faults[term] != 0
    return has_any


cdef bint is_label(Span text) noexcept nogil:
    """Is this what N-Triples allows behind ``_:`` (BLANK_NODE_LABEL, without colons)?"""
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
    # By term: whether it is a quoted triple that is, or has something, generalized.
    cdef uint8_t* inside
    cdef size_t row
    if batch.terms is None:
        raise TypeError("this batch was not made by a reader")
    inside = <uint8_t*>PyMem_RawCalloc(batch.terms.columns.count, 1)
    if inside == NULL:
        raise MemoryError
    with nogil:
        find_generalized_triples(&batch.terms.columns, inside)
        row = find_generalized_row(&batch.rows, &batch.terms.columns, inside)
    PyMem_RawFree(inside)
    return None if row == batch.rows.count else row


cdef size_t find_generalized_row(
    const RowColumns* rows, const TermColumns* terms, const uint8_t* inside
) noexcept nogil:
    cdef size_t row
    for row in range(rows.count):
        if (
            (rows.ops[row] == A or rows.ops[row] == D)
            and is_generalized(terms, inside, rows.s[row], rows.p[row], rows.o[row])
        ):
            return row
        # Of headers and prefixes.
        if inside[rows.o[row]] or is_literal(terms, rows.g[row]):
            return row
    return rows.count


cdef void find_generalized_triples(const TermColumns* terms, uint8_t* inside) noexcept nogil:
    cdef uint32_t[3] parts
    cdef uint32_t term
    for term in range(1, terms.count):
        if terms.kinds[term] == TermKind.TRIPLE_TERM:
            memcpy(parts, terms.data + terms.offsets[term], sizeof(parts))
            inside[term] = is_generalized(terms, inside, parts[0], parts[1], parts[2])


cdef inline bint is_generalized(
    const TermColumns* terms, const uint8_t* inside, uint32_t s, uint32_t p, uint32_t o
) noexcept nogil:
    return (
        is_literal(terms, s) or terms.kinds[p] != TermKind.IRI or inside[s] != 0 or inside[o] != 0
    )


cdef inline bint is_literal(const TermColumns* terms, uint32_t term) noexcept nogil:
    return (
        terms.kinds[term] == TermKind.SIMPLE_LITERAL
        or terms.kinds[term] == TermKind.LANGUAGE_LITERAL
        or terms.kinds[term] == TermKind.TYPED_LITERAL
    )

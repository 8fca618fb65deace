"""Writes N-Triples and N-Quads; the writers of other syntaxes convert these lines."""

# The reason why a term can't be written, for each `TermFault`.
FAULT_REASONS = {
    RELATIVE_IRI: "an IRI: it is relative, without a scheme",
    BAD_CHARACTER: "an IRI: it has a character that is not allowed there",
    BAD_ESCAPE: "an IRI: it has a % without two hexadecimal digits",
    BAD_PORT: "an IRI: its port is not a number",
    BAD_ADDRESS: "an IRI: its address in brackets is malformed",
    LABEL: "the label of a blank node",
    LANGUAGE_TAG: "a language tag",
}

cdef tuple POSITIONS = ("subject", "predicate", "object", "graph's name")


cdef class LineEncoder(TextEncoder):
    """Writes statements as lines of N-Triples or N-Quads.

    A subclass writes another syntax: its `put_lines` converts the buffered lines.

    Args:
        types: The classes of nodes; only the node of the default graph is used.
        sink: Called with each piece of the text, as bytes, when it is ready.
        syntax: The `jelly_rdflib.formats.Format`.
        checks_statements: Whether `check_statement` is called for each statement.
    """

    cdef str title
    cdef bint has_graphs
    cdef bint has_triple_terms
    cdef bint has_prefixes
    cdef bint has_directions
    cdef bint is_generalized
    cdef bint checks_statements

    def __init__(self, types not None, sink, syntax not None, *, bint checks_statements=False):
        self.set_up(types, is_patch=False, piece_size=1 << 19)
        self.title = syntax.title
        self.has_graphs = syntax.has_graphs
        self.has_triple_terms = syntax.has_triple_terms
        self.has_prefixes = syntax.has_prefixes
        self.has_directions = syntax.has_directions
        self.is_generalized = syntax.is_generalized
        self.checks_statements = checks_statements
        # Set all attributes first, since Output.__init__ opens the encoder for use.
        Output.__init__(self, sink)

    def end_frame(self, metadata=None):
        """Pass the buffered statements to the sink; metadata raises an EncodeError."""
        check_usable(self)
        if metadata:
            raise EncodeError(f"{self.title} has no place for metadata")
        self.flush()

    def abandon(self):
        """End the text because of an error; statements that were written before are kept."""
        self.finish()

    # Subclasses override these methods, which are called while the output is claimed.

    def check_statement(self, str s, str p, str o):
        """Raise an `EncodeError` if the syntax can't express a statement that N-Quads can."""

    def put_prefix(self, str prefix, str iri):
        """Declare a prefix."""

    def take_lines(self):
        """Return the buffered lines, and empty the buffer."""
        self.check_claimed()
        return self.take_text()

    cdef int put_row(self, Batch batch, size_t row) except -1:
        cdef const RowColumns* rows = &batch.rows
        cdef int op = rows.ops[row]
        if op == A:
            return self.put_statement(rows.s[row], rows.p[row], rows.o[row], rows.g[row])
        if op != PA:
            raise EncodeError(f"{self.title} is for statements: it can't express {Op(op).name}")
        batch.terms.check_prefix(rows.s[row], rows.o[row], True)
        if self.has_prefixes:
            self.check(rows.o[row])
            self.put_prefix(
                batch.terms.text_of(rows.s[row]), str(batch.terms.make_node(rows.o[row]))
            )
        return 0

    cdef int put_statement(self, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1:
        cdef size_t p_start, o_start, end
        self.put_part(s, SUBJECT, 0)
        p_start = self.out.size
        self.put_part(p, PREDICATE, 0)
        o_start = self.out.size
        self.put_part(o, OBJECT, 0)
        end = self.out.size
        if not self.is_default(g):
            self.put_part(g, GRAPH, 0)
            if not self.has_graphs:
                raise EncodeError(
                    f"graph {self.text(end, self.out.size)} in {self.title}, which has no named"
                    " graphs: use a format that has them, such as TriG"
                )
        if not self.has_triple_terms and self.terms.kinds[o] == TermKind.TRIPLE_TERM:
            raise EncodeError(
                f"{self.title} can't have the quoted triple {self.text(o_start, end)}"
            )
        if self.checks_statements:
            self.check_statement(
                self.text(self.row_start, p_start), self.text(p_start, o_start),
                self.text(o_start, end),
            )
        return self.put(b".\n", 2)

    cdef str text(self, size_t start, size_t end):
        """Return the term that was written from ``start`` to ``end``, without the final space."""
        return (<const char*>self.out.data)[start:end - 1].decode("utf-8")

    cdef int put_part(self, uint32_t term, int position, int depth) except -1:
        cdef size_t start = self.out.size
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            self.put_triple(term, depth)
        else:
            if self.texts.places[term].size == 0:
                # Check a term when its text is made, once per batch.
                self.check(term)
            append_text(&self.out, self.texts, term)
        if not self.is_generalized and not may_stand(self.terms.kinds[term], position):
            raise EncodeError(
                f"{self.text(start, self.out.size)} can't be a {POSITIONS[position]}: RDF syntaxes"
                " allow only an IRI"
                f"{'' if position == PREDICATE else ' or a blank node'}"
            )
        return 0

    cdef int check(self, uint32_t term) except -1:
        """Check that a term other than a quoted triple can be written in RDF syntaxes."""
        cdef int kind = self.terms.kinds[term]
        cdef uint32_t extra = self.terms.extras[term]
        cdef Span literal = text_of(self.terms, term)
        cdef Span language
        cdef int fault
        if kind == TermKind.TYPED_LITERAL and wants_tag(self.terms, extra):
            raise EncodeError(
                f"a literal of datatype {str_of_span(text_of(self.terms, extra))} has no"
                " language tag"
            )
        if kind == TermKind.TYPED_LITERAL or kind == TermKind.LANGUAGE_LITERAL:
            term = extra
        if kind == TermKind.LANGUAGE_LITERAL:
            if not self.has_directions:
                refuse_direction(literal, text_of(self.terms, term), f"{self.title} has", EncodeError)
            fault = split_direction(text_of(self.terms, term), &language)
            if fault < 0 or not is_language_tag(language) or not is_well_formed(language):
                fault = LANGUAGE_TAG
            else:
                fault = NO_FAULT
        else:
            fault = find_fault(self.terms, term)
        if fault != NO_FAULT:
            raise EncodeError(
                f"{str_of_span(text_of(self.terms, term))!r} can't be written as"
                f" {FAULT_REASONS[fault]}"
            )
        return 0

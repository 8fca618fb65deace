"""Writes N-Triples and N-Quads; the writers of other syntaxes convert these lines."""

cdef enum:
    # Bytes of lines that are handed on at once; a piece may be somewhat larger.
    LINES_SIZE = 1 << 19

# By `IriFault`: why a text is no IRI.
cdef tuple IRI_FAULTS = (
    None,
    "it is relative, without a scheme",
    "it has a character that can't stand there",
    "it has a % without two hexadecimal digits",
    "its port is no number",
    "its address in brackets is malformed",
)


cdef class LineEncoder(TextEncoder):
    """Writes statements as lines of N-Triples or N-Quads.

    A subclass writes another syntax: its `put_lines` converts the lines that wait.

    Args:
        types: Has the node of the default graph.
        sink: Called with pieces of the text as they are ready: bytes.
        syntax: The `jelly_rdflib.formats.Format`.
        checks_statements: Whether `check_statement` is called for each statement.
    """

    cdef str title
    cdef bint has_graphs
    cdef bint has_triple_terms
    cdef bint has_prefixes
    cdef bint checks_statements

    def __init__(self, types not None, sink, syntax not None, *, bint checks_statements=False):
        self.set_up(types, is_patch=False)
        self.title = syntax.title
        self.has_graphs = syntax.has_graphs
        self.has_triple_terms = syntax.has_triple_terms
        self.has_prefixes = syntax.has_prefixes
        self.checks_statements = checks_statements
        # Output.__init__ opens the encoder for use: all attributes are set before.
        Output.__init__(self, sink)

    def end_frame(self, metadata=None):
        """Hand on the statements that wait. There is no place for metadata."""
        check_usable(self)
        if metadata:
            raise EncodeError(f"{self.title} has no place for metadata")
        claim_output(self)
        try:
            self.put_lines()
        finally:
            free_output(self)

    def finish(self):
        """End the text and hand on what is left."""
        if self.is_over:
            return
        claim_output(self)
        try:
            self.put_lines()
            self.put_end()
            self.end()
        finally:
            free_output(self)

    def abandon(self):
        """End the text because of an error; the statements that were written stay."""
        self.finish()

    # Subclasses override these, which are called while the output is claimed.

    def check_statement(self, str s, str p, str o):
        """Raise `EncodeError` if the syntax can't have a statement that N-Quads can have."""

    def put_prefix(self, str prefix, str iri):
        """Declare a prefix."""

    def put_lines(self):
        """Hand on the lines that wait."""
        lines = self.take_lines()
        if lines:
            self.send(lines)

    def put_end(self):
        """Hand on the end of the document."""

    def take_lines(self):
        """Return the lines that wait, and forget them."""
        self.check_claimed()
        return self.take_text()

    cdef int put_batch(self, Batch batch) except -1:
        # Python code of subclasses may run, and other threads in between.
        claim_output(self)
        try:
            return self.put_rows(batch)
        finally:
            free_output(self)

    cdef int put_row(self, Batch batch, size_t row) except -1:
        cdef int op = batch.rows.ops[row]
        cdef size_t start = self.out.size
        if op == PA:
            batch.terms.check_prefix(batch.rows.s[row], batch.rows.o[row], True)
            if self.has_prefixes:
                self.check(batch.rows.o[row])
                self.put_prefix(
                    batch.terms.text_of(batch.rows.s[row]),
                    str(batch.terms.make_node(batch.rows.o[row])),
                )
            return 0
        if op != A:
            raise EncodeError(f"{Op(op).name} is about changes, and {self.title} is for statements")
        try:
            self.put_statement(
                batch.rows.s[row], batch.rows.p[row], batch.rows.o[row], batch.rows.g[row]
            )
        except BaseException:
            self.drop(start)
            raise
        if self.out.size >= LINES_SIZE:
            self.put_lines()
        return 0

    cdef int put_statement(self, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1:
        cdef size_t start = self.out.size
        cdef size_t p_start, o_start, end
        self.put_subject(s, "subject")
        p_start = self.out.size
        self.put_predicate(p)
        o_start = self.out.size
        self.put_object(o, 0)
        end = self.out.size
        if not self.is_default(g):
            self.put_subject(g, "graph's name")
            if not self.has_graphs:
                raise EncodeError(
                    f"graph {self.text(end, self.out.size)} in {self.title}, which has no named"
                    " graphs"
                )
        if not self.has_triple_terms and self.terms.kinds[o] == TermKind.TRIPLE_TERM:
            raise EncodeError(
                f"{self.title} can't have the quoted triple {self.text(o_start, end)}"
            )
        if self.checks_statements:
            self.check_statement(
                self.text(start, p_start), self.text(p_start, o_start), self.text(o_start, end)
            )
        return self.put(b".\n", 2)

    cdef object text(self, size_t start, size_t end):
        """Return a term that was put from ``start`` to ``end``, with a space behind it, as a str."""
        return (<const char*>self.out.data)[start:end - 1].decode("utf-8")

    cdef int put_subject(self, uint32_t term, str what) except -1:
        """Put an IRI or a blank node, and a space."""
        cdef size_t start = self.out.size
        cdef int kind = self.terms.kinds[term]
        self.put_object(term, 0)
        if kind != TermKind.IRI and kind != TermKind.BLANK_NODE:
            raise EncodeError(
                f"{self.text(start, self.out.size)} can't be a {what}: in the syntaxes of RDF that"
                " is an IRI or a blank node"
            )
        return 0

    cdef int put_predicate(self, uint32_t term) except -1:
        cdef size_t start = self.out.size
        self.put_object(term, 0)
        if self.terms.kinds[term] != TermKind.IRI:
            raise EncodeError(
                f"{self.text(start, self.out.size)} can't be a predicate: in the syntaxes of RDF"
                " that is an IRI"
            )
        return 0

    cdef int put_object(self, uint32_t term, int depth) except -1:
        """Put any term and a space."""
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            return self.put_triple(term, depth)
        if self.texts.places[term].size == 0:
            # A term without a text yet was not checked before.
            self.check(term)
        return append_text(&self.out, self.texts, term)

    cdef int put_triple(self, uint32_t term, int depth) except -1:
        cdef uint32_t[3] numbers
        if depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        memcpy(numbers, self.terms.data + self.terms.offsets[term], sizeof(numbers))
        if (
            self.terms.kinds[numbers[0]] == TermKind.TRIPLE_TERM
            or self.terms.kinds[numbers[1]] == TermKind.TRIPLE_TERM
        ):
            raise EncodeError(
                "a quoted triple can't be a subject or a predicate: in the syntaxes of RDF it can"
                " only be an object"
            )
        self.put(b"<<( ", 4)
        self.put_subject(numbers[0], "subject")
        self.put_predicate(numbers[1])
        self.put_object(numbers[2], depth + 1)
        return self.put(b")>> ", 4)

    cdef int check(self, uint32_t term) except -1:
        """Check that a term other than a quoted triple can be written in the syntaxes of RDF."""
        cdef int kind = self.terms.kinds[term]
        cdef uint32_t extra = self.terms.extras[term]
        if kind == TermKind.IRI:
            self.check_iri(term)
        elif kind == TermKind.BLANK_NODE:
            if not is_label(span_of_term(self.terms, term)):
                raise self.error(term, "the label of a blank node")
        elif kind == TermKind.LANGUAGE_LITERAL:
            if not is_well_formed(span_of_term(self.terms, extra)):
                raise self.error(extra, "a language tag")
        elif kind == TermKind.TYPED_LITERAL:
            self.check_iri(extra)
            if (
                is_text(self.terms, extra, LANGUAGE_STRING)
                or is_text(self.terms, extra, DIRECTED_STRING)
            ):
                raise EncodeError(
                    f"a literal of datatype {self.plain_text(extra)} has no language tag"
                )
        return 0

    cdef inline int check_iri(self, uint32_t term) except -1:
        cdef Span text = span_of_term(self.terms, term)
        cdef IriFault fault = check_iri(text.start, text.end)
        if fault != IRI_IS_GOOD:
            raise self.error(term, f"an IRI: {IRI_FAULTS[fault]}")
        return 0

    cdef object plain_text(self, uint32_t term):
        cdef Span text = span_of_term(self.terms, term)
        return text.start[:text.end - text.start].decode("utf-8")

    cdef object error(self, uint32_t term, str what):
        return EncodeError(f"{self.plain_text(term)!r} can't be written as {what}")

"""Writes statements as lines of N-Quads, of which other syntaxes can be made."""

cdef enum:
    # How much is handed on at once, or somewhat more.
    LINES_SIZE = 1 << 19
    # Of texts that are known to be good, since they come again and again.
    MAX_KNOWN = 1 << 14
    MAX_KNOWN_SIZE = 256

# No text of a batch is so long.


cdef class LineEncoder(Output):
    """Writes statements as lines of N-Quads. Subclasses make pieces of their syntax of them.

    Args:
        types: Has the node of the default graph.
        sink: Called with pieces of the text as they are ready: bytes.
        title: What the syntax is called.
        check_text: Called with the `TermKind` and the text of an IRI, a blank node or a language
            tag (which is a ``STRING``), in UTF-8; or with the kind of a typed literal, and its
            datatype. Raises `EncodeError` if no syntax of RDF can have it.
        check_statement: Called with the texts of s, p and o, before a statement is written. Raises
            `EncodeError` if the syntax can't have it, though N-Quads can. None: it has all.
        has_graphs: Whether statements may be in named graphs.
        has_triple_terms: Whether objects may be quoted triples.
    """

    cdef bytes default_graph
    cdef str title
    cdef object check_text
    cdef object check_statement
    cdef bint has_graphs
    cdef bint has_triple_terms
    cdef list known  # by kind: a set of texts that are good
    cdef TermTexts texts
    cdef WriteBuffer out
    # Of the batch that is being written.
    cdef const TermColumns* terms
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    def __init__(
        self, types not None, sink, *, str title not None, check_text not None,
        check_statement, bint has_graphs, bint has_triple_terms
    ):
        self.check_new()
        self.default_graph = str(types.default_graph).encode()
        self.title = title
        self.check_text = check_text
        self.check_statement = check_statement
        self.has_graphs = has_graphs
        self.has_triple_terms = has_triple_terms
        self.known = [set() for _ in range(TermKind.STRING + 1)]
        self.texts = TermTexts(ANY_SIZE, default_graph=self.default_graph)
        # Output.__init__ opens the encoder for use: all attributes are set before.
        Output.__init__(self, sink)

    def __dealloc__(self):
        buffer_free(&self.out)

    def put_lines(self):
        """Hand on the lines that wait; `claim` comes first. Subclasses call `take_lines`."""
        raise NotImplementedError

    def put_prefix(self, str prefix, str iri):
        """Declare a prefix; `claim` comes first."""
        raise NotImplementedError

    def take_lines(self):
        """Return the lines that wait, and start anew."""
        cdef bytes lines = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
        self.out.size = 0
        self.texts.buffer += 1
        return lines

    cdef int put_batch(self, Batch batch) except -1:
        cdef size_t row
        # What checks a text is Python code, between which other threads run.
        claim_output(self)
        try:
            if batch.terms is not self.texts.table:
                self.last_graph = 0
                self.last_graph_is_default = True
            self.texts.start(batch.terms)
            self.terms = self.texts.terms
            for row in range(batch.rows.count):
                self.put_row(batch, row)
                if self.out.size >= LINES_SIZE:
                    self.put_lines()
        finally:
            # One that is still being filled comes again.
            if not batch.terms.is_open:
                self.end_batch()
            free_output(self)
        return 0

    cdef int end_batch(self) except -1:
        return self.texts.end()

    cdef int put_row(self, Batch batch, size_t row) except -1:
        cdef int op = batch.rows.ops[row]
        cdef size_t start = self.out.size
        if op == PA:
            batch.terms.check_prefix(batch.rows.s[row], batch.rows.o[row], True)
            self.put_prefix(
                batch.terms.text_of(batch.rows.s[row]),
                str(batch.terms.make_node(batch.rows.o[row])),
            )
            return 0
        if op != A:
            raise EncodeError(f"{Op(op).name} is about changes, and {self.title} is for statements")
        try:
            return self.put_statement(
                batch.rows.s[row], batch.rows.p[row], batch.rows.o[row], batch.rows.g[row]
            )
        except BaseException:
            self.out.size = start
            self.texts.buffer += 1
            raise

    cdef int put_statement(self, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1:
        cdef size_t start = self.out.size
        cdef size_t p_start, o_start, end
        self.put_subject(s, "subject")
        p_start = self.out.size
        self.put_predicate(p)
        o_start = self.out.size
        self.put_object(o, 0)
        end = self.out.size
        if g != self.last_graph:
            self.last_graph_is_default = is_default_graph(self.terms, g, self.default_graph)
            self.last_graph = g
        if not self.last_graph_is_default:
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
        if self.check_statement is not None:
            self.check_statement(
                self.text(start, p_start), self.text(p_start, o_start), self.text(o_start, end)
            )
        buffer_reserve(&self.out, 2)
        put_bytes(&self.out, b".\n", 2)
        return 0

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
            # What is good stays good.
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
        buffer_reserve(&self.out, 4)
        put_bytes(&self.out, b"<<( ", 4)
        self.put_subject(numbers[0], "subject")
        self.put_predicate(numbers[1])
        self.put_object(numbers[2], depth + 1)
        buffer_reserve(&self.out, 4)
        put_bytes(&self.out, b")>> ", 4)
        return 0

    cdef int check(self, uint32_t term) except -1:
        """See that the syntaxes of RDF can have a term."""
        cdef int kind = self.terms.kinds[term]
        cdef uint32_t extra = self.terms.extras[term]
        if kind == TermKind.IRI or kind == TermKind.BLANK_NODE:
            self.check_known(kind, term)
        elif kind == TermKind.LANGUAGE_LITERAL:
            self.check_known(TermKind.STRING, extra)
        elif kind == TermKind.TYPED_LITERAL:
            self.check_known(TermKind.IRI, extra)
            self.check_known(kind, extra)
        return 0

    cdef int check_known(self, int kind, uint32_t term) except -1:
        cdef const uint8_t* start = self.terms.data + self.terms.offsets[term]
        cdef size_t size = self.terms.offsets[term + 1] - self.terms.offsets[term]
        cdef bytes text = PyBytes_FromStringAndSize(<const char*>start, size)
        cdef set known = self.known[kind]
        if text not in known:
            self.check_text(kind, text)
            if size <= MAX_KNOWN_SIZE:
                if len(known) >= MAX_KNOWN:
                    known.clear()
                known.add(text)
        return 0

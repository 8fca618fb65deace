"""Makes batches from the statements that another library's parser returns."""

cdef str STRING_DATATYPE = XSD_STRING.decode()


@cython.nonecheck(True)
@cython.final
cdef class QuadCount:
    """The progress of a parser, shared by its input and the reader of its statements.

    Attributes:
        made: The number of statements that the parser has made.
        read: The number of bytes that the parser was given.
    """

    cdef public size_t made
    cdef public size_t read


@cython.nonecheck(True)
@cython.final
cdef class QuadReader:
    """Passes pyoxigraph's statements to a `BatchBuilder`, without importing pyoxigraph.

    Args:
        quads: Iterates over statements.
        builder: Gets an `Op.A` for each statement.
        library: The module with the classes ``NamedNode``, ``BlankNode``, ``Literal``, ``Triple``
            and ``DefaultGraph``.
        has_graphs: Whether statements may be in named graphs.
        max_nesting_depth: The maximum nesting depth of quoted triples.
        max_expansion: The maximum number of characters of all statements for each byte of the
            input, beyond ``free_text``.
        free_text: The number of characters that all statements may have for an input of any size.
        drops_directions: Whether to drop directions of literals; `has_dropped` reports if any was.
        by_grammar: Whether to check IRIs against the grammar, since the library does not.
        has_marks: Whether the text has the marks that a `TurtleScanner` adds.
        count: Counts the statements.
        labels: Gives the blank nodes their labels.
    """

    cdef object quads
    cdef BatchBuilder builder
    cdef object named_node
    cdef object blank_node
    cdef object literal
    cdef object triple
    cdef object default_graph
    cdef bint has_graphs
    cdef bint drops_directions
    cdef readonly bint has_dropped
    cdef bint by_grammar
    cdef bint has_marks
    cdef size_t max_nesting_depth
    cdef uint64_t max_expansion
    cdef uint64_t free_text
    cdef uint64_t text  # the total text size of all terms so far, in characters
    cdef QuadCount count
    cdef NodeLabels labels

    def __cinit__(
        self, quads, BatchBuilder builder not None, library, *, bint has_graphs,
        size_t max_nesting_depth, uint64_t max_expansion, uint64_t free_text,
        bint drops_directions, bint by_grammar, bint has_marks,
        QuadCount count not None, NodeLabels labels not None,
    ):
        self.quads = quads
        self.builder = builder
        self.named_node = library.NamedNode
        self.blank_node = library.BlankNode
        self.literal = library.Literal
        self.triple = library.Triple
        self.default_graph = library.DefaultGraph
        self.has_graphs = has_graphs
        self.drops_directions = drops_directions
        self.by_grammar = by_grammar
        self.has_marks = has_marks
        self.max_nesting_depth = max_nesting_depth
        self.max_expansion = max_expansion
        self.free_text = free_text
        self.count = count
        self.labels = labels

    def read(self, first, size_t rows, size_t text):
        """Read statements until the builder is full; return whether the input has ended.

        Args:
            first: The first statement, already taken from the iterator.
            rows: The number of rows at which the builder is full.
            text: The bytes of text, repeated terms included, at which the builder is full.
        """
        cdef BatchBuilder builder = self.builder
        cdef object quad = first
        while quad is not None:
            self.put(quad)
            if builder.rows.count >= rows or builder.given >= text:
                return False
            quad = next(self.quads, None)
        return True

    cdef int put(self, object quad) except -1:
        cdef BatchBuilder builder = self.builder
        cdef uint32_t s = self.term_number(quad.subject)
        cdef uint32_t p = self.term_number(quad.predicate)
        cdef uint32_t o = self.term_number(quad.object)
        cdef uint32_t g = 0
        cdef object graph = quad.graph_name
        if type(graph) is not self.default_graph:
            if not self.has_graphs:
                raise DecodeError(f"{graph} is the name of a formula, which RDF does not have")
            g = self.term_number(graph)
        elif self.has_graphs:
            g = builder.intern(TermKind.DEFAULT_GRAPH, "", 0)
        # Check the numbers again, since the statement's own code may have drained the builder.
        builder.add(A, s, p, o, g)
        self.count.made += 1
        if self.text > self.free_text + self.max_expansion * self.count.read:
            # Limit the text: a short name may expand to a long IRI each time it is repeated, and
            # copying takes time.
            raise LimitError(
                f"the input expands to more than {self.max_expansion} times its own size",
                limit="max_expansion", value=self.max_expansion,
                offset=self.count.read,
            )
        return 0

    cdef uint32_t term_number(self, object term) except? 0:
        cdef object kind = type(term)
        if kind is self.named_node:
            return self.iri_number(term.value)
        if kind is self.literal:
            return self.literal_number(term)
        if kind is self.blank_node:
            return self.builder.intern(TermKind.BLANK_NODE, self.labels.label(term.value), 0)
        return self.triple_number(term)

    cpdef uint32_t iri_number(self, str iri) except? 0:
        """Return the number of an IRI, and check it if it is new in the batch."""
        cdef BatchBuilder builder = self.builder
        cdef uint32_t count = builder.terms.count
        cdef uint32_t number
        cdef int fault
        self.text += len(iri)
        number = builder.intern(TermKind.IRI, iri, 0)
        if self.by_grammar and number == count:
            fault = check_iri_by_grammar(
                builder.terms.data + builder.terms.offsets[count],
                builder.terms.data + builder.terms.offsets[count + 1],
            )
            if fault == RELATIVE_IRI:
                raise DecodeError(f"the IRI {iri!r} is relative: it has no scheme")
            if fault != NO_FAULT:
                raise DecodeError(f"{iri!r} is not an IRI")
        return number

    cdef uint32_t literal_number(self, object literal) except? 0:
        cdef BatchBuilder builder = self.builder
        cdef str lexical = literal.value
        self.text += len(lexical)
        cdef str datatype
        cdef str language = literal.language
        if language is not None:
            if self.has_marks:
                language = without_tag_mark(language)
            if literal.direction is not None:
                self.has_dropped |= self.drops_directions
                if not self.drops_directions:
                    language = f"{language}--{literal.direction}"
            return builder.intern(
                TermKind.LANGUAGE_LITERAL, lexical, builder.intern(TermKind.STRING, language, 0)
            )
        datatype = literal.datatype.value
        if datatype == STRING_DATATYPE:
            return builder.intern(TermKind.SIMPLE_LITERAL, lexical, 0)
        if self.has_marks:
            datatype = without_datatype_mark(datatype)
        return builder.intern(
            TermKind.TYPED_LITERAL, lexical, self.iri_number(datatype)
        )

    cdef uint32_t triple_number(self, object triple) except? 0:
        """Return the number of a quoted triple, whose object may itself be a quoted triple."""
        # Each access to a part copies it; no more than two levels are kept at once.
        cdef list outer = []
        cdef object term = triple
        cdef uint32_t number
        while type(term) is self.triple:
            if <size_t>len(outer) >= self.max_nesting_depth:
                raise LimitError(
                    f"quoted triples nest deeper than {self.max_nesting_depth}",
                    limit="max_nesting_depth", value=self.max_nesting_depth,
                )
            outer.append((self.term_number(term.subject), self.term_number(term.predicate)))
            term = term.object
        number = self.term_number(term)
        while outer:
            s, p = outer.pop()
            number = self.builder.triple(s, p, number)
        return number

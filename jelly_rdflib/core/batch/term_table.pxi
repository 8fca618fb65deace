"""The distinct terms of a batch as a Python object."""

@cython.nonecheck(True)
cdef class NodeMaker:
    """Makes nodes from the terms of a batch; a base class, since core does not import rdflib."""

    cdef list make_nodes(self, const TermColumns* terms):
        """Return a list: first None, then the node of each term in the order of the table."""
        raise NotImplementedError

    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes):
        """Return the node of a term; ``nodes`` has the nodes of the terms that it refers to."""
        raise NotImplementedError

    def show_node(self, node):
        """Return a node as text for a message."""
        raise NotImplementedError

    def for_messages(self):
        """Return a maker of nodes for messages only; it also makes terms that rdflib lacks."""
        raise NotImplementedError

    def show_batch(self, batch):
        """Return a batch as HTML."""
        raise NotImplementedError


@cython.nonecheck(True)
@cython.final
cdef class TermTable:
    """The distinct terms of a `Batch`: a sequence of nodes, and the columns they are made from.

    ``terms[i]`` is the node of term number ``i``: an rdflib term, a `TripleTerm`, or a plain str
    for a header's key or a prefix's name; ``terms[0]`` is None and stands for "no term".
    """

    def __init__(self):
        raise TypeError("term tables are made by readers: see jelly_rdflib.read_batches")

    def __dealloc__(self):
        terms_free(&self.columns)

    def __len__(self):
        return self.columns.count

    @cython.critical_section
    def __getitem__(self, index):
        # Make all nodes, since a caller that asks for one will ask for more.
        if self.nodes is None:
            self.check_made()
            self.nodes = self.factory.make_nodes(&self.columns)
        return self.nodes[index]

    def __iter__(self):
        return iter(self.make_nodes())

    def __repr__(self):
        return f"<TermTable: {self.columns.count} terms>"

    @cython.critical_section
    cdef list make_nodes(self):
        self.check_made()
        return self.factory.make_nodes(&self.columns) if self.nodes is None else self.nodes

    cdef object make_node(self, uint32_t term, NodeMaker factory=None):
        """Return the node of a term (None for number 0), without making all nodes of the table."""
        cdef NodeMaker maker = self.factory if factory is None else factory
        cdef TermColumns copies
        cdef Failure failure
        cdef int64_t copied
        if term == 0:
            return None
        if terms_init(&copies, 4, 64, self.columns.max_text) < 0:
            raise MemoryError
        try:
            copied = terms_copy(&copies, &self.columns, term, <const uint8_t*>b"", &failure)
            if copied < 0:
                # This must be a lack of memory, since a part of a table is within its limits.
                raise MemoryError
            return maker.make_nodes(&copies)[copied]
        finally:
            terms_free(&copies)

    cpdef str text_of(self, uint32_t term):
        """Return the text of a term; for a literal, only the lexical form."""
        if term >= self.columns.count:
            raise IndexError(term)
        cdef Span text = text_of(&self.columns, term)
        return (<const char*>text.start)[:text.end - text.start].decode("utf-8")

    cpdef str show(self, uint32_t term):
        """Return a term in N-Triples for a message, shortened if it is long."""
        self.check_made()
        if term >= self.columns.count:
            raise IndexError(term)
        return self.factory.show_node(self.make_node(term, self.factory.for_messages()))

    cdef bint is_default(self, uint32_t graph) noexcept:
        """Return whether operations have None for a graph; the table must have a factory."""
        return is_default_graph(&self.columns, graph, self.factory.default_graph)

    cdef int check_made(self) except -1:
        if self.factory is None:
            raise TypeError("this term table was not made by a reader")
        return 0

    cdef int check_name(self, uint32_t term, str what) except -1:
        """Check that a term is a header's key or a prefix's name."""
        if not is_text(self.columns.kinds[term]):
            raise EncodeError(f"{what} {self.show(term)} is not a str")
        return 0

    cdef int check_prefix(self, uint32_t name, uint32_t iri, bint is_added) except -1:
        """Check that a prefix has a name and an IRI; a deleted prefix may lack the IRI."""
        cdef int kind = self.columns.kinds[iri]
        self.check_name(name, "prefix")
        if kind > TermKind.IRI and kind != TermKind.DEFAULT_GRAPH:
            raise EncodeError(
                f"prefix {self.text_of(name)!r} can't stand for {self.show(iri)}: it is not a"
                " URIRef"
            )
        if is_added and kind == TermKind.NONE:
            raise EncodeError(f"prefix {self.text_of(name)!r} is added, but has no IRI")
        return 0

    @property
    def kinds(self):
        """Column: for each term its `jelly_rdflib.TermKind`, uint8. The other columns then hold:

        - ``NONE``: nothing; number 0 stands for no term
        - ``IRI``, ``BLANK_NODE``: the text
        - ``SIMPLE_LITERAL``: the lexical form as text
        - ``LANGUAGE_LITERAL``: the same, and in ``extras`` the number of the tag, a ``STRING``;
          a base direction follows the language, as in ``ar--rtl``
        - ``TYPED_LITERAL``: the same, and in ``extras`` the number of the datatype, an ``IRI``
        - ``TRIPLE_TERM``: as text the numbers of s, p and o, uint32 each
        - ``DEFAULT_GRAPH``: nothing
        - ``STRING``: text that isn't a term, such as a header's key
        """
        self.check_made()
        return export_column(self, self.columns.kinds, self.columns.count, sizeof(uint8_t))

    @property
    def offsets(self):
        """Column, uint32, with one more entry: term i has ``data[offsets[i]:offsets[i + 1]]``."""
        self.check_made()
        return export_column(self, self.columns.offsets, self.columns.count + 1, sizeof(uint32_t))

    @property
    def extras(self):
        """Column: the number in this table of a literal's language tag or datatype, uint32."""
        self.check_made()
        return export_column(self, self.columns.extras, self.columns.count, sizeof(uint32_t))

    @property
    def data(self):
        """All texts, one after another, in UTF-8 (a quoted triple: three uint32)."""
        self.check_made()
        return export_column(self, self.columns.data, self.columns.offsets[self.columns.count], 1)


cdef int refuse_node(object node) except -1:
    """Raise an EncodeError that says that an object is not an RDF term."""
    raise EncodeError(
        f"{node!r} of type {type(node).__name__} is not an RDF term: give a URIRef, BNode or"
        " Literal of rdflib, a TripleTerm, or the identifier of a Graph"
    )


cdef int raise_direction(str literal, int direction, str who, error) except -1:
    raise error(
        f"literal {literal!r} with the base direction {'ltr' if direction == 1 else 'rtl'}: {who}"
        ' none; to leave directions out, read with directions="drop" (command line: --directions'
        " drop)"
    )

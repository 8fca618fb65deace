"""Adds nodes to a table of terms, and returns their numbers.

rdflib's nodes compare and hash in Python code. Here a node is looked up by its address first, then
by its text.
"""

cdef inline RecentTerm* recent_place(NodeInterner interner, object node) noexcept:
    cdef size_t address = <size_t><PyObject*>node
    return &interner.recent[((address >> 4) ^ (address >> 16)) & (RECENT_SIZE - 1)]

cdef inline uint32_t term_number(NodeInterner interner, object node, uint32_t last=0) except 0:
    """Return the number of a node in the interner's table; ``last`` is a term to try first."""
    cdef RecentTerm* recent = recent_place(interner, node)
    if recent.node is <PyObject*>node:
        return recent.number
    return interner.find(node, last)

cdef enum:
    # The first capacity of a table.
    FIRST_TERMS = 64
    FIRST_TEXT = 1 << 11
    # The size of a full table, and the factor by which it may be larger if many nodes are repeated.
    MAX_TERMS = 1 << 12
    MAX_TEXT = 1 << 17
    MORE = 4


@cython.final
cdef class NodeInterner:
    """Adds nodes to a table of terms, and returns their numbers."""

    def __cinit__(self, NodeTypes types not None, NodeFactory factory=None):
        self.types = types
        self.factory = NodeFactory(types, normalize=False) if factory is None else factory
        self.table = TermTable.__new__(TermTable)
        self.table.factory = self.factory
        self.table.is_open = True
        self.start_table()

    def __dealloc__(self):
        self.clear_recent()

    cdef int start_table(self) except -1:
        """Replace the table with an empty one, which makes all numbers invalid."""
        cdef TermColumns* columns = &self.table.columns
        cdef TermColumns empty
        self.clear_recent()
        self.repeats = 0
        if columns.data != NULL and columns.data_capacity <= 2 * MORE * MAX_TEXT:
            terms_clear(columns)
            return 0
        # Don't reuse the old table: a single long text may have made it large.
        if terms_init(&empty, FIRST_TERMS, FIRST_TEXT, MAX_TABLE_TEXT) < 0:
            raise MemoryError
        terms_free(columns)
        columns[0] = empty
        return 0

    cdef bint is_full(self) noexcept:
        """Return whether the table is so large that a new one, which fits in cache, is faster."""
        cdef TermColumns* columns = &self.table.columns
        cdef uint32_t factor
        if columns.count <= MAX_TERMS and columns.offsets[columns.count] <= MAX_TEXT:
            return False
        factor = MORE if 4 * self.repeats > columns.count else 1
        return (
            columns.count > factor * MAX_TERMS
            or columns.offsets[columns.count] > factor * MAX_TEXT
        )

    cdef void clear_recent(self) noexcept:
        cdef PyObject* node
        cdef size_t i
        for i in range(<size_t>RECENT_SIZE):
            node = self.recent[i].node
            self.recent[i].node = NULL
            Py_XDECREF(node)

    cdef bint is_iri(self, object node, uint32_t term) noexcept:
        """Return whether a node is certainly a term's IRI; False if a check would be slow."""
        cdef const TermColumns* columns = &self.table.columns
        cdef uint32_t start
        if type(node) is not self.types.iri or not PyUnicode_IS_ASCII(node):
            return False
        start = columns.offsets[term]
        return (
            columns.kinds[term] == TermKind.IRI
            and <size_t>PyUnicode_GET_LENGTH(node) == columns.offsets[term + 1] - start
            and memcmp(PyUnicode_DATA(node), columns.data + start, PyUnicode_GET_LENGTH(node)) == 0
        )

    cdef uint32_t find(self, object node, uint32_t last) except 0:
        """Return the number of a node; remember the node's address if it occurs a second time.

        Nodes that occur once are not remembered, since releasing them later would be slow.
        """
        cdef uint32_t count = self.table.columns.count
        cdef RecentTerm* recent = recent_place(self, node)
        cdef uint32_t number
        cdef PyObject* old
        if recent.seen != <size_t><PyObject*>node:
            recent.seen = <size_t><PyObject*>node
            return last if last != 0 and self.is_iri(node, last) else self.intern_node(node)
        number = self.intern_node(node)
        old = recent.node
        Py_INCREF(node)
        recent.node = <PyObject*>node
        recent.number = number
        # Count repeats of known terms only: a new term is another node at the same address.
        self.repeats += number < count
        Py_XDECREF(old)
        return number

    cdef uint32_t intern_node(self, object node) except 0:
        cdef int kind = node_kind(self.types, node)
        if kind == TermKind.LANGUAGE_LITERAL:
            return self.intern(
                TermKind.LANGUAGE_LITERAL, node,
                self.intern(TermKind.STRING, get_slot(node, self.types.slots[LANGUAGE]), 0),
            )
        if kind == TermKind.TYPED_LITERAL:
            datatype = get_slot(node, self.types.slots[DATATYPE])
            return self.intern(
                TermKind.TYPED_LITERAL, node,
                term_number(self, datatype) if type(datatype) is self.types.iri
                else self.intern(TermKind.IRI, datatype, 0),
            )
        if kind == TermKind.TRIPLE_TERM:
            return self.intern_triple(node)
        if kind == TermKind.NONE:
            refuse_node(node)
        return self.intern(<TermKind>kind, node, 0)

    cdef uint32_t intern_triple(self, object node) except 0:
        cdef Failure failure
        cdef uint32_t s, p, o
        if self.depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        self.depth += 1
        try:
            s = term_number(self, node.s)
            p = term_number(self, node.p)
            o = term_number(self, node.o)
        finally:
            self.depth -= 1
        return self.check(
            terms_intern_triple(&self.table.columns, s, p, o, <const uint8_t*>b"", &failure), node
        )

    cdef uint32_t intern(self, TermKind kind, object text, uint32_t extra) except 0:
        """Add a term with this text if it is new, and return its number."""
        cdef TermColumns* columns = &self.table.columns
        cdef Failure failure
        cdef object utf8 = as_utf8(text)
        cdef Span span = utf8_of(utf8)
        cdef size_t size = span.end - span.start
        return self.check(
            terms_intern(
                columns, kind, span.start, size, extra,
                term_hash(kind, hash_text(span.start, size, hash_seed()), columns.hashes[extra]),
                span.start, &failure,
            ),
            text,
        )

    cdef uint32_t check(self, int64_t number, object node) except 0:
        """Return the number, or raise an error if it is negative; keep the node if it is new."""
        if number < 0:
            if self.table.columns.offsets[self.table.columns.count] > MAX_TABLE_TEXT // 2:
                raise EncodeError("the terms of one row have more than 4 GiB of text together")
            raise MemoryError
        if self.nodes is not None and number == len(self.nodes):
            self.nodes.append(node)
        return <uint32_t>number

    cdef Batch make_batch(self, RowColumns* rows, bint has_graphs):
        """Make a batch from rows and the table; both are empty after that."""
        cdef Batch batch = make_batch(rows, &self.table.columns, self.factory, has_graphs, {})
        # Tuples of the batch then have the original nodes.
        batch.terms.nodes = self.nodes
        return batch

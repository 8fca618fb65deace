"""Builds batches from terms and operations that another library has parsed."""

cdef enum:
    # The initial capacity of a batch.
    START_ROWS = 512
    START_TERMS = 512
    START_TEXT = 1 << 14


@cython.nonecheck(True)
@cython.final
cdef class BatchBuilder:
    """Builds batches: methods return the number of each given term, and rows use these numbers.

    A number is valid for the current batch only.
    """

    def __cinit__(self, NodeMaker factory not None, limits):
        self.factory = factory
        self.seed = hash_seed()
        self.max_string_size = limits.max_string_size
        self.max_text_size = limits.max_text_size
        self.start_batch()

    def __dealloc__(self):
        rows_free(&self.rows)
        terms_free(&self.terms)

    def __len__(self):
        """The number of rows."""
        return self.rows.count

    @property
    def text_size(self):
        """The total text size of all distinct terms, in bytes."""
        return self.terms.offsets[self.terms.count]

    def iri(self, str text not None):
        """Return the number of an IRI."""
        return self.intern(TermKind.IRI, text, 0)

    def blank_node(self, str label not None):
        """Return the number of a blank node."""
        return self.intern(TermKind.BLANK_NODE, label, 0)

    def literal(self, str lexical not None, str language=None, str datatype=None):
        """Return the number of a literal; it is simple if it has no language and no datatype."""
        if language is not None:
            return self.intern(
                TermKind.LANGUAGE_LITERAL, lexical, self.intern(TermKind.STRING, language, 0)
            )
        if datatype is not None:
            return self.intern(
                TermKind.TYPED_LITERAL, lexical, self.intern(TermKind.IRI, datatype, 0)
            )
        return self.intern(TermKind.SIMPLE_LITERAL, lexical, 0)

    def string(self, str text not None):
        """Return the number of a header's key or a prefix's name."""
        return self.intern(TermKind.STRING, text, 0)

    def default_graph(self):
        """Return the number of the default graph."""
        return self.intern(TermKind.DEFAULT_GRAPH, "", 0)

    def triple(self, uint32_t s, uint32_t p, uint32_t o):
        """Return the number of the quoted triple of three terms, given by number."""
        self.check_numbers(s, p, o, 0)
        return self.check(
            terms_intern_triple(&self.terms, s, p, o, <const uint8_t*>b"", &self.failure)
        )

    def add_row(self, uint8_t op, uint32_t s=0, uint32_t p=0, uint32_t o=0, uint32_t g=0):
        """Add an operation; `Batch` describes which of the numbers each operation has."""
        if op == 0 or op >= CODES:
            raise ValueError(f"{op} is not an operation's code: see jelly_rdflib.Op")
        self.add(op, s, p, o, g)

    def drain(self, *, bint has_graphs):
        """Return the batch, and start a new one."""
        cdef RowColumns rows = self.rows
        cdef TermColumns terms = self.terms
        self.start_batch()
        return make_batch(&rows, &terms, self.factory, has_graphs, {})

    cdef int start_batch(self) except -1:
        """Start a batch; if memory runs out, the old batch is kept."""
        cdef RowColumns rows
        cdef TermColumns terms
        if rows_init(&rows, START_ROWS) < 0:
            raise MemoryError
        if terms_init(&terms, START_TERMS, START_TEXT, self.max_text_size) < 0:
            rows_free(&rows)
            raise MemoryError
        self.rows, self.terms = rows, terms
        self.given = 0
        return 0

    cdef int64_t intern(self, TermKind kind, str text, uint32_t extra) except -1:
        cdef Py_ssize_t size
        cdef const uint8_t* start = <const uint8_t*>PyUnicode_AsUTF8AndSize(text, &size)
        if <size_t>size > self.max_string_size:
            raise LimitError(
                f"string of {size} bytes", limit="max_string_size", value=self.max_string_size,
                asked=size,
            )
        self.given += size
        return self.check(
            terms_intern(
                &self.terms, kind, start, size, extra,
                term_hash(kind, hash_text(start, size, self.seed), self.terms.hashes[extra]),
                start, &self.failure,
            )
        )

    cdef int64_t check(self, int64_t number) except -1:
        if number < 0:
            error = failure_to_error(&self.failure, None, None, None)
            memset(&self.failure, 0, sizeof(self.failure))
            raise error
        return number

    cdef int append(self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1:
        """Add an operation whose code and numbers are known to be valid."""
        if rows_append(&self.rows, op, s, p, o, g) < 0:
            raise MemoryError
        return 0

    cdef int add(self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1:
        """Check the numbers of an operation with a valid code, and add the operation."""
        self.check_numbers(s, p, o, g)
        return self.append(op, s, p, o, g)

    cdef int check_numbers(self, uint32_t s, uint32_t p, uint32_t o, uint32_t g) except -1:
        if max(s, p, o, g) >= self.terms.count:
            raise IndexError(f"the batch has no term number {max(s, p, o, g)}")
        return 0

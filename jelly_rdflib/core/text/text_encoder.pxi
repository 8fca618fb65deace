"""Encodes operations as RDF Patch text.

The style is the one that the specification prefers: a row to a line, single spaces, blank nodes as
``<_:label>``, prefixes and their IRIs quoted, and literals in full.
"""

cdef enum:
    # How much is handed on at once, or somewhat more.
    PIECE = 1 << 16

# No text of a batch is so long.
cdef size_t ANY_SIZE = <size_t>1 << 40


cdef class TextPatchEncoder(Output):
    """Encodes operations.

    An operation that can't be encoded raises `EncodeError` and leaves the text as if it had not
    been tried. What the text can't say: an IRI that starts with ``_:``, a literal whose language
    tag is none, and the deletion of a prefix from a graph that is a literal. What it does not tell: the default graph from no graph at all, and the
    IRI of a prefix that is deleted.

    A patch's end is written, as ``Z .``, where something follows it; the last one is the text's
    own end. So the text of a single patch has no ``Z``.

    Args:
        types: Has the node of the default graph.
        sink: Called with pieces of the text as they are ready: bytes, in whole rows.
    """

    cdef bytes default_graph
    cdef WriteBuffer out  # whole rows, and the one that is being written
    cdef size_t row_start
    cdef int depth  # of quoted triples in the current row
    cdef bint is_end_due  # a patch ended, but its Z is not written: that depends on what follows
    cdef bint has_end  # a Z was written
    cdef bint patch_is_empty  # no row since the last Z, or the start
    # The batch that is being written.
    cdef TermTexts texts
    cdef const TermColumns* terms
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    def __init__(self, types not None, sink):
        self.check_new()
        self.default_graph = str(types.default_graph).encode()
        self.texts = TermTexts(ANY_SIZE, is_patch=True, default_graph=self.default_graph)
        self.patch_is_empty = True
        self.last_graph_is_default = True
        # Output.__init__ opens the encoder for use: all attributes are set before.
        Output.__init__(self, sink)

    def __dealloc__(self):
        buffer_free(&self.out)

    def flush(self):
        """Hand on the rows that are ready, where a reader may wait for them."""
        check_usable(self)
        self.emit()

    def finish(self):
        """End the text and hand on what is left. An open transaction is aborted."""
        if self.is_over:
            return
        if self.in_transaction:
            self.put_mark(TA)
        if self.is_end_due and self.has_end and self.patch_is_empty:
            # Without its Z an empty patch behind another would be none.
            self.start_row()
            self.end_row()
        self.emit()
        self.state = FINISHED

    cdef int start_row(self) except -1:
        """Start a row, to be ended or dropped."""
        check_usable(self)
        self.row_start = self.out.size
        self.depth = 0
        return self.put(b"Z .\n", 4) if self.is_end_due else 0

    cdef int end_row(self) except -1:
        if self.is_end_due:
            self.is_end_due = False
            self.has_end = True
        self.patch_is_empty = False
        if self.out.size >= PIECE:
            self.emit()
        return 0

    cdef int end_patch(self) except -1:
        """End the patch. What is written is handed on."""
        check_usable(self)
        self.check_mark(END)
        if self.is_end_due:
            # This patch is empty.
            self.start_row()
            self.end_row()
            self.patch_is_empty = True
        self.is_end_due = True
        return self.emit()

    cdef int emit(self) except -1:
        cdef bytes piece
        if self.out.size == 0:
            return 0
        check_usable(self)
        piece = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
        self.out.size = 0
        self.texts.buffer += 1
        return self.send(piece)

    cdef inline int put(self, const char* text, size_t size) except -1:
        buffer_reserve(&self.out, size)
        put_bytes(&self.out, <const uint8_t*>text, size)
        return 0

    cdef int put_mark(self, int op) except -1:
        """Put a row of a transaction."""
        check_usable(self)
        self.check_mark(op)
        self.start_row()
        self.put(b"TX .\n" if op == TX else b"TC .\n" if op == TC else b"TA .\n", 5)
        self.in_transaction = op == TX
        return self.end_row()

    cdef int check_depth(self) except -1:
        if self.depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        # Triples that share triples may be few and yet endless to write down.
        if self.out.size - self.row_start > MAX_LENGTH:
            raise EncodeError("the row would be longer than 2 GiB")
        return 0

    cdef int put_batch(self, Batch batch) except -1:
        cdef size_t row
        check_usable(self)
        if batch.terms is not self.texts.table:
            self.last_graph = 0
            self.last_graph_is_default = True
        self.texts.start(batch.terms)
        self.terms = self.texts.terms
        try:
            for row in range(batch.rows.count):
                self.put_row(batch, row)
        finally:
            # One that is still being filled comes again.
            if not batch.terms.is_open:
                self.end_batch()
        return 0

    cdef int end_batch(self) except -1:
        return self.texts.end()

    cdef int put_row(self, Batch batch, size_t row) except -1:
        cdef int op = batch.rows.ops[row]
        if op == TX or op == TC or op == TA:
            return self.put_mark(op)
        if op == END:
            return self.end_patch()
        self.start_row()
        try:
            if op == A or op == D:
                self.put(b"A " if op == A else b"D ", 2)
                self.put_term(batch.rows.s[row])
                self.put_term(batch.rows.p[row])
                self.put_term(batch.rows.o[row])
                self.put_graph(batch.rows.g[row])
            elif op == H:
                self.put(b"H ", 2)
                self.put_key(batch.rows.s[row])
                self.put_term(batch.rows.o[row])
            else:
                self.put_prefix(op, batch.rows.s[row], batch.rows.o[row], batch.rows.g[row])
            self.put(b".\n", 2)
        except BaseException:
            # The end of the patch before it goes with the row.
            self.out.size = self.row_start
            self.texts.buffer += 1
            raise
        return self.end_row()

    cdef int put_key(self, uint32_t term) except -1:
        """Put a header's key, as it is where it is a word, else quoted, and a space."""
        cdef const uint8_t* text = self.terms.data + self.terms.offsets[term]
        cdef size_t size = self.terms.offsets[term + 1] - self.terms.offsets[term]
        cdef bint is_word = size > 0 and is_letter(text[0]) and text[size - 1] != b"."
        cdef size_t i
        self.texts.table.check_name(term, "header key")
        for i in range(size):
            is_word &= is_ascii_name_part(text[i]) or text[i] == b"."
        if not is_word:
            return self.put_string(term)
        self.put(<const char*>text, size)
        return self.put(b" ", 1)

    cdef int put_prefix(self, int op, uint32_t name, uint32_t iri, uint32_t graph) except -1:
        self.texts.table.check_prefix(name, iri, op == PA)
        self.put(b"PA " if op == PA else b"PD ", 3)
        self.put_string(name)
        if op == PA:
            self.put_string(iri)
        elif TermKind.SIMPLE_LITERAL <= self.terms.kinds[graph] <= TermKind.TYPED_LITERAL:
            raise EncodeError(
                f"RDF Patch text can't delete a prefix from {self.texts.table.make_node(graph)!r}: a"
                " literal would be read as the prefix's IRI"
            )
        return self.put_graph(graph)

    cdef inline int put_term(self, uint32_t term) except -1:
        """Put a term and a space."""
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            return self.put_triple(term)
        return append_text(&self.out, self.texts, term)

    cdef int put_triple(self, uint32_t term) except -1:
        cdef uint32_t[3] numbers
        cdef int position
        self.check_depth()
        self.depth += 1
        memcpy(numbers, self.terms.data + self.terms.offsets[term], sizeof(numbers))
        self.put(b"<<( ", 4)
        for position in range(3):
            self.put_term(numbers[position])
        self.put(b")>> ", 4)
        self.depth -= 1
        return 0

    cdef inline int put_graph(self, uint32_t term) except -1:
        """Put the graph, unless it is the default graph, and a space."""
        if term != self.last_graph:
            self.last_graph = term
            self.last_graph_is_default = is_default_graph(self.terms, term, self.default_graph)
        if self.last_graph_is_default:
            return 0
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            raise EncodeError(
                f"a quoted triple can't be a graph: {self.texts.table.make_node(term)!r}"
            )
        return self.put_term(term)

    cdef int put_string(self, uint32_t term) except -1:
        """Put the text of a term, quoted, and a space."""
        cdef const uint8_t* text = self.terms.data + self.terms.offsets[term]
        cdef size_t size = self.terms.offsets[term + 1] - self.terms.offsets[term]
        if self.terms.kinds[term] == TermKind.DEFAULT_GRAPH:
            text = <const uint8_t*>PyBytes_AS_STRING(self.default_graph)
            size = PyBytes_GET_SIZE(self.default_graph)
        put_quoted(&self.out, text, size)
        return self.put(b" ", 1)

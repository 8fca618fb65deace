"""Writes RDF Patch text.

The style is the one that the specification prefers: a row to a line, single spaces, blank nodes as
``<_:label>``, prefixes and their IRIs quoted, and literals in full.
"""

cdef enum:
    # Bytes of text that are handed on at once; a piece may be somewhat larger.
    PIECE = 1 << 16


cdef class TextPatchEncoder(TextEncoder):
    """Encodes operations.

    If an operation can't be encoded, that raises `EncodeError`, and the text stays as if the
    operation had not been tried. The text can't express an IRI that starts with ``_:``, a literal
    with an ill-formed language tag, or the deletion of a prefix from a graph that is a literal. It
    does not distinguish the default graph from no graph, and it drops the IRI of a deleted prefix.

    The end of a patch is written, as ``Z .``, only if something follows; the end of the text ends
    the last patch. So the text of a single patch has no ``Z``.

    Args:
        types: Has the node of the default graph.
        sink: Called with pieces of the text as they are ready: bytes, in whole rows.
    """

    cdef size_t row_start  # where the current row starts in `out`
    cdef int depth  # of quoted triples in the current row
    cdef bint is_end_due  # a patch ended, but its Z is not written: that depends on what follows
    cdef bint has_end  # a Z was written
    cdef bint patch_is_empty  # no row since the last Z, or the start

    def __init__(self, types not None, sink):
        self.set_up(types, is_patch=True)
        self.patch_is_empty = True
        # Output.__init__ opens the encoder for use: all attributes are set before.
        Output.__init__(self, sink)

    def flush(self):
        """Hand on the rows that are ready, for a reader that waits for them."""
        check_usable(self)
        self.emit()

    def finish(self):
        """End the text and hand on its last rows. An open transaction is aborted."""
        if self.is_over:
            return
        if self.in_transaction:
            self.put_mark(TA)
        if self.is_end_due and self.has_end and self.patch_is_empty:
            # Without its Z an empty last patch would be lost.
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
        """End the patch and hand on its rows."""
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
        if self.out.size == 0:
            return 0
        check_usable(self)
        return self.send(self.take_text())

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
        # A few triples that share triples may take endless text.
        if self.out.size - self.row_start > MAX_LENGTH:
            raise EncodeError("the row would be longer than 2 GiB")
        return 0

    cdef int put_batch(self, Batch batch) except -1:
        check_usable(self)
        return self.put_rows(batch)

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
            self.drop(self.row_start)
            raise
        return self.end_row()

    cdef int put_key(self, uint32_t term) except -1:
        """Put a header's key, quoted unless it is a word, and a space."""
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
        if self.is_default(term):
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

"""Writes RDF Patch text.

The style is the one that the specification prefers: one row per line, single spaces, blank nodes
as ``<_:label>``, prefixes and their IRIs quoted, and literals in full.
"""

cdef class TextPatchEncoder(TextEncoder):
    """Encodes operations as RDF Patch text.

    An operation that can't be encoded raises an `EncodeError`, and leaves no trace in the text.
    RDF Patch text can't express an IRI that starts with ``_:``, a literal with an ill-formed
    language tag, or the deletion of a prefix from a graph that is a literal. It does not
    distinguish the default graph from no graph, and it drops the IRI of a deleted prefix.

    The end of a patch is written, as ``Z .``, only if something follows; the end of the text ends
    the last patch. So the text of a single patch has no ``Z``.

    Args:
        types: The classes of nodes; only the node of the default graph is used.
        sink: Called with each piece of the text when it is ready: bytes with whole rows.
    """

    # The number of patches that ended since the last row: 0, 1, or 2 for two or more. The end of
    # the last patch is written only if another row follows.
    cdef int ends

    def __init__(self, types not None, sink):
        self.set_up(types, is_patch=True, piece_size=1 << 16)
        # Set all attributes first, since Output.__init__ opens the encoder for use.
        Output.__init__(self, sink)

    def put_end(self):
        """Abort an open transaction, and pass the last rows of the text to the sink."""
        self.check_claimed()
        if self.in_transaction:
            self.put(b"TA .\n", 5)
            self.in_transaction = False
        elif self.ends > 1:
            # Write the Z, since an empty patch at the end would be lost without it.
            self.put(b"Z .\n", 4)
        self.put_lines()

    cdef int put_row(self, Batch batch, size_t row) except -1:
        cdef const RowColumns* rows = &batch.rows
        cdef int op = rows.ops[row]
        cdef bint is_mark = op == TX or op == TC or op == TA
        if is_mark or op == END:
            self.check_mark(op)
        if self.ends > 0:
            self.put(b"Z .\n", 4)
        if op == END:
            self.ends = 2 if self.ends > 0 else 1
            self.put_lines()
            return 0
        if op == A or op == D:
            self.put(b"A " if op == A else b"D ", 2)
            self.put_part(rows.s[row], SUBJECT, 0)
            self.put_part(rows.p[row], PREDICATE, 0)
            self.put_part(rows.o[row], OBJECT, 0)
            self.put_graph(rows.g[row])
        elif is_mark:
            self.put(b"TX " if op == TX else b"TC " if op == TC else b"TA ", 3)
        elif op == H:
            self.put(b"H ", 2)
            self.put_key(rows.s[row])
            self.put_part(rows.o[row], OBJECT, 0)
        else:
            self.put_prefix(op, rows.s[row], rows.o[row], rows.g[row])
        self.put(b".\n", 2)
        self.ends = 0
        if is_mark:
            self.in_transaction = op == TX
        return 0

    cdef int put_key(self, uint32_t term) except -1:
        """Write a header's key, quoted unless it is a word, and a space."""
        cdef Span text = text_of(self.terms, term)
        cdef bint is_word = (
            text.start < text.end and is_letter(text.start[0]) and (text.end - 1)[0] != b"."
        )
        cdef const uint8_t* at = text.start
        self.texts.table.check_name(term, "header key")
        while at < text.end and is_word:
            is_word = is_ascii_name_part(at[0]) or at[0] == b"."
            at += 1
        if not is_word:
            return self.put_string(term)
        self.put(<const char*>text.start, text.end - text.start)
        return self.put(b" ", 1)

    cdef int put_prefix(self, int op, uint32_t name, uint32_t iri, uint32_t graph) except -1:
        self.texts.table.check_prefix(name, iri, op == PA)
        self.put(b"PA " if op == PA else b"PD ", 3)
        self.put_string(name)
        if op == PA:
            self.put_string(iri)
        elif is_literal(self.terms, graph):
            raise EncodeError(
                f"RDF Patch text can't delete a prefix from {self.texts.table.show(graph)}:"
                " a literal would be read as the prefix's IRI"
            )
        return self.put_graph(graph)

    cdef int put_part(self, uint32_t term, int position, int depth) except -1:
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            return self.put_triple(term, depth)
        return append_text(&self.out, self.texts, term)

    cdef inline int put_graph(self, uint32_t term) except -1:
        """Write the graph and a space, unless it is the default graph."""
        if self.is_default(term):
            return 0
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            raise EncodeError(
                f"a quoted triple can't be a graph: {self.texts.table.show(term)}"
            )
        return append_text(&self.out, self.texts, term)

    cdef int put_string(self, uint32_t term) except -1:
        """Write the quoted text of a term, and a space."""
        cdef Span text = text_of(self.terms, term)
        if self.terms.kinds[term] == TermKind.DEFAULT_GRAPH:
            text = span_of_bytes(self.default_graph)
        put_escaped(&self.out, b'"', text, b'"')
        return self.put(b" ", 1)

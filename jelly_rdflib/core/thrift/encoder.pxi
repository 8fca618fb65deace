"""Encodes the rows of batches, directly from term numbers to bytes."""

cdef enum:
    # The number of bytes that the sink gets at once; a piece may be somewhat larger.
    PIECE = 1 << 16
    # The maximum size of a string and of a row, since lengths are signed 32-bit numbers.
    MAX_SIZE = 0x7FFFFFFF
    # The space for the headers, lengths and ends around one or two texts, in bytes.
    FRAME_SIZE = 32

cdef enum:
    # Field headers: the difference from the number of the previous field, and the type.
    NEXT_STRING = 1 << 4 | BINARY
    STRING_AFTER_NEXT = 2 << 4 | BINARY

# The member of RDF_Term for each kind of term; 0 if the kind isn't a term.
cdef int[TermKind.STRING + 1] MEMBERS
memset(MEMBERS, 0, sizeof(MEMBERS))
MEMBERS[<int>TermKind.IRI] = MEMBERS[<int>TermKind.DEFAULT_GRAPH] = TERM_IRI
MEMBERS[<int>TermKind.BLANK_NODE] = BNODE
MEMBERS[<int>TermKind.SIMPLE_LITERAL] = LITERAL
MEMBERS[<int>TermKind.LANGUAGE_LITERAL] = MEMBERS[<int>TermKind.TYPED_LITERAL] = LITERAL
MEMBERS[<int>TermKind.TRIPLE_TERM] = TERM_TRIPLE


cdef inline size_t size_of(Span text) noexcept:
    return text.end - text.start


cdef class ThriftEncoder(Output):
    """Encodes the operations of batches: as RDF Patch, or as RDF Thrift if ``is_patch`` is False.

    An operation that can't be encoded raises an `EncodeError`, and leaves no trace in the output.
    The module `jelly_rdflib.formats.rdf_patch` lists what Thrift can't express.

    The end of a patch is written, as ``Segment``, if something follows or the patch is empty; else
    the end of the output ends the last patch. The sink gets whole rows.
    """

    cdef bytes default_graph
    cdef bint is_patch
    cdef WriteBuffer out  # complete rows, and the row that is being written
    cdef uint64_t* triple_sizes  # the sizes of quoted triples, by term number; 0: not known yet
    cdef bint is_end_due  # a patch ended; whether its Segment is written depends on what follows
    cdef bint has_end  # a Segment was written
    cdef bint patch_is_empty  # no row was written since the last Segment, or since the start

    def __init__(self, types not None, sink, *, bint is_patch=True):
        self.check_new()
        self.is_patch = is_patch
        self.default_graph = str(types.default_graph).encode()
        self.patch_is_empty = True
        # Set all attributes first, since Output.__init__ opens the encoder for use.
        Output.__init__(self, sink)

    def __dealloc__(self):
        buffer_free(&self.out)

    def finish(self):
        """Abort an open transaction, end the output, and pass its last rows to the sink."""
        if self.is_over:
            return
        claim_output(self)
        try:
            if self.in_transaction:
                self.put_mark(TXN_TA)
                self.in_transaction = False
            if self.is_end_due and self.has_end and self.patch_is_empty:
                # Write the Segment, since an empty last patch would be lost without it.
                self.put_mark(TXN_SEGMENT)
            self.emit()
            set_state(self, FINISHED)
        finally:
            free_output(self)

    def flush(self):
        """Pass the buffered rows to the sink."""
        claim_output(self)
        try:
            self.emit()
        finally:
            free_output(self)

    def end_frame(self, metadata=None):
        """Pass the buffered statements to the sink; metadata raises an EncodeError."""
        if metadata:
            raise EncodeError("RDF Thrift has no place for metadata")
        self.flush()

    def abandon(self):
        """End the output because of an error; statements that were written before are kept."""
        self.finish()

    cdef int put_batch(self, Batch batch) except -1:
        cdef size_t row, row_start
        claim_output(self)
        row_start = self.out.size
        try:
            for row in range(batch.rows.count):
                if not self.is_patch:
                    self.put_statement(batch.terms, &batch.rows, row)
                    if self.out.size >= PIECE:
                        self.emit()
                elif batch.rows.ops[row] == END:
                    self.end_patch()
                else:
                    if self.is_end_due:
                        self.put_mark(TXN_SEGMENT)
                    self.put_row(batch.terms, &batch.rows, row)
                    self.has_end |= self.is_end_due
                    self.is_end_due = self.patch_is_empty = False
                    if self.out.size >= PIECE:
                        self.emit()
                row_start = self.out.size
        except BaseException:
            # Drop the row that failed; if the sink failed, the buffer is empty already.
            self.out.size = min(row_start, self.out.size)
            raise
        finally:
            PyMem_RawFree(self.triple_sizes)
            self.triple_sizes = NULL
            free_output(self)
        return 0

    cdef int end_patch(self) except -1:
        self.check_mark(END)
        if self.is_end_due:
            # The end of the previous patch is still due, so the patch that ends now is empty. Write
            # the previous end, since something follows it.
            self.put_mark(TXN_SEGMENT)
            self.has_end = self.patch_is_empty = True
        self.is_end_due = True
        return self.emit()

    cdef int emit(self) except -1:
        cdef bytes piece
        if self.out.size > 0:
            piece = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
            self.out.size = 0
            self.send(piece)
        return 0

    # Rows.

    cdef int put_statement(self, TermTable table, const RowColumns* rows, size_t row) except -1:
        """Write a row of RDF Thrift."""
        cdef const TermColumns* terms = &table.columns
        cdef uint8_t op = rows.ops[row]
        cdef bint is_triple
        if op == PA:
            table.check_prefix(rows.s[row], rows.o[row], True)
            self.put_head(ROW_PREFIX, STRUCT)
            self.put_string(NEXT_STRING, text_of(terms, rows.s[row]))
            self.put_string(NEXT_STRING, self.iri_of(terms, rows.o[row]))
            return self.put_ends()
        if op != A:
            raise EncodeError(f"RDF Thrift is for statements: it can't express {Op(op).name}")
        is_triple = is_default_graph(terms, rows.g[row], self.default_graph)
        self.put_head(ROW_TRIPLE if is_triple else ROW_QUAD, STRUCT)
        self.put_spo(terms, rows, row)
        self.put_graph(terms, rows.g[row])
        return self.put_ends()

    cdef inline int put_spo(
        self, const TermColumns* terms, const RowColumns* rows, size_t row
    ) except -1:
        self.put_term(terms, rows.s[row], 0)
        self.put_term(terms, rows.p[row], 0)
        return self.put_term(terms, rows.o[row], 0)

    cdef inline int put_row(
        self, TermTable table, const RowColumns* rows, size_t row
    ) except -1:
        cdef const TermColumns* terms = &table.columns
        cdef uint8_t op = rows.ops[row]
        cdef bint has_graph
        if op == TX or op == TC or op == TA:
            self.check_mark(op)
            self.put_mark(TXN_TX if op == TX else TXN_TC if op == TC else TXN_TA)
            self.in_transaction = op == TX
            return 0
        if op == A or op == D:
            self.put_head(DATA_ADD if op == A else DATA_DEL, STRUCT)
            self.put_spo(terms, rows, row)
            self.put_graph(terms, rows.g[row])
        elif op == H:
            table.check_name(rows.s[row], "header key")
            self.put_head(ROW_HEADER, STRUCT)
            self.put_string(NEXT_STRING, text_of(terms, rows.s[row]))
            self.put_term(terms, rows.o[row], 0)
        else:
            table.check_prefix(rows.s[row], rows.o[row], op == PA)
            self.put_head(PREFIX_ADD if op == PA else PREFIX_DEL, STRUCT)
            has_graph = self.put_graph(terms, rows.g[row])
            self.put_string(
                NEXT_STRING if has_graph else STRING_AFTER_NEXT, text_of(terms, rows.s[row])
            )
            if op == PA:
                self.put_string(NEXT_STRING, self.iri_of(terms, rows.o[row]))
        return self.put_ends()

    cdef int put_mark(self, int txn) except -1:
        self.put_head(TXN, I32)
        # The value is a signed number, whose last bit is the sign; then the row ends.
        put_byte(&self.out, <uint8_t>(txn << 1))
        put_byte(&self.out, STOP)
        return 0

    cdef inline int put_head(self, int distance, int type) except -1:
        """Reserve `FRAME_SIZE` bytes, and write the header of a field to the first one."""
        buffer_reserve(&self.out, FRAME_SIZE)
        put_byte(&self.out, <uint8_t>(distance << 4 | type))
        return 0

    cdef inline int put_ends(self) except -1:
        """Write the ends of two structs."""
        buffer_reserve(&self.out, 2)
        put_byte(&self.out, STOP)
        put_byte(&self.out, STOP)
        return 0

    cdef inline int put_string(self, uint8_t head, Span text) except -1:
        cdef size_t size = size_of(text)
        if size > MAX_SIZE:
            raise EncodeError(f"text of {size} bytes is too long for Thrift")
        buffer_reserve(&self.out, FRAME_SIZE + size)
        put_byte(&self.out, head)
        put_varint(&self.out, size)
        put_bytes(&self.out, text.start, size)
        return 0

    cdef inline bint put_graph(self, const TermColumns* terms, uint32_t term) except -1:
        """Write a graph, unless it is the default graph; return whether it was written."""
        if is_default_graph(terms, term, self.default_graph):
            return False
        if terms.kinds[term] == TermKind.TRIPLE_TERM:
            raise EncodeError("a quoted triple can't be a graph")
        self.put_term(terms, term, 0)
        return True

    # Terms.

    cdef inline Span iri_of(self, const TermColumns* terms, uint32_t term) noexcept:
        """Return the text of a term; for the default graph, the IRI that stands for it."""
        if terms.kinds[term] == TermKind.DEFAULT_GRAPH:
            return span_of(self.default_graph, PyBytes_GET_SIZE(self.default_graph))
        return text_of(terms, term)

    cdef int put_term(self, const TermColumns* terms, uint32_t term, int level) except -1:
        """Write a field with a term, which is nested in ``level`` quoted triples."""
        cdef int kind = terms.kinds[term]
        cdef Span text = text_of(terms, term)
        cdef Span extra = text_of(terms, terms.extras[term])
        cdef uint32_t[3] numbers
        cdef int position
        if MEMBERS[kind] == 0:
            raise EncodeError("the operation lacks a term, or has an object that is not a term")
        self.put_head(1, STRUCT)
        self.put_head(MEMBERS[kind], STRUCT)
        if kind == TermKind.TRIPLE_TERM:
            # Limit the size: a few triples that share quoted triples may expand to a huge row.
            if self.find_size(terms, term, level + 1) > MAX_SIZE:
                raise EncodeError("the row would be longer than 2 GiB")
            memcpy(numbers, text.start, sizeof(numbers))
            for position in range(3):
                self.put_term(terms, numbers[position], level + 1)
            return self.put_ends()
        self.put_string(NEXT_STRING, self.iri_of(terms, term))
        if kind == TermKind.LANGUAGE_LITERAL:
            if not is_language_tag(extra):
                refuse_direction(text, extra, "Thrift has", EncodeError)
                tag = str(extra.start[:size_of(extra)], "utf-8")
                raise EncodeError(f"{tag!r} is not a language tag: it can't be written")
            self.put_string(NEXT_STRING, extra)
        elif kind == TermKind.TYPED_LITERAL:
            self.put_string(STRING_AFTER_NEXT, extra)
        return self.put_ends()

    cdef uint64_t find_size(self, const TermColumns* terms, uint32_t term, int level) except? 0:
        """Return the approximate encoded size of a term, up to a little more than `MAX_SIZE`."""
        cdef uint32_t[3] numbers
        cdef uint64_t size = FRAME_SIZE + size_of(text_of(terms, term))
        cdef int position
        if terms.kinds[term] != TermKind.TRIPLE_TERM:
            return size + size_of(text_of(terms, terms.extras[term]))
        if level > MAX_TRIPLE_DEPTH:
            raise EncodeError(
                f"quoted triples of more than {MAX_TRIPLE_DEPTH} levels can't be written:"
                " Thrift implementations do not read them"
            )
        if self.triple_sizes == NULL:
            self.triple_sizes = <uint64_t*>PyMem_RawCalloc(terms.count, sizeof(uint64_t))
            if self.triple_sizes == NULL:
                raise MemoryError
        if self.triple_sizes[term] == 0:
            memcpy(numbers, terms.data + terms.offsets[term], sizeof(numbers))
            for position in range(3):
                size += self.find_size(terms, numbers[position], level + 1)
            self.triple_sizes[term] = min(size, <uint64_t>MAX_SIZE + 1)
        return self.triple_sizes[term]

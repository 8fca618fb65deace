"""Reads RDF Patch and RDF in Thrift as batches, directly from bytes to the terms of a batch."""

cdef enum:
    # A batch ends after this many rows, or bytes of text.
    MAX_ROWS = 512
    MAX_TEXT = 1 << 18
    # The number of characters that any decimal number may have, whatever its size in bytes; and
    # the maximum number of characters without the zeros that the scale adds.
    FREE_DIGITS = 1024
    MAX_DIGITS = 22

cdef enum:
    # Levels of nesting.
    ROW_DEPTH = 1
    TERM_DEPTH = 3

cdef enum:
    # Bits of `FoundFields.seen`: the bit for skipped fields, and the bits of all fields together.
    ODD = 1
    ANY = 0xFFFF

# The operation for each value of TXN.
cdef uint8_t[TXN_SEGMENT + 1] MARKS
MARKS[TXN_TX], MARKS[TXN_TC], MARKS[TXN_TA], MARKS[TXN_SEGMENT] = TX, TC, TA, END

cdef const char* XSD_INTEGER = b"http://www.w3.org/2001/XMLSchema#integer"
cdef const char* XSD_DECIMAL = b"http://www.w3.org/2001/XMLSchema#decimal"
cdef const char* XSD_DOUBLE = b"http://www.w3.org/2001/XMLSchema#double"
cdef const char* RDF_LANG_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"


ctypedef struct FoundFields:
    # The fields of a struct: an array for each type, indexed by field number.
    uint32_t seen  # a bit for the number of each field
    int member  # the number of the last field, in a union the only one; 0: no field
    Span[MAX_FIELDS + 1] texts
    int64_t[MAX_FIELDS + 1] numbers  # or the bits of a double
    uint32_t[MAX_FIELDS + 1] terms  # numbers of terms in the batch; 0 if the field is missing


ctypedef struct LastTerm:
    # The encoded bytes of a statement's term, and the number of the term.
    const uint8_t* start
    size_t size
    uint32_t number


cdef inline Span span_of(const char* text, size_t size) noexcept nogil:
    cdef Span span
    span.start = <const uint8_t*>text
    span.end = span.start + size
    return span


cdef inline bytes bytes_of(Span text):
    return PyBytes_FromStringAndSize(<const char*>text.start, text.end - text.start)


@cython.final
cdef class ThriftBatchReader(BatchSource):
    """Iterates over the batches of RDF Patch in Thrift, or of RDF Thrift if ``is_patch`` is False.

    The end of the input ends a patch, too.

    The reader needs memory for one row and one batch. A batch has the rows that are available: the
    reader does not wait for more rows of a live source.

    A fault in a row stops the cursor and fills in the builder's ``failure``. The failure points to
    the malformed byte or, if no byte is malformed, to the start of the row. A field of
    a wrong type, or a repeated one, is skipped, and reported only if the row has no other fault,
    since input that is not Thrift often starts with such a field. ``max_frame_size`` limits the
    size of a row.
    """

    cdef InputBuffer input
    cdef BatchBuilder builder
    cdef TermColumns* terms  # the builder's terms
    cdef uint64_t row  # the number of the next row
    # The start of the last batch.
    cdef uint64_t batch_offset, batch_row
    cdef int max_nesting_depth
    cdef uint64_t max_expansion
    cdef Cursor cursor
    cdef Failure unexpected  # the fault of a skipped field
    cdef LastTerm[5] last  # by field number; their bytes are in the input buffer
    cdef bint is_patch
    # For statements: declared prefixes with their IRIs, and the size of expanded prefixed names.
    cdef dict prefixes
    cdef uint64_t prefix_size, expanded_size
    # For patches.
    cdef bint in_transaction
    cdef bint is_open  # operations were read since the last end of a patch
    cdef bint has_end  # whether the end of a patch was read

    def __cinit__(self, source, NodeMaker factory not None, limits, *, bint is_patch=True):
        self.is_patch = is_patch
        self.prefixes = {}
        self.builder = BatchBuilder(factory, limits)
        self.terms = &self.builder.terms
        self.cursor.failure = &self.builder.failure
        self.cursor.max_size = limits.max_frame_size
        self.cursor.max_string_size = limits.max_string_size
        self.max_nesting_depth = limits.max_nesting_depth
        self.max_expansion = limits.max_expansion
        self.input = InputBuffer(source, limits, padding=True)

    cdef int locate_error(self, error) except -1:
        error.offset, error.row = self.batch_offset, self.batch_row + 1
        return 0

    cdef int close_source(self) except -1:
        self.input.close()
        return 0

    cdef Batch read_batch(self):
        try:
            while not self.decode():
                if self.input.is_at_end:
                    self.is_finished = True
                    return self.finish()
                self.read_row()
        except DecodeError as error:
            error.row = self.row + 1
            if self.row == 0 and not isinstance(error, LimitError):
                what = "RDF Patch in Thrift" if self.is_patch else "RDF Thrift"
                error.message += f"; is the input {what} at all?"
            raise
        self.batch_row = self.row
        self.row += self.builder.rows.count
        return self.builder.drain(has_graphs=True)

    cdef bint decode(self) except -1:
        """Decode the available bytes; return False if they contain no complete row."""
        cdef InputBuffer input = self.input
        cdef Failure* failure = self.cursor.failure
        cdef const uint8_t* at
        self.batch_offset = input.position
        with nogil:
            at = self.decode_rows(input.begin, input.end, input.is_at_end)
        if self.builder.rows.count == 0 and failure.at != NULL:
            raise failure_to_error(
                failure, input.position + (failure.at - self.cursor.start), None, None
            )
        input.take(at - input.begin)
        return self.builder.rows.count > 0

    cdef int read_row(self) except -1:
        """Read until the row is complete, or the input ends."""
        cdef InputBuffer input = self.input
        cdef Skip skip
        start_skip(&skip, STRUCT, 0)
        while True:
            input.read_more()
            self.start_row(input.begin, input.end, False)
            self.cursor.at += skip.reached
            skip_values(&self.cursor, &skip)
            if input.is_at_end or not self.cursor.is_incomplete:
                return 0

    cdef Batch finish(self):
        """Return a batch with an `Op.END` if the end of the input ends a patch, else None."""
        if not self.is_patch:
            return None
        if self.in_transaction:
            raise DecodeError(
                "the input ends inside a transaction", rule=Rule.TRANSACTION_OPEN,
                offset=self.input.position,
            )
        if self.has_end and not self.is_open:
            return None
        self.builder.append(END, 0, 0, 0, 0)
        return self.builder.drain(has_graphs=True)

    cdef const uint8_t* decode_rows(
        self, const uint8_t* at, const uint8_t* end, bint is_final
    ) noexcept nogil:
        """Decode complete rows until the batch is full; return the start of the next row.

        The batch ends before a bad row; if the bad row is the first one, the builder's failure is
        its fault. `PADDING` bytes after ``end`` must be readable.
        """
        cdef uint32_t terms
        cdef size_t rows
        cdef uint8_t op
        memset(self.cursor.failure, 0, sizeof(Failure))
        memset(self.last, 0, sizeof(self.last))
        while (
            at < end and self.builder.rows.count < MAX_ROWS
            and self.terms.offsets[self.terms.count] < MAX_TEXT
        ):
            terms, rows = self.terms.count, self.builder.rows.count
            self.start_row(at, end, is_final)
            self.read_struct(RDF_PATCH_ROW if self.is_patch else RDF_STREAM_ROW, ROW_DEPTH)
            if self.unexpected.message != NULL and not self.cursor.is_stopped:
                self.cursor.failure[0] = self.unexpected
                stop(&self.cursor)
            if self.cursor.is_stopped:
                terms_truncate(self.terms, terms)
                self.builder.rows.count = rows
                break
            at = self.cursor.at
            if not self.is_patch:
                continue
            op = self.builder.rows.ops[rows]
            if op == TX or op == TC or op == TA:
                self.in_transaction = op == TX
            self.has_end |= op == END
            self.is_open = op != END
        return at

    cdef void start_row(self, const uint8_t* at, const uint8_t* end, bint is_final) noexcept nogil:
        self.cursor.start = self.cursor.at = at
        self.cursor.end = at + min(<size_t>(end - at), self.cursor.max_size)
        self.cursor.is_final = is_final
        self.cursor.is_stopped = self.cursor.is_incomplete = False
        self.unexpected.message = NULL

    cdef uint32_t fail(
        self, const char* message, uint64_t number=0, const char* what=NULL, uint64_t bound=0,
        const char* limit=NULL, const char* rule=b"format"
    ) noexcept nogil:
        """Stop, because the row is invalid or exceeds a limit; return 0 as the number of a term."""
        cdef Failure* failure = self.cursor.failure
        if not self.cursor.is_stopped:
            if limit == NULL:
                fail_number(failure, self.cursor.start, rule, message, number, bound)
            else:
                fail_limit(failure, self.cursor.start, limit, message, number, bound)
            failure.what = what
            stop(&self.cursor)
        return 0

    # Structs.

    cdef uint32_t read_struct(self, int kind, int depth) noexcept nogil:
        """Read a struct (a row has depth 1); return the number of its term, or 0 if it has none."""
        cdef const StructSpec* spec = &SPECS[kind]
        cdef const FieldSpec* field
        cdef FoundFields found
        cdef const uint8_t* start = self.cursor.at
        cdef int64_t number = 0
        cdef int known, type
        found.seen = found.member = 0
        memset(found.terms, 0, sizeof(found.terms))
        check_depth(&self.cursor, depth)
        if kind == RDF_TRIPLE and (depth - TERM_DEPTH + 1) // 2 > self.max_nesting_depth:
            self.fail(
                b"quoted triples nest deeper than {bound}", 0, NULL, self.max_nesting_depth,
                b"max_nesting_depth",
            )
        while True:
            type = read_field(&self.cursor, &number)
            if type == STOP:
                break
            known = <int>number if 0 < number <= MAX_FIELDS else 0
            field = &spec.fields[known]
            if type != field.type or found.seen & (ANY if spec.is_union else 1U << known):
                self.pass_over(spec, found.seen, known, type, depth)
                found.seen |= ODD
                continue
            found.seen |= 1U << known
            found.member = known
            if type == BINARY:
                found.texts[known] = read_string(&self.cursor)
            elif type == DOUBLE:
                found.numbers[known] = load64_little(take(&self.cursor, 8).start)
            elif type != STRUCT:
                found.numbers[known] = read_number(&self.cursor, type)
            elif field.kind == OTHER_STRUCT or (self.is_patch and field.kind == RDF_PREFIX_NAME):
                self.skip(STRUCT, depth)
            elif depth == TERM_DEPTH - 1:
                found.terms[known] = self.read_term_again(known)
            else:
                found.terms[known] = self.read_struct(field.kind, depth + 1)
        if found.seen & spec.required != spec.required:
            return self.fail(b"{what}", 0, spec.lacks)
        if self.cursor.is_stopped:
            return 0
        if depth == TERM_DEPTH - 1 and kind >= RDF_TRIPLE:
            return self.add_statement(kind, &found)
        return self.understand(kind, &found, start)

    cdef inline uint32_t read_term_again(self, int field) noexcept nogil:
        """Read a term of a statement, which often repeats the previous statement's term."""
        cdef LastTerm* last = &self.last[field]
        cdef const uint8_t* start = self.cursor.at
        if (
            last.size > 0 and <size_t>(self.cursor.end - start) >= last.size
            and memcmp(start, last.start, last.size) == 0
        ):
            self.cursor.at += last.size
            return last.number
        last.number = self.read_struct(RDF_TERM, TERM_DEPTH)
        last.start = start
        last.size = self.cursor.at - start
        return last.number

    cdef void pass_over(
        self, const StructSpec* spec, uint32_t seen, int known, int type, int depth
    ) noexcept nogil:
        """Skip a field, and record its fault if it has one; an unknown number is not a fault."""
        cdef const char* message = NULL
        cdef const char* what = spec.name
        if known > 0 and seen >> known & 1:
            message = b"field {number} of {what} occurs twice"
        elif spec.fields[known].type != STOP and spec.fields[known].type != type:
            message = b"{what} has a wrong type"
            what = spec.fields[known].name
        elif spec.is_union and seen != 0:
            message = b"{what} must have one member, but has 2 or more"
        if message != NULL and self.unexpected.message == NULL:
            fail_number(&self.unexpected, self.cursor.start, b"format", message, known, 0)
            self.unexpected.what = what
        if type > FALSE:
            self.skip(type, depth)

    cdef void skip(self, int type, int depth) noexcept nogil:
        """Skip a value in a struct of the given depth."""
        cdef Skip skip
        start_skip(&skip, type, depth)
        skip_values(&self.cursor, &skip)

    cdef uint32_t understand(
        self, int kind, FoundFields* found, const uint8_t* start
    ) noexcept nogil:
        """Turn the fields of a struct, which began at ``start``, into a term or a row."""
        cdef Span* texts = found.texts
        cdef uint32_t* terms = found.terms
        if kind == RDF_TERM:
            return self.term(found)
        if kind == RDF_IRI:
            return self.intern(TermKind.IRI, texts[1], 0)
        if kind == RDF_BNODE:
            return self.intern(TermKind.BLANK_NODE, texts[1], 0)
        if kind == RDF_LITERAL:
            return self.literal(found)
        if kind == RDF_TRIPLE:
            return self.check(
                terms_intern_triple(
                    self.terms, terms[1], terms[2], terms[3], start, self.cursor.failure
                )
            )
        if kind == RDF_DECIMAL:
            # The term is two bytes longer than the struct of the number.
            return self.decimal(found, self.cursor.at - start + 2)
        if kind == RDF_PREFIX_NAME:
            return self.expand(texts[1], texts[2])
        if kind == RDF_STREAM_ROW:
            if found.member == 0:
                self.fail(b"the row has none of the members of RDF_StreamRow")
        elif kind == RDF_PATCH_ROW:
            if found.member == TXN:
                self.add_mark(found.numbers[TXN])
            elif found.member == 0:
                self.fail(b"the row has none of the members of RDF_Patch_Row")
        elif kind == RDF_PATCH_HEADER:
            self.add_row(H, self.intern(TermKind.STRING, texts[1], 0), 0, terms[2], 0)
        elif kind == RDF_PATCH_DATA_ADD or kind == RDF_PATCH_DATA_DEL:
            self.add_row(
                A if kind == RDF_PATCH_DATA_ADD else D, terms[1], terms[2], terms[3],
                self.graph(terms[4]),
            )
        else:
            self.add_row(
                PA if kind == RDF_PATCH_PREFIX_ADD else PD,
                self.intern(TermKind.STRING, texts[2], 0), 0,
                self.intern(TermKind.IRI, texts[3], 0) if kind == RDF_PATCH_PREFIX_ADD else 0,
                self.graph(terms[1]),
            )
        return 0

    cdef uint32_t add_statement(self, int kind, FoundFields* found) noexcept nogil:
        """Turn the fields of a triple, a quad or a prefix declaration into a row."""
        cdef uint32_t* terms = found.terms
        cdef uint32_t graph
        if kind == RDF_PREFIX_DECL:
            self.declare(found.texts[1], found.texts[2])
            self.add_row(
                PA, self.intern(TermKind.STRING, found.texts[1], 0), 0,
                self.intern(TermKind.IRI, found.texts[2], 0), 0,
            )
            return 0
        graph = self.graph(terms[4])
        if graph == 0:
            graph = self.intern(TermKind.DEFAULT_GRAPH, span_of(b"", 0), 0)
        self.add_row(A, terms[1], terms[2], terms[3], graph)
        return 0

    cdef void declare(self, Span prefix, Span iri) noexcept with gil:
        """Keep a prefix for later names."""
        # Forget the last terms, since equal bytes may now stand for other terms.
        memset(self.last, 0, sizeof(self.last))
        self.prefix_size += (prefix.end - prefix.start) + (iri.end - iri.start)
        if self.prefix_size > self.builder.max_text_size:
            self.fail(
                b"prefixes of more than {bound} bytes", 0, NULL, self.builder.max_text_size,
                b"max_text_size",
            )
            return
        try:
            self.prefixes[bytes_of(prefix)] = bytes_of(iri)
        except MemoryError:
            self.check(fail_memory(self.cursor.failure, self.cursor.start))

    cdef uint32_t expand(self, Span prefix, Span local) noexcept with gil:
        """Return the number of the IRI that a prefixed name stands for."""
        cdef bytes text
        cdef int64_t term
        cdef uint64_t most
        if self.cursor.is_stopped:
            return 0
        try:
            iri = self.prefixes.get(bytes_of(prefix))
            if iri is None:
                return self.fail(b"no earlier row declares the prefix of this prefixed name")
            text = iri + bytes_of(local)
        except MemoryError:
            return self.check(fail_memory(self.cursor.failure, self.cursor.start))
        # A long IRI may be declared once, and then be used many times in a few bytes each.
        self.expanded_size += PyBytes_GET_SIZE(text)
        most = self.builder.max_text_size + self.max_expansion * (
            self.batch_offset + (self.cursor.at - self.input.begin)
        )
        if self.expanded_size > most:
            return self.fail(
                b"prefixed names stand for more than {bound} bytes", 0, NULL, most,
                b"max_expansion",
            )
        term = intern_text(
            self.terms, TermKind.IRI, span_of(text, PyBytes_GET_SIZE(text)), 0, self.builder.seed,
            self.cursor.max_string_size, self.cursor.failure,
        )
        if term < 0:
            # The text is released, so the failure must not point into it.
            self.cursor.failure.at = self.cursor.start
        return self.check(term)

    cdef void add_row(
        self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil:
        if rows_append(&self.builder.rows, op, s, p, o, g) < 0:
            self.check(fail_memory(self.cursor.failure, self.cursor.start))

    cdef void add_mark(self, int64_t txn) noexcept nogil:
        """Add a row that starts or ends a transaction, or ends a patch."""
        cdef const char* fault
        if txn < 0:
            self.fail(b"PatchTxn has no value -{number}", -txn)
        elif txn > TXN_SEGMENT:
            self.fail(b"PatchTxn has no value {number}", txn)
        else:
            fault = transaction_fault(self.in_transaction, MARKS[txn])
            if fault != NULL:
                self.fail(fault, 0, NULL, 0, NULL, transaction_rule(MARKS[txn]))
            else:
                self.add_row(MARKS[txn], 0, 0, 0, 0)

    cdef uint32_t graph(self, uint32_t term) noexcept nogil:
        """Return the number of a graph, or 0 for the default graph, which Jena gives a name."""
        if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
            return self.fail(b"a quoted triple can't be a graph")
        return 0 if is_jena_default_graph(self.terms, term) else term

    # Terms.

    cdef uint32_t term(self, FoundFields* found) noexcept nogil:
        cdef int member = found.member
        if member == 0:
            return self.fail(b"the term has none of the members of RDF_Term")
        if member == VAL_INTEGER:
            return self.number(XSD_INTEGER, found.numbers[member], 0)
        if member == VAL_DOUBLE:
            return self.number(XSD_DOUBLE, found.numbers[member], 0)
        if member == PREFIX_NAME and self.is_patch:
            return self.fail(b"prefixed name: RDF Patch needs full IRIs")
        if VARIABLE <= member <= REPEAT:
            return self.fail(b"{what} is not a term of RDF", 0, SPECS[RDF_TERM].fields[member].name)
        return found.terms[member]

    cdef uint32_t literal(self, FoundFields* found) noexcept nogil:
        cdef Span* texts = found.texts
        cdef bint has_datatype = found.seen >> DATATYPE & 1
        if found.seen >> DT_PREFIX & 1 and self.is_patch:
            return self.fail(b"prefixed name as datatype: RDF Patch needs full IRIs")
        if found.seen >> BASE_DIRECTION & 1:
            return self.fail(b"base direction of a literal: RDF 1.1 has none")
        # An empty tag is the same as no tag, as in Jena.
        if found.seen >> LANGTAG & 1 and texts[LANGTAG].start < texts[LANGTAG].end:
            if not is_language_tag(texts[LANGTAG]):
                return self.fail(b"this is not a language tag")
            if found.terms[DT_PREFIX] != 0 or has_datatype and not has_bytes(
                texts[DATATYPE], RDF_LANG_STRING, strlen(RDF_LANG_STRING)
            ):
                return self.fail(b"literal with a language tag and a datatype")
            return self.intern(
                TermKind.LANGUAGE_LITERAL, texts[LEX],
                self.intern(TermKind.STRING, texts[LANGTAG], 0),
            )
        if found.terms[DT_PREFIX] != 0:
            return self.intern(TermKind.TYPED_LITERAL, texts[LEX], found.terms[DT_PREFIX])
        if has_datatype:
            return self.intern(
                TermKind.TYPED_LITERAL, texts[LEX], self.intern(TermKind.IRI, texts[DATATYPE], 0)
            )
        return self.intern(TermKind.SIMPLE_LITERAL, texts[LEX], 0)

    cdef inline uint32_t intern(self, TermKind kind, Span text, uint32_t extra) noexcept nogil:
        if self.cursor.is_stopped:
            return 0
        return self.check(
            intern_padded_text(
                self.terms, kind, text.start, text.end - text.start, extra, self.builder.seed,
                self.cursor.max_string_size, self.cursor.failure,
            )
        )

    cdef inline uint32_t check(self, int64_t number) noexcept nogil:
        """Stop if a term could not be interned; the failure is filled in already."""
        if number < 0:
            stop(&self.cursor)
            return 0
        return <uint32_t>number

    cdef uint32_t decimal(self, FoundFields* found, uint64_t size) noexcept nogil:
        """Return the number of an xsd:decimal; ``size`` is the size of its RDF_Term in bytes."""
        cdef int64_t scale = found.numbers[2]
        cdef uint64_t characters = MAX_DIGITS + (scale if scale > 0 else -scale)
        cdef uint64_t most = FREE_DIGITS + self.max_expansion * size
        # A few bytes can expand to two billion digits.
        if characters > most:
            return self.fail(
                b"decimal number of up to {number} characters, which is more than {bound}",
                characters, NULL, most, b"max_expansion",
            )
        return self.number(XSD_DECIMAL, found.numbers[1], scale)

    cdef uint32_t number(
        self, const char* datatype, int64_t value, int64_t scale
    ) noexcept with gil:
        """Return the number of a literal encoded as a value; Jena's patches never have these."""
        cdef bytes text
        cdef int64_t extra, term
        try:
            text = double_text(value) if datatype == XSD_DOUBLE else decimal_text(value, scale)
        except MemoryError:
            return self.check(fail_memory(self.cursor.failure, self.cursor.start))
        term = extra = intern_text(
            self.terms, TermKind.IRI, span_of(datatype, strlen(datatype)), 0, self.builder.seed,
            self.cursor.max_string_size, self.cursor.failure,
        )
        if extra >= 0:
            term = intern_text(
                self.terms, TermKind.TYPED_LITERAL, span_of(text, PyBytes_GET_SIZE(text)),
                <uint32_t>extra, self.builder.seed, self.cursor.max_string_size,
                self.cursor.failure,
            )
        self.cursor.failure.at = self.cursor.start if term < 0 else NULL
        return self.check(term)

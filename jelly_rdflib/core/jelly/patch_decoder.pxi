"""Decodes the frames of a Jelly-Patch stream to batches."""

@cython.final
cdef class PatchFrameDecoder(FrameDecoder):
    """Decodes Jelly-Patch frames, one after another, each to a `Batch`; see `FrameDecoder`."""

    def __cinit__(self, *_, **__):
        self.row_message = PATCH_ROW
        self.options_message = PATCH_OPTIONS
        self.newest_version = 1
        self.format = b"Jelly-Patch"
        self.read_versions = b"Jelly-Patch: this library reads only version 1"
        self.kinds.first_entry = PATCH_NAME
        self.other_kind = StreamKind.STATEMENT_STREAM
        self.type_rule = b"statement-type"
        self.other_options = (
            b"these are the options of Jelly-RDF, not of Jelly-Patch: use read_statements(), or"
            b" parse(format=\"jelly-rdf\")"
        )
        self.kinds.add = StatementRow(STATEMENT_ADD << 3 | LENGTH_DELIMITED, A)
        self.kinds.delete = StatementRow(STATEMENT_DELETE << 3 | LENGTH_DELIMITED, D)

    @property
    @cython.critical_section
    def options(self):
        """The stream's options, a `jelly_rdflib.PatchOptions`, or None before they were read."""
        return PatchOptions(**self.named_options(PATCH_OPTION_FIELDS)) if self.has_options else None

    @property
    def stream_type(self):
        """The number of the stream type, or 0 before the options were read."""
        return self.option_fields[STREAM_TYPE] if self.has_options else 0

    cdef int save_state(self, WriteBuffer* out) except -1:
        put_saved_number(out, self.in_transaction)
        put_saved_number(out, self.patch_is_open)
        return 0

    cdef int restore_state(self, Span* rest) except -1:
        self.in_transaction = take_saved_flag(rest)
        self.patch_is_open = take_saved_flag(rest)
        return 0

    cdef int check_types(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Check and store the types of the stream (Jelly-Patch, "Patch stream options")."""
        if options[STATEMENT_TYPE] == 0:
            return fail(&self.terms.failure, at, self.type_rule, self.other_options)
        if options[STREAM_TYPE] < FRAME or options[STREAM_TYPE] > PUNCTUATED:
            return fail_number(
                &self.terms.failure, at, b"stream-type",
                b"{number} is not a stream type", options[STREAM_TYPE], 0
            )
        if options[STATEMENT_TYPE] > QUADS:
            return fail_number(
                &self.terms.failure, at, b"statement-type", b"{number} is not a statement type",
                options[STATEMENT_TYPE], 0,
            )
        self.kinds.stream_type = options[STREAM_TYPE]
        self.has_graphs = self.kinds.has_graph_fields = options[STATEMENT_TYPE] == QUADS
        self.has_regular_rows = True
        return 0

    cdef int decode_content(self, const Field* row) noexcept nogil:
        cdef uint8_t op = OPERATIONS[PATCH_ROW][row.number]
        cdef uint32_t[4] quad
        if row.kind == QUAD_MESSAGE:
            if self.terms.decode_statement(QUAD_MESSAGE, row.span, quad, self.has_graphs) < 0:
                return -1
            return self.append(op, quad[0], quad[1], quad[2], quad[3])
        if row.kind == PATCH_NAMESPACE:
            return self.decode_namespace(op, PATCH_NAMESPACE, row.span)
        if row.kind == PATCH_HEADER:
            return self.decode_header(row.span)
        if self.terms.check_message(EMPTY_MESSAGE, row.span) < 0:
            return -1
        return self.end_patch(row.span) if op == END else self.decode_transaction(op, row.span)

    cdef int decode_header(self, Span message) noexcept nogil:
        """Decode an RdfPatchHeader (Jelly-Patch, "Headers")."""
        cdef Field[2] fields
        cdef int64_t key, value
        if (
            self.terms.read_message(PATCH_HEADER, message, fields) < 0
            or self.terms.check_text(fields[0].span) < 0
        ):
            return -1
        if fields[1].kind == NO_FIELD:
            return self.terms.recover(message.start, b"header-value", b"header has no value")
        key = self.terms.intern_text(TermKind.STRING, fields[0].span, 0)
        if key < 0:
            return -1
        # Decode the value as an object, which may be any term.
        value = self.terms.decode_term(&fields[1], OBJECT, 0)
        if value < 0:
            return -1
        return self.append(H, <uint32_t>key, 0, <uint32_t>value, 0)

    cdef int decode_transaction(self, uint8_t op, Span message) noexcept nogil:
        """Decode a transaction's start, commit or abort (Jelly-Patch, "Transactions")."""
        cdef const char* fault = transaction_fault(self.in_transaction, op)
        if fault != NULL and self.terms.recover(
            message.start, transaction_rule(op), fault
        ) < 0:
            return -1
        self.in_transaction = op == TX
        return self.append(op, 0, 0, 0, 0)

    cdef int end_patch(self, Span message) noexcept nogil:
        """Decode a punctuation mark, which ends a patch anywhere in a frame."""
        if self.kinds.stream_type != PUNCTUATED:
            return self.terms.recover(
                message.start, b"punctuation-type",
                b"punctuation mark in a stream that is not PUNCTUATED"
            )
        if self.in_transaction and self.terms.recover(
            message.start, b"punctuation-transaction", b"punctuation mark inside a transaction"
        ) < 0:
            return -1
        self.in_transaction = False
        return self.append(END, 0, 0, 0, 0)

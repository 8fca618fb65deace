"""Decodes the frames of a Jelly-Patch stream to batches."""

cdef enum:
    # Fields of RdfPatchOptions that RdfStreamOptions does not have.
    STATEMENT_TYPE = 1
    STREAM_TYPE = 2

cdef enum:
    PATCH_NEWEST_VERSION = 1


@cython.final
cdef class PatchFrameDecoder(FrameDecoder):
    """Decodes frames of Jelly-Patch, one after another, each to a `Batch`; see `FrameDecoder`."""

    cdef bint in_transaction
    cdef bint patch_is_open  # operations came since the last end of a patch

    def __cinit__(self, *_, **__):
        self.row_message = PATCH_ROW
        self.options_message = PATCH_OPTIONS
        self.newest_version = PATCH_NEWEST_VERSION
        self.format = b"Jelly-Patch"
        self.other_wire_type = LENGTH_DELIMITED
        self.other_format = b"Jelly-RDF, not of Jelly-Patch: see read_statements()"
        self.add_row = StatementRow(STATEMENT_ADD << 3 | LENGTH_DELIMITED, A)
        self.delete_row = StatementRow(STATEMENT_DELETE << 3 | LENGTH_DELIMITED, D)

    @property
    def options(self):
        """The stream's options, a `jelly_rdflib.PatchOptions`; None before they were read."""
        if not self.has_options:
            return None
        return PatchOptions(
            statement_type=self.option_fields[STATEMENT_TYPE],
            stream_type=self.option_fields[STREAM_TYPE],
            generalized_statements=self.option_fields[GENERALIZED_STATEMENTS],
            rdf_star=self.option_fields[RDF_STAR],
            max_name_table_size=self.option_fields[MAX_NAME_TABLE_SIZE],
            max_prefix_table_size=self.option_fields[MAX_PREFIX_TABLE_SIZE],
            max_datatype_table_size=self.option_fields[MAX_DATATYPE_TABLE_SIZE],
            version=self.option_fields[VERSION],
        )

    cdef int check_options(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Jelly-Patch, "Patch stream options"."""
        if options[STATEMENT_TYPE] == 0:
            return fail(
                &self.terms.failure, at,
                b"options without a statement type; if this is Jelly-RDF, see read_statements()",
            )
        if options[STREAM_TYPE] < FRAME or options[STREAM_TYPE] > PUNCTUATED:
            return fail_number(
                &self.terms.failure, at, b"{number} is no stream type", options[STREAM_TYPE], 0
            )
        if options[STATEMENT_TYPE] > QUADS:
            return fail_number(
                &self.terms.failure, at, b"{number} is no statement type",
                options[STATEMENT_TYPE], 0,
            )
        return 0

    cdef int keep_options(self, Span name) noexcept nogil:
        self.has_graphs = self.has_graph_fields = self.option_fields[STATEMENT_TYPE] == QUADS
        self.has_regular_rows = True
        return 0

    cdef int save_place(self, WriteBuffer* out) except -1:
        put_saved_number(out, self.in_transaction)
        put_saved_number(out, self.patch_is_open)
        return 0

    cdef int restore_place(self, Span* rest) except -1:
        self.in_transaction = take_saved_flag(rest)
        self.patch_is_open = take_saved_flag(rest)
        return 0

    cdef int end_frame(self, const uint8_t* at) noexcept nogil:
        """Jelly-Patch, "Patch frames"."""
        if self.option_fields[STREAM_TYPE] == FRAME:
            if self.in_transaction:
                fail(
                    &self.terms.failure, at,
                    b"a transaction of a FRAME stream does not end with its frame",
                )
                if self.terms.recover() < 0:
                    return -1
                self.in_transaction = False
            if self.append(END, 0, 0, 0, 0) < 0:
                return -1
        if self.rows.count > 0:
            self.patch_is_open = self.rows.ops[self.rows.count - 1] != END
        return 0

    cdef int check_end(self, uint64_t offset) except -1:
        if self.in_transaction:
            raise DecodeError(
                "the input ends inside a transaction", offset=offset, frame=self.frame
            )
        return 0

    cdef int end_rows(self) noexcept nogil:
        if self.option_fields[STREAM_TYPE] == FLAT or self.patch_is_open:
            return self.append(END, 0, 0, 0, 0)
        return 0

    cdef int end_stream(self) noexcept nogil:
        """Abort the transaction that the stream leaves open, as its end does, and end the patch."""
        # These are no rows of the frame.
        self.rows.max_count += 2
        if self.in_transaction and self.append(TA, 0, 0, 0, 0) < 0:
            return -1
        if self.end_rows() < 0:
            return -1
        self.in_transaction = self.patch_is_open = False
        return 0

    cdef int decode_content(self, uint32_t field, Span content) noexcept nogil:
        cdef uint32_t[4] quad
        if field == STATEMENT_ADD or field == STATEMENT_DELETE:
            if self.terms.decode_statement(QUAD_MESSAGE, content, quad, self.has_graphs) < 0:
                return -1
            return self.append(
                A if field == STATEMENT_ADD else D, quad[0], quad[1], quad[2], quad[3]
            )
        if field == PATCH_NAME:
            return self.terms.set_entry(&self.terms.names, content)
        if field == PATCH_PREFIX:
            return self.terms.set_entry(&self.terms.prefixes, content)
        if field == PATCH_DATATYPE:
            return self.terms.set_entry(&self.terms.datatypes, content)
        if field == NAMESPACE_ADD:
            return self.decode_namespace(PA, content)
        if field == NAMESPACE_DELETE:
            return self.decode_namespace(PD, content)
        if field == HEADER:
            return self.decode_header(content)
        if field == PUNCTUATION:
            return self.decode_punctuation(content)
        if field == TRANSACTION_START:
            return self.decode_transaction(TX, content)
        if field == TRANSACTION_COMMIT:
            return self.decode_transaction(TC, content)
        return self.decode_transaction(TA, content)

    cdef int decode_namespace(self, uint8_t op, Span message) noexcept nogil:
        """Decode an RdfPatchNamespace (Jelly-Patch, "Namespaces")."""
        cdef NamedTerms namespace
        cdef uint32_t graph = 0
        cdef int64_t name
        cdef int64_t value = 0
        if self.read_named_terms(PATCH_NAMESPACE, message, &namespace) < 0:
            return -1
        name = self.terms.intern_string(namespace.name)
        if name < 0:
            return -1
        if namespace.value.kind != UNSET:
            value = self.terms.decode_iri(namespace.value.span)
            if value < 0:
                return -1
        elif op == PA:
            return fail(
                &self.terms.failure, message.start, b"namespace is added, but has no value"
            )
        if self.has_graphs:
            # A graph must be set, or repeated. Jelly-JVM sets none where Jena's prefix has none:
            # before the first graph that can but mean no graph, and is read so.
            if namespace.graph.kind != UNSET or self.terms.last[GRAPH] != NOT_YET:
                if self.terms.decode_graph(&namespace.graph, message.start, &graph) < 0:
                    return -1
        elif namespace.graph.kind == IS_IRI:
            # Ignored. But its writer has counted its ids, as Jelly-JVM does where Jena's prefix
            # has a graph, and the next IRI goes on from them ("RDF terms and graph nodes").
            if self.terms.decode_iri(namespace.graph.span) < 0:
                return -1
        elif self.terms.check_unused(&namespace.graph) < 0:
            return -1
        return self.append(op, <uint32_t>name, 0, <uint32_t>value, graph)

    cdef int decode_header(self, Span message) noexcept nogil:
        """Decode an RdfPatchHeader (Jelly-Patch, "Headers")."""
        cdef NamedTerms header
        cdef int64_t key, value
        if self.read_named_terms(PATCH_HEADER, message, &header) < 0:
            return -1
        if header.value.kind == UNSET:
            fail(&self.terms.failure, message.start, b"header has no value")
            return self.terms.recover()
        key = self.terms.intern_string(header.name)
        if key < 0:
            return -1
        # As an object: any term may stand there.
        value = self.terms.decode_term(&header.value, OBJECT, 0)
        if value < 0:
            return -1
        return self.append(H, <uint32_t>key, 0, <uint32_t>value, 0)

    cdef int decode_transaction(self, uint8_t op, Span message) noexcept nogil:
        """Decode a transaction's start, commit or abort (Jelly-Patch, "Transactions")."""
        cdef const char* fault = transaction_fault(self.in_transaction, op)
        if self.terms.check_message(EMPTY_MESSAGE, message) < 0:
            return -1
        if fault != NULL:
            fail(&self.terms.failure, message.start, fault)
            if self.terms.recover() < 0:
                return -1
        self.in_transaction = op == TX
        return self.append(op, 0, 0, 0, 0)

    cdef int decode_punctuation(self, Span message) noexcept nogil:
        """Decode a punctuation mark, which ends a patch wherever it stands in a frame."""
        if self.terms.check_message(EMPTY_MESSAGE, message) < 0:
            return -1
        if self.option_fields[STREAM_TYPE] != PUNCTUATED:
            fail(
                &self.terms.failure, message.start,
                b"punctuation mark in a stream that is not PUNCTUATED",
            )
            return self.terms.recover()
        if self.in_transaction:
            fail(
                &self.terms.failure, message.start, b"punctuation mark inside a transaction"
            )
            if self.terms.recover() < 0:
                return -1
            self.in_transaction = False
        return self.append(END, 0, 0, 0, 0)

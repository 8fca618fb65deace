"""Decodes the frames of a Jelly-RDF stream to batches."""

cdef enum:
    # Fields of RdfStreamOptions that RdfPatchOptions does not have.
    PHYSICAL_TYPE = 2
    LOGICAL_TYPE = 14

cdef enum:
    RDF_NEWEST_VERSION = 2
    MAX_ENUM = 0x7FFFFFFF


# By physical type, which base types of logical types go with it (Jelly-RDF, "Consistency with
# physical stream types").
cdef uint8_t[4][10] IS_CONSISTENT
for physical in PhysicalStreamType:
    for base in range(10):
        IS_CONSISTENT[physical][base] = LogicalStreamType.is_consistent(base, physical)


@cython.final
cdef class StatementFrameDecoder(FrameDecoder):
    """Decodes frames of Jelly-RDF, one after another, each to a `Batch`; see `FrameDecoder`.

    Statements become `Op.A`, namespace declarations `Op.PA`.

    Args:
        strict: Refuse a logical type that does not go with the physical type; else warn of it.
        is_quiet: If not strict, don't warn.
    """

    cdef bint is_strict
    cdef bint is_quiet  # not strict, and no warning either
    cdef bint is_in_graph  # in a GRAPHS stream
    cdef bytes description  # of the types, for an error
    cdef bytes stream_name
    cdef const char* name_start  # of `stream_name`, for code without the GIL
    cdef size_t name_size

    def __cinit__(self, *_, bint strict=True, bint is_quiet=False, **__):
        self.row_message = STREAM_ROW
        self.options_message = STREAM_OPTIONS
        self.newest_version = RDF_NEWEST_VERSION
        self.format = b"Jelly-RDF"
        self.other_wire_type = VARINT
        self.other_format = b"Jelly-Patch, not of Jelly-RDF: see read_operations()"
        self.is_strict = strict
        self.is_quiet = is_quiet
        self.stream_name = b""

    @property
    def options(self):
        """The stream's options, a `jelly_rdflib.StreamOptions`; None before they were read."""
        if not self.has_options:
            return None
        return StreamOptions.of_stream(
            stream_name=self.stream_name.decode(),
            physical_type=self.option_fields[PHYSICAL_TYPE],
            logical_type=self.option_fields[LOGICAL_TYPE],
            generalized_statements=self.option_fields[GENERALIZED_STATEMENTS],
            rdf_star=self.option_fields[RDF_STAR],
            max_name_table_size=self.option_fields[MAX_NAME_TABLE_SIZE],
            max_prefix_table_size=self.option_fields[MAX_PREFIX_TABLE_SIZE],
            max_datatype_table_size=self.option_fields[MAX_DATATYPE_TABLE_SIZE],
            version=self.option_fields[VERSION],
        )

    cdef bytes saved_name(self):
        return self.stream_name

    cdef int save_place(self, WriteBuffer* out) except -1:
        return put_saved_number(out, self.is_in_graph)

    cdef int restore_place(self, Span* rest) except -1:
        self.is_in_graph = take_saved_flag(rest)
        if self.is_in_graph:
            if self.option_fields[PHYSICAL_TYPE] != GRAPHS or self.terms.last[GRAPH] == NOT_YET:
                raise damaged("in a graph, but there is none")
            self.has_regular_rows = True
        return 0

    cdef int warn(self) except -1:
        warn(self.describe_types(self.option_fields).decode())
        return 0

    cdef const char* describe_types(self, const uint32_t* options) noexcept with gil:
        """Say, with the types' names, that they don't go together."""
        cdef uint32_t number = options[LOGICAL_TYPE]
        logical = LogicalStreamType._value2member_map_.get(number)
        name = number if logical is None else f"{logical.name} ({number})"
        physical = PhysicalStreamType(options[PHYSICAL_TYPE])
        self.description = (
            f"the logical type {name} does not go with the physical type"
            f" {physical.name} ({options[PHYSICAL_TYPE]})"
        ).encode()
        return self.description

    cdef int check_options(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Jelly-RDF, "Physical stream types" and "Logical stream types"."""
        cdef uint32_t physical = options[PHYSICAL_TYPE]
        if physical == 0:
            return fail(&self.terms.failure, at, b"options without a physical type")
        if physical > GRAPHS:
            return fail_number(
                &self.terms.failure, at, b"{number} is no physical type", physical, 0
            )
        if options[LOGICAL_TYPE] > MAX_ENUM:
            return fail_number(
                &self.terms.failure, at, b"{number} is no logical type", options[LOGICAL_TYPE], 0
            )
        if IS_CONSISTENT[physical][options[LOGICAL_TYPE] % 10]:
            return 0
        self.must_warn = not self.is_quiet
        if self.is_strict:
            self.terms.failure.what = self.describe_types(options)
            return fail(
                &self.terms.failure, at, b"{what}; the stream can be read with strict=False"
            )
        return 0

    cdef int keep_options(self, Span name) noexcept nogil:
        cdef uint32_t physical = self.option_fields[PHYSICAL_TYPE]
        self.has_graphs = physical != TRIPLES
        self.has_graph_fields = physical == QUADS
        self.add_row = self.delete_row = StatementRow(
            (QUAD if physical == QUADS else TRIPLE) << 3 | LENGTH_DELIMITED, A
        )
        # In a GRAPHS stream only the triples in a graph are regular.
        self.has_regular_rows = physical != GRAPHS
        return self.put_name(name)

    cdef int end_stream(self) noexcept nogil:
        self.is_in_graph = False
        return 0

    cdef bint is_same_name(self, Span name) noexcept nogil:
        cdef size_t size = name.end - name.start
        return self.name_size == size and memcmp(self.name_start, name.start, size) == 0

    cdef int decode_content(self, uint32_t field, Span content) noexcept nogil:
        if field == TRIPLE:
            return self.decode_triple_row(content)
        if field == QUAD:
            return self.decode_quad_row(content)
        if field == RDF_NAME:
            return self.terms.set_entry(&self.terms.names, content)
        if field == RDF_PREFIX:
            return self.terms.set_entry(&self.terms.prefixes, content)
        if field == RDF_DATATYPE:
            return self.terms.set_entry(&self.terms.datatypes, content)
        if field == GRAPH_START:
            return self.decode_graph_start(content)
        if field == GRAPH_END:
            return self.decode_graph_end(content)
        return self.decode_namespace(content)

    cdef int decode_triple_row(self, Span message) noexcept nogil:
        """Decode an RdfTriple (Jelly-RDF, "RDF statements and graphs")."""
        cdef EncodedTerm same
        cdef uint32_t[4] quad
        cdef uint32_t graph = 0
        if self.option_fields[PHYSICAL_TYPE] == QUADS and self.refuse_row(message, b"triple") < 0:
            return -1
        if self.option_fields[PHYSICAL_TYPE] == GRAPHS:
            if not self.is_in_graph:
                fail(&self.terms.failure, message.start, b"triple outside a graph")
                if self.terms.recover() < 0:
                    return -1
            # The graph may be that of an earlier frame.
            memset(&same, 0, sizeof(same))
            if self.is_in_graph and self.terms.decode_graph(&same, message.start, &graph) < 0:
                return -1
        if self.terms.decode_statement(TRIPLE_STATEMENT, message, quad, False) < 0:
            return -1
        return self.append(A, quad[0], quad[1], quad[2], graph)

    cdef int decode_quad_row(self, Span message) noexcept nogil:
        """Decode an RdfQuad (Jelly-RDF, "RDF statements and graphs")."""
        cdef uint32_t[4] quad
        if self.option_fields[PHYSICAL_TYPE] != QUADS and self.refuse_row(message, b"quad") < 0:
            return -1
        if self.terms.decode_statement(QUAD_MESSAGE, message, quad, True) < 0:
            return -1
        return self.append(A, quad[0], quad[1], quad[2], quad[3])

    cdef int decode_graph_start(self, Span message) noexcept nogil:
        """Decode an RdfGraphStart (Jelly-RDF, "RDF statements and graphs")."""
        cdef NamedTerms start
        cdef uint32_t number
        if (
            self.option_fields[PHYSICAL_TYPE] != GRAPHS
            and self.refuse_row(message, b"graph start") < 0
        ):
            return -1
        if self.is_in_graph:
            fail(&self.terms.failure, message.start, b"graph starts inside a graph")
            if self.terms.recover() < 0:
                return -1
        if self.read_named_terms(GRAPH_START_MESSAGE, message, &start) < 0:
            return -1
        if start.value.kind == UNSET:
            return fail(&self.terms.failure, message.start, b"graph starts without a graph node")
        if self.terms.decode_graph(&start.value, message.start, &number) < 0:
            return -1
        self.is_in_graph = self.option_fields[PHYSICAL_TYPE] == GRAPHS
        self.has_regular_rows = True
        return 0

    cdef int decode_graph_end(self, Span message) noexcept nogil:
        """Decode an RdfGraphEnd (Jelly-RDF, "RDF statements and graphs")."""
        if self.terms.check_message(EMPTY_MESSAGE, message) < 0:
            return -1
        if self.option_fields[PHYSICAL_TYPE] != GRAPHS:
            return self.refuse_row(message, b"graph end")
        if not self.is_in_graph:
            fail(&self.terms.failure, message.start, b"graph ends, but none was started")
            return self.terms.recover()
        self.is_in_graph = False
        self.has_regular_rows = False
        return 0

    cdef int decode_namespace(self, Span message) noexcept nogil:
        """Decode an RdfNamespaceDeclaration (Jelly-RDF, "Namespace declarations")."""
        cdef NamedTerms namespace
        cdef int64_t name, value
        if self.read_named_terms(NAMESPACE_DECLARATION, message, &namespace) < 0:
            return -1
        if namespace.value.kind == UNSET:
            return fail(
                &self.terms.failure, message.start, b"namespace is declared, but has no value"
            )
        name = self.terms.intern_string(namespace.name)
        if name < 0:
            return -1
        value = self.terms.decode_iri(namespace.value.span)
        if value < 0:
            return -1
        return self.append(PA, <uint32_t>name, 0, <uint32_t>value, 0)

    cdef int refuse_row(self, Span message, const char* row) noexcept nogil:
        self.terms.failure.what = row
        fail_number(
            &self.terms.failure, message.start,
            b"{what} row in a stream of physical type {number}",
            self.option_fields[PHYSICAL_TYPE], 0,
        )
        return self.terms.recover()

    cdef int decode_frame_field(
        self, const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type
    ) noexcept nogil:
        cdef const uint8_t* tag_at = at[0]
        cdef Span entry
        if field != METADATA:
            return skip_field(at, end, field, wire_type, &self.terms.failure)
        if (
            expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure) < 0
            or read_span(at, end, &entry, &self.terms.failure) < 0
        ):
            return -1
        return self.decode_metadata(entry)

    cdef int decode_metadata(self, Span entry) noexcept nogil:
        """Decode an entry of the map (Jelly-RDF, "Stream frame metadata")."""
        cdef Field field
        cdef Span key, value
        cdef int found
        key.start = key.end = value.start = value.end = entry.end
        while True:
            found = next_field(&entry, METADATA_ENTRY, &field, &self.terms.failure)
            if found < 0:
                return -1
            if found == 0:
                return self.put_metadata(key, value)
            if field.number == 2:
                value = field.span
            else:
                key = field.span
                if self.terms.check_text(key) < 0:
                    return -1

    cdef int put_metadata(self, Span key, Span value) noexcept with gil:
        try:
            if self.metadata is None:
                self.metadata = {}
            if <size_t>len(self.metadata) >= self.max_frame_rows:
                return fail_limit(
                    &self.terms.failure, key.start,
                    b"more than {number} entries of metadata (limit max_frame_rows)",
                    self.max_frame_rows, 0,
                )
            name = (<const char*>key.start)[:key.end - key.start].decode()
            self.metadata[name] = <bytes>(<const char*>value.start)[:value.end - value.start]
        except MemoryError:
            return fail_memory(&self.terms.failure, key.start)
        except UnicodeDecodeError:
            # It was UTF-8 when it was checked: somebody changes the frame under our hands.
            return fail(&self.terms.failure, key.start, b"string is not UTF-8")
        return 0

    cdef int put_name(self, Span name) noexcept with gil:
        try:
            self.stream_name = <bytes>(<const char*>name.start)[:name.end - name.start]
        except MemoryError:
            return fail_memory(&self.terms.failure, name.start)
        self.name_start = self.stream_name
        self.name_size = len(self.stream_name)
        return 0

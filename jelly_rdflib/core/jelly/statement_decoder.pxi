"""Decodes the frames of a Jelly-RDF stream to batches."""

cdef enum:
    MAX_ENUM = 0x7FFFFFFF


# Whether a base logical type fits a physical type (Jelly-RDF, "Consistency with physical stream
# types").
cdef uint8_t[4][10] IS_CONSISTENT
for physical in PhysicalStreamType:
    for base in range(10):
        IS_CONSISTENT[physical][base] = LogicalStreamType.is_consistent(base, physical)


@cython.final
cdef class StatementFrameDecoder(FrameDecoder):
    """Decodes Jelly-RDF frames, one after another, each to a `Batch`; see `FrameDecoder`.

    Statements become `Op.A`, namespace declarations `Op.PA`.

    Args:
        strict: Refuse a logical type that does not fit the physical type; else issue a warning.
        is_quiet: If not strict, don't warn.
        drop_directions: Leave base directions out of literals, with a warning.
    """

    cdef bint is_strict
    cdef bint is_quiet  # neither strict nor warning
    cdef bint has_told_dropped  # the warning about dropped directions was given
    cdef bint is_columnar  # the stream is Jelly-RDF 1.2
    cdef ColumnDecoder columns

    def __cinit__(
        self, *_, bint strict=True, bint is_quiet=False, bint drop_directions=False, **__
    ):
        self.row_message = STREAM_ROW
        self.options_message = STREAM_OPTIONS
        self.newest_version = 2
        self.format = b"Jelly-RDF"
        self.read_versions = b"Jelly-RDF: this library reads versions 1 and 2, and 3 as a draft"
        self.kinds.first_entry = RDF_NAME
        self.other_kind = StreamKind.PATCH_STREAM
        self.type_rule = b"format"
        self.other_options = (
            b"these are the options of Jelly-Patch, not of Jelly-RDF: use read_operations(), or"
            b" parse(format=\"jelly-patch\")"
        )
        self.columns = ColumnDecoder(
            self.terms, min(self.max_frame_rows, <size_t>MAX_ROW_COUNT), drop_directions
        )
        self.is_strict = strict
        self.is_quiet = is_quiet and not strict

    @property
    @cython.critical_section
    def options(self):
        """The stream's options, a `jelly_rdflib.StreamOptions`, or None before they were read."""
        if not self.has_options:
            return None
        values = self.named_options(STREAM_OPTION_FIELDS)
        if self.is_columnar:
            # Return a logical type of Jelly-RDF 1.1 whose frames are like this stream's messages.
            grouped = self.option_fields[MESSAGES_OPTION] != 0
            base = LogicalStreamType.GRAPHS if grouped else LogicalStreamType.FLAT_TRIPLES
            values["logical_type"] = base + self.has_graphs
            values["rdf_star"] = self.option_fields[RDF_VERSION_OPTION] in (0, RDF_1_2)
        return StreamOptions.of_stream(stream_name=self.stream_name.decode(), **values)

    @property
    def draft_options(self):
        """The options that only Jelly-RDF 1.2 has, or None for any other stream."""
        if not self.has_options or not self.is_columnar:
            return None
        return {
            "stream_type": "MESSAGES" if self.option_fields[MESSAGES_OPTION] else "FLAT",
            "rdf_version": RDF_VERSIONS[self.option_fields[RDF_VERSION_OPTION]],
        }

    cdef Batch take_batch(self):
        cdef Batch batch = FrameDecoder.take_batch(self)
        # Reset the ends, since a later frame of rows, or the end of the stream, has no messages.
        batch.message_ends, self.columns.message_ends = self.columns.message_ends, None
        return batch

    cdef int decode_frame_rows(self, Span frame) noexcept nogil:
        if (
            self.has_options and self.repeated_options == START_ANEW
            and find_stream_kind(frame) == StreamKind.STATEMENT_STREAM
        ):
            # A new stream starts, which may be of any version.
            self.has_options = self.is_in_graph = False
        if not self.has_options:
            self.is_columnar = has_draft_version(frame)
            self.columns.has_messages = False
            # Forget an open message, unless options of Jelly-RDF 1.2 follow, which end it.
            if self.frame == 0 or not self.is_columnar:
                self.columns.message_is_open = False
            self.columns.has_dropped = self.has_told_dropped = False
            self.options_message = COLUMN_OPTIONS if self.is_columnar else STREAM_OPTIONS
        if self.is_columnar:
            return self.decode_frame_columns(frame)
        return FrameDecoder.decode_frame_rows(self, frame)

    cdef int decode_frame_columns(self, Span frame) noexcept nogil:
        """Decode a frame of Jelly-RDF 1.2: an optional row with options, then columns."""
        cdef Failure* failure = &self.terms.failure
        cdef const uint8_t* at = frame.start
        cdef bint has_batch = False
        cdef uint32_t wire_type
        cdef Field field
        cdef Span batch, row
        self.is_in_row = False
        self.row = 0
        self.terms.frame = frame
        self.columns.start_frame()
        while at < frame.end:
            field.at = at
            if read_tag(&at, frame.end, &field.number, &wire_type, failure) < 0:
                return -1
            if field.number != ROWS_FIELD and field.number != COLUMNS_FIELD:
                if self.decode_frame_field(&at, frame.end, &field, wire_type) < 0:
                    return -1
                continue
            if expect_wire_type(
                LENGTH_DELIMITED, field.number, wire_type, field.at, failure
            ) < 0:
                return -1
            if field.number == ROWS_FIELD:
                # Decode the row before the columns, wherever it is in the frame.
                if read_span(&at, frame.end, &row, failure) < 0 or self.decode_option_row(row) < 0:
                    self.is_in_row = True
                    return -1
                self.row += 1
                continue
            if (
                read_span(&at, frame.end, &row, failure) < 0
                or join_messages(self.terms, &batch, not has_batch, row) < 0
            ):
                return -1
            has_batch = True
        if has_batch and self.decode_batch(batch) < 0:
            return -1
        if self.columns.has_dropped and not self.has_told_dropped:
            self.has_told_dropped = True
            self.add_warning(b"base directions of literals are left out")
        return self.terms.end_frame()

    cdef int decode_batch(self, Span batch) noexcept nogil:
        """Decode an RdfColumnBatch: lookup entries, namespaces, and then statements."""
        cdef Span rest = batch
        cdef Span namespace
        cdef int found
        if self.columns.start_batch(batch) < 0:
            return -1
        self.terms.last_name = self.terms.last_prefix = 0
        while True:
            found = find_field(&rest, BATCH_NAMESPACES, LENGTH_DELIMITED, &namespace)
            if found <= 0:
                break
            if self.decode_namespace(PA, NAMESPACE_DECLARATION, namespace) < 0:
                return -1
        return self.columns.decode_statements(&self.rows)

    cdef int decode_option_row(self, Span row) noexcept nogil:
        """Decode the only row that a frame of Jelly-RDF 1.2 may have."""
        cdef Counts* counts = &self.terms.counts
        cdef uint32_t[OPTION_FIELDS] options
        cdef Field content
        cdef Span name
        if self.terms.read_message(COLUMN_ROW, row, &content) < 0:
            return -1
        if content.kind == NO_FIELD:
            return fail(
                &self.terms.failure, row.start, b"row-kinds", b"row of an unknown kind"
            )
        if content.kind != COLUMN_OPTIONS:
            return fail(
                &self.terms.failure, row.start, b"mixed-layouts",
                b"row without options in a stream of Jelly-RDF 1.2, whose statements are in columns",
            )
        if self.row > 0:
            return fail(
                &self.terms.failure, row.start,
                b"options-twice", b"second row with options in a frame of Jelly-RDF 1.2",
            )
        self.found_options = True
        counts.rows[OPTIONS_ROW].count += 1
        counts.rows[OPTIONS_ROW].size += row.end - row.start
        if (
            self.read_options(content.span, options, &name) < 0
            or self.choose_draft(options, content.span.start) < 0
        ):
            return -1
        if self.has_options and self.check_restated(options, content.span.start) < 0:
            return -1
        return self.set_column_options(options, name, content.span.start)

    cdef int choose_draft(self, uint32_t* options, const uint8_t* at) noexcept nogil:
        """Find the draft of the options, and renumber the types as in the later draft."""
        cdef const Draft* draft = &DRAFTS[0 if options[PHYSICAL_TYPE] != 0 else 1]
        cdef uint32_t physical = options[draft.physical_type]
        cdef uint32_t messages = options[draft.stream_type]
        cdef uint32_t rdf_version = options[draft.rdf_version]
        if physical == 0:
            return fail_number(
                &self.terms.failure, at, b"physical-type",
                b"options of neither draft of Jelly-RDF 1.2: field 2 is {number}, field 5 is"
                b" {bound}; ask the writer of the stream for version 2", options[2], options[5],
            )
        options[PHYSICAL_TYPE] = physical
        options[MESSAGES_OPTION] = messages
        options[RDF_VERSION_OPTION] = rdf_version
        options[LENGTHS_OPTION] = draft.message_lengths
        return 0

    cdef int check_restated(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Check repeated options, which empty the lookups, and may change their sizes.

        The format defines the meaning of such options, so `REFUSE` refuses only invalid ones.
        """
        if (
            options[VERSION] != DRAFT_VERSION
            or options[PHYSICAL_TYPE] != self.option_fields[PHYSICAL_TYPE]
            or options[MESSAGES_OPTION] != self.option_fields[MESSAGES_OPTION]
            or options[LENGTHS_OPTION] != self.option_fields[LENGTHS_OPTION]
        ):
            if self.repeated_options == REFUSE:
                return self.refuse_repeated(at)
            return fail(
                &self.terms.failure, at, b"options-same",
                b"options with another version, physical type or stream type than the first ones",
            )
        return 0

    cdef int set_column_options(
        self, const uint32_t* options, Span name, const uint8_t* at
    ) noexcept nogil:
        """Check options of Jelly-RDF 1.2, as `choose_draft` numbers them, and apply them."""
        cdef Failure* failure = &self.terms.failure
        cdef bint is_triples = options[PHYSICAL_TYPE] == TRIPLES
        # A row may have options twice, and `choose_draft` may have seen the first ones.
        if options[VERSION] != DRAFT_VERSION:
            return fail_number(
                failure, at, b"version-tag",
                b"options of version {number} after options of version {bound}",
                options[VERSION], DRAFT_VERSION,
            )
        if options[PHYSICAL_TYPE] not in (TRIPLES, QUADS):
            return fail_number(
                failure, at, b"physical-type",
                b"{number} is not a physical type of Jelly-RDF 1.2", options[PHYSICAL_TYPE], 0,
            )
        if options[GENERALIZED_STATEMENTS] or options[RDF_STAR] or options[LOGICAL_TYPE]:
            return fail(
                failure, at, b"column-options",
                b"generalized_statements, rdf_star or a logical type: not in Jelly-RDF 1.2",
            )
        if options[MESSAGES_OPTION] > 1:
            return fail_number(
                failure, at, b"stream-type",
                b"{number} is not a stream type of Jelly-RDF 1.2", options[MESSAGES_OPTION], 0,
            )
        if options[RDF_VERSION_OPTION] > RDF_1_2:
            return fail_number(
                failure, at, b"rdf-version",
                b"{number} is not a version of RDF", options[RDF_VERSION_OPTION], 0,
            )
        if (
            self.check_options(options, at) < 0
            or self.terms.set_lookups(&options[TABLE_SIZES]) < 0
            or self.put_name(name) < 0
        ):
            return -1
        self.is_columnar = True
        # Set this here, so that it is also set in a decoder restored from a checkpoint.
        self.options_message = COLUMN_OPTIONS
        self.has_graphs = not is_triples
        self.has_regular_rows = False
        memcpy(self.option_fields, options, sizeof(self.option_fields))
        self.columns.start_stream(options)
        if not self.has_options:
            self.add_warning(
                b"Jelly-RDF 1.2 is a draft: this library's support may change with the draft"
            )
        self.has_options = True
        return 0

    cdef int add_warning(self, const char* what) noexcept with gil:
        """Add a warning, to be issued after the frame is decoded."""
        try:
            self.warning = what if self.warning is None else self.warning + b"; " + what
        except MemoryError:
            return fail_memory(&self.terms.failure, NULL)
        return 0

    cdef int decode_frame_field(
        self, const uint8_t** at, const uint8_t* end, const Field* field, uint32_t wire_type
    ) noexcept nogil:
        if field.number != COLUMNS_FIELD:
            return FrameDecoder.decode_frame_field(self, at, end, field, wire_type)
        if not self.has_options:
            return fail(
                &self.terms.failure, field.at,
                b"options-first", b"the stream does not start with its options",
            )
        return fail_number(
            &self.terms.failure, field.at, b"mixed-layouts",
            b"columns in a stream of version {number}, whose statements are in rows",
            self.option_fields[VERSION], 0,
        )

    cdef int save_state(self, WriteBuffer* out) except -1:
        put_saved_number(out, self.is_in_graph or self.columns.message_is_open)
        return 0

    cdef int restore_state(self, Span* rest) except -1:
        if not take_saved_flag(rest):
            return 0
        if self.is_columnar and self.columns.has_messages:
            self.columns.message_is_open = True
            return 0
        if self.option_fields[PHYSICAL_TYPE] != GRAPHS or self.terms.last[GRAPH] == NOT_YET:
            raise damaged("it says that a graph is open, but no graph was started")
        self.is_in_graph = self.has_regular_rows = True
        return 0

    cdef const char* describe_types(self, const uint32_t* options) noexcept with gil:
        """Return a message that names the two types and says that they don't fit together."""
        cdef uint32_t number = options[LOGICAL_TYPE]
        logical = LogicalStreamType._value2member_map_.get(number)
        name = number if logical is None else f"{logical.name} ({number})"
        physical = PhysicalStreamType(options[PHYSICAL_TYPE])
        self.warning = (
            f"the logical type {name} does not go with the physical type"
            f" {physical.name} ({options[PHYSICAL_TYPE]})"
        ).encode()
        return self.warning

    cdef int set_options(
        self, const uint32_t* options, Span name, const uint8_t* at
    ) noexcept nogil:
        if options[VERSION] != DRAFT_VERSION:
            return FrameDecoder.set_options(self, options, name, at)
        # These options come from a checkpoint; `decode_option_row` reads all others.
        return self.set_column_options(options, name, at)

    cdef int check_types(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Check the types (Jelly-RDF, "Physical stream types" and "Logical stream types")."""
        if options[MESSAGES_OPTION] or options[RDF_VERSION_OPTION]:
            return fail_number(
                &self.terms.failure, at, b"column-options",
                b"a stream type or a version of RDF, which streams of version {number} don't have",
                options[VERSION], 0,
            )
        cdef uint32_t physical = options[PHYSICAL_TYPE]
        cdef const char* what
        if physical == 0:
            return fail(
                &self.terms.failure, at, b"physical-type", b"options without a physical type"
            )
        if physical > GRAPHS:
            return fail_number(
                &self.terms.failure, at, b"physical-type",
                b"{number} is not a physical type", physical, 0
            )
        if options[LOGICAL_TYPE] > MAX_ENUM:
            return fail_number(
                &self.terms.failure, at, b"format",
                b"{number} is not a logical type", options[LOGICAL_TYPE], 0
            )
        if not IS_CONSISTENT[physical][options[LOGICAL_TYPE] % 10] and not self.is_quiet:
            what = self.describe_types(options)
            if self.is_strict:
                # Set this last, since the text may be released before a later failure is raised.
                self.terms.failure.what = what
                return fail(
                    &self.terms.failure, at, b"format",
                    b"{what}; the stream can be read with strict=False"
                )
        self.has_graphs = physical != TRIPLES
        self.kinds.has_graph_fields = physical == QUADS
        self.kinds.add = self.kinds.delete = StatementRow(
            (QUAD if physical == QUADS else TRIPLE) << 3 | LENGTH_DELIMITED, A
        )
        # In a GRAPHS stream only triples inside a graph are regular.
        self.has_regular_rows = physical != GRAPHS
        return 0

    cdef int decode_content(self, const Field* row) noexcept nogil:
        if row.kind == TRIPLE_STATEMENT:
            return self.decode_triple_row(row.span)
        if row.kind == QUAD_MESSAGE:
            return self.decode_quad_row(row.span)
        if row.kind == GRAPH_START_MESSAGE:
            return self.decode_graph_start(row.span)
        if row.kind == EMPTY_MESSAGE:
            return self.decode_graph_end(row.span)
        return self.decode_namespace(PA, NAMESPACE_DECLARATION, row.span)

    cdef int decode_triple_row(self, Span message) noexcept nogil:
        """Decode an RdfTriple (Jelly-RDF, "RDF statements and graphs")."""
        cdef uint32_t[4] quad
        cdef int64_t graph = 0
        if self.refuse_row(self.kinds.has_graph_fields, message, b"triple") < 0:
            return -1
        if self.is_in_graph:
            # The graph may have been started in an earlier frame.
            graph = self.terms.repeat(GRAPH, message.start)
            if graph < 0:
                return -1
            self.terms.last[GRAPH] = <uint32_t>graph
        elif self.option_fields[PHYSICAL_TYPE] == GRAPHS and self.terms.recover(
            message.start, b"graph-rows", b"triple outside a graph"
        ) < 0:
            return -1
        if self.terms.decode_statement(TRIPLE_STATEMENT, message, quad, False) < 0:
            return -1
        return self.append(A, quad[0], quad[1], quad[2], <uint32_t>graph)

    cdef int decode_quad_row(self, Span message) noexcept nogil:
        """Decode an RdfQuad (Jelly-RDF, "RDF statements and graphs")."""
        cdef uint32_t[4] quad
        if (
            self.refuse_row(not self.kinds.has_graph_fields, message, b"quad") < 0
            or self.terms.decode_statement(QUAD_MESSAGE, message, quad, True) < 0
        ):
            return -1
        return self.append(A, quad[0], quad[1], quad[2], quad[3])

    cdef int decode_graph_start(self, Span message) noexcept nogil:
        """Decode an RdfGraphStart (Jelly-RDF, "RDF statements and graphs")."""
        cdef Field graph
        cdef bint has_starts = self.option_fields[PHYSICAL_TYPE] == GRAPHS
        if self.refuse_row(not has_starts, message, b"graph start") < 0:
            return -1
        if self.is_in_graph and self.terms.recover(
            message.start, b"graph-rows", b"graph starts inside a graph"
        ) < 0:
            return -1
        if self.terms.read_message(GRAPH_START_MESSAGE, message, &graph) < 0:
            return -1
        if graph.kind == NO_FIELD:
            return fail(
                &self.terms.failure, message.start,
                b"graph-rows", b"graph starts without a graph node"
            )
        if self.terms.decode_position(&graph, GRAPH, message.start) < 0:
            return -1
        self.is_in_graph = has_starts
        self.has_regular_rows = True
        return 0

    cdef int decode_graph_end(self, Span message) noexcept nogil:
        """Decode an RdfGraphEnd (Jelly-RDF, "RDF statements and graphs")."""
        if self.terms.check_message(EMPTY_MESSAGE, message) < 0:
            return -1
        if self.option_fields[PHYSICAL_TYPE] != GRAPHS:
            return self.refuse_row(True, message, b"graph end")
        if not self.is_in_graph:
            return self.terms.recover(
                message.start, b"graph-rows", b"graph ends, but none was started"
            )
        self.is_in_graph = self.has_regular_rows = False
        return 0

    cdef int refuse_row(
        self, bint is_wrong, Span message, const char* row
    ) noexcept nogil:
        """Fail, or recover, if a row does not fit the physical type."""
        if not is_wrong:
            return 0
        self.terms.failure.what = row
        self.terms.failure.number = self.option_fields[PHYSICAL_TYPE]
        return self.terms.recover(
            message.start, b"row-type", b"{what} row in a stream of physical type {number}"
        )

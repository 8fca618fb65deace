"""Decodes the frames of a Jelly-RDF stream to batches."""

cdef enum:
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

    def __cinit__(self, *_, bint strict=True, bint is_quiet=False, **__):
        self.row_message = STREAM_ROW
        self.options_message = STREAM_OPTIONS
        self.newest_version = 2
        self.format = b"Jelly-RDF"
        self.kinds.first_entry = RDF_NAME
        self.other_kind = StreamKind.PATCH_STREAM
        self.type_rule = b"format"
        self.other_options = (
            b"these are the options of Jelly-Patch, not of Jelly-RDF: see read_operations()"
        )
        self.is_strict = strict
        self.is_quiet = is_quiet and not strict

    @property
    @cython.critical_section
    def options(self):
        """The stream's options, a `jelly_rdflib.StreamOptions`; None before they were read."""
        if not self.has_options:
            return None
        return StreamOptions.of_stream(
            stream_name=self.stream_name.decode(), **self.named_options(STREAM_OPTION_FIELDS)
        )

    cdef const char* describe_types(self, const uint32_t* options) noexcept with gil:
        """Say, with the types' names, that they don't go together."""
        cdef uint32_t number = options[LOGICAL_TYPE]
        logical = LogicalStreamType._value2member_map_.get(number)
        name = number if logical is None else f"{logical.name} ({number})"
        physical = PhysicalStreamType(options[PHYSICAL_TYPE])
        self.warning = (
            f"the logical type {name} does not go with the physical type"
            f" {physical.name} ({options[PHYSICAL_TYPE]})"
        ).encode()
        return self.warning

    cdef int check_version(self, uint32_t version, const uint8_t* at) noexcept nogil:
        if version != DRAFT_VERSION:
            return FrameDecoder.check_version(self, version, at)
        return fail_number(
            &self.terms.failure, at, b"version-tag",
            b"version {number} of Jelly-RDF is the draft of Jelly-RDF 1.2, with columns in place"
            b" of rows: this library reads up to version {bound}; pyjelly 0.9 and Jelly-JVM's main"
            b" branch write version {number} by default, so ask them for version {bound}",
            version, self.newest_version,
        )

    cdef int check_types(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Jelly-RDF, "Physical stream types" and "Logical stream types"."""
        cdef uint32_t physical = options[PHYSICAL_TYPE]
        cdef const char* what
        if physical == 0:
            return fail(
                &self.terms.failure, at, b"physical-type", b"options without a physical type"
            )
        if physical > GRAPHS:
            return fail_number(
                &self.terms.failure, at, b"physical-type",
                b"{number} is no physical type", physical, 0
            )
        if options[LOGICAL_TYPE] > MAX_ENUM:
            return fail_number(
                &self.terms.failure, at, b"format",
                b"{number} is no logical type", options[LOGICAL_TYPE], 0
            )
        if not IS_CONSISTENT[physical][options[LOGICAL_TYPE] % 10] and not self.is_quiet:
            what = self.describe_types(options)
            if self.is_strict:
                # Only now: a warning's text is gone before a later failure.
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
        # In a GRAPHS stream only the triples in a graph are regular.
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
            # The graph may be that of an earlier frame.
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
        """Fail, or recover, where a row does not go with the physical type."""
        if not is_wrong:
            return 0
        self.terms.failure.what = row
        self.terms.failure.number = self.option_fields[PHYSICAL_TYPE]
        return self.terms.recover(
            message.start, b"row-type", b"{what} row in a stream of physical type {number}"
        )

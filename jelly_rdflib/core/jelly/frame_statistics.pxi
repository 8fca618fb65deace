"""Counts what the frames of a stream are made of, on the wire."""

cdef enum:
    TERM_KINDS = 8  # those of `terms.TermKind` but STRING, which is no term

ctypedef struct Tally:
    uint64_t count
    uint64_t size  # in bytes

ctypedef struct LookupSurvey:
    uint8_t* slots  # a `SlotState` for each id
    uint32_t size
    uint32_t last_set
    uint32_t highest_id
    uint64_t entries
    uint64_t replaced  # entries whose slot another entry took
    uint64_t unused  # entries that nothing has referred to so far
    uint64_t references
    uint64_t text_size

cdef enum:
    NAMES = 0
    PREFIXES = 1
    DATATYPES = 2

cdef enum:
    # Fields of the three lookups' entries in a row: the first of them, in either format.
    PATCH_ENTRIES = 11
    STREAM_ENTRIES = 9

cdef enum SlotState:
    NEVER_SET
    SET_BUT_UNUSED
    USED


@cython.final
cdef class FrameStatistics:
    """Counts rows, lookup entries and terms of frames that a reader has decoded.

    That a frame keeps the rules is the decoder's affair; so the statistics goes frame by frame behind
    it. Each length and id is checked here too, as the caller may change the bytes meanwhile.

    Args:
        batches: The reader; call `count` after each of its batches.
    """

    cdef BatchReader batches
    cdef FrameDecoder decoder
    cdef TermDecoder terms  # of the decoder
    cdef uint64_t frames
    # Of the last frame.
    cdef Span frame
    cdef uint64_t frame_offset
    cdef uint64_t frame_size
    cdef uint64_t frame_rows
    cdef uint64_t frame_entries
    cdef UnexpectedFields* odd  # NULL: not wanted
    # Of all frames.
    cdef Tally[MAX_FIELD + 1] row_tallies  # by the rows' fields; 0: rows of no kind
    cdef Tally metadata
    cdef uint64_t[TERM_KINDS] term_counts
    cdef uint64_t[4] repeated  # by position: terms that are not written
    cdef bint has_graph  # a graph has been written
    cdef LookupSurvey[3] lookup_surveys  # of names, prefixes and datatypes
    cdef uint32_t last_name
    cdef uint32_t last_prefix

    def __cinit__(self, BatchReader batches not None):
        self.batches = batches

    def __dealloc__(self):
        cdef int number
        for number in range(3):
            PyMem_RawFree(self.lookup_surveys[number].slots)
        PyMem_RawFree(self.odd)

    def count(self):
        """Count what the frame of the reader's last batch is made of.

        Returns:
            Whether there was a frame: not behind the batch that stands for the end of the input.
        """
        cdef int result
        self.frame.start = self.frame.end = NULL
        if self.batches.frames.frame_number == self.frames or self.batches.is_finished:
            return False
        self.start_lookups()
        self.hold_frame()
        self.frames = self.batches.frames.frame_number
        self.frame_offset = self.batches.frames.frame_offset
        self.frame_size = self.batches.frames.frame_size
        self.frame.start = self.batches.frames.frame
        self.frame.end = self.frame.start + self.frame_size
        with nogil:
            result = self.count_frame()
        self.let_go()
        if result < 0:
            self.raise_failure()
        return True

    def locate(self, list rows not None):
        """Say where operations of the last batch are in the input.

        Args:
            rows: Their numbers in the batch, rising.

        Returns:
            For each of them its offset in bytes, and the number of its row in the frame; of an
            operation that no row stands for, the end of the frame, and None.
        """
        cdef const uint8_t* at = self.frame.start
        cdef const uint8_t* row_at = at
        cdef uint64_t number = 0
        cdef uint64_t operation = 0
        cdef uint64_t wanted
        cdef int found = 1
        places = []
        if self.batches.is_finished:
            # The memory of the frame may be gone.
            found = 0
        self.check_frame()
        self.hold_frame()
        try:
            for wanted in rows:
                while found > 0 and operation <= wanted:
                    found = self.next_operation(&at, &row_at, &number)
                    operation += 1
                if found < 0:
                    self.raise_failure()
                if found > 0:
                    places.append((self.frame_offset + (row_at - self.frame.start), number - 1))
                else:
                    places.append((self.frame_offset + self.frame_size, None))
        finally:
            self.let_go()
        return places

    def find_unexpected_fields(self):
        """Find fields of the last frame that protobuf does not mind, but a stream should not have.

        Each kind of field is told once, however many of them the stream has.

        Returns:
            For each of them why it is odd, an `UnexpectedKind`; its message's name and its own number;
            its offset in the input, in bytes, and the number of its row.
        """
        cdef int result
        cdef uint32_t number
        if self.odd == NULL:
            self.odd = <UnexpectedFields*>PyMem_RawCalloc(1, sizeof(UnexpectedFields))
            if self.odd == NULL:
                raise MemoryError
        if self.batches.is_finished:
            return []
        self.check_frame()
        self.hold_frame()
        # Where quads must not stand at all, the decoder says so.
        self.odd.has_graphs = (
            self.decoder.has_graph_fields or self.decoder.row_message == STREAM_ROW
        )
        with nogil:
            result = find_unexpected_fields(
                self.odd, self.frame, self.decoder.row_message, self.terms.max_nesting_depth,
                &self.terms.failure,
            )
        self.let_go()
        if result < 0:
            self.raise_failure()
        return [
            (
                <int>self.odd.found[number].kind, MESSAGE_NAMES[self.odd.found[number].message],
                self.odd.found[number].field,
                self.frame_offset + (self.odd.found[number].at - self.frame.start),
                self.odd.found[number].row,
            )
            for number in range(self.odd.count)
        ]

    cdef int check_frame(self) except -1:
        """See that the frame is still the reader's last one: no other one stays in memory."""
        if self.batches.frames.frame_number != self.frames:
            raise ValueError("the reader has gone on: count() comes after each of its batches")
        return 0

    cdef int hold_frame(self) except -1:
        """Keep the reader from going on while its frame is counted."""
        if self.batches.is_reading:
            raise ValueError("the reader is already reading")
        self.batches.is_reading = True
        self.decoder = self.batches.decoder
        self.terms = self.decoder.terms
        # As for a frame that is to be decoded.
        self.terms.merged_size = 0
        return 0

    cdef int let_go(self) except -1:
        self.terms.free_merged()
        self.batches.is_reading = False
        return 0

    cdef int next_operation(
        self, const uint8_t** at, const uint8_t** row_at, uint64_t* number
    ) noexcept nogil:
        """Find the next row that makes an operation; 0 if there is none, -1 if it is damaged."""
        cdef uint32_t field, wire_type
        cdef int64_t row_field
        cdef Span row, content
        while at[0] < self.frame.end:
            row_at[0] = at[0]
            if read_tag(at, self.frame.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field != ROWS_FIELD:
                if skip_field(at, self.frame.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if read_span(at, self.frame.end, &row, &self.terms.failure) < 0:
                return -1
            row_field = self.decoder.read_row(row, &content)
            if row_field < 0:
                return -1
            number[0] += 1
            if self.is_operation(<uint32_t>row_field):
                return 1
        return 0

    @property
    def is_patch(self):
        """Whether the stream is of Jelly-Patch, and not of Jelly-RDF."""
        return isinstance(self.batches.decoder, PatchFrameDecoder)

    @property
    def is_in_graph(self):
        """Whether a graph of a stream of graphs has started and not ended."""
        return (
            isinstance(self.batches.decoder, StatementFrameDecoder)
            and (<StatementFrameDecoder>self.batches.decoder).is_in_graph
        )

    @property
    def is_delimited(self):
        """Whether the frames have their lengths before them."""
        return self.batches.frames.is_delimited

    @property
    def position(self):
        """Bytes of the uncompressed input up to the end of the last frame; 0 before the first."""
        return self.frame_offset + self.frame_size

    @property
    def last_frame(self):
        """Number, offset and size in bytes of the last frame, its rows, and its lookup entries."""
        return (
            self.last_number(), self.frame_offset, self.frame_size, self.frame_rows,
            self.frame_entries,
        )

    @property
    def rows(self):
        """For each field of a row's oneof, how many such rows there were, and their bytes."""
        return [(tally.count, tally.size) for tally in self.row_tallies]

    @property
    def metadata_entries(self):
        """How many entries frames' metadata had, and their bytes."""
        return self.metadata.count, self.metadata.size

    @property
    def term_kinds(self):
        """For each `TermKind` but STRING, how many such terms are written, at whatever depth."""
        return [count for count in self.term_counts]

    @property
    def repeated_terms(self):
        """For each position of a statement, how often its last term was repeated."""
        return [count for count in self.repeated]

    @property
    def lookups(self):
        """For the lookups of names, prefixes and datatypes, a dict of what was counted."""
        return [
            {
                "size": lookup.size,
                "entries": lookup.entries,
                "replaced": lookup.replaced,
                "unused": lookup.unused,
                "highest_id": lookup.highest_id,
                "references": lookup.references,
                "text_size": lookup.text_size,
            }
            for lookup in self.lookup_surveys
        ]

    cdef uint64_t last_number(self) noexcept:
        """Return the number of the last frame; 0 before the first."""
        return self.frames - 1 if self.frames > 0 else 0

    cdef int raise_failure(self) except -1:
        """Raise what is wrong with a frame that was decoded, and so must have been changed."""
        raise failure_to_error(
            &self.terms.failure, self.frame_offset, self.last_number(), None
        )

    cdef int start_lookups(self) except -1:
        """Make the lookups' slots as soon as there are options."""
        cdef FrameDecoder decoder = self.batches.decoder
        cdef LookupSurvey* lookup
        cdef int number
        cdef int[3] sizes
        if not decoder.has_options:
            return 0
        sizes = [MAX_NAME_TABLE_SIZE, MAX_PREFIX_TABLE_SIZE, MAX_DATATYPE_TABLE_SIZE]
        for number in range(3):
            lookup = &self.lookup_surveys[number]
            if lookup.slots != NULL:
                continue
            lookup.slots = <uint8_t*>PyMem_RawCalloc(
                <size_t>decoder.option_fields[sizes[number]] + 1, 1
            )
            if lookup.slots == NULL:
                raise MemoryError
            lookup.size = decoder.option_fields[sizes[number]]
        return 0

    cdef int count_frame(self) noexcept nogil:
        cdef const uint8_t* at = self.frame.start
        cdef const uint8_t* start
        cdef uint32_t field, wire_type
        cdef int64_t row_field
        cdef Span row, content
        self.frame_rows = self.frame_entries = 0
        while at < self.frame.end:
            start = at
            if read_tag(&at, self.frame.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field != ROWS_FIELD:
                if skip_field(&at, self.frame.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                if field == METADATA and self.decoder.row_message == STREAM_ROW:
                    self.metadata.count += 1
                    self.metadata.size += at - start
                continue
            if read_span(&at, self.frame.end, &row, &self.terms.failure) < 0:
                return -1
            row_field = self.decoder.read_row(row, &content)
            if row_field < 0 or self.count_row(<uint32_t>row_field, content) < 0:
                return -1
            self.row_tallies[row_field].count += 1
            self.row_tallies[row_field].size += at - start
            self.frame_rows += 1
        return 0

    cdef int count_row(self, uint32_t field, Span content) noexcept nogil:
        cdef int message = field_kind(self.decoder.row_message, field)
        cdef NamedTerms row
        if message == QUAD_MESSAGE or message == TRIPLE_STATEMENT:
            return self.count_statement(content, message == QUAD_MESSAGE)
        if message == LOOKUP_ENTRY:
            field -= STREAM_ENTRIES if self.decoder.row_message == STREAM_ROW else PATCH_ENTRIES
            self.frame_entries += 1
            return self.count_entry(&self.lookup_surveys[field], content)
        if message == PATCH_OPTIONS or message == STREAM_OPTIONS or message < IRI_MESSAGE:
            return 0
        if self.decoder.read_named_terms(message, content, &row) < 0:
            return -1
        if row.value.kind != UNSET and self.count_term(&row.value, 0) < 0:
            return -1
        if message != PATCH_NAMESPACE:
            return 0
        if self.decoder.has_graph_fields:
            return self.count_graph(&row.graph)
        # Ignored in a stream of triples, but the next IRI goes on from its ids.
        return self.count_term(&row.graph, 0) if row.graph.kind == IS_IRI else 0

    cdef int count_statement(self, Span content, bint is_quad) noexcept nogil:
        cdef EncodedTerm[4] terms
        cdef int position
        if self.terms.read_statement(
            QUAD_MESSAGE if is_quad else TRIPLE_STATEMENT, content, terms
        ) < 0:
            return -1
        for position in range(3):
            if terms[position].kind == UNSET:
                self.repeated[position] += 1
            elif self.count_term(&terms[position], 0) < 0:
                return -1
        # In a stream of triples the graph of an RdfQuad means nothing.
        return self.count_graph(&terms[GRAPH]) if is_quad and self.decoder.has_graph_fields else 0

    cdef int count_graph(self, EncodedTerm* graph) noexcept nogil:
        if graph.kind != UNSET:
            self.has_graph = True
            return self.count_term(graph, 0)
        # A prefix may have none before the first graph.
        if self.has_graph:
            self.repeated[GRAPH] += 1
        return 0

    cdef int count_entry(self, LookupSurvey* lookup, Span entry) noexcept nogil:
        """Count an RdfNameEntry, RdfPrefixEntry or RdfDatatypeEntry."""
        cdef uint32_t id
        cdef Span text
        if read_entry(entry, b"lookup", &id, &text, &self.terms.failure) < 0:
            return -1
        if id == 0:
            id = lookup.last_set + 1
        if id > lookup.size:
            return fail_number(
                &self.terms.failure, entry.start, b"entry {number} is out of range", id, 0
            )
        lookup.last_set = id
        lookup.highest_id = max(lookup.highest_id, id)
        lookup.entries += 1
        lookup.replaced += lookup.slots[id] != NEVER_SET
        lookup.unused += 1
        lookup.slots[id] = SET_BUT_UNUSED
        lookup.text_size += text.end - text.start
        return 0

    cdef int count_term(self, EncodedTerm* term, int depth) noexcept nogil:
        """Count a term that is written; ``depth`` counts the quoted triples around it."""
        cdef EncodedTerm[4] terms
        cdef EncodedLiteral literal
        cdef int position
        if term.kind == IS_IRI:
            self.term_counts[<int>TermKind.IRI] += 1
            return self.count_iri(term.span)
        if term.kind == IS_LITERAL:
            if self.terms.read_literal(term.span, &literal) < 0:
                return -1
            self.term_counts[<int>literal.kind] += 1
            if literal.kind != TermKind.TYPED_LITERAL:
                return 0
            return self.count_reference(
                &self.lookup_surveys[DATATYPES], literal.datatype, term.span.start
            )
        if term.kind == IS_BLANK_NODE:
            self.term_counts[<int>TermKind.BLANK_NODE] += 1
            return 0
        if term.kind == IS_DEFAULT_GRAPH:
            self.term_counts[<int>TermKind.DEFAULT_GRAPH] += 1
            return 0
        self.term_counts[<int>TermKind.TRIPLE_TERM] += 1
        if depth >= self.terms.max_nesting_depth:
            return fail(&self.terms.failure, term.span.start, b"quoted triples nest too deep")
        if self.terms.read_statement(TRIPLE_MESSAGE, term.span, terms) < 0:
            return -1
        for position in range(3):
            if terms[position].kind != UNSET and self.count_term(&terms[position], depth + 1) < 0:
                return -1
        return 0

    cdef int count_iri(self, Span message) noexcept nogil:
        cdef uint32_t prefix_id, name_id
        if self.terms.read_iri(message, &prefix_id, &name_id) < 0:
            return -1
        self.last_name = name_id if name_id != 0 else self.last_name + 1
        if prefix_id != 0:
            self.last_prefix = prefix_id
        if self.last_prefix != 0 and self.count_reference(
            &self.lookup_surveys[PREFIXES], self.last_prefix, message.start
        ) < 0:
            return -1
        return self.count_reference(&self.lookup_surveys[NAMES], self.last_name, message.start)

    cdef inline int count_reference(
        self, LookupSurvey* lookup, uint32_t id, const uint8_t* at
    ) noexcept nogil:
        if id == 0 or id > lookup.size:
            return fail_number(
                &self.terms.failure, at, b"id {number} is out of range", id, 0
            )
        lookup.references += 1
        if lookup.slots[id] == SET_BUT_UNUSED:
            lookup.slots[id] = USED
            lookup.unused -= 1
        return 0

    cdef bint is_operation(self, uint32_t field) noexcept nogil:
        """Does a row of that kind make a row of the batch?"""
        cdef int message = field_kind(self.decoder.row_message, field)
        if field == 0 or field == OPTIONS_ROW or message == LOOKUP_ENTRY:
            return False
        return self.decoder.row_message != STREAM_ROW or not (
            message == GRAPH_START_MESSAGE or message == EMPTY_MESSAGE
        )

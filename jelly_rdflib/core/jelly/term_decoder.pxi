"""Decodes terms and statements: what Jelly-RDF and Jelly-Patch share of the wire format."""

cdef enum:
    # In place of a term's number: there was no term yet; it is a term of an earlier frame.
    NOT_YET = 0
    CARRIED = 0xFFFFFFFF

cdef enum:
    # How many bytes `decode_regular_rows` leaves behind the row that it looks at.
    SLACK = 40

cdef enum:
    # The member of a oneof of terms that is set, by the numbers of the schema.
    UNSET = UNKNOWN
    IS_IRI = IRI_MESSAGE
    IS_BLANK_NODE = TEXT
    IS_LITERAL = LITERAL_MESSAGE
    IS_TRIPLE_TERM = TRIPLE_MESSAGE
    IS_DEFAULT_GRAPH = EMPTY_MESSAGE

ctypedef struct EncodedTerm:
    # A term as it stands in its message: read, but not decoded, since fields may come in any
    # order but terms must be decoded in theirs.
    int kind
    Span span

ctypedef struct StatementRow:
    # A kind of row: the tag of its field in the row's oneof, and the operation that it is.
    uint8_t tag
    uint8_t op

ctypedef struct RegularRow:
    # A row as `decode_regular_rows` reads it.
    uint32_t[4] quad
    uint32_t last_name
    uint32_t last_prefix

ctypedef struct EncodedLiteral:
    # The fields of an RdfLiteral, read but not decoded.
    TermKind kind
    Span lexical
    Span language
    uint32_t datatype

cdef enum:
    # How many faults of a frame may be recovered: strangers write our input.
    MAX_RECOVERED = 1000

ctypedef struct RecoveredFault:
    Failure failure
    uint64_t row

ctypedef struct MergedSpan:
    # A message whose field stood more than once on the wire, put together.
    MergedSpan* next
    size_t capacity  # of the bytes that follow


cdef enum:
    # How many times max_text_size a stream may have left for later of what it may stand for.
    SAVED_TEXTS = 16
    # By how much the merging of fields, which no writer makes use of, may outgrow a frame.
    MERGED_PER_BYTE = 8
    MERGED_PER_FRAME = 1 << 16

cdef enum:
    # Of a checkpoint: adding to it never overflows.
    MAX_EXPANSION = 0x3FFFFFFFFFFFFFFF

cdef enum:
    # Of the forms that an IRI has in a regular row.
    MAX_IRI_SIZE = 5
    # A use's key has the epoch in its high half and the number of the prefix in its low half.
    MAX_EPOCH = 0xFFFF
    MAX_KEY_PREFIX = 0xFFFF

cdef enum:
    # Tag of RdfLiteral's lexical form.
    LEXICAL_TAG = 0x0A
    # Tags of RdfQuad.
    SUBJECT_IRI_TAG = 0x0A
    PREDICATE_IRI_TAG = 0x2A
    OBJECT_IRI_TAG = 0x4A
    OBJECT_LITERAL_TAG = 0x5A
    GRAPH_IRI_TAG = 0x6A

# The fields of RdfQuad, from field 1 on; RdfTriple has the first twelve of them.
cdef uint8_t[16] FIELD_KINDS = [
    IS_IRI, IS_BLANK_NODE, IS_LITERAL, IS_TRIPLE_TERM,
    IS_IRI, IS_BLANK_NODE, IS_LITERAL, IS_TRIPLE_TERM,
    IS_IRI, IS_BLANK_NODE, IS_LITERAL, IS_TRIPLE_TERM,
    IS_IRI, IS_BLANK_NODE, IS_DEFAULT_GRAPH, IS_LITERAL,
]

# The ways in which writers encode an RdfIri, by its size and by whether it starts with the name's
# tag (8 more): at most a prefix id of one byte, then a name id of one or two. In the word that the
# message starts, the bits under `mask` must be as in `form`; the others are the ids' bits.
ctypedef struct IriForm:
    uint64_t mask
    uint64_t form
    uint32_t prefix_bits
    uint32_t name_shift
    uint32_t name_low_bits
    uint32_t name_high_bits


cdef IriForm[16] IRI_FORMS
for byte in range(16):
    IRI_FORMS[byte] = IriForm(0, 1, 0, 0, 0, 0)  # which no word has
# Nothing; whatever follows the message.
IRI_FORMS[0] = IRI_FORMS[8] = IriForm(0, 0, 0, 0, 0, 0)
# 08 prefix
IRI_FORMS[2] = IriForm(0x80FF, 0x08, 0x7F, 0, 0, 0)
# 10 name, 10 name name
IRI_FORMS[10] = IriForm(0x80FF, 0x10, 0, 8, 0x7F, 0)
IRI_FORMS[11] = IriForm(0x8080FF, 0x8010, 0, 8, 0x7F, 0x3F80)
# 08 prefix 10 name, 08 prefix 10 name name
IRI_FORMS[4] = IriForm(0x80FF80FF, 0x100008, 0x7F, 24, 0x7F, 0)
IRI_FORMS[5] = IriForm(0x8080FF80FF, 0x80100008, 0x7F, 24, 0x7F, 0x3F80)


cdef inline size_t text_size(const TermColumns* terms) noexcept nogil:
    return terms.offsets[terms.count]


cdef inline void copy_blocks(uint8_t* target, const uint8_t* text, size_t size) noexcept nogil:
    """Copy a short text faster than `memcpy`; there must be room for a block behind both."""
    memcpy(target, text, BLOCK)
    if size > BLOCK:
        memcpy(target + BLOCK, text + BLOCK, size - BLOCK)


@cython.final
cdef class TermDecoder:
    """The state that terms are decoded with: lookups, last terms, and the frame's term table.

    Methods return -1 on failure, with ``failure`` filled in; none needs the GIL.
    """

    cdef Lookup names
    cdef Lookup prefixes
    cdef Lookup datatypes
    cdef bint generalized
    cdef bint rdf_star
    cdef TextLimits limits
    cdef int max_nesting_depth
    cdef uint32_t max_frame_terms
    cdef size_t held  # bytes that the lookups keep
    # Bytes of text that were joined or copied in the whole stream, and their limit, which grows with
    # the bytes that were read.
    cdef uint64_t expansion
    cdef uint64_t max_expansion
    # Bytes that merging fields took in this frame, and how many it may take.
    cdef size_t merged_size
    cdef size_t max_merged_size
    cdef TermColumns terms  # of the frame that is being decoded
    cdef Failure failure
    # Recoverable errors of this frame; NULL in strict mode.
    cdef RecoveredFault* recovered
    cdef uint32_t recovered_count
    cdef uint64_t row  # in which such faults are
    cdef uint64_t seed  # of hashes
    cdef uint64_t next_serial
    # Which uses of lookup entries are good: it changes with the table and with any prefix.
    cdef uint32_t epoch
    cdef uint32_t last_prefix
    cdef uint32_t last_name
    cdef uint32_t[4] last  # the last term of each position, in the frame's table
    cdef bint last_is_elsewhere  # some of `last` may not be in the frame's table (yet)
    cdef TermColumns[4] carried  # the last terms of earlier frames
    cdef uint32_t[4] carried_term
    cdef uint32_t[4] carried_copy  # its copy in this frame's table; 0 if there is none
    cdef MergedSpan* merged

    def __cinit__(self):
        self.next_serial = FIRST_SERIAL
        self.seed = hash_seed()
        self.last_is_elsewhere = True

    def __dealloc__(self):
        lookup_free(&self.names)
        lookup_free(&self.prefixes)
        lookup_free(&self.datatypes)
        terms_free(&self.terms)
        for position in range(4):
            terms_free(&self.carried[position])
        self.free_merged()
        PyMem_RawFree(self.recovered)

    cdef int set_lookups(
        self, uint32_t names, uint32_t prefixes, uint32_t datatypes
    ) noexcept nogil:
        """Start a stream: nothing of an earlier one is left but its expansion so far.

        The sizes of the lookups have been checked against the limits.
        """
        self.held = 0
        self.last_name = self.last_prefix = 0
        memset(self.last, 0, sizeof(self.last))
        self.last_is_elsewhere = True
        if (
            lookup_init(&self.names, b"name", names) < 0
            or lookup_init(&self.prefixes, b"prefix", prefixes) < 0
            or lookup_init(&self.datatypes, b"datatype", datatypes) < 0
        ):
            return fail_memory(&self.failure, NULL)
        return 0

    cdef int save(self, WriteBuffer* out) except -1:
        """Save what later frames need of those that were decoded, whose rows are gone by then."""
        cdef int position
        save_lookup(out, &self.names)
        save_lookup(out, &self.prefixes)
        save_lookup(out, &self.datatypes)
        put_saved_number(out, self.last_name)
        put_saved_number(out, self.last_prefix)
        put_saved_number(out, self.expansion)
        put_saved_number(out, self.max_expansion)
        for position in range(4):
            put_saved_number(out, self.last[position] == CARRIED)
            if self.last[position] == CARRIED:
                save_terms(out, &self.carried[position])
                put_saved_number(out, self.carried_term[position])
        return 0

    cdef int restore(self, Span* rest) except -1:
        """Restore what `save` saved; the lookups have been made, and are empty."""
        cdef int position
        cdef uint32_t term
        restore_lookup(rest, &self.names, &self.next_serial, &self.limits, &self.held)
        restore_lookup(rest, &self.prefixes, &self.next_serial, &self.limits, &self.held)
        restore_lookup(rest, &self.datatypes, &self.next_serial, &self.limits, &self.held)
        # Any numbers will do: they are checked where they are used.
        self.last_name = <uint32_t>take_saved_number(rest, 0xFFFFFFFF)
        self.last_prefix = <uint32_t>take_saved_number(rest, self.prefixes.size)
        self.expansion = take_saved_number(rest, MAX_EXPANSION)
        self.max_expansion = take_saved_number(rest, MAX_EXPANSION)
        self.bound_expansion_left()
        for position in range(4):
            if not take_saved_flag(rest):
                continue
            restore_terms(
                rest, &self.carried[position], self.seed, &self.limits, self.max_nesting_depth
            )
            term = <uint32_t>take_saved_number(rest, self.carried[position].count - 1)
            if not self.may_repeat(&self.carried[position], term, position):
                raise damaged("a last term can't stand in its place")
            self.carried_term[position] = term
            self.last[position] = CARRIED
        return 0

    cdef bint may_repeat(self, const TermColumns* terms, uint32_t term, int position) noexcept:
        """May a term stand there, by the options?"""
        cdef int kind = terms.kinds[term]
        if kind == TermKind.NONE or kind == TermKind.STRING:
            return False
        if kind == TermKind.DEFAULT_GRAPH or position == GRAPH:
            return position == GRAPH and kind != TermKind.TRIPLE_TERM and (
                kind < TermKind.SIMPLE_LITERAL or kind == TermKind.DEFAULT_GRAPH or self.generalized
            )
        if kind == TermKind.TRIPLE_TERM and not self.rdf_star:
            return False
        if self.generalized or position == OBJECT:
            return True
        if position == PREDICATE:
            return kind == TermKind.IRI
        return kind == TermKind.IRI or kind == TermKind.BLANK_NODE or kind == TermKind.TRIPLE_TERM

    cdef int begin_frame(self, size_t size, uint32_t terms, size_t text) noexcept nogil:
        """Start a frame of ``size`` bytes, with a new term table.

        The table has room for so many terms, and bytes of their texts, before it grows.
        """
        if self.max_expansion == 0:
            self.max_expansion = self.limits.text_size
        self.max_expansion += self.limits.expansion * size
        self.merged_size = 0
        self.max_merged_size = MERGED_PER_FRAME + MERGED_PER_BYTE * size
        self.start_epoch()
        terms_free(&self.terms)
        if terms_init(&self.terms, terms, text, self.limits.text_size) < 0:
            return fail_memory(&self.failure, NULL)
        terms_set_max(&self.terms, self.max_frame_terms)
        return 0

    cdef int count_expansion(self, size_t size, const uint8_t* at) noexcept nogil:
        """Count bytes of text that few bytes of the stream can ask for again and again."""
        self.expansion += size
        if self.expansion > self.max_expansion:
            return fail_limit(
                &self.failure, at,
                b"the stream stands for more than {number} times its own size (limit max_expansion)",
                self.limits.expansion, 0,
            )
        return 0

    cdef void bound_expansion_left(self) noexcept nogil:
        """Let a stream keep some of what it did not use, and a checkpoint give no more."""
        cdef uint64_t most = self.expansion + SAVED_TEXTS * <uint64_t>self.limits.text_size
        if self.max_expansion > most:
            self.max_expansion = most

    cdef void start_epoch(self) noexcept nogil:
        """Make all uses of lookup entries bad."""
        self.epoch += 1
        if self.epoch > MAX_EPOCH:
            lookup_forget_uses(&self.names)
            lookup_forget_uses(&self.datatypes)
            self.epoch = 1

    cdef int end_frame(self) noexcept nogil:
        """Keep the last terms for the next frame, which has a table of its own."""
        cdef int position
        cdef int64_t term
        if terms_check_count(&self.terms, NULL, &self.failure) < 0:
            return -1
        for position in range(4):
            if self.last[position] == NOT_YET or self.last[position] == CARRIED:
                continue
            if self.last[position] == self.carried_copy[position]:
                self.last[position] = CARRIED
                continue
            if self.carried[position].slots != NULL and self.carried[position].data_capacity < 4096:
                terms_clear(&self.carried[position])
            else:
                terms_free(&self.carried[position])
                if terms_init(&self.carried[position], 4, 256, self.limits.text_size) < 0:
                    return fail_memory(&self.failure, NULL)
            term = terms_copy(
                &self.carried[position], &self.terms, self.last[position], NULL, &self.failure
            )
            if term < 0:
                return -1
            self.carried_term[position] = <uint32_t>term
            if self.count_expansion(text_size(&self.carried[position]), NULL) < 0:
                return -1
            self.last[position] = CARRIED
        memset(self.carried_copy, 0, sizeof(self.carried_copy))
        self.last_is_elsewhere = True
        self.free_merged()
        self.bound_expansion_left()
        return 0

    cdef int recover_faults(self) except -1:
        """Make `recover` take faults from now on."""
        self.recovered = <RecoveredFault*>PyMem_RawMalloc(
            MAX_RECOVERED * sizeof(RecoveredFault)
        )
        if self.recovered == NULL:
            raise MemoryError
        return 0

    cdef int recover(self) noexcept nogil:
        """Note the failure and go on, if that is wanted; -1 if it is the end.

        This is for rules that the state does not depend on: what follows is decoded as if the
        rule had been kept.
        """
        cdef RecoveredFault* fault
        if self.recovered == NULL or self.recovered_count == MAX_RECOVERED:
            return -1
        fault = &self.recovered[self.recovered_count]
        fault.failure = self.failure
        fault.row = self.row
        self.recovered_count += 1
        memset(&self.failure, 0, sizeof(self.failure))
        return 0

    cdef int set_entry(self, Lookup* lookup, Span entry) noexcept nogil:
        self.next_serial += 1
        if lookup == &self.prefixes:
            self.start_epoch()
        return lookup_set(
            lookup, entry, self.next_serial, &self.limits, &self.held, &self.failure
        )

    cdef const uint8_t* decode_regular_rows(
        self, const uint8_t* at, const uint8_t* end, RowColumns* rows, const StatementRow* add,
        const StatementRow* delete, bint has_graph
    ) noexcept nogil:
        """Decode rows as long as they are regular statements, and return where they end.

        This does what `decode_statement` does, but only for rows as nearly all writers make them:
        one statement, each field once, in order, with short lengths and ids, and last terms that
        are in this frame's table. A row that is anything else, or wrong in any way, is left to
        the general code, with nothing changed as far as that is concerned.

        Args:
            at: Start of a row, at its tag.
            end: End of the frame.
            rows: Where the operations go.
            add, delete: The two kinds of rows, by their tag, and the operations that they are.
        """
        # So that what a row starts with can be looked at before its end is known.
        cdef const uint8_t* last_start = end - SLACK
        cdef const uint8_t* row_end
        cdef const uint8_t* row = at
        cdef uint32_t size, tag, op
        cdef size_t first_row = rows.count
        # Of the row that is being read, and of the last one that was regular.
        cdef RegularRow this
        cdef RegularRow last
        if self.last_is_elsewhere or end - at < SLACK or self.last_prefix > MAX_KEY_PREFIX:
            return at
        this.last_name = self.last_name
        this.last_prefix = self.last_prefix
        memcpy(this.quad, self.last, sizeof(this.quad))
        last = this
        while row < last_start:
            if row[0] != ROWS_TAG:
                break
            # The lengths of the row and of the statement in it must say the same.
            if row[1] < 0x80:
                size = row[1]
                tag = row[2]
                at = row + 4
                row_end = row + 2 + size
                if row[3] != size - 2:
                    break
            else:
                at = peek_varint(row + 1, &size)
                if size >= PEEK_LIMIT:
                    break
                row_end = at + size
                tag = at[0]
                at = peek_varint(at + 1, &size)
                if at + size != row_end:
                    break
            if row_end > last_start:
                break
            if tag == add.tag:
                op = add.op
            elif tag == delete.tag:
                op = delete.op
            else:
                break
            if at[0] == SUBJECT_IRI_TAG:
                at = self.decode_regular_iri(at, row_end, &this, SUBJECT)
            if at != NULL and at[0] == PREDICATE_IRI_TAG:
                at = self.decode_regular_iri(at, row_end, &this, PREDICATE)
            if at != NULL and at[0] == OBJECT_IRI_TAG:
                at = self.decode_regular_iri(at, row_end, &this, OBJECT)
            elif at != NULL and at[0] == OBJECT_LITERAL_TAG:
                at = self.decode_regular_literal(at, row_end, &this)
            if at != NULL and at[0] == GRAPH_IRI_TAG and has_graph:
                at = self.decode_regular_iri(at, row_end, &this, GRAPH)
            # Here too where the row ends early and the next one looked like a field of this one.
            if at != row_end or rows_append(
                rows, op, this.quad[SUBJECT], this.quad[PREDICATE], this.quad[OBJECT],
                this.quad[GRAPH],
            ) < 0:
                break
            last.last_name = this.last_name
            last.last_prefix = this.last_prefix
            row = row_end
        # An irregular row leaves a failure behind, which is none: the general decoder reads it.
        memset(&self.failure, 0, sizeof(self.failure))
        if rows.count > first_row:
            self.last_name = last.last_name
            self.last_prefix = last.last_prefix
            self.last[SUBJECT] = rows.s[rows.count - 1]
            self.last[PREDICATE] = rows.p[rows.count - 1]
            self.last[OBJECT] = rows.o[rows.count - 1]
            self.last[GRAPH] = rows.g[rows.count - 1]
        return row

    cdef inline const uint8_t* decode_regular_iri(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row, int position
    ) noexcept nogil:
        """Decode a field with an RdfIri as writers make it; NULL if it is another, or wrong.

        Which ids are there, and how long they are, is as good as random: so there are no branches
        here that would have to guess it.
        """
        cdef uint32_t size = at[1]
        cdef uint64_t word = load64_little(at + 2)
        cdef const IriForm* form = &IRI_FORMS[(size & 7) | ((word >> 1) & 8)]
        cdef uint32_t prefix_id = <uint32_t>(word >> 8) & form.prefix_bits
        cdef uint32_t name_id = (
            (<uint32_t>(word >> form.name_shift) & form.name_low_bits)
            | (<uint32_t>(word >> (form.name_shift + 1)) & form.name_high_bits)
        )
        cdef LookupUse* use
        cdef int64_t number
        at += 2 + size
        if (word & form.mask) != form.form or size > MAX_IRI_SIZE or at > row_end:
            return NULL
        row.last_prefix = prefix_id if prefix_id != 0 else row.last_prefix
        row.last_name = name_id if name_id != 0 else row.last_name + 1
        if row.last_name > self.names.size:
            return NULL
        use = &self.names.uses[row.last_name]
        if use.key == (self.epoch << 16 | row.last_prefix):
            row.quad[position] = use.term
            return at
        number = self.intern_iri(row.last_name, row.last_prefix, at)
        row.quad[position] = <uint32_t>number
        return at if number >= 0 else NULL

    cdef inline const uint8_t* decode_regular_literal(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row
    ) noexcept nogil:
        """Decode an object that is a lexical form and no more, as most literals are; else NULL."""
        cdef const uint8_t* end
        cdef uint32_t size
        cdef int64_t number
        at = peek_varint(at + 1, &size)
        if <int64_t>size > row_end - at or size < 2 or at[0] != LEXICAL_TAG:
            return NULL
        end = at + size
        at = peek_varint(at + 1, &size)
        if at + size != end:
            return NULL
        number = self.intern_regular_text(TermKind.SIMPLE_LITERAL, at, size)
        row.quad[OBJECT] = <uint32_t>number
        return end if number >= 0 else NULL

    cdef int decode_statement(
        self, int kind, Span message, uint32_t* quad, bint has_graph
    ) noexcept nogil:
        """Decode an RdfQuad or RdfTriple, whose unset terms are repeated terms.

        Without ``has_graph`` the graph of an RdfQuad is read but means nothing.
        """
        cdef EncodedTerm[4] terms
        cdef int position
        cdef int64_t number
        if self.read_statement(kind, message, terms) < 0:
            return -1
        for position in range(3):
            if terms[position].kind == UNSET:
                number = self.repeat(position, message.start)
            else:
                number = self.decode_term(&terms[position], position, 0)
            if number < 0:
                return -1
            quad[position] = <uint32_t>number
            self.last[position] = <uint32_t>number
        quad[GRAPH] = 0
        if has_graph:
            if self.decode_graph(&terms[GRAPH], message.start, &quad[GRAPH]) < 0:
                return -1
        elif self.check_unused(&terms[GRAPH]) < 0:
            return -1
        self.last_is_elsewhere = False
        return 0

    cdef int decode_graph(
        self, EncodedTerm* term, const uint8_t* at, uint32_t* number
    ) noexcept nogil:
        """Decode a graph node; statements and namespaces share the last one."""
        cdef int64_t graph
        if term.kind == UNSET:
            graph = self.repeat(GRAPH, at)
        else:
            graph = self.decode_term(term, GRAPH, 0)
        if graph < 0:
            return -1
        number[0] = <uint32_t>graph
        self.last[GRAPH] = <uint32_t>graph
        return 0

    cdef int read_statement(self, int kind, Span message, EncodedTerm* terms) noexcept nogil:
        """Read the fields of an RdfQuad or RdfTriple into ``terms``, in whatever order."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint32_t last_field = 16 if kind == QUAD_MESSAGE else 12
        cdef EncodedTerm* term
        cdef int position
        cdef Span span
        for position in range(4):
            terms[position].kind = UNSET
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0:
                return -1
            if field > last_field:
                if skip_field(&at, message.end, field, wire_type, &self.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.failure) < 0
                or read_span(&at, message.end, &span, &self.failure) < 0
            ):
                return -1
            term = &terms[(field - 1) >> 2]
            if term.kind == UNSET:
                term.kind = FIELD_KINDS[field - 1]
                term.span = span
            elif self.keep(FIELD_KINDS[field - 1], term, span) < 0:
                return -1
        return 0

    cdef int keep(self, int kind, EncodedTerm* term, Span span) noexcept nogil:
        """Set a member of a oneof that is set already.

        Of a oneof the last member wins; the same member again is merged if it is a message
        (protobuf, "Last One Wins"), and the encodings of two messages, one after the other, are
        the encoding of the merged message.
        """
        if kind == term.kind and kind != IS_BLANK_NODE:
            return self.merge(kind, &term.span, span)
        if self.check_unused(term) < 0:
            return -1
        term.kind = kind
        term.span = span
        return 0

    cdef int merge(self, int message, Span* merged, Span more) noexcept nogil:
        """Put ``more`` behind ``merged``, in memory that lasts to the end of the frame.

        Each of them must be a message by itself, as for protobuf.
        """
        cdef size_t first = merged.end - merged.start
        cdef size_t second = more.end - more.start
        cdef MergedSpan* node = self.merged
        cdef bint is_last = node != NULL and merged.start == <uint8_t*>(node + 1)
        if (
            (not is_last and self.check_message(message, merged[0]) < 0)
            or self.check_message(message, more) < 0
        ):
            return -1
        # The message that was merged last grows in place. So a field that is repeated a thousand
        # times is not copied a thousand times.
        if not is_last or first + second > node.capacity:
            if self.merged_size + 2 * (first + second) > self.max_merged_size:
                return fail_limit(
                    &self.failure, more.start,
                    b"messages that stand more than once take more than {number} bytes to merge",
                    self.max_merged_size, 0,
                )
            node = <MergedSpan*>PyMem_RawMalloc(sizeof(MergedSpan) + 2 * (first + second))
            if node == NULL:
                return fail_memory(&self.failure, more.start)
            node.capacity = 2 * (first + second)
            self.merged_size += node.capacity
            node.next = self.merged
            self.merged = node
            memcpy(<uint8_t*>(node + 1), merged.start, first)
        memcpy(<uint8_t*>(node + 1) + first, more.start, second)
        merged.start = <uint8_t*>(node + 1)
        merged.end = merged.start + first + second
        return 0

    cdef void free_merged(self) noexcept nogil:
        cdef MergedSpan* node
        while self.merged != NULL:
            node = self.merged
            self.merged = node.next
            PyMem_RawFree(node)

    cdef int64_t repeat(self, int position, const uint8_t* at) noexcept nogil:
        """Return the last term of that position (Jelly-RDF, "Repeated terms")."""
        cdef int64_t copied
        if self.last[position] == NOT_YET:
            return fail_number(
                &self.failure, at,
                b"repeated term, but there was no term before it in position {number} of 4"
                b" (s, p, o, g)",
                position + 1, 0,
            )
        if self.last[position] == CARRIED:
            if self.count_expansion(text_size(&self.carried[position]), at) < 0:
                return -1
            copied = terms_copy(
                &self.terms, &self.carried[position], self.carried_term[position], at,
                &self.failure,
            )
            if copied > 0:
                self.carried_copy[position] = <uint32_t>copied
            return copied
        return self.last[position]

    cdef int64_t decode_term(
        self, EncodedTerm* term, int position, int depth
    ) noexcept nogil:
        """Decode a term that is set; ``depth`` counts the quoted triples around it."""
        cdef Span span = term.span
        if term.kind == IS_IRI:
            return self.decode_iri(span)
        if term.kind == IS_LITERAL:
            if position != OBJECT and not self.generalized:
                fail(
                    &self.failure, span.start,
                    b"literal that is not an object, but the options do not have"
                    b" generalized_statements",
                )
                if self.recover() < 0:
                    return -1
            return self.decode_literal(span)
        if term.kind == IS_DEFAULT_GRAPH:
            if self.check_message(EMPTY_MESSAGE, span) < 0:
                return -1
            return terms_intern(
                &self.terms, TermKind.DEFAULT_GRAPH, span.start, 0, 0,
                term_hash(TermKind.DEFAULT_GRAPH, 0, 0), span.start, &self.failure,
            )
        if position == PREDICATE and not self.generalized:
            fail(
                &self.failure, span.start,
                b"predicate that is not an IRI, but the options do not have"
                b" generalized_statements",
            )
            if self.recover() < 0:
                return -1
        if term.kind == IS_TRIPLE_TERM:
            return self.decode_triple(span, depth + 1)
        return self.decode_blank_node(span)

    cdef int check_unused(self, EncodedTerm* term) noexcept nogil:
        """Check a term that is not used, as protobuf does."""
        if term.kind == UNSET:
            return 0
        return self.check_message(term.kind, term.span)

    cdef int check_message(self, int kind, Span message) noexcept nogil:
        """Check a message that means nothing here."""
        return check_message(
            kind, message, self.limits.string_size, self.max_nesting_depth, &self.failure
        )

    cdef int read_iri(
        self, Span message, uint32_t* prefix_id, uint32_t* name_id
    ) noexcept nogil:
        """Read the ids of an RdfIri; 0 where there is none."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        prefix_id[0] = name_id[0] = 0
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0:
                return -1
            if field > 2:
                if skip_field(&at, message.end, field, wire_type, &self.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(VARINT, field, wire_type, tag_at, &self.failure) < 0
                or read_uint32(
                    &at, message.end, prefix_id if field == 1 else name_id, &self.failure
                ) < 0
            ):
                return -1
        return 0

    cdef int64_t decode_iri(self, Span message) noexcept nogil:
        """Decode an RdfIri (Jelly-RDF, "IRIs")."""
        cdef uint32_t prefix_id, name_id
        if self.read_iri(message, &prefix_id, &name_id) < 0:
            return -1
        if prefix_id != 0:
            self.last_prefix = prefix_id
        # Beyond 32 bits the next name is 0 again, which is out of range too.
        self.last_name = name_id if name_id != 0 else self.last_name + 1
        return self.intern_iri(self.last_name, self.last_prefix, message.start)

    cdef int64_t intern_iri(
        self, uint32_t name_id, uint32_t prefix_id, const uint8_t* at
    ) noexcept nogil:
        """Return the term that a prefix and a name make; prefix id 0 is the empty prefix."""
        cdef LookupEntry* name = lookup_find(&self.names, name_id, at, &self.failure)
        cdef LookupUse* use
        cdef LookupEntry* prefix
        cdef size_t prefix_size = 0
        cdef size_t size
        cdef uint8_t* text
        if name == NULL:
            return -1
        if prefix_id != 0:
            prefix = lookup_find(&self.prefixes, prefix_id, at, &self.failure)
            if prefix == NULL:
                return -1
            prefix_size = prefix.size
        use = &self.names.uses[name_id]
        size = prefix_size + name.size
        if size > self.limits.string_size:
            return fail_limit(
                &self.failure, at, b"IRI of {number} bytes (limit max_string_size: {bound})",
                size, self.limits.string_size,
            )
        if (
            self.count_expansion(size, at) < 0
            or terms_reserve(&self.terms, size, at, &self.failure) < 0
        ):
            return -1
        text = self.terms.data + self.terms.offsets[self.terms.count]
        if prefix_size > 0:
            copy_blocks(text, prefix.text, prefix_size)
        copy_blocks(text + prefix_size, name.text, name.size)
        if name.hashed_prefix != self.prefixes.serials[prefix_id]:
            name.hashed_prefix = self.prefixes.serials[prefix_id]
            name.hash = term_hash(TermKind.IRI, hash_text(text, size, self.seed), 0)
        use.key = self.epoch << 16 | prefix_id if prefix_id <= MAX_KEY_PREFIX else 0
        use.term = <uint32_t>terms_intern_tail(&self.terms, TermKind.IRI, size, 0, name.hash)
        return use.term

    cdef int check_text(self, Span text) noexcept nogil:
        return check_text(text, self.limits.string_size, &self.failure)

    cdef inline int64_t intern_text(self, TermKind kind, Span text, uint32_t extra) noexcept nogil:
        """Check a text and intern the term that it is the text of."""
        return intern_text(
            &self.terms, kind, text, extra, self.seed, self.limits.string_size, &self.failure
        )

    cdef inline int64_t intern_regular_text(
        self, TermKind kind, const uint8_t* start, size_t size
    ) noexcept nogil:
        """Do what `intern_text` does, where there are `SLACK` bytes to read behind the text."""
        return intern_padded_text(
            &self.terms, kind, start, size, 0, self.seed, self.limits.string_size, &self.failure
        )

    cdef int64_t decode_blank_node(self, Span label) noexcept nogil:
        return self.intern_text(TermKind.BLANK_NODE, label, 0)

    cdef int64_t intern_string(self, Span text) noexcept nogil:
        """Decode a string that is not a term of RDF: a header's key, a prefix's name."""
        return self.intern_text(TermKind.STRING, text, 0)

    cdef int read_literal(self, Span message, EncodedLiteral* literal) noexcept nogil:
        """Read the fields of an RdfLiteral."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        literal.kind = TermKind.SIMPLE_LITERAL
        literal.lexical.start = literal.lexical.end = message.end
        literal.language = literal.lexical
        literal.datatype = 0
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.failure) < 0:
                return -1
            if field == 1:
                if (
                    expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.failure) < 0
                    # The last one counts, but those before it are checked too.
                    or self.check_text(literal.lexical) < 0
                    or read_span(&at, message.end, &literal.lexical, &self.failure) < 0
                ):
                    return -1
            elif field == 2:
                literal.kind = TermKind.LANGUAGE_LITERAL
                if (
                    expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, &self.failure) < 0
                    or read_span(&at, message.end, &literal.language, &self.failure) < 0
                    or self.check_text(literal.language) < 0
                ):
                    return -1
            elif field == 3:
                literal.kind = TermKind.TYPED_LITERAL
                if (
                    expect_wire_type(VARINT, field, wire_type, tag_at, &self.failure) < 0
                    or read_uint32(&at, message.end, &literal.datatype, &self.failure) < 0
                ):
                    return -1
            elif skip_field(&at, message.end, field, wire_type, &self.failure) < 0:
                return -1
        return 0

    cdef int64_t decode_literal(self, Span message) noexcept nogil:
        """Decode an RdfLiteral (Jelly-RDF, "Literals")."""
        cdef EncodedLiteral literal
        cdef int64_t extra
        if self.read_literal(message, &literal) < 0:
            return -1
        if literal.kind == TermKind.SIMPLE_LITERAL:
            return self.intern_text(literal.kind, literal.lexical, 0)
        if literal.kind == TermKind.LANGUAGE_LITERAL:
            if not is_language_tag(literal.language):
                fail(&self.failure, literal.language.start, b"this is no language tag")
                if self.recover() < 0:
                    return -1
            extra = self.intern_text(TermKind.STRING, literal.language, 0)
        else:
            extra = self.decode_datatype(literal.datatype, message.start)
        if extra < 0:
            return -1
        return self.intern_text(literal.kind, literal.lexical, <uint32_t>extra)

    cdef int64_t decode_datatype(self, uint32_t id, const uint8_t* at) noexcept nogil:
        # Id 0 is out of range here: datatypes have no default.
        cdef LookupEntry* entry = lookup_find(&self.datatypes, id, at, &self.failure)
        cdef LookupUse* use
        cdef int64_t extra
        if entry == NULL:
            return -1
        use = &self.datatypes.uses[id]
        if use.key == self.epoch << 16:
            return use.term
        if self.count_expansion(entry.size, at) < 0:
            return -1
        if entry.hashed_prefix != EMPTY_PREFIX:
            entry.hashed_prefix = EMPTY_PREFIX
            entry.hash = term_hash(
                TermKind.IRI, hash_text(entry.text, entry.size, self.seed), 0
            )
        extra = terms_intern(
            &self.terms, TermKind.IRI, entry.text, entry.size, 0, entry.hash, at, &self.failure
        )
        if extra >= 0:
            use.key = self.epoch << 16
            use.term = <uint32_t>extra
        return extra

    cdef int64_t decode_triple(self, Span message, int depth) noexcept nogil:
        """Decode an RdfTriple that is a term (Jelly-RDF, "Quoted triples")."""
        cdef EncodedTerm[4] terms
        cdef uint32_t[3] numbers
        cdef int position
        cdef int64_t number
        if not self.rdf_star:
            fail(
                &self.failure, message.start,
                b"quoted triple, but the options do not have rdf_star",
            )
            if self.recover() < 0:
                return -1
        if depth > self.max_nesting_depth:
            return fail_limit(
                &self.failure, message.start,
                b"quoted triples nest deeper than {number} (limit max_nesting_depth)",
                self.max_nesting_depth, 0,
            )
        if self.read_statement(TRIPLE_MESSAGE, message, terms) < 0:
            return -1
        for position in range(3):
            if terms[position].kind == UNSET:
                return fail_number(
                    &self.failure, message.start,
                    b"repeated term in a quoted triple, in position {number} of 3",
                    position + 1, 0,
                )
            number = self.decode_term(&terms[position], position, depth)
            if number < 0:
                return -1
            numbers[position] = <uint32_t>number
        return terms_intern_triple(
            &self.terms, numbers[0], numbers[1], numbers[2], message.start, &self.failure
        )

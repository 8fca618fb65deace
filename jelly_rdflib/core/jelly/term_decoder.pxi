"""Decodes terms and statements: what Jelly-RDF and Jelly-Patch share of the wire format."""

cdef enum:
    # Special values of a last term's number: no term yet, or a term of an earlier frame.
    NOT_YET = 0
    CARRIED = 0xFFFFFFFF

cdef enum:
    # How many bytes of the frame must follow a row that `decode_regular_rows` reads.
    SLACK = 40
    # The maximum number of recovered faults in a frame, since input may be hostile.
    MAX_RECOVERED = 1000
    # Each byte read allows more expansion. A stream may save unused expansion for later, up to this
    # multiple of max_text_size.
    SAVED_TEXTS = 16
    # The bytes that merged fields may need for each byte of a frame; no real writer needs merging.
    MERGED_PER_BYTE = 8
    MERGED_PER_FRAME = 1 << 16
    # The highest value in a checkpoint, so that additions never overflow.
    MAX_EXPANSION = 0x3FFFFFFFFFFFFFFF
    # The key of a use has the epoch in its high half and the number of the prefix in its low half.
    MAX_EPOCH = 0xFFFF
    MAX_KEY_PREFIX = 0xFFFF
    # Where `next_field` has stored a field.
    IN_SLOT = 1
    IN_SPARE = 2
    # Tags in a lookup entry.
    ENTRY_ID_TAG = 0x08
    ENTRY_TEXT_TAG = 0x12
    # Tags of RdfLiteral.
    LEXICAL_TAG = 0x0A
    DATATYPE_TAG = 0x18
    # Tags of RdfQuad.
    SUBJECT_IRI_TAG = 0x0A
    SUBJECT_LABEL_TAG = 0x12
    PREDICATE_IRI_TAG = 0x2A
    OBJECT_IRI_TAG = 0x4A
    OBJECT_LABEL_TAG = 0x52
    OBJECT_LITERAL_TAG = 0x5A
    GRAPH_IRI_TAG = 0x6A

ctypedef struct StatementRow:
    # A kind of row: the tag of its field in the row's oneof, and its operation.
    uint8_t tag
    uint8_t op

ctypedef struct RowKinds:
    # The kinds of rows of a stream that `decode_regular_rows` decodes.
    StatementRow add
    StatementRow delete
    bint has_graph_fields
    uint32_t first_entry  # the first of the three fields of entries
    uint32_t stream_type  # of Jelly-Patch; 0 for Jelly-RDF, which has no rows without content

ctypedef struct RegularRow:
    # The state of `decode_regular_rows` for a row.
    uint32_t[4] quad
    uint32_t last_name
    uint32_t key  # the key of uses with the last prefix
    uint32_t epoch  # the high half of `key`

ctypedef struct RecoveredFault:
    Failure failure
    uint64_t row

ctypedef struct MergedSpan:
    # A message that was merged, since its field occurred more than once.
    MergedSpan* next
    size_t capacity  # of the bytes that follow

# The usual encodings of a field with an RdfIri: at most a prefix id of one byte, then a name id of
# one or two bytes. The index is the size of the message, plus 8 if it starts with the name's tag.
# In the word at the start of the field, the bits under `mask` must be as in `form`; the other bits
# are the field's tag and the ids.
ctypedef struct IriForm:
    uint64_t mask
    uint64_t form
    uint32_t prefix_bits
    uint32_t name_shift
    uint32_t name_bits


cdef IriForm[16] IRI_FORMS
for byte in range(16):
    IRI_FORMS[byte] = IriForm(0, 1, 0, 0, 0)  # matches no word
# An empty message; the next byte is arbitrary.
IRI_FORMS[0] = IRI_FORMS[8] = IriForm(0xFF00, 0, 0, 0, 0)
# 08 prefix
IRI_FORMS[2] = IriForm(0x80FFFF00, 0x080200, 0x7F, 0, 0)
# 10 name, 10 name name
IRI_FORMS[10] = IriForm(0x80FFFF00, 0x100200, 0, 24, 0x7F)
IRI_FORMS[11] = IriForm(0x8080FFFF00, 0x80100300, 0, 24, 0x7F7F)
# 08 prefix 10 name, 08 prefix 10 name name
IRI_FORMS[4] = IriForm(0x80FF80FFFF00, 0x1000080400, 0x7F, 40, 0x7F)
IRI_FORMS[5] = IriForm(0x8080FF80FFFF00, 0x801000080500, 0x7F, 40, 0x7F7F)


cdef uint8_t mark_of(uint32_t tag, uint32_t stream_type, bint in_transaction) noexcept nogil:
    """Return the operation of a row without content, or 0 if it has none or breaks a rule."""
    cdef uint8_t op
    if tag & 7 != LENGTH_DELIMITED or tag >> 3 > MAX_FIELD or stream_type == 0:
        return 0
    op = OPERATIONS[PATCH_ROW][tag >> 3]
    if not (TX <= op <= TA or op == END and stream_type == PUNCTUATED):
        return 0
    return op if in_transaction == (op == TC or op == TA) else 0


cdef inline size_t text_size(const TermColumns* terms) noexcept nogil:
    return terms.offsets[terms.count]


cdef inline void copy_blocks(uint8_t* target, const uint8_t* text, size_t size) noexcept nogil:
    """Copy a short text faster than `memcpy`; both buffers need room for another block."""
    memcpy(target, text, BLOCK)
    if size > BLOCK:
        memcpy(target + BLOCK, text + BLOCK, size - BLOCK)


@cython.final
cdef class TermDecoder:
    """The state for decoding terms: lookups, last terms, and the frame's term table.

    Methods return -1 on failure, with ``failure`` filled in; none needs the GIL.
    """

    cdef Lookup[LOOKUPS] lookups
    cdef bint generalized
    cdef bint rdf_star
    cdef TextLimits limits
    cdef int max_nesting_depth
    cdef uint32_t max_frame_terms
    cdef size_t held  # the number of bytes that the lookups keep
    # The number of bytes of text joined or copied in the whole stream, and its limit, which grows
    # with the bytes read.
    cdef uint64_t expansion
    cdef uint64_t max_expansion
    # The number of bytes that merged fields need in this frame, and its limit.
    cdef size_t merged_size
    cdef size_t max_merged_size
    cdef MergedSpan* merged
    cdef TermColumns terms  # the terms of the frame that is being decoded
    cdef Failure failure
    # Recoverable errors of this frame; NULL in strict mode.
    cdef RecoveredFault* recovered
    cdef uint32_t recovered_count
    cdef uint64_t row  # the number of the row that is being decoded
    cdef Counts counts  # complete only if the frames are inspected
    cdef UnexpectedFields* unexpected  # NULL: frames are not inspected
    cdef bint is_watched  # faults are recovered, or frames are inspected
    cdef Span frame  # the frame that is being decoded
    cdef uint64_t seed  # the seed of hashes
    cdef uint64_t next_serial
    # A use of a lookup entry is valid in one epoch. A new table or prefix starts a new epoch.
    cdef uint32_t epoch
    cdef uint32_t last_prefix
    cdef uint32_t last_name
    cdef uint32_t[4] last  # the last term of each position, in the frame's table
    cdef bint last_is_elsewhere  # some of `last` may not be in the frame's table (yet)
    cdef TermColumns[4] carried  # the last terms of earlier frames
    cdef uint32_t[4] carried_term
    cdef uint32_t[4] carried_copy  # its copy in this frame's table; 0 if not copied

    def __cinit__(self):
        self.next_serial = FIRST_SERIAL
        self.seed = hash_seed()
        self.last_is_elsewhere = True

    def __dealloc__(self):
        for lookup in range(LOOKUPS):
            lookup_free(&self.lookups[lookup])
        terms_free(&self.terms)
        for position in range(4):
            terms_free(&self.carried[position])
        self.free_merged()
        PyMem_RawFree(self.recovered)
        PyMem_RawFree(self.unexpected)

    cdef int set_lookups(self, const uint32_t* sizes) noexcept nogil:
        """Start a stream, and forget any earlier stream except its expansion so far.

        The sizes of the lookups have been checked against the limits.
        """
        cdef int lookup
        self.held = 0
        self.last_name = self.last_prefix = 0
        memset(self.last, 0, sizeof(self.last))
        self.last_is_elsewhere = True
        for lookup in range(LOOKUPS):
            if lookup_init(&self.lookups[lookup], LOOKUP_NAMES[lookup], sizes[lookup]) < 0:
                return fail_memory(&self.failure, NULL)
        return 0

    cdef int save(self, WriteBuffer* out) except -1:
        """Save the state that later frames need from earlier frames."""
        cdef int lookup, position
        for lookup in range(LOOKUPS):
            save_lookup(out, &self.lookups[lookup])
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
        """Restore the state that `save` saved; the lookups must be empty."""
        cdef int lookup, position
        cdef uint32_t term
        for lookup in range(LOOKUPS):
            restore_lookup(
                rest, &self.lookups[lookup], &self.next_serial, &self.limits, &self.held
            )
        # Any number is accepted, since its use is checked.
        self.last_name = <uint32_t>take_saved_number(rest, 0xFFFFFFFF)
        self.last_prefix = <uint32_t>take_saved_number(rest, self.lookups[PREFIXES].size)
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
                raise damaged("a last term is not allowed in its position")
            self.carried_term[position] = term
            self.last[position] = CARRIED
        return 0

    cdef bint may_repeat(self, const TermColumns* terms, uint32_t term, int position) noexcept:
        """Return whether the options allow a term in a position."""
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

        The table gets room for ``terms`` terms and ``text`` bytes of their texts before it grows.
        """
        if self.max_expansion == 0:
            self.max_expansion = self.limits.text_size
        self.max_expansion += self.limits.expansion * size
        self.merged_size = 0
        self.max_merged_size = MERGED_PER_FRAME + MERGED_PER_BYTE * size
        if self.unexpected != NULL:
            self.unexpected.count = 0
        self.start_epoch()
        terms_free(&self.terms)
        if terms_init(&self.terms, terms, text, self.limits.text_size) < 0:
            return fail_memory(&self.failure, NULL)
        terms_set_max(&self.terms, self.max_frame_terms)
        return 0

    cdef int count_expansion(self, size_t size, const uint8_t* at) noexcept nogil:
        """Count bytes of text that a few bytes of the stream can repeat many times."""
        self.expansion += size
        if self.expansion > self.max_expansion:
            return fail_limit(
                &self.failure, at,
                b"max_expansion", b"the stream expands to more than {bound} times its own size",
                0, self.limits.expansion,
            )
        return 0

    cdef void bound_expansion_left(self) noexcept nogil:
        """Limit how much unused expansion a stream may save, or a checkpoint may restore."""
        cdef uint64_t most = self.expansion + SAVED_TEXTS * <uint64_t>self.limits.text_size
        if self.max_expansion > most:
            self.max_expansion = most

    cdef void start_epoch(self) noexcept nogil:
        """Invalidate all uses of lookup entries."""
        self.epoch += 1
        if self.epoch > MAX_EPOCH:
            lookup_forget_uses(&self.lookups[NAMES])
            lookup_forget_uses(&self.lookups[DATATYPES])
            self.epoch = 1

    cdef int end_frame(self) noexcept nogil:
        """Keep the last terms for the next frame, which has another table."""
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

    cdef int inspect(self) except -1:
        """From now on, count the parts of frames, and record their unexpected fields."""
        if self.unexpected == NULL:
            self.unexpected = <UnexpectedFields*>PyMem_RawCalloc(1, sizeof(UnexpectedFields))
        if self.unexpected == NULL:
            raise MemoryError
        self.is_watched = True
        return 0

    cdef int recover_faults(self) except -1:
        """From now on, let `recover` record faults instead of failing."""
        self.recovered = <RecoveredFault*>PyMem_RawMalloc(
            MAX_RECOVERED * sizeof(RecoveredFault)
        )
        if self.recovered == NULL:
            raise MemoryError
        self.is_watched = True
        return 0

    cdef int recover(
        self, const uint8_t* at, const char* rule, const char* message
    ) noexcept nogil:
        """Fail or, if `recover_faults` was called, record the failure and continue.

        This is for rules that do not affect the state: the rest is decoded as if the rule had not
        been broken.
        """
        cdef RecoveredFault* fault
        fail(&self.failure, at, rule, message)
        if self.recovered == NULL or self.recovered_count == MAX_RECOVERED:
            return -1
        fault = &self.recovered[self.recovered_count]
        fault.failure = self.failure
        fault.row = self.row
        self.recovered_count += 1
        memset(&self.failure, 0, sizeof(self.failure))
        return 0

    cdef int set_entry(self, int number, Span entry) noexcept nogil:
        """Set an entry of a lookup (Jelly-RDF, "Prefix, name, and datatype lookup entries")."""
        cdef Field[2] fields
        if self.read_message(LOOKUP_ENTRY, entry, fields) < 0:
            return -1
        return self.define_entry(number, <uint32_t>fields[0].value, fields[1].span, entry.start)

    cdef int define_entry(
        self, int number, uint32_t id, Span text, const uint8_t* at
    ) noexcept nogil:
        """Set an entry to a text; id 0 means the entry after the last one that was set."""
        cdef Lookup* lookup = &self.lookups[number]
        cdef size_t size = text.end - text.start
        if id == 0 and lookup.last_set < 0xFFFFFFFFU:
            id = lookup.last_set + 1
        if id > lookup.size:
            self.failure.what = lookup.name
            return fail_number(
                &self.failure, at, range_rule(lookup, id),
                b"{what} entry {number} is out of range: the lookup has {bound} entries",
                id, lookup.size,
            )
        if self.check_text(text) < 0:
            return -1
        if self.held - counted_bytes(lookup, id) + size > self.limits.text_size:
            return fail_limit(
                &self.failure, text.start,
                b"max_text_size", b"the lookups have more than {bound} bytes of text",
                0, self.limits.text_size,
            )
        self.start_definition(number)
        if lookup_set_text(
            lookup, id, text.start, <uint32_t>size, self.next_serial, &self.held
        ) < 0:
            return fail_memory(&self.failure, at)
        return 0

    cdef inline void start_definition(self, int number) noexcept nogil:
        """Choose the serial of a definition; a new prefix invalidates all uses of names."""
        self.next_serial += 1
        if number == PREFIXES:
            self.start_epoch()

    cdef bint set_regular_entry(
        self, int number, const uint8_t* at, const uint8_t* row_end
    ) noexcept nogil:
        """Set an entry of the usual form; return False if `set_entry` must handle it."""
        cdef Lookup* lookup = &self.lookups[number]
        cdef uint32_t id = lookup.last_set + 1
        cdef uint32_t size
        if at[0] == ENTRY_ID_TAG:
            at = peek_varint(at + 1, &id)
            if id >= PEEK_LIMIT:
                return False
        if at[0] != ENTRY_TEXT_TAG or id - 1 >= lookup.size:
            return False
        at = peek_varint(at + 1, &size)
        if (
            at + size != row_end or size > self.limits.string_size
            or not (is_padded_ascii(at, size) or is_utf8(at, row_end))
            or self.held - counted_bytes(lookup, id) + size > self.limits.text_size
            or lookup_make_room(lookup, id, size, &self.held) < 0
        ):
            return False
        copy_blocks(lookup.entries[id].text, at, size)
        self.start_definition(number)
        lookup_define(lookup, id, size, self.next_serial)
        return True

    cdef const uint8_t* decode_regular_rows(
        self, const uint8_t* at, const uint8_t* end, RowColumns* rows, const RowKinds* kinds,
        bint* in_transaction, uint64_t* number
    ) noexcept nogil:
        """Decode rows as long as they are regular; return the end of the last such row.

        This does the same as `decode_statement`, but only for rows in the form that nearly all
        writers use: a statement with each field once, in order, with short lengths and ids, and
        with last terms that are in this frame's table; an entry with a short length; or no content.
        The general code decodes any other row, and a row with any fault, from an unchanged state.
        This code is strict and counts nothing, so it decodes no rows if ``is_watched`` is set.

        Args:
            at: The start of a row, at its tag.
            end: The end of the frame.
            rows: The columns to which the operations are appended.
            kinds: The kinds of rows of the stream.
            in_transaction: Whether the row is in a transaction; updated by the rows.
            number: The number of the row; it is increased.
        """
        # Up to here the start of a row can be read without a check for the end of the frame.
        cdef const uint8_t* last_start = end - SLACK
        cdef const uint8_t* row_end
        cdef const uint8_t* row = at
        cdef uint32_t size, tag, op
        cdef uint64_t entries = 0
        cdef size_t first_row = rows.count
        cdef size_t statement
        # The state after the current row, and after the last regular row.
        cdef RegularRow this
        cdef RegularRow last
        if (
            self.is_watched or self.last_is_elsewhere or end - at < <ptrdiff_t>SLACK
            or self.last_prefix > MAX_KEY_PREFIX or self.last[GRAPH] == CARRIED
        ):
            return at
        this.last_name = self.last_name
        this.epoch = self.epoch << 16
        this.key = this.epoch | self.last_prefix
        memcpy(this.quad, self.last, sizeof(this.quad))
        last = this
        while True:
            while row < last_start:
                if row[0] != ROWS_TAG:
                    break
                # The length of the row must agree with the length of its only field.
                size = row[1]
                if size < 0x80:
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
                if tag == kinds.add.tag:
                    op = kinds.add.op
                elif tag == kinds.delete.tag:
                    op = kinds.delete.op
                else:
                    if (
                        tag & 7 != LENGTH_DELIMITED or (tag >> 3) - kinds.first_entry >= LOOKUPS
                        or not self.set_regular_entry((tag >> 3) - kinds.first_entry, at, row_end)
                    ):
                        break
                    entries += 1
                    row = row_end
                    this.epoch = self.epoch << 16
                    this.key = this.epoch | (this.key & MAX_KEY_PREFIX)
                    continue
                if at[0] == SUBJECT_IRI_TAG:
                    at = self.decode_regular_iri(at, row_end, &this, SUBJECT)
                elif at[0] == SUBJECT_LABEL_TAG:
                    at = self.decode_regular_label(at, row_end, &this, SUBJECT)
                if at != NULL and at[0] == PREDICATE_IRI_TAG:
                    at = self.decode_regular_iri(at, row_end, &this, PREDICATE)
                if at != NULL and at[0] == OBJECT_IRI_TAG:
                    at = self.decode_regular_iri(at, row_end, &this, OBJECT)
                elif at != NULL and at[0] == OBJECT_LITERAL_TAG:
                    at = self.decode_regular_literal(at, row_end, &this)
                elif at != NULL and at[0] == OBJECT_LABEL_TAG:
                    at = self.decode_regular_label(at, row_end, &this, OBJECT)
                if at != NULL and at[0] == GRAPH_IRI_TAG and kinds.has_graph_fields:
                    at = self.decode_regular_iri(at, row_end, &this, GRAPH)
                # This also catches a row that ended early, if the next row looked like its field.
                if at != row_end or rows_append(
                    rows, op, this.quad[SUBJECT], this.quad[PREDICATE], this.quad[OBJECT],
                    this.quad[GRAPH],
                ) < 0:
                    break
                last.last_name = this.last_name
                last.key = this.key
                row = row_end
            # Rows without content are rare, so they are decoded outside of the fast loop.
            if row >= last_start or row[0] != ROWS_TAG or row[1] != 2 or row[3] != 0:
                break
            op = mark_of(row[2], kinds.stream_type, in_transaction[0])
            if op == 0 or rows_append(rows, op, 0, 0, 0, 0) < 0:
                break
            in_transaction[0] = op == TX
            row += 4
        # An irregular row may have set a failure; clear it, since the general code decodes the row.
        memset(&self.failure, 0, sizeof(self.failure))
        number[0] += entries + rows.count - first_row
        self.last_name = last.last_name
        self.last_prefix = last.key & MAX_KEY_PREFIX
        # Find the last statement; the rows after it have no terms.
        statement = rows.count
        while statement > first_row and rows.s[statement - 1] == 0:
            statement -= 1
        if statement > first_row:
            self.last[SUBJECT] = rows.s[statement - 1]
            self.last[PREDICATE] = rows.p[statement - 1]
            self.last[OBJECT] = rows.o[statement - 1]
            self.last[GRAPH] = rows.g[statement - 1]
        return row

    cdef inline const uint8_t* decode_regular_iri(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row, int position
    ) noexcept nogil:
        """Decode a field with an RdfIri of the usual form; return NULL for another form or a fault.

        The processor can't predict which ids a message has, nor their lengths. So this code does
        not branch on them.
        """
        cdef uint64_t word = load64_little(at)
        cdef uint32_t size = <uint32_t>(word >> 8) & 7
        cdef const IriForm* form = &IRI_FORMS[size | (<uint32_t>(word >> 17) & 8)]
        cdef uint32_t prefix_id = <uint32_t>(word >> 24) & form.prefix_bits
        cdef uint32_t name_id = <uint32_t>(word >> form.name_shift) & form.name_bits
        cdef LookupUse* use
        cdef int64_t number
        # Join the low seven bits of each byte.
        name_id = (name_id + (name_id & 0x7F)) >> 1
        at += 2 + size
        if (word & form.mask) != form.form or at > row_end:
            return NULL
        row.key = row.epoch | prefix_id if prefix_id != 0 else row.key
        row.last_name = name_id if name_id != 0 else row.last_name + 1
        if row.last_name > self.lookups[NAMES].size:
            return NULL
        use = &self.lookups[NAMES].uses[row.last_name]
        if use.key == row.key:
            row.quad[position] = use.term
            return at
        number = self.intern_iri(row.last_name, row.key & MAX_KEY_PREFIX, at)
        row.quad[position] = <uint32_t>number
        return at if number >= 0 else NULL

    cdef inline const uint8_t* decode_regular_label(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row, int position
    ) noexcept nogil:
        """Decode a subject or object that is a blank node; return NULL if it is not regular."""
        cdef uint32_t size
        cdef int64_t number
        at = peek_varint(at + 1, &size)
        if <int64_t>size > row_end - at:
            return NULL
        number = self.intern_regular_text(TermKind.BLANK_NODE, at, size, 0)
        row.quad[position] = <uint32_t>number
        return at + size if number >= 0 else NULL

    cdef inline const uint8_t* decode_regular_literal(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row
    ) noexcept nogil:
        """Decode an object that is a literal; return NULL if it is not regular."""
        cdef Span literal
        cdef const uint8_t* end
        cdef uint32_t size
        cdef int64_t number
        literal.start = peek_varint(at + 1, &size)
        literal.end = literal.start + size
        if <int64_t>size > row_end - literal.start or size < 2:
            return NULL
        at = peek_varint(literal.start + 1, &size)
        end = at + size
        # Most literals have only a lexical form, or a lexical form and a datatype.
        if literal.start[0] == LEXICAL_TAG and end == literal.end:
            number = self.intern_regular_text(TermKind.SIMPLE_LITERAL, at, size, 0)
        elif (
            literal.start[0] == LEXICAL_TAG and end == literal.end - 2
            and end[0] == DATATYPE_TAG and end[1] < 0x80
        ):
            number = self.decode_datatype(end[1], end)
            if number >= 0:
                number = self.intern_regular_text(
                    TermKind.TYPED_LITERAL, at, size, <uint32_t>number
                )
        else:
            number = self.decode_literal(literal)
        row.quad[OBJECT] = <uint32_t>number
        return literal.end if number >= 0 else NULL

    cdef int decode_statement(
        self, int kind, Span message, uint32_t* quad, bint has_graph
    ) noexcept nogil:
        """Decode an RdfQuad or RdfTriple, whose unset terms are repeated terms.

        Without ``has_graph`` the graph of an RdfQuad is checked, but ignored.
        """
        cdef Field[4] terms
        cdef int position
        cdef int64_t number
        terms[GRAPH].kind = NO_FIELD
        if self.read_message(kind, message, terms) < 0:
            return -1
        quad[GRAPH] = 0
        for position in range(4 if has_graph else 3):
            number = self.decode_position(&terms[position], position, message.start)
            if number < 0:
                return -1
            quad[position] = <uint32_t>number
        self.last_is_elsewhere = False
        return 0 if has_graph else self.check_graph(kind, &terms[GRAPH])

    cdef int64_t decode_position(
        self, Field* term, int position, const uint8_t* at
    ) noexcept nogil:
        """Decode or repeat a term of a statement, or the graph of a namespace or graph start."""
        cdef int64_t number
        if term.kind == NO_FIELD:
            self.counts.repeated[position] += 1
            number = self.repeat(position, at)
        else:
            number = self.decode_term(term, position, 0)
        if number >= 0:
            self.last[position] = <uint32_t>number
        return number

    cdef int check_graph(self, int message, Field* graph) noexcept nogil:
        """Check a graph that is allowed, but ignored."""
        if graph.kind != NO_FIELD and self.unexpected != NULL:
            # Record it even in a merged message, since `merge` does not know that it is ignored.
            note_field(
                self.unexpected,
                UnexpectedField(GRAPH_FIELD, message, graph.number, self.row, graph.at),
            )
        return self.check_message(graph.kind, graph.span)

    cdef inline int next_field(
        self, Span* rest, int message, Field* slots, Field* spare
    ) noexcept nogil:
        """Read the next known field of a message, from its unread bytes ``rest``.

        Store the field in the slot of its oneof, or in ``spare`` if the slot is taken or missing.

        Returns:
            IN_SLOT or IN_SPARE; 0 at the end of the message.
        """
        cdef const uint8_t* at
        cdef uint32_t wire_type, number, short_value
        cdef uint64_t value
        cdef int kind
        cdef Field* field
        while rest.start < rest.end:
            at = rest.start
            if read_tag(&rest.start, rest.end, &number, &wire_type, &self.failure) < 0:
                return -1
            kind = field_kind(message, number)
            if kind == NO_FIELD:
                self.note(UNKNOWN_FIELD, message, number, at)
                if skip_field(&rest.start, rest.end, number, wire_type, &self.failure) < 0:
                    return -1
                continue
            field = spare
            if slots != NULL and slots[SLOTS[message][number]].kind == NO_FIELD:
                field = &slots[SLOTS[message][number]]
            field.number = number
            field.kind = kind
            field.at = at
            if expect_wire_type(
                LENGTH_DELIMITED if kind > ENUM else VARINT, number, wire_type, at, &self.failure
            ) < 0:
                return -1
            if kind > ENUM:
                if read_span(&rest.start, rest.end, &field.span, &self.failure) < 0:
                    return -1
            elif kind == NUMBER:
                if read_uint32(&rest.start, rest.end, &short_value, &self.failure) < 0:
                    return -1
                field.value = short_value
            else:
                if read_varint(&rest.start, rest.end, &value, &self.failure) < 0:
                    return -1
                field.value = value
            return IN_SPARE if field == spare else IN_SLOT
        return 0

    cdef int read_message(self, int message, Span rest, Field* slots) noexcept nogil:
        """Read the fields of a message, in any order, each into the slot of its oneof.

        The last member of a oneof wins; if the same member is repeated and is a message, it is
        merged (protobuf, "Last One Wins"). Overwritten fields are checked, the final ones are not.
        """
        cdef Field field
        cdef Field* slot
        cdef int found, number
        for number in range(SLOT_COUNTS[message]):
            slots[number].kind = NO_FIELD
            slots[number].value = 0
            slots[number].span.start = slots[number].span.end = rest.end
        while True:
            found = self.next_field(&rest, message, slots, &field)
            if found <= 0:
                return found
            if found == IN_SLOT:
                continue
            slot = &slots[SLOTS[message][field.number]]
            self.note_second(message, slot.number, &field)
            if field.number == slot.number and field.kind >= FIRST_MESSAGE:
                if self.merge(field.kind, &slot.span, field.span) < 0:
                    return -1
            elif self.check_message(slot.kind, slot.span) < 0:
                return -1
            else:
                slot[0] = field

    cdef int check_message(self, int kind, Span message, int depth=0) noexcept nogil:
        """Check an ignored message or text as protobuf does.

        ``depth`` counts the quoted triples around it.
        """
        cdef Field field
        cdef uint32_t[MAX_SLOTS] last  # the field in each slot; 0 if the slot is empty
        cdef int found, slot
        if kind == TEXT:
            return self.check_text(message)
        if kind < FIRST_MESSAGE:
            return 0
        depth += kind == TRIPLE_MESSAGE or kind == COLUMN_TRIPLE
        if self.check_depth(depth, message.start) < 0:
            return -1
        memset(last, 0, sizeof(last))
        while True:
            found = self.next_field(&message, kind, NULL, &field)
            if found <= 0:
                return found
            slot = SLOTS[kind][field.number]
            if last[slot] != 0:
                self.note_second(kind, last[slot], &field)
            last[slot] = field.number
            if field.kind > ENUM and self.check_message(field.kind, field.span, depth) < 0:
                return -1

    cdef inline int check_depth(self, int depth, const uint8_t* at) noexcept nogil:
        if depth > self.max_nesting_depth:
            return fail_limit(
                &self.failure, at,
                b"max_nesting_depth", b"quoted triples nest deeper than {bound}",
                0, self.max_nesting_depth,
            )
        return 0

    cdef inline void note(
        self, int kind, int message, uint32_t field, const uint8_t* at
    ) noexcept nogil:
        """Record an unexpected field if frames are inspected.

        Fields of merged messages are not in the frame, and are skipped; `merge` has checked them.
        """
        if self.unexpected != NULL and self.frame.start <= at < self.frame.end:
            note_field(self.unexpected, UnexpectedField(kind, message, field, self.row, at))

    cdef inline void note_second(
        self, int message, uint32_t first, const Field* field
    ) noexcept nogil:
        """Record a field whose slot already had the field ``first``."""
        self.note(
            SECOND_FIELD if field.number == first else SECOND_MEMBER, message, field.number, field.at
        )

    cdef int merge(self, int message, Span* merged, Span more) noexcept nogil:
        """Append ``more`` to ``merged``, in memory that is kept until the end of the frame.

        The concatenated encodings of two messages are the encoding of the merged message. Each
        message must be valid by itself, as in protobuf.
        """
        if (
            (not self.is_last_merged(merged[0]) and self.check_message(message, merged[0]) < 0)
            or self.check_message(message, more) < 0
        ):
            return -1
        return self.join(merged, more)

    cdef inline bint is_last_merged(self, Span message) noexcept nogil:
        return self.merged != NULL and message.start == <uint8_t*>(self.merged + 1)

    cdef int join(self, Span* merged, Span more) noexcept nogil:
        """Append the bytes of ``more`` to ``merged``; the caller has checked both."""
        cdef size_t first = merged.end - merged.start
        cdef size_t second = more.end - more.start
        cdef MergedSpan* node = self.merged
        cdef bint is_last = self.is_last_merged(merged[0])
        # The message that was merged last grows in place, so that a field repeated a thousand times
        # is not copied a thousand times.
        if not is_last or first + second > node.capacity:
            if self.merged_size + 2 * (first + second) > self.max_merged_size:
                return fail_limit(
                    &self.failure, more.start,
                    NULL,
                    b"messages that occur more than once need more than {bound} bytes to merge",
                    0, self.max_merged_size,
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
        """Return the last term of a position (Jelly-RDF, "Repeated terms")."""
        cdef int64_t copied
        if self.last[position] == NOT_YET:
            return fail_number(
                &self.failure, at,
                b"repeated-term-first",
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

    cdef int64_t decode_term(self, Field* term, int position, int depth) noexcept nogil:
        """Decode a term that is set; ``depth`` counts the quoted triples around it."""
        if term.kind == IRI_MESSAGE:
            return self.decode_iri(term.span)
        if term.kind == LITERAL_MESSAGE:
            if position != OBJECT and not self.generalized and self.recover(
                term.span.start,
                b"generalized-option", b"literal that is not an object, but the options do not have"
                b" generalized_statements",
            ) < 0:
                return -1
            return self.decode_literal(term.span)
        if term.kind == EMPTY_MESSAGE:
            self.counts.terms[<int>TermKind.DEFAULT_GRAPH] += 1
            if self.check_message(EMPTY_MESSAGE, term.span) < 0:
                return -1
            return self.intern_default_graph(term.span.start)
        if position == PREDICATE and not self.generalized and self.recover(
            term.span.start,
            b"generalized-option",
            b"predicate that is not an IRI, but the options do not have generalized_statements",
        ) < 0:
            return -1
        if term.kind == TRIPLE_MESSAGE:
            return self.decode_triple(term.span, depth + 1)
        self.counts.terms[<int>TermKind.BLANK_NODE] += 1
        return self.intern_text(TermKind.BLANK_NODE, term.span, 0)

    cdef int64_t intern_default_graph(self, const uint8_t* at) noexcept nogil:
        return terms_intern(
            &self.terms, TermKind.DEFAULT_GRAPH, at, 0, 0, term_hash(TermKind.DEFAULT_GRAPH, 0, 0),
            at, &self.failure,
        )

    cdef int64_t decode_iri(self, Span message) noexcept nogil:
        """Decode an RdfIri (Jelly-RDF, "IRIs")."""
        cdef Lookup* names = &self.lookups[NAMES]
        cdef Field[2] ids
        if self.read_message(IRI_MESSAGE, message, ids) < 0:
            return -1
        if ids[0].value != 0:
            self.last_prefix = <uint32_t>ids[0].value
        # If the id overflows 32 bits, it is 0, which is also out of range.
        self.last_name = <uint32_t>ids[1].value if ids[1].value != 0 else self.last_name + 1
        self.counts.terms[<int>TermKind.IRI] += 1
        count_reference(names, self.last_name)
        if self.last_prefix != 0:
            count_reference(&self.lookups[PREFIXES], self.last_prefix)
        if (
            self.last_name <= names.size and self.last_prefix <= MAX_KEY_PREFIX
            and names.uses[self.last_name].key == (self.epoch << 16 | self.last_prefix)
        ):
            return names.uses[self.last_name].term
        return self.intern_iri(self.last_name, self.last_prefix, message.start)

    cdef int64_t intern_iri(
        self, uint32_t name_id, uint32_t prefix_id, const uint8_t* at
    ) noexcept nogil:
        """Return the IRI term of a prefix and a name; prefix id 0 is the empty prefix."""
        cdef Lookup* names = &self.lookups[NAMES]
        cdef Lookup* prefixes = &self.lookups[PREFIXES]
        cdef LookupEntry* name = lookup_find(names, name_id, at, &self.failure)
        cdef LookupEntry* prefix
        cdef LookupUse* use
        cdef size_t prefix_size = 0
        cdef size_t size
        cdef uint8_t* text
        if name == NULL:
            return -1
        if prefix_id != 0:
            prefix = lookup_find(prefixes, prefix_id, at, &self.failure)
            if prefix == NULL:
                return -1
            prefix_size = prefix.size
        use = &names.uses[name_id]
        size = prefix_size + name.size
        if size > self.limits.string_size:
            return fail_limit(
                &self.failure, at, b"max_string_size", b"IRI of {number} bytes",
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
        if name.hashed_prefix != prefixes.serials[prefix_id]:
            name.hashed_prefix = prefixes.serials[prefix_id]
            name.hash = term_hash(TermKind.IRI, hash_text(text, size, self.seed), 0)
        use.key = self.epoch << 16 | prefix_id if prefix_id <= MAX_KEY_PREFIX else 0
        use.term = <uint32_t>terms_intern_tail(&self.terms, TermKind.IRI, size, 0, name.hash)
        return use.term

    cdef inline int check_text(self, Span text) noexcept nogil:
        cdef size_t size = text.end - text.start
        if size <= self.limits.string_size and is_utf8(text.start, text.end):
            return 0
        return check_text(text, self.limits.string_size, &self.failure)

    cdef inline int64_t intern_text(self, TermKind kind, Span text, uint32_t extra) noexcept nogil:
        """Check a text, and intern the term with this text."""
        return intern_text(
            &self.terms, kind, text, extra, self.seed, self.limits.string_size, &self.failure
        )

    cdef int64_t intern_regular_text(
        self, TermKind kind, const uint8_t* start, size_t size, uint32_t extra
    ) noexcept nogil:
        """Do the same as `intern_text`, for a text with `SLACK` readable bytes after it."""
        return intern_padded_text(
            &self.terms, kind, start, size, extra, self.seed, self.limits.string_size, &self.failure
        )

    cdef int64_t decode_literal(self, Span message) noexcept nogil:
        """Decode an RdfLiteral (Jelly-RDF, "Literals")."""
        cdef Field[2] fields  # the lexical form; the language or the datatype
        cdef TermKind kind = TermKind.SIMPLE_LITERAL
        cdef int64_t extra = 0
        if self.read_message(LITERAL_MESSAGE, message, fields) < 0:
            return -1
        if fields[1].kind == TEXT:
            kind = TermKind.LANGUAGE_LITERAL
            extra = self.intern_text(TermKind.STRING, fields[1].span, 0)
            if extra >= 0 and not is_language_tag(fields[1].span) and self.recover(
                fields[1].span.start, b"format", b"this is not a language tag"
            ) < 0:
                return -1
        elif fields[1].kind == NUMBER:
            kind = TermKind.TYPED_LITERAL
            extra = self.decode_datatype(<uint32_t>fields[1].value, message.start)
        if extra < 0:
            return -1
        self.counts.terms[<int>kind] += 1
        return self.intern_text(kind, fields[0].span, <uint32_t>extra)

    cdef int64_t decode_datatype(self, uint32_t id, const uint8_t* at) noexcept nogil:
        # Id 0 is out of range, since datatypes have no default.
        cdef Lookup* lookup = &self.lookups[DATATYPES]
        cdef LookupEntry* entry = lookup_find(lookup, id, at, &self.failure)
        cdef LookupUse* use
        cdef int64_t extra
        if entry == NULL:
            return -1
        count_reference(lookup, id)
        use = &lookup.uses[id]
        if use.key == self.epoch << 16:
            return use.term
        if self.count_expansion(entry.size, at) < 0:
            return -1
        if entry.hashed_prefix != EMPTY_PREFIX:
            entry.hashed_prefix = EMPTY_PREFIX
            entry.hash = term_hash(TermKind.IRI, hash_text(entry.text, entry.size, self.seed), 0)
        extra = terms_intern(
            &self.terms, TermKind.IRI, entry.text, entry.size, 0, entry.hash, at, &self.failure
        )
        if extra >= 0:
            use.key = self.epoch << 16
            use.term = <uint32_t>extra
        return extra

    cdef int64_t decode_triple(self, Span message, int depth) noexcept nogil:
        """Decode an RdfTriple that is a term (Jelly-RDF, "Quoted triples")."""
        cdef Field[3] terms
        cdef uint32_t[3] numbers
        cdef int position
        cdef int64_t number
        self.counts.terms[<int>TermKind.TRIPLE_TERM] += 1
        if not self.rdf_star and self.recover(
            message.start, b"rdf-star-option",
            b"quoted triple, but the options do not have rdf_star"
        ) < 0:
            return -1
        if (
            self.check_depth(depth, message.start) < 0
            or self.read_message(TRIPLE_MESSAGE, message, terms) < 0
        ):
            return -1
        for position in range(3):
            if terms[position].kind == NO_FIELD:
                return fail_number(
                    &self.failure, message.start,
                    b"quoted-repeated-term",
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

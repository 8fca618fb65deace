"""Decodes the columns of a frame (RdfColumnBatch of Jelly-RDF 1.2, a draft) to rows of a batch.

A column has one value for each run of equal cells, and layouts that define the runs. So it is
decoded run by run, and each value is looked up once.
"""

cdef enum:
    # Fields of an RdfColumnBatch: its lookup entries are in three fields, its columns in four.
    BATCH_ROW_COUNT = 1
    BATCH_ENTRIES = 2
    BATCH_NAMESPACES = 5
    BATCH_COLUMNS = 6
    MAX_ROW_COUNT = (1 << 27) - 1

cdef enum:
    # Kinds of values in a column, in two bits each.
    IRI_VALUE = 0
    LITERAL_VALUE = 1
    LABEL_VALUE = 2
    TRIPLE_VALUE = 3

cdef enum:
    # The parts of a number in a column's layouts.
    LAYOUT_SKIP = 5  # the bits above are the number of values that fill one cell each
    LAYOUT_UNBOUND = 0x10
    LAYOUT_LENGTH = 0x0F  # the mask of the length; if all bits are set, a number to add follows

cdef enum:
    # `RdfBaseDirection`.
    LEFT_TO_RIGHT = 1
    RIGHT_TO_LEFT = 2
    DIRECTION_SIZE = 5  # the size of "--ltr"

# For each kind of value, the list that contains the values.
cdef uint8_t[4] VALUE_LISTS = [COLUMN_NAME_IDS, COLUMN_TEXTS, COLUMN_LABELS, COLUMN_TRIPLES]
cdef LookupName[4] VALUE_NAMES = [b"IRI", b"literal", b"blank node", b"triple term"]
# The kinds of values that each position may have, as bits.
cdef uint8_t[4] POSITION_KINDS = [
    1 << IRI_VALUE | 1 << LABEL_VALUE, 1 << IRI_VALUE,
    1 << IRI_VALUE | 1 << LITERAL_VALUE | 1 << LABEL_VALUE | 1 << TRIPLE_VALUE,
    1 << IRI_VALUE | 1 << LABEL_VALUE,
]
cdef const char* LANGUAGE_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
cdef const char* DIRECTED_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString"

ctypedef struct Column:
    # The state of a column that is being decoded.
    const uint8_t* at  # where it starts, for errors
    int position
    uint32_t value_count
    uint32_t value  # the number of the next value
    Span kinds  # the kinds of the values; empty: all values are of the same ``kind``
    int kind
    uint32_t last_name
    uint32_t prefix
    bint has_prefixes  # whether there is a prefix for each IRI
    uint32_t literal_kind
    bint has_literal_kinds  # whether there is a kind for each literal
    ValueList[LAST_LIST + 1] lists


@cython.final
cdef class ColumnDecoder:
    """Decodes the column batches of a stream, with the lookups of its `TermDecoder`.

    Methods return -1 on failure, with ``terms.failure`` filled in. Decoding needs the GIL only for
    `put_message_ends`.
    """

    cdef TermDecoder terms
    cdef uint32_t max_rows
    cdef bint drops_directions
    cdef bint has_dropped  # whether a base direction was dropped
    # From the stream's options.
    cdef bint has_graphs
    cdef bint has_messages
    cdef uint32_t rdf_version
    cdef uint32_t lengths_field
    cdef bint message_is_open  # the last message has rows, and may continue
    # About the batch that is being decoded.
    cdef uint32_t row_count
    cdef uint32_t found_columns  # a bit for each column
    cdef Span[4] columns
    cdef ValueList lengths
    # For each language tag of a column, the number of its term in the batch.
    cdef uint32_t* tags
    cdef size_t tag_capacity
    cdef uint32_t tag_count
    # The ends of messages in the frame, as row numbers; None: the stream has no messages.
    cdef tuple message_ends

    def __cinit__(self, TermDecoder terms not None, uint32_t max_rows, bint drops_directions):
        self.terms = terms
        self.max_rows = max_rows
        self.drops_directions = drops_directions

    def __dealloc__(self):
        PyMem_RawFree(self.tags)

    cdef int start_stream(self, const uint32_t* options) noexcept with gil:
        """Apply the options of the stream; repeated options end an open message."""
        self.has_graphs = options[PHYSICAL_TYPE] != TRIPLES
        self.has_messages = options[MESSAGES_OPTION] != 0
        self.rdf_version = options[RDF_VERSION_OPTION]
        self.lengths_field = options[LENGTHS_OPTION]
        self.message_ends = () if self.has_messages else None
        if self.has_messages and self.message_is_open:
            self.message_ends = (0,)
        self.message_is_open = False
        return 0

    cdef int start_frame(self) noexcept with gil:
        self.message_ends = () if self.has_messages else None
        return 0

    cdef int start_batch(self, Span message) noexcept nogil:
        """Find the fields of an RdfColumnBatch, and set its lookup entries.

        All ids in the batch refer to the lookups with these entries. The caller must decode the
        namespaces next.
        """
        cdef Failure* failure = &self.terms.failure
        cdef Span rest = message
        cdef Span span
        cdef const uint8_t* tag
        cdef uint32_t field, wire_type, position
        self.row_count = self.found_columns = 0
        for position in range(4):
            # A missing column has no values.
            self.columns[position].start = self.columns[position].end = message.end
        memset(&self.lengths, 0, sizeof(self.lengths))
        self.lengths.field = self.lengths_field
        while rest.start < rest.end:
            tag = rest.start
            if read_tag(&rest.start, rest.end, &field, &wire_type, failure) < 0:
                return -1
            position = field - BATCH_COLUMNS
            if field == BATCH_ROW_COUNT:
                if (
                    expect_wire_type(VARINT, field, wire_type, tag, failure) < 0
                    or read_uint32(&rest.start, rest.end, &self.row_count, failure) < 0
                ):
                    return -1
                if self.row_count > MAX_ROW_COUNT:
                    return fail_number(
                        failure, tag, b"row-count",
                        b"batch of {number} rows: the maximum is {bound}",
                        self.row_count, MAX_ROW_COUNT,
                    )
            elif BATCH_ENTRIES <= field < BATCH_COLUMNS + 4:
                if (
                    expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag, failure) < 0
                    or read_span(&rest.start, rest.end, &span, failure) < 0
                ):
                    return -1
                if field < BATCH_NAMESPACES and self.set_entries(field - BATCH_ENTRIES, span) < 0:
                    return -1
                if position < 4:
                    if join_messages(
                        self.terms, &self.columns[position],
                        not self.found_columns >> position & 1, span,
                    ) < 0:
                        return -1
                    self.found_columns |= 1U << position
            elif field == self.lengths_field:
                if count_values(
                    &self.lengths, True, &rest.start, rest.end, wire_type, tag, failure
                ) < 0:
                    return -1
            elif skip_field(&rest.start, rest.end, field, wire_type, failure) < 0:
                return -1
        return 0

    cdef int set_entries(self, int number, Span message) noexcept nogil:
        """Set the entries of an RdfLookupEntryPacked, from its first id on, which may be 0."""
        cdef Failure* failure = &self.terms.failure
        cdef Tally* tally = &self.terms.counts.rows[RDF_NAME + number]
        cdef uint32_t id = 0
        cdef Span rest = message
        cdef Span text
        cdef int found
        # The first id may come after the values.
        while True:
            found = find_field(&rest, 1, VARINT, &text)
            if found == 0:
                break
            if found < 0 or read_uint32(&text.start, text.end, &id, failure) < 0:
                return self.refuse_message(message)
        rest = message
        while True:
            found = find_field(&rest, 2, LENGTH_DELIMITED, &text)
            if found <= 0:
                return found if found == 0 else self.refuse_message(message)
            if number == DATATYPES and (
                has_bytes(text, LANGUAGE_STRING, strlen(LANGUAGE_STRING))
                or has_bytes(text, DIRECTED_STRING, strlen(DIRECTED_STRING))
            ):
                return fail(
                    failure, text.start, b"language-datatype",
                    b"the datatype lookup contains the datatype of literals with a language tag",
                )
            if self.terms.define_entry(number, id, text, message.start) < 0:
                return -1
            # The ids of later entries count up from this one.
            id = 0
            tally.count += 1
            tally.size += text.end - text.start

    cdef int refuse_message(self, Span message) noexcept nogil:
        return fail(
            &self.terms.failure, message.start, b"wire", b"lookup entries are not a valid message"
        )

    cdef int decode_statements(self, RowColumns* rows) noexcept nogil:
        """Append the statements of the batch, and record the ends of its messages."""
        cdef Failure* failure = &self.terms.failure
        cdef uint64_t count = <uint64_t>rows.count + self.row_count
        cdef Counts* counts = &self.terms.counts
        cdef Column column
        cdef int position
        # Check the limit, since a few bytes may declare very many rows.
        if count > self.max_rows:
            return fail_limit(
                failure, self.columns[SUBJECT].start,
                b"max_frame_rows", b"frame of {number} rows, which are more than {bound}",
                count, self.max_rows,
            )
        if self.terms.count_expansion(
            self.row_count * 4 * sizeof(uint32_t), self.columns[SUBJECT].start
        ) < 0:
            return -1
        if rows_reserve(rows, self.row_count) < 0:
            return fail_memory(failure, self.columns[SUBJECT].start)
        if not self.has_graphs and self.found_columns >> GRAPH & 1:
            return fail(
                failure, self.columns[GRAPH].start,
                b"row-type", b"column of graphs in a stream of triples",
            )
        for position in range(3 + self.has_graphs):
            if (
                self.start_column(self.columns[position], position, &column) < 0
                # The columns of `rows` follow one another in one block of memory.
                or self.fill_column(
                    &column, rows.s + position * rows.capacity + rows.count, self.row_count
                ) < 0
            ):
                return -1
        if not self.has_graphs:
            memset(rows.g + rows.count, 0, self.row_count * sizeof(uint32_t))
        memset(rows.ops + rows.count, A, self.row_count)
        counts.rows[QUAD if self.has_graphs else TRIPLE].count += self.row_count
        rows.count = count
        if self.has_messages:
            return self.put_message_ends(count - self.row_count)
        if self.lengths.count > 0:
            return fail(
                failure, self.lengths.rest.start, b"message-lengths",
                b"message lengths in a stream without messages",
            )
        return 0

    cdef int start_column(
        self, Span message, int position, Column* column
    ) noexcept nogil:
        """Find the lists of an RdfColumn, and check how many values they have."""
        cdef ValueList* lists = column.lists
        cdef Counts* counts = &self.terms.counts
        cdef Failure* failure = &self.terms.failure
        cdef const uint8_t* tag
        cdef uint32_t field, wire_type
        cdef uint64_t count = 0
        cdef int kind
        memset(column, 0, sizeof(Column))
        column.at = message.start
        column.position = position
        for field in range(<uint32_t>1, <uint32_t>(LAST_LIST + 1)):
            lists[field].field = field
        while message.start < message.end:
            tag = message.start
            if read_tag(&message.start, message.end, &field, &wire_type, failure) < 0:
                return -1
            if field > LAST_LIST:
                if skip_field(&message.start, message.end, field, wire_type, failure) < 0:
                    return -1
            elif field == COLUMN_KINDS:
                if (
                    expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag, failure) < 0
                    or read_span(&message.start, message.end, &column.kinds, failure) < 0
                ):
                    return -1
            elif count_values(
                &lists[field], NUMBER_LISTS >> field & 1, &message.start, message.end, wire_type,
                tag, failure,
            ) < 0:
                return -1
        for kind in range(4):
            count += lists[VALUE_LISTS[kind]].count
        column.value_count = <uint32_t>count
        if count < self.row_count:
            counts.repeated[position] += self.row_count - count
        if self.check_kinds(column) < 0:
            return -1
        return self.start_lists(column)

    cdef int check_kinds(self, Column* column) noexcept nogil:
        """Check how many values of each kind a column has, and whether it may have these kinds."""
        cdef Failure* failure = &self.terms.failure
        cdef const uint8_t* kinds = column.kinds.start
        cdef size_t size = column.kinds.end - kinds
        cdef uint32_t[4] counts
        cdef uint32_t value
        cdef int kind
        memset(counts, 0, sizeof(counts))
        if size > 0:
            if size != (<uint64_t>column.value_count + 3) // 4:
                return fail_number(
                    failure, kinds, b"column-kinds",
                    b"{number} bytes of kinds for {bound} values", size, column.value_count,
                )
            if column.value_count & 3 and kinds[size - 1] >> 2 * (column.value_count & 3) != 0:
                return fail(failure, kinds, b"column-kinds", b"spare bits of the kinds are set")
            for value in range(column.value_count):
                counts[kinds[value >> 2] >> 2 * (value & 3) & 3] += 1
        for kind in range(4):
            value = column.lists[VALUE_LISTS[kind]].count
            if size > 0 and counts[kind] != value:
                failure.what = VALUE_NAMES[kind]
                return fail_number(
                    failure, kinds, b"column-kinds",
                    b"{number} values of the kind {what}, but the column has {bound}",
                    counts[kind], value,
                )
            if value == 0:
                continue
            if size == 0 and value != column.value_count:
                return fail(
                    failure, column.at, b"column-kinds", b"several kinds of values, but no kinds"
                )
            column.kind = kind
            if POSITION_KINDS[column.position] >> kind & 1 == 0:
                failure.what = VALUE_NAMES[kind]
                return fail_number(
                    failure, column.at, b"column-position",
                    b"{what} in column {number} of 4 (s, p, o, g)", column.position + 1, 0,
                )
            if kind == TRIPLE_VALUE and self.check_version(
                RDF_1_2_BASIC, column.at, b"triple terms"
            ) < 0:
                return -1
        return 0

    cdef inline int check_version(
        self, uint32_t last, const uint8_t* at, const char* what
    ) noexcept nogil:
        """Fail if the stream announces a version of RDF that lacks a feature.

        ``last`` is the last version without the feature.
        """
        if self.rdf_version == 0 or self.rdf_version > last:
            return 0
        self.terms.failure.what = what
        return fail(
            &self.terms.failure, at, b"rdf-version-terms",
            b"{what} in a stream whose options announce a version of RDF without them",
        )

    cdef int start_lists(self, Column* column) noexcept nogil:
        """Read the tags, and lists that have one number for all values; check the other lists."""
        cdef ValueList* lists = column.lists
        if (
            self.start_list(
                &lists[COLUMN_PREFIX_IDS], &lists[COLUMN_NAME_IDS], b"IRIs",
                &column.prefix, &column.has_prefixes,
            ) < 0
            or self.start_list(
                &lists[COLUMN_LITERAL_KINDS], &lists[COLUMN_TEXTS], b"literals",
                &column.literal_kind, &column.has_literal_kinds,
            ) < 0
        ):
            return -1
        self.terms.last_name = self.terms.last_prefix = 0  # for the IRIs in triple terms
        return self.read_tags(&lists[COLUMN_TAGS], &lists[COLUMN_DIRECTIONS])

    cdef int start_list(
        self, ValueList* numbers, const ValueList* values, const char* what,
        uint32_t* only, bint* has_each,
    ) noexcept nogil:
        """Read a list with one number for all values, or check that it has one for each."""
        if numbers.count == 1:
            return next_number(numbers, only, &self.terms.failure)
        has_each[0] = numbers.count > 0
        if numbers.count == 0 or numbers.count == values.count:
            return 0
        self.terms.failure.what = what
        return fail_number(
            &self.terms.failure, numbers.rest.start, b"column-lists",
            b"list of {number} numbers for {bound} {what}", numbers.count, values.count,
        )

    cdef int read_tags(self, ValueList* tags, ValueList* directions) noexcept nogil:
        """Read the language tags of a column, with their directions."""
        cdef Failure* failure = &self.terms.failure
        cdef size_t capacity
        cdef uint32_t direction = 0
        cdef int64_t term
        cdef Span tag
        if directions.count > 0 and directions.count != tags.count:
            return fail_number(
                failure, directions.rest.start, b"column-lists",
                b"list of {number} directions for {bound} language tags",
                directions.count, tags.count,
            )
        self.tag_count = 0
        if tags.count > self.tag_capacity:
            # This is bounded, since each tag needs at least two bytes of the frame.
            capacity = tags.count
            if resize(<void**>&self.tags, capacity * sizeof(uint32_t)) < 0:
                return fail_memory(failure, tags.rest.start)
            self.tag_capacity = capacity
        while self.tag_count < tags.count:
            if next_span(tags, &tag, failure) < 0 or (
                directions.count > 0 and next_number(directions, &direction, failure) < 0
            ):
                return -1
            term = self.intern_tag(tag, direction)
            if term < 0:
                return -1
            self.tags[self.tag_count] = <uint32_t>term
            self.tag_count += 1
        return 0

    cdef int64_t intern_tag(self, Span tag, uint64_t direction) noexcept nogil:
        """Return the term of a language tag with its base direction, such as ``en--ltr``."""
        cdef TermColumns* terms = &self.terms.terms
        cdef size_t size = tag.end - tag.start
        cdef uint8_t* text
        cdef uint64_t hash
        if direction > RIGHT_TO_LEFT:
            return fail_number(
                &self.terms.failure, tag.start,
                b"direction", b"{number} is not a base direction", direction, 0,
            )
        if not is_language_tag(tag):
            return fail(&self.terms.failure, tag.start, b"format", b"this is not a language tag")
        if direction > 0 and self.check_version(
            RDF_1_1, tag.start, b"base directions"
        ) < 0:
            return -1
        if direction > 0 and self.drops_directions:
            self.has_dropped = True
            direction = 0
        if direction == 0:
            return self.terms.intern_text(TermKind.STRING, tag, 0)
        if (
            self.terms.check_text(tag) < 0
            or terms_reserve(terms, size + DIRECTION_SIZE, tag.start, &self.terms.failure) < 0
        ):
            return -1
        text = terms.data + terms.offsets[terms.count]
        memcpy(text, tag.start, size)
        memcpy(text + size, b"--ltr" if direction == LEFT_TO_RIGHT else b"--rtl", DIRECTION_SIZE)
        size += DIRECTION_SIZE
        hash = term_hash(TermKind.STRING, hash_text(text, size, self.terms.seed), 0)
        return terms_intern_tail(terms, TermKind.STRING, size, 0, hash)

    cdef int fill_column(self, Column* column, uint32_t* cells, uint32_t row_count) noexcept nogil:
        """Fill the cells of a column from its values, according to its layouts."""
        cdef ValueList* layouts = &column.lists[COLUMN_LAYOUTS]
        cdef Failure* failure = &self.terms.failure
        cdef const uint8_t* at
        cdef uint32_t row = 0
        cdef uint32_t number = 0
        cdef uint32_t token, more, skip, left
        cdef uint64_t length
        cdef int64_t term
        while number < layouts.count:
            if next_number(layouts, &token, failure) < 0:
                return -1
            at = layouts.packed.start - 1
            number += 1
            length = token & LAYOUT_LENGTH
            if length == LAYOUT_LENGTH:
                if number == layouts.count:
                    return fail(
                        failure, at, b"column-layout", b"layout without the length that it needs"
                    )
                if next_number(layouts, &more, failure) < 0:
                    return -1
                number += 1
                length += more
            length += 1 if token & LAYOUT_UNBOUND else 2
            skip = token >> LAYOUT_SKIP
            left = column.value_count - column.value
            # A run of a repeated value needs one more value than the single ones before it.
            if skip > left or (skip == left and not token & LAYOUT_UNBOUND):
                return fail_number(
                    failure, at, b"column-layout",
                    b"layout that needs more values than the {number} that are left", left, 0,
                )
            if skip + length > row_count - row:
                return fail_number(
                    failure, at, b"column-layout",
                    b"layout of {number} cells, where {bound} are left",
                    skip + length, row_count - row,
                )
            if self.fill_values(column, cells, &row, skip) < 0:
                return -1
            if token & LAYOUT_UNBOUND:
                term = self.unbound_term(column, at)
            else:
                term = self.next_value(column)
            if term < 0:
                return -1
            fill_cells(cells + row, <uint32_t>length, <uint32_t>term)
            row += <uint32_t>length
        length = column.value_count - column.value
        if length > row_count - row:
            return fail_number(
                failure, column.at, b"column-values",
                b"{number} values after the layouts of a column, where {bound} cells are left",
                length, row_count - row,
            )
        if self.fill_values(column, cells, &row, <uint32_t>length) < 0:
            return -1
        if row < row_count:
            term = self.unbound_term(column, column.at)
            if term < 0:
                return -1
            fill_cells(cells + row, row_count - row, <uint32_t>term)
        return 0

    cdef int fill_values(
        self, Column* column, uint32_t* cells, uint32_t* row, uint32_t count
    ) noexcept nogil:
        """Fill ``count`` cells with the next ``count`` values."""
        cdef uint32_t end = row[0] + count
        cdef int64_t term
        while row[0] < end:
            term = self.next_value(column)
            if term < 0:
                return -1
            cells[row[0]] = <uint32_t>term
            row[0] += 1
        return 0

    cdef int64_t unbound_term(self, Column* column, const uint8_t* at) noexcept nogil:
        """Return the default graph; for a column other than g, fail: its cells need a value."""
        if column.position != GRAPH:
            return fail_number(
                &self.terms.failure, at, b"column-unbound",
                b"column {number} of 4 (s, p, o, g) has no value for some rows",
                column.position + 1, 0,
            )
        return self.terms.intern_default_graph(at)

    cdef inline int64_t next_value(self, Column* column) noexcept nogil:
        """Return the term of a column's next value, which must exist."""
        cdef uint32_t value = column.value
        cdef int kind = column.kind
        cdef Span span
        column.value += 1
        if column.kinds.start < column.kinds.end:
            kind = column.kinds.start[value >> 2] >> 2 * (value & 3) & 3
        if kind == IRI_VALUE:
            return self.next_iri(column)
        if kind == LITERAL_VALUE:
            return self.next_literal(column)
        if next_span(&column.lists[VALUE_LISTS[kind]], &span, &self.terms.failure) < 0:
            return -1
        if kind == LABEL_VALUE:
            return self.intern_text(TermKind.BLANK_NODE, span, 0)
        return self.decode_triple(span, 1)

    cdef inline int64_t intern_text(self, TermKind kind, Span text, uint32_t extra) noexcept nogil:
        """Intern a literal or a blank node, and count it for the statistics."""
        self.count_term(kind)
        # The fast function needs bytes after the text, which a joined message lacks.
        if self.terms.frame.start <= text.start and text.end <= self.terms.frame.end - SLACK:
            return self.terms.intern_regular_text(kind, text.start, text.end - text.start, extra)
        return self.terms.intern_text(kind, text, extra)

    cdef inline void count_term(self, TermKind kind) noexcept nogil:
        cdef Counts* counts = &self.terms.counts
        counts.terms[<int>kind] += 1

    cdef inline int64_t next_iri(self, Column* column) noexcept nogil:
        cdef ValueList* ids = &column.lists[COLUMN_NAME_IDS]
        cdef Lookup* names = &self.terms.lookups[NAMES]
        cdef uint32_t name_id, prefix_id
        if next_number(ids, &name_id, &self.terms.failure) < 0:
            return -1
        # If the id overflows 32 bits, it is 0, which is also out of range.
        column.last_name = name_id if name_id != 0 else column.last_name + 1
        if column.has_prefixes:
            if next_number(
                &column.lists[COLUMN_PREFIX_IDS], &prefix_id, &self.terms.failure
            ) < 0:
                return -1
            if prefix_id != 0:
                column.prefix = prefix_id
        self.count_term(TermKind.IRI)
        if self.terms.is_watched:
            count_reference(names, column.last_name)
            if column.prefix != 0:
                count_reference(&self.terms.lookups[PREFIXES], column.prefix)
        if (
            column.last_name <= names.size and column.prefix <= MAX_KEY_PREFIX
            and names.uses[column.last_name].key == (self.terms.epoch << 16 | column.prefix)
        ):
            return names.uses[column.last_name].term
        return self.terms.intern_iri(column.last_name, column.prefix, ids.packed.start - 1)

    cdef int64_t next_literal(self, Column* column) noexcept nogil:
        cdef Failure* failure = &self.terms.failure
        cdef uint32_t kind = column.literal_kind
        cdef int64_t datatype
        cdef Span text
        if next_span(&column.lists[COLUMN_TEXTS], &text, failure) < 0:
            return -1
        if column.has_literal_kinds and next_number(
            &column.lists[COLUMN_LITERAL_KINDS], &kind, failure
        ) < 0:
            return -1
        if kind == 0:
            return self.intern_text(TermKind.SIMPLE_LITERAL, text, 0)
        if kind & 1:
            datatype = self.terms.decode_datatype((kind >> 1) + 1, text.start)
            if datatype < 0:
                return -1
            return self.intern_text(TermKind.TYPED_LITERAL, text, <uint32_t>datatype)
        if kind // 2 > self.tag_count:
            return fail_number(
                failure, text.start, b"language-tag-index",
                b"literal with language tag {number} of {bound}", kind // 2, self.tag_count,
            )
        return self.intern_text(TermKind.LANGUAGE_LITERAL, text, self.tags[kind // 2 - 1])

    cdef int64_t decode_triple(self, Span message, int depth) noexcept nogil:
        """Decode an RdfTripleTerm; ``depth`` counts it and the triple terms around it."""
        cdef Failure* failure = &self.terms.failure
        cdef Field[3] terms
        cdef uint32_t[3] numbers
        cdef int position
        cdef int64_t number
        self.count_term(TermKind.TRIPLE_TERM)
        if (
            self.terms.check_depth(depth, message.start) < 0
            or self.terms.read_message(COLUMN_TRIPLE, message, terms) < 0
        ):
            return -1
        for position in range(3):
            if terms[position].kind == IRI_MESSAGE:
                number = self.terms.decode_iri(terms[position].span)
            elif terms[position].kind == TEXT:
                number = self.intern_text(TermKind.BLANK_NODE, terms[position].span, 0)
            elif terms[position].kind == COLUMN_LITERAL:
                number = self.decode_literal(terms[position].span)
            elif terms[position].kind == COLUMN_TRIPLE:
                number = self.decode_triple(terms[position].span, depth + 1)
            else:
                return fail_number(
                    failure, message.start, b"quoted-repeated-term",
                    b"triple term without a term in position {number} of 3", position + 1, 0,
                )
            if number < 0:
                return -1
            numbers[position] = <uint32_t>number
        return terms_intern_triple(
            &self.terms.terms, numbers[0], numbers[1], numbers[2], message.start, failure
        )

    cdef int64_t decode_literal(self, Span message) noexcept nogil:
        """Decode an RdfLiteral in a triple term, which may have a direction."""
        cdef Field[3] fields  # the lexical form; the language or the datatype; the direction
        cdef TermKind kind = TermKind.SIMPLE_LITERAL
        cdef int64_t extra = 0
        if self.terms.read_message(COLUMN_LITERAL, message, fields) < 0:
            return -1
        if fields[1].kind == TEXT:
            kind = TermKind.LANGUAGE_LITERAL
            extra = self.intern_tag(fields[1].span, fields[2].value)
        elif fields[2].value != 0:
            return fail(
                &self.terms.failure, message.start,
                b"direction", b"base direction of a literal without a language tag",
            )
        elif fields[1].kind == NUMBER:
            kind = TermKind.TYPED_LITERAL
            extra = self.terms.decode_datatype(<uint32_t>fields[1].value, message.start)
        if extra < 0:
            return -1
        return self.intern_text(kind, fields[0].span, <uint32_t>extra)

    cdef int put_message_ends(self, size_t row) noexcept with gil:
        """Record where messages end; ``row`` is the number of the batch's first statement."""
        cdef ValueList* lengths = &self.lengths
        cdef uint32_t left = self.row_count
        cdef uint32_t length, number
        if lengths.count > self.max_rows:
            return fail_limit(
                &self.terms.failure, lengths.rest.start,
                b"max_frame_rows", b"frame of {number} messages: the maximum is {bound}",
                lengths.count, self.max_rows,
            )
        try:
            ends = list(self.message_ends)
            for number in range(lengths.count):
                if next_number(lengths, &length, &self.terms.failure) < 0:
                    return -1
                if length > left:
                    return fail_number(
                        &self.terms.failure, lengths.packed.start - 1, b"message-lengths",
                        b"message with {number} rows, where {bound} are left", length, left,
                    )
                row += length
                left -= length
                ends.append(row)
            self.message_ends = tuple(ends)
        except MemoryError:
            return fail_memory(&self.terms.failure, lengths.rest.start)
        self.message_is_open = left > 0 or (lengths.count == 0 and self.message_is_open)
        return 0


cdef inline void fill_cells(uint32_t* cells, uint32_t count, uint32_t term) noexcept nogil:
    cdef uint32_t cell
    for cell in range(count):
        cells[cell] = term

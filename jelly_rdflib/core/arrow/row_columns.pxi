"""Turns batches into the buffers of Arrow columns."""

ctypedef struct Column:
    # An Arrow column of strings, of numbers, or of strings with a dictionary.
    WriteBuffer data  # texts, or int64
    WriteBuffer offsets  # int32; empty for numbers
    WriteBuffer nulls  # the numbers of the rows that are null, int64
    # With a dictionary, `data` and `offsets` belong to the dictionary.
    WriteBuffer entries  # for each row the number of its text, int32
    uint32_t count  # the number of texts
    uint32_t* places  # by number of a distinct term: the number of its text, counted from 1; or 0
    uint32_t capacity  # the length of `places`

cdef enum:
    # The columns after s, p, o and g.
    NAME = 4
    OP, PATCH, TRANSACTION, SEQ

cdef enum:
    # The parts of a term, if each gets its own column.
    KIND, VALUE, DATATYPE, LANGUAGE, PARTS

cdef enum:
    # Offsets of an Arrow string column have 31 bits.
    MAX_COLUMN = 0x7FFFFFFF

TERM_COLUMNS = ("s", "p", "o", "g")
cdef tuple COLUMN_NAMES = (*TERM_COLUMNS, "name", "op", "patch", "txn", "seq")

# Padded, so that each name can be copied as a block.
cdef uint8_t[CODES][BLOCK] OP_NAMES
cdef size_t[CODES] OP_SIZES
memset(OP_NAMES, 0, sizeof(OP_NAMES))
for op in Op:
    OP_SIZES[<int>op] = len(op.name)
    for i, letter in enumerate(op.name.encode()):
        OP_NAMES[<int>op][<int>i] = letter

cdef const char* KIND_NAMES[<int>TermKind.STRING + 1]
# These two are not RDF terms, but a batch may contain them.
KIND_NAMES[<int>TermKind.NONE] = KIND_NAMES[<int>TermKind.DEFAULT_GRAPH] = b"none"
KIND_NAMES[<int>TermKind.STRING] = b"string"
KIND_NAMES[<int>TermKind.IRI] = b"iri"
KIND_NAMES[<int>TermKind.BLANK_NODE] = b"bnode"
KIND_NAMES[<int>TermKind.SIMPLE_LITERAL] = b"literal"
KIND_NAMES[<int>TermKind.LANGUAGE_LITERAL] = b"literal"
KIND_NAMES[<int>TermKind.TYPED_LITERAL] = b"literal"
KIND_NAMES[<int>TermKind.TRIPLE_TERM] = b"triple"


cdef inline int put_number(WriteBuffer* buffer, int64_t number) except -1:
    buffer_reserve(buffer, sizeof(number))
    put_bytes(buffer, <const uint8_t*>&number, sizeof(number))
    return 0


cdef inline int put_offset(Column* column) except -1:
    cdef int32_t offset = <int32_t>column.data.size
    buffer_reserve(&column.offsets, sizeof(offset))
    put_bytes(&column.offsets, <const uint8_t*>&offset, sizeof(offset))
    return 0


cdef tuple take_column(Column* column, size_t count, bint is_text, bint is_dictionary):
    """Return the buffers of ``count`` rows, in Arrow's order, and the number of nulls.

    With a dictionary, also return its buffers and the number of its texts.
    """
    cdef size_t data_size = column.data.size
    cdef size_t offsets_size = column.offsets.size + sizeof(int32_t)
    cdef size_t entries_size = column.entries.size
    cdef bytes valid = PyBytes_FromStringAndSize(NULL, (count + 7) // 8)
    cdef char* bits = PyBytes_AS_STRING(valid)
    cdef size_t nulls = 0
    cdef size_t row, i
    memset(bits, 0xFF, (count + 7) // 8)
    for i in range(column.nulls.size // sizeof(int64_t)):
        row = (<const int64_t*>column.nulls.data)[i]
        # Ignore a null that was added for a row that then failed: that row does not count.
        if row < count:
            bits[row >> 3] &= <char>~(1 << (row & 7))
            nulls += 1
    column.nulls.size = 0
    buffers = [valid if nulls else None]
    memory = []
    if is_text:
        put_offset(column)
        memory.append(take_memory(&column.offsets))
        buffer_reserve(&column.offsets, offsets_size)
    memory.append(take_memory(&column.data))
    # Reserve memory, since the next column is likely to be about as large as this one.
    buffer_reserve(&column.data, data_size + data_size // 8 + 4 * BLOCK)
    if not is_dictionary:
        return buffers + memory, nulls
    # Count the offsets: a text that could not be added has a number, but no offset.
    texts = len(memory[0]) // sizeof(int32_t) - 1
    buffers.append(take_memory(&column.entries))
    buffer_reserve(&column.entries, entries_size)
    column.count = 0
    if column.places != NULL:
        memset(column.places, 0, column.capacity * sizeof(uint32_t))
    return buffers, nulls, [None, *memory], texts


@cython.final
cdef class RowColumnsBuilder:
    """Appends the rows of batches to columns, up to a size, and returns the columns' buffers.

    Terms are N-Triples text as in `jelly_rdflib.core.text`, made once for each distinct term of a
    batch; with ``is_struct`` each part of a term has its own column. Rows other than statements
    have null as s and p. With ``is_dictionary`` each column of text has a dictionary of its texts.

    Args:
        columns: The names of the wanted columns, from `COLUMN_NAMES`.
        counts_frames: Whether the column ``patch`` has the number of the batch, not of the patch;
            both numbers count from 1.
        place: The `place` of another builder, whose rows this one continues.
        max_bytes: The columns are full when they have this many bytes of text or ``max_rows`` rows.
            A row is never split, however large it is.
    """

    cdef bint is_struct
    cdef bint is_dictionary
    cdef bint counts_frames
    cdef bint is_broken  # a row has failed since `drain`
    cdef bint[SEQ + 1] wants
    cdef size_t max_rows
    cdef size_t max_bytes
    cdef OperationPlace at
    cdef RowFilter filter
    cdef TermTexts texts
    cdef DistinctTerms distinct
    cdef size_t count
    cdef size_t size  # bytes of text in the columns
    cdef Column columns[SEQ + 1][PARTS]  # only terms split into parts use more than the first

    def __cinit__(
        self, *, columns, size_t max_text_size, bint is_struct=False, bint is_dictionary=False,
        filter=None, bint counts_frames=False, place=None, size_t max_rows=1 << 14,
        size_t max_bytes=1 << 24
    ):
        columns = set(columns)
        for position, name in enumerate(COLUMN_NAMES):
            self.wants[<int>position] = name in columns
        if is_struct and is_dictionary:
            raise ValueError("terms that are split into parts have no dictionary")
        self.is_struct = is_struct
        self.is_dictionary = is_dictionary
        self.filter = filter
        self.counts_frames = counts_frames
        self.texts = TermTexts(max_text_size)
        self.distinct = DistinctTerms()
        self.max_rows = max_rows
        self.max_bytes = max_bytes
        place_init(&self.at)
        if place is not None:
            (
                self.at.seq, self.at.patch, self.at.next_transaction,
                self.at.transaction, self.at.implicit_transaction,
            ) = place

    def __dealloc__(self):
        cdef Column* column = &self.columns[0][0]
        cdef size_t i
        for i in range(sizeof(self.columns) // sizeof(Column)):
            buffer_free(&column[i].data)
            buffer_free(&column[i].offsets)
            buffer_free(&column[i].nulls)
            buffer_free(&column[i].entries)
            PyMem_RawFree(column[i].places)

    def __len__(self):
        """The number of rows in the columns."""
        return self.count

    @property
    def place(self):
        """The position of the next operation in the file, as five numbers."""
        return (
            self.at.seq, self.at.patch, self.at.next_transaction,
            self.at.transaction, self.at.implicit_transaction,
        )

    cpdef bint is_full(self) noexcept:
        """Return whether the columns have reached the maximum number of rows or bytes."""
        return self.count >= self.max_rows or self.size >= self.max_bytes

    def append(self, Batch batch not None, size_t start=0, stop=None):
        """Append rows of a batch, from number ``start`` on, until the columns are full.

        Return the number of the next row, or ``stop``, which is the batch's length by default. To
        continue, `drain` the columns and call this again with that number.
        """
        cdef size_t end = batch.rows.count
        cdef size_t row
        cdef OperationPlace before
        cdef int64_t transaction
        # Keep the last batch's nodes until the end, since their destructors may run any code, even
        # code that calls this method.
        cdef tuple last = (self.texts.table, None if self.filter is None else self.filter.table)
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        batch.terms.check_made()
        if stop is not None:
            end = min(end, <size_t>stop)
        if self.is_broken:
            raise ValueError("a row could not be appended: drain the columns before the next call")
        if self.filter is not None:
            self.filter.start(batch.terms)
        if start == 0 or self.texts.table is not batch.terms:
            self.texts.start(batch.terms)
        if self.is_dictionary:
            self.distinct.start(batch.terms)
        # This becomes False only at the end: if a row fails, some columns already have a part of
        # it.
        self.is_broken = True
        for row in range(start, end):
            before = self.at
            transaction = place_operation(&self.at, batch.rows.ops[row])
            if self.filter is not None and not self.filter.accepts(&batch.rows, row):
                continue
            self.append_row(batch, row, before.patch, transaction, before.seq)
            self.count += 1
            if self.is_full():
                start = row + 1
                break
        else:
            start = end
        self.is_broken = False
        if self.counts_frames and start == batch.rows.count:
            self.at.patch += 1
        return start

    cdef inline int append_row(
        self, Batch batch, size_t row, int64_t patch, int64_t transaction, int64_t seq
    ) except -1:
        cdef const TermColumns* terms = &batch.terms.columns
        cdef const RowColumns* rows = &batch.rows
        cdef uint8_t op = rows.ops[row]
        cdef bint is_statement = op == A or op == D
        cdef bint is_default
        if self.wants[OP] and not (self.is_dictionary and self.append_entry(OP, op)):
            self.append_padded(self.columns[OP], OP_NAMES[op], OP_SIZES[op])
        if self.wants[PATCH]:
            put_number(&self.columns[PATCH][0].data, patch + 1)
        if self.wants[TRANSACTION]:
            put_number(&self.columns[TRANSACTION][0].data, transaction + 1)
            if transaction == NO_TRANSACTION:
                put_number(&self.columns[TRANSACTION][0].nulls, self.count)
        if self.wants[SEQ]:
            put_number(&self.columns[SEQ][0].data, seq)
        if self.wants[SUBJECT]:
            self.append_term(terms, SUBJECT, rows.s[row] if is_statement else 0)
        if self.wants[PREDICATE]:
            self.append_term(terms, PREDICATE, rows.p[row] if is_statement else 0)
        if self.wants[OBJECT]:
            self.append_term(terms, OBJECT, rows.o[row])
        if self.wants[GRAPH]:
            is_default = batch.terms.is_default(rows.g[row])
            self.append_term(terms, GRAPH, 0 if is_default else rows.g[row])
        if self.wants[NAME]:
            if not (op == H or op == PA or op == PD):
                self.append_null(self.columns[NAME])
            elif not (
                self.is_dictionary and self.append_entry(NAME, self.distinct.find(rows.s[row]))
            ):
                self.append_text(self.columns[NAME], terms, rows.s[row])
        return 0

    cdef inline int append_term(
        self, const TermColumns* terms, int position, uint32_t term
    ) except -1:
        cdef Column* column = self.columns[position]
        cdef WrittenTerm* written
        if self.is_struct:
            return self.append_parts(terms, column, term)
        if is_unnamed(terms, term):
            return self.append_null(column)
        if self.is_dictionary and self.append_entry(position, self.distinct.find(term)):
            return 0
        written = self.texts.find(term)
        return self.append_padded(column, self.texts.out.data + written.start, written.size)

    cdef int append_parts(self, const TermColumns* terms, Column* parts, uint32_t term) except -1:
        cdef int kind = terms.kinds[term]
        cdef WrittenTerm* written
        cdef int own, part
        if is_unnamed(terms, term):
            for part in range(PARTS):
                self.append_null(&parts[part])
            return 0
        self.append_bytes(
            &parts[KIND], <const uint8_t*>KIND_NAMES[kind], strlen(KIND_NAMES[kind])
        )
        for part in range(DATATYPE, PARTS):
            own = TermKind.TYPED_LITERAL if part == DATATYPE else TermKind.LANGUAGE_LITERAL
            if kind == own:
                self.append_text(&parts[part], terms, terms.extras[term])
            else:
                self.append_null(&parts[part])
        if kind != TermKind.TRIPLE_TERM:
            return self.append_text(&parts[VALUE], terms, term)
        written = self.texts.find(term)
        return self.append_padded(
            &parts[VALUE], self.texts.out.data + written.start, written.size
        )

    cdef inline bint append_entry(self, int position, uint32_t number) except -1:
        """Append the number of a text to a column with a dictionary.

        Return whether the dictionary already has the text; if not, the caller must append it. Texts
        are identified by the numbers of distinct terms, or by the codes of operations.
        """
        cdef Column* column = self.columns[position]
        cdef uint32_t capacity
        cdef int32_t entry
        cdef bint is_known
        if number >= column.capacity:
            capacity = max(number + 1, 2 * column.capacity)
            if resize(<void**>&column.places, capacity * sizeof(uint32_t)) < 0:
                raise MemoryError
            memset(
                column.places + column.capacity, 0,
                (capacity - column.capacity) * sizeof(uint32_t),
            )
            column.capacity = capacity
        is_known = column.places[number] != 0
        if not is_known:
            column.count += 1
            column.places[number] = column.count
        entry = <int32_t>(column.places[number] - 1)
        buffer_reserve(&column.entries, sizeof(entry))
        put_bytes(&column.entries, <const uint8_t*>&entry, sizeof(entry))
        return is_known

    cdef inline int append_padded(
        self, Column* column, const uint8_t* text, size_t size
    ) except -1:
        """Append a text that has a `BLOCK` of readable bytes after it."""
        cdef uint8_t* target
        self.start_text(column, size)
        buffer_reserve(&column.data, size + BLOCK)
        target = column.data.data + column.data.size
        # One block is enough for most texts, which are short.
        memcpy(target, text, BLOCK)
        if size > BLOCK:
            memcpy(target + BLOCK, text + BLOCK, size - BLOCK)
        column.data.size += size
        return 0

    cdef inline int append_text(
        self, Column* column, const TermColumns* terms, uint32_t term
    ) except -1:
        """Append the text of a term as it is stored in the table, without N-Triples syntax."""
        return self.append_bytes(
            column, terms.data + terms.offsets[term], terms.offsets[term + 1] - terms.offsets[term]
        )

    cdef inline int append_bytes(self, Column* column, const uint8_t* text, size_t size) except -1:
        self.start_text(column, size)
        # In C memcpy with NULL is undefined, and a table without texts may have NULL.
        if size > 0:
            buffer_reserve(&column.data, size)
            put_bytes(&column.data, text, size)
        return 0

    cdef inline int start_text(self, Column* column, size_t size) except -1:
        put_offset(column)
        if column.data.size + size > MAX_COLUMN:
            raise LimitError("a column would have more than 2 GiB of text")
        self.size += size
        return 0

    cdef inline int append_null(self, Column* column) except -1:
        cdef int32_t entry = 0
        if self.is_dictionary:
            buffer_reserve(&column.entries, sizeof(entry))
            put_bytes(&column.entries, <const uint8_t*>&entry, sizeof(entry))
        else:
            put_offset(column)
        return put_number(&column.nulls, self.count)

    def drain(self):
        """Return the columns, and start new ones.

        The result is a dict from each wanted column to its parts: one, or the four parts of a term.
        A part is a tuple of Arrow's buffers and the null count. The buffers are the validity bitmap
        or None, for text the offsets (int32), and the data (for numbers int64). With a dictionary
        the data are int32, and the dictionary's buffers and number of texts follow the null count.
        """
        cdef dict result = {}
        cdef int position, part
        for position, name in enumerate(COLUMN_NAMES):
            if self.wants[position]:
                result[name] = [
                    take_column(
                        &self.columns[position][part], self.count, position <= OP,
                        self.is_dictionary and position <= OP,
                    )
                    for part in range(PARTS if self.is_struct and position < NAME else 1)
                ]
        if self.is_dictionary:
            self.distinct.clear()
        self.count = 0
        self.size = 0
        self.is_broken = False
        return result

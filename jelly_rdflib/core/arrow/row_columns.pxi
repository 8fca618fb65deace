"""Turns batches into the buffers of Arrow columns."""

ctypedef struct TextColumn:
    # An Arrow column of strings.
    WriteBuffer data
    WriteBuffer offsets  # int32
    WriteBuffer valid  # a byte for each row
    int64_t nulls

ctypedef struct TermColumn:
    # The column of a position: texts, or the parts of terms.
    TextColumn text
    TextColumn kind
    TextColumn datatype
    TextColumn language

cdef enum:
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3
    NAME = 4

cdef enum:
    # An offset of an Arrow column of strings has 31 bits.
    MAX_COLUMN = 0x7FFFFFFF

TERM_COLUMNS = ("s", "p", "o", "g")

# Long enough to be copied in a block.
cdef uint8_t[CODES][BLOCK] OP_NAMES
cdef size_t[CODES] OP_SIZES
memset(OP_NAMES, 0, sizeof(OP_NAMES))
for op in Op:
    OP_SIZES[<int>op] = len(op.name)
    for i, letter in enumerate(op.name.encode()):
        OP_NAMES[<int>op][<int>i] = letter

cdef const char* KIND_NAMES[9]
# These are no terms, but a batch may be built with them.
KIND_NAMES[<int>TermKind.NONE] = KIND_NAMES[<int>TermKind.DEFAULT_GRAPH] = b"none"
KIND_NAMES[<int>TermKind.STRING] = b"string"
KIND_NAMES[<int>TermKind.IRI] = b"iri"
KIND_NAMES[<int>TermKind.BLANK_NODE] = b"bnode"
KIND_NAMES[<int>TermKind.SIMPLE_LITERAL] = b"literal"
KIND_NAMES[<int>TermKind.LANGUAGE_LITERAL] = b"literal"
KIND_NAMES[<int>TermKind.TYPED_LITERAL] = b"literal"
KIND_NAMES[<int>TermKind.TRIPLE_TERM] = b"triple"


cdef void free_text(TextColumn* column) noexcept:
    buffer_free(&column.data)
    buffer_free(&column.offsets)
    buffer_free(&column.valid)


cdef int put_number(WriteBuffer* buffer, int64_t number) except -1:
    buffer_reserve(buffer, sizeof(int64_t))
    memcpy(buffer.data + buffer.size, &number, sizeof(int64_t))
    buffer.size += sizeof(int64_t)
    return 0


cdef inline int put_offset(TextColumn* column) except -1:
    cdef int32_t offset = <int32_t>column.data.size
    buffer_reserve(&column.offsets, sizeof(int32_t))
    memcpy(column.offsets.data + column.offsets.size, &offset, sizeof(int32_t))
    column.offsets.size += sizeof(int32_t)
    return 0


cdef inline int put_valid(WriteBuffer* valid, bint is_valid) except -1:
    buffer_reserve(valid, 1)
    valid.data[valid.size] = is_valid
    valid.size += 1
    return 0


cdef object take_bits(WriteBuffer* valid):
    """Return bytes of 0 and 1 as Arrow's bitmap, and empty the buffer."""
    cdef size_t count = valid.size
    cdef bytes bits = PyBytes_FromStringAndSize(NULL, (count + 7) // 8)
    cdef uint8_t* target = <uint8_t*>PyBytes_AS_STRING(bits)
    cdef size_t i
    memset(target, 0, (count + 7) // 8)
    for i in range(count):
        target[i >> 3] |= <uint8_t>(valid.data[i] << (i & 7))
    valid.size = 0
    return bits


cdef tuple take_text(TextColumn* column):
    """Return a column's bitmap (None without nulls), offsets, data and number of nulls."""
    cdef size_t data_size = column.data.size
    cdef size_t offsets_size
    put_offset(column)
    offsets_size = column.offsets.size
    valid = take_bits(&column.valid)
    result = (
        valid if column.nulls else None, take_memory(&column.offsets), take_memory(&column.data),
        column.nulls,
    )
    column.nulls = 0
    # The next column is likely to be about as large as this one.
    buffer_reserve(&column.offsets, offsets_size)
    buffer_reserve(&column.data, data_size + data_size // 8 + 4 * BLOCK)
    return result


@cython.final
cdef class RowColumnsBuilder:
    """Appends the rows of batches to columns, up to a size, and gives their buffers away.

    Terms are N-Triples text as in `jelly_rdflib.core.text`, made once for each distinct term
    of a batch. In rows that are no statement s and p are null.

    Args:
        columns: Names of the columns that are wanted, of ``patch``, ``txn``, ``seq``, ``op``,
            ``s``, ``p``, ``o``, ``g`` and ``name``.
        max_text_size: As for `jelly_rdflib.Limits`.
        is_struct: Terms are taken apart: each of ``s``, ``p``, ``o``, ``g`` is the four columns
            kind, value, datatype and lang.
        filter: A `RowFilter`; None: all rows are wanted.
        counts_frames: The column ``patch`` has the number of the batch instead of the patch's.
        place: What `place` of another builder returned, to go on there.
        max_rows: With so many rows the columns are full.
        max_bytes: With so many bytes of text too; a row is never cut, however large it is.
    """

    cdef bint is_struct
    cdef bint counts_frames
    cdef bint[5] wants  # s, p, o, g, name
    cdef bint wants_op
    cdef bint wants_patch
    cdef bint wants_transaction
    cdef bint wants_seq
    cdef size_t max_rows
    cdef size_t max_bytes
    cdef OperationPlace at
    cdef RowFilter filter
    cdef TermTexts texts
    cdef size_t count
    cdef size_t size  # bytes of text in the columns
    cdef TextColumn op
    cdef TextColumn name
    cdef TermColumn[4] terms
    cdef WriteBuffer patch
    cdef WriteBuffer transaction
    cdef WriteBuffer transaction_valid
    cdef int64_t transaction_nulls
    cdef WriteBuffer seq

    def __cinit__(
        self, *, columns, size_t max_text_size, bint is_struct=False, filter=None,
        bint counts_frames=False, place=None, size_t max_rows=1 << 14, size_t max_bytes=1 << 24
    ):
        cdef int position
        columns = set(columns)
        for position, name in enumerate((*TERM_COLUMNS, "name")):
            self.wants[position] = name in columns
        self.wants_op = "op" in columns
        self.wants_patch = "patch" in columns
        self.wants_transaction = "txn" in columns
        self.wants_seq = "seq" in columns
        self.is_struct = is_struct
        self.filter = filter
        self.counts_frames = counts_frames
        self.texts = TermTexts(max_text_size)
        self.max_rows = max_rows
        self.max_bytes = max_bytes
        place_init(&self.at)
        if place is not None:
            (
                self.at.seq, self.at.patch, self.at.next_transaction,
                self.at.transaction, self.at.implicit_transaction,
            ) = place

    def __dealloc__(self):
        cdef int position
        for position in range(4):
            free_text(&self.terms[position].text)
            free_text(&self.terms[position].kind)
            free_text(&self.terms[position].datatype)
            free_text(&self.terms[position].language)
        free_text(&self.op)
        free_text(&self.name)
        buffer_free(&self.patch)
        buffer_free(&self.transaction)
        buffer_free(&self.transaction_valid)
        buffer_free(&self.seq)

    def __len__(self):
        """The number of rows in the columns."""
        return self.count

    @property
    def place(self):
        """Where the next operation stands in the file: five numbers."""
        return (
            self.at.seq, self.at.patch, self.at.next_transaction,
            self.at.transaction, self.at.implicit_transaction,
        )

    @property
    def is_full(self):
        """Are there as many rows or bytes as the columns may have?"""
        return self.count >= self.max_rows or self.size >= self.max_bytes

    def append(self, Batch batch not None, size_t start=0):
        """Append rows of a batch, from number ``start`` on, until the columns are full.

        Return the number of the next row, or the batch's length. To go on, `take` the columns and
        call this again with that number.
        """
        cdef size_t row
        cdef int64_t patch, transaction, seq
        cdef uint8_t op
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        if start == 0 or self.texts.table is not batch.terms:
            self.texts.start(batch.terms)
            if self.filter is not None:
                self.filter.start(batch)
        for row in range(start, batch.rows.count):
            op = batch.rows.ops[row]
            patch = self.at.patch
            seq = self.at.seq
            transaction = place_operation(&self.at, op)
            if self.filter is not None and not accepts(
                self.filter, op, batch.rows.s[row], batch.rows.p[row], batch.rows.o[row],
                batch.rows.g[row],
            ):
                continue
            self.append_row(batch, row, patch, transaction, seq)
            self.count += 1
            if self.count >= self.max_rows or self.size >= self.max_bytes:
                start = row + 1
                break
        else:
            start = batch.rows.count
        if self.counts_frames and start == batch.rows.count:
            self.at.patch += 1
        return start

    cdef inline int append_row(
        self, Batch batch, size_t row, int64_t patch, int64_t transaction, int64_t seq
    ) except -1:
        cdef uint8_t op = batch.rows.ops[row]
        cdef const TermColumns* terms = &batch.terms.columns
        cdef bint is_statement = op == A or op == D
        cdef uint32_t term
        if self.wants_op:
            self.append_padded(&self.op, OP_NAMES[op], OP_SIZES[op])
        if self.wants_patch:
            put_number(&self.patch, patch)
        if self.wants_transaction:
            put_number(&self.transaction, max(transaction, 0))
            put_valid(&self.transaction_valid, transaction != NO_TRANSACTION)
            self.transaction_nulls += transaction == NO_TRANSACTION
        if self.wants_seq:
            put_number(&self.seq, seq)
        if self.wants[SUBJECT]:
            self.append_term(
                batch, &self.terms[SUBJECT], batch.rows.s[row] if is_statement else 0
            )
        if self.wants[PREDICATE]:
            self.append_term(
                batch, &self.terms[PREDICATE], batch.rows.p[row] if is_statement else 0
            )
        if self.wants[OBJECT]:
            self.append_term(batch, &self.terms[OBJECT], batch.rows.o[row])
        if self.wants[GRAPH]:
            self.append_term(batch, &self.terms[GRAPH], batch.rows.g[row])
        if self.wants[NAME]:
            if op == H or op == PA or op == PD:
                term = batch.rows.s[row]
                self.append_text(
                    &self.name, terms.data + terms.offsets[term],
                    terms.offsets[term + 1] - terms.offsets[term],
                )
            else:
                self.append_null(&self.name)
        return 0

    cdef inline int append_term(self, Batch batch, TermColumn* column, uint32_t term) except -1:
        cdef int kind = batch.terms.columns.kinds[term]
        cdef WrittenTerm* place
        if self.is_struct:
            return self.append_parts(batch, column, term)
        if kind == TermKind.NONE or kind == TermKind.DEFAULT_GRAPH:
            return self.append_null(&column.text)
        place = self.texts.find(term)
        return self.append_padded(&column.text, self.texts.out.data + place.start, place.size)

    cdef int append_parts(self, Batch batch, TermColumn* column, uint32_t term) except -1:
        """Append the parts of a term."""
        cdef const TermColumns* terms = &batch.terms.columns
        cdef int kind = terms.kinds[term]
        cdef uint32_t extra = terms.extras[term]
        cdef WrittenTerm* place
        cdef TextColumn* extra_column = NULL
        if kind == TermKind.NONE or kind == TermKind.DEFAULT_GRAPH:
            self.append_null(&column.kind)
            self.append_null(&column.text)
            self.append_null(&column.datatype)
            return self.append_null(&column.language)
        self.append_text(
            &column.kind, <const uint8_t*>KIND_NAMES[kind], strlen(KIND_NAMES[kind])
        )
        if kind == TermKind.TRIPLE_TERM:
            place = self.texts.find(term)
            self.append_padded(&column.text, self.texts.out.data + place.start, place.size)
        else:
            self.append_text(
                &column.text, terms.data + terms.offsets[term],
                terms.offsets[term + 1] - terms.offsets[term],
            )
        if kind == TermKind.TYPED_LITERAL:
            extra_column = &column.datatype
        else:
            self.append_null(&column.datatype)
        if kind == TermKind.LANGUAGE_LITERAL:
            extra_column = &column.language
        else:
            self.append_null(&column.language)
        if extra_column != NULL:
            self.append_text(
                extra_column, terms.data + terms.offsets[extra],
                terms.offsets[extra + 1] - terms.offsets[extra],
            )
        return 0

    cdef inline int append_padded(
        self, TextColumn* column, const uint8_t* text, size_t size
    ) except -1:
        """Append a text with a `BLOCK` of bytes to read behind it."""
        cdef uint8_t* target
        self.start_text(column, size)
        buffer_reserve(&column.data, size + BLOCK)
        target = column.data.data + column.data.size
        # Most are short.
        memcpy(target, text, BLOCK)
        if size > BLOCK:
            memcpy(target + BLOCK, text + BLOCK, size - BLOCK)
        column.data.size += size
        return 0

    cdef inline int append_text(
        self, TextColumn* column, const uint8_t* text, size_t size
    ) except -1:
        self.start_text(column, size)
        # C leaves undefined what memcpy does with NULL, which a table without texts may have.
        if size > 0:
            buffer_reserve(&column.data, size)
            memcpy(column.data.data + column.data.size, text, size)
        column.data.size += size
        return 0

    cdef inline int start_text(self, TextColumn* column, size_t size) except -1:
        put_offset(column)
        put_valid(&column.valid, True)
        if column.data.size + size > MAX_COLUMN:
            raise LimitError("a column would have more than 2 GiB of text")
        self.size += size
        return 0

    cdef inline int append_null(self, TextColumn* column) except -1:
        put_offset(column)
        put_valid(&column.valid, False)
        column.nulls += 1
        return 0

    def take(self):
        """Return the columns, and start anew.

        Returns:
            A dict of each wanted column's buffers, as Arrow has them: of text a tuple of the bitmap
            of what is not null (None: all), the offsets (int32), the data and the number of nulls;
            of terms in parts a tuple of four such tuples; of numbers a tuple of the bitmap, the
            numbers (int64) and the number of nulls.
        """
        cdef dict result = {}
        cdef int position
        cdef TermColumn* column
        if self.wants_patch:
            result["patch"] = (None, take_memory(&self.patch), 0)
        if self.wants_transaction:
            nulls = self.transaction_nulls
            valid = take_bits(&self.transaction_valid)
            result["txn"] = (valid if nulls else None, take_memory(&self.transaction), nulls)
            self.transaction_nulls = 0
        if self.wants_seq:
            result["seq"] = (None, take_memory(&self.seq), 0)
        if self.wants_op:
            result["op"] = take_text(&self.op)
        for position, name in enumerate(TERM_COLUMNS):
            if not self.wants[position]:
                continue
            column = &self.terms[position]
            if self.is_struct:
                result[name] = (
                    take_text(&column.kind), take_text(&column.text),
                    take_text(&column.datatype), take_text(&column.language),
                )
            else:
                result[name] = take_text(&column.text)
        if self.wants[NAME]:
            result["name"] = take_text(&self.name)
        self.count = 0
        self.size = 0
        return result

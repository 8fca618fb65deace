"""Makes batches from Arrow columns of operations, whose terms are N-Triples texts."""

cdef enum:
    # Rows of a batch, and bytes of text after which it ends.
    MAX_ROWS = 1 << 12
    MAX_TEXT = 1 << 22

# No column has so many rows.
cdef size_t MAX_COUNT = <size_t>1 << 40

cdef dict CODES_BY_NAME = {op.name.encode(): int(op) for op in Op}


@cython.final
cdef class TextColumnView:
    """A readable Arrow column of strings. Buffers that do not fit are a ValueError.

    Args:
        count: Number of rows.
        first: Its first row in the buffers.
        valid: The bitmap of rows that are not null; None: all.
        offsets: The start of each row's text, int32.
        data: The texts.
    """

    cdef Py_buffer[3] buffers
    cdef int views
    cdef bint has_valid
    cdef size_t count
    cdef size_t first

    def __cinit__(self, size_t count, size_t first, valid, offsets, data):
        cdef size_t i
        cdef int32_t last = 0
        cdef int32_t offset
        if count > MAX_COUNT or first > MAX_COUNT:
            raise ValueError("the column's buffers are too small")
        self.count = count
        self.first = first
        self.has_valid = valid is not None
        for view in (b"" if valid is None else valid, offsets, b"" if data is None else data):
            PyObject_GetBuffer(view, &self.buffers[self.views], PyBUF_SIMPLE)
            self.views += 1
        if (
            (self.has_valid and <size_t>self.buffers[0].len * 8 < first + count)
            or <size_t>self.buffers[1].len < (first + count + 1) * sizeof(int32_t)
        ):
            raise ValueError("the column's buffers are too small")
        for i in range(count + 1):
            offset = (<const int32_t*>self.buffers[1].buf)[first + i]
            if offset < last or offset > self.buffers[2].len:
                raise ValueError("the column's offsets are not in order")
            last = offset

    def __dealloc__(self):
        while self.views > 0:
            self.views -= 1
            PyBuffer_Release(&self.buffers[self.views])

    cdef inline bint get(self, size_t row, Span* text) noexcept:
        """Get the text of a row; False if it is null."""
        cdef size_t place = self.first + row
        cdef const int32_t* offsets = <const int32_t*>self.buffers[1].buf
        cdef const uint8_t* data = <const uint8_t*>self.buffers[2].buf
        if self.has_valid and not (
            (<const uint8_t*>self.buffers[0].buf)[place >> 3] >> (place & 7) & 1
        ):
            return False
        text.start = data + offsets[place]
        text.end = data + offsets[place + 1]
        return True

ctypedef struct LastCell:
    # The last term of a column, which often comes again.
    const uint8_t* start
    size_t size
    uint32_t number


@cython.final
cdef class ColumnBatches:
    """Makes batches of columns. Each term is parsed, and each row is checked to be an operation.

    Args:
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`.
    """

    cdef TermParser parser
    cdef LastCell[4] last
    cdef size_t max_string_size

    def __cinit__(self, factory not None, limits):
        self.parser = TermParser(factory, limits)
        self.max_string_size = limits.max_string_size

    def make(self, size_t start, dict columns not None):
        """Make a batch of rows from number ``start`` on; return it and the number of the next row.

        Args:
            start: The first row.
            columns: A `TextColumnView` of the same length for each of ``op``, ``s``, ``p``, ``o``,
                ``g`` and ``name``; None where there is no such column. Without ``op`` all rows are
                additions.

        Raises:
            EncodeError: A row is no operation, or a text is no term.
            LimitError: A text is larger than the limits.
        """
        cdef TextColumnView ops = columns["op"]
        cdef TextColumnView names = columns["name"]
        cdef size_t count = 0
        cdef size_t row
        cdef int position
        cdef Batch batch
        views = [columns[name] for name in ("s", "p", "o", "g")]
        counts = {(<TextColumnView?>view).count for view in (ops, names, *views) if view is not None}
        if len(counts) > 1:
            raise ValueError("the columns differ in length")
        count = max(counts, default=0)
        self.parser.start()
        for position in range(4):
            self.last[position].start = NULL
        row = start
        while (
            row < count and row - start < MAX_ROWS
            and self.parser.decoder.terms.offsets[self.parser.decoder.terms.count] < MAX_TEXT
        ):
            self.add_row(row, ops, names, views)
            row += 1
        batch = self.parser.decoder.take_batch()
        return batch, row

    cdef int add_row(
        self, size_t row, TextColumnView ops, TextColumnView names, list views
    ) except -1:
        cdef uint32_t[4] numbers
        cdef uint32_t name = 0
        cdef uint8_t op = A
        cdef Span text
        cdef bint is_statement
        cdef int position
        if ops is not None:
            op = self.find_op(ops, row)
        is_statement = op == A or op == D
        for position in range(4):
            numbers[position] = 0
        if is_statement:
            for position in range(4):
                numbers[position] = self.read_term(views, position, row)
            for position in range(3):
                if numbers[position] == 0:
                    raise self.error(row, op, f"has no {'spo'[position]}")
        elif op == H or op == PA or op == PD:
            if names is None or not names.get(row, &text):
                raise self.error(row, op, "has no name")
            name = self.intern_name(text)
            numbers[2] = self.read_term(views, 2, row)
            if op != PD and numbers[2] == 0:
                raise self.error(row, op, "has no o")
            if op != H:
                numbers[3] = self.read_term(views, 3, row)
                if numbers[2] and self.parser.decoder.terms.kinds[numbers[2]] != TermKind.IRI:
                    raise self.error(row, op, "has something else than an IRI as its o")
            numbers[0] = name
        if rows_append(
            &self.parser.decoder.rows, op, numbers[0], numbers[1], numbers[2], numbers[3]
        ) < 0:
            raise MemoryError
        return 0

    cdef uint8_t find_op(self, TextColumnView ops, size_t row) except 0:
        cdef Span text
        cdef bytes name
        if not ops.get(row, &text):
            raise EncodeError(f"row {row}: op is null")
        # Nearly all rows are additions or deletions.
        if text.end - text.start == 1:
            if text.start[0] == b"A":
                return A
            if text.start[0] == b"D":
                return D
        name = (<const char*>text.start)[:text.end - text.start]
        code = CODES_BY_NAME.get(name)
        if code is None:
            raise EncodeError(
                f"row {row}: {name.decode('utf-8', 'replace')!r} is no op: there are"
                f" {', '.join(op.name for op in Op)}"
            )
        return code

    cdef uint32_t read_term(self, list views, int position, size_t row) except? 0:
        """Return the number of the term in a column, or 0 for null."""
        cdef TextColumnView view = <TextColumnView>views[position]
        cdef LastCell* last = &self.last[position]
        cdef Span text
        cdef size_t size
        if view is None or not view.get(row, &text):
            return 0
        size = text.end - text.start
        if last.start != NULL and last.size == size and memcmp(last.start, text.start, size) == 0:
            return last.number
        try:
            last.number = self.parser.parse(text.start, size)
        except LimitError:
            raise
        except DecodeError as error:
            raise EncodeError(f"row {row}, column {'spog'[position]}: {error}") from None
        last.start = text.start
        last.size = size
        return last.number

    cdef uint32_t intern_name(self, Span text) except 0:
        cdef int64_t number = intern_text(
            &self.parser.decoder.terms, TermKind.STRING, text, 0, self.parser.decoder.seed,
            self.max_string_size, &self.parser.decoder.failure,
        )
        if number < 0:
            raise failure_to_error(&self.parser.decoder.failure, None, None, None)
        return <uint32_t>number

    cdef object error(self, size_t row, uint8_t op, str reason):
        return EncodeError(f"row {row}: operation {Op(op).name} {reason}")

"""Makes batches from Arrow columns of operations, whose terms are N-Triples texts."""

cdef enum:
    # A batch ends after this many rows, or bytes of text.
    MAX_ROWS = 1 << 12
    MAX_TEXT = 1 << 22

cdef dict CODES_BY_NAME = {op.name.encode(): int(op) for op in Op}


@cython.final
cdef class TextColumnView:
    """A readable Arrow column of strings: ``count`` rows of the buffers, from row ``first`` on.

    ``valid`` is None if no row is null. Buffers that do not match raise a ValueError.
    """

    cdef Py_buffer[3] buffers
    cdef int views
    cdef bint has_valid
    cdef size_t count, first

    def __cinit__(self, size_t count, size_t first, valid, offsets, data):
        cdef size_t i, rows
        cdef int32_t last = 0
        cdef int32_t offset
        self.count = count
        self.first = first
        self.has_valid = valid is not None
        for view in (b"" if valid is None else valid, offsets, b"" if data is None else data):
            PyObject_GetBuffer(view, &self.buffers[self.views], PyBUF_SIMPLE)
            self.views += 1
        rows = self.buffers[1].len // sizeof(int32_t)
        if self.has_valid:
            rows = min(rows, <size_t>self.buffers[0].len * 8 + 1)
        # A column has one offset more than it has rows.
        if count >= rows or first >= rows - count:
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
        """Get the text of a row; return False if it is null."""
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
    # The last term of a column, kept since terms are often repeated.
    const uint8_t* start
    size_t size
    uint32_t number


@cython.final
cdef class ColumnBatches:
    """Makes batches from columns; parses each term, and checks that each row is an operation."""

    cdef TermParser parser
    cdef LastCell[4] last
    cdef size_t max_string_size
    cdef size_t first  # the number that messages give to the columns' first row

    def __cinit__(self, factory not None, limits):
        self.parser = TermParser(factory, limits)
        self.max_string_size = limits.max_string_size

    def make(self, size_t start, dict columns not None, size_t first=0):
        """Make a batch from the rows from ``start`` on; return it and the number of the next row.

        ``columns`` has a `TextColumnView`, or None, for each of ``op``, ``s``, ``p``, ``o``, ``g``
        and ``name``, all of the same length. Without ``op`` all rows are additions. Messages give
        the number ``first`` to the first row of the columns.
        """
        cdef TextDecoder decoder = self.parser.decoder
        cdef list views = [columns[name] for name in COLUMN_NAMES[:OP + 1]]
        cdef size_t row = start
        cdef size_t stop
        counts = {(<TextColumnView?>view).count for view in views if view is not None}
        if len(counts) > 1:
            raise ValueError("the columns differ in length")
        stop = min(max(counts, default=0), start + MAX_ROWS)
        self.first = first
        self.parser.start()
        memset(self.last, 0, sizeof(self.last))
        while row < stop and decoder.terms.offsets[decoder.terms.count] < MAX_TEXT:
            self.add_row(row, views)
            row += 1
        return decoder.take_batch(), row

    cdef int add_row(self, size_t row, list views) except -1:
        cdef const TermColumns* terms = &self.parser.decoder.terms
        cdef uint8_t op = self.find_op(views[OP], row)
        cdef uint32_t[GRAPH + 1] numbers
        cdef int position
        memset(numbers, 0, sizeof(numbers))
        if op == A or op == D:
            for position in range(GRAPH + 1):
                numbers[position] = self.read_term(views, position, row)
                if numbers[position] == 0 and position < GRAPH:
                    raise self.error(row, op, f"has no {'spo'[position]}")
        elif op == H or op == PA or op == PD:
            numbers[SUBJECT] = self.read_name(views[NAME], row, op)
            numbers[OBJECT] = self.read_term(views, OBJECT, row)
            if op != PD and numbers[OBJECT] == 0:
                raise self.error(row, op, "has no o")
            if op != H:
                numbers[GRAPH] = self.read_term(views, GRAPH, row)
                if numbers[OBJECT] and terms.kinds[numbers[OBJECT]] != TermKind.IRI:
                    raise self.error(row, op, "has an o that is not an IRI")
        if rows_append(
            &self.parser.decoder.rows, op, numbers[SUBJECT], numbers[PREDICATE], numbers[OBJECT],
            numbers[GRAPH],
        ) < 0:
            raise MemoryError
        return 0

    cdef uint8_t find_op(self, TextColumnView ops, size_t row) except 0:
        cdef Span text
        if ops is None:
            return A
        if not ops.get(row, &text):
            raise EncodeError(f"row {self.first + row}: op is null")
        # Check single letters first, since nearly all rows are additions or deletions.
        if text.end - text.start == 1:
            if text.start[0] == b"A":
                return A
            if text.start[0] == b"D":
                return D
        name = <bytes>text.start[:text.end - text.start]
        code = CODES_BY_NAME.get(name)
        if code is None:
            raise EncodeError(
                f"row {self.first + row}: {name.decode('utf-8', 'replace')!r} is not an op: ops are"
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
            raise EncodeError(
                f"row {self.first + row}, column {'spog'[position]}: {error}"
            ) from None
        last.start = text.start
        last.size = size
        return last.number

    cdef uint32_t read_name(self, TextColumnView names, size_t row, uint8_t op) except 0:
        cdef TextDecoder decoder = self.parser.decoder
        cdef int64_t number
        cdef Span text
        if names is None or not names.get(row, &text):
            raise self.error(row, op, "has no name")
        number = intern_text(
            &decoder.terms, TermKind.STRING, text, 0, decoder.seed, self.max_string_size,
            &decoder.failure,
        )
        if number < 0:
            raise failure_to_error(&decoder.failure, None, None, None)
        return <uint32_t>number

    cdef object error(self, size_t row, uint8_t op, str reason):
        return EncodeError(f"row {self.first + row}: operation {Op(op).name} {reason}")

"""A batch made from a store's rows, without nodes."""

cdef enum:
    # The number of rows, and the number of bytes of text, at which a batch is full.
    BATCH_ROWS = 1 << 11
    BATCH_TEXT = 1 << 20
    FIRST_ROWS = 64


@cython.nonecheck(True)
@cython.final
cdef class RowBatch:
    """Collects rows of a store, and makes batches from them.

    Args:
        has_graphs: Whether the statements are quads.
    """

    def __cinit__(self, bint has_graphs):
        self.has_graphs = has_graphs

    def __dealloc__(self):
        rows_free(&self.columns)
        terms_free(&self.table)
        PyMem_RawFree(self.numbers)
        PyMem_RawFree(self.numbered)

    cdef int start(self, Dictionary terms, Rows rows, uint32_t default_name) except -1:
        """Start a batch of rows; ``default_name`` is the number of the default graph's name."""
        cdef size_t count = <size_t>terms.count + 1
        cdef size_t i
        for i in range(self.numbered_count):
            self.numbers[self.numbered[i]] = 0
        self.numbered_count = 0
        if count > self.capacity:
            PyMem_RawFree(self.numbers)
            self.capacity = 0
            self.numbers = <uint32_t*>PyMem_RawCalloc(count + count // 8, sizeof(uint32_t))
            if self.numbers == NULL:
                raise MemoryError
            self.capacity = count + count // 8
        self.terms, self.rows, self.default_name = terms, rows, default_name
        rows_free(&self.columns)
        terms_free(&self.table)
        if (
            rows_init(&self.columns, FIRST_ROWS) < 0
            or terms_init(&self.table, FIRST_CAPACITY, FIRST_DATA, MAX_TABLE_TEXT) < 0
        ):
            raise MemoryError
        return 0

    cdef bint is_full(self) noexcept:
        return (
            self.columns.count == BATCH_ROWS
            or self.table.offsets[self.table.count] >= BATCH_TEXT
        )

    cdef Batch drain(self):
        """Return the batch, or None if it has no rows."""
        cdef NodeFactory factory = self.terms.factory
        # Drop these references, so that a vacuum can free the old terms and rows.
        self.terms = self.rows = None
        if self.columns.count == 0:
            return None
        return make_batch(&self.columns, &self.table, factory, self.has_graphs, {})

    cdef int append(self, uint8_t op, uint32_t number) except -1:
        """Append a row of the store, given its number."""
        cdef const Row* row = row_at(self.rows, number)
        cdef uint32_t s = self.number(row.terms[S])
        cdef uint32_t p = self.number(row.terms[P])
        cdef uint32_t o = self.number(object_of(self.rows, number))
        cdef uint32_t g = 0
        if row.terms[G] != self.default_name:
            g = self.number(row.terms[G])
        if rows_append(&self.columns, op, s, p, o, g) < 0:
            raise MemoryError
        return 0

    cdef uint32_t number(self, uint32_t term) except 0:
        """Return the number that a term of the store has in the batch."""
        cdef Dictionary stored = self.terms
        cdef TermColumns* table = &self.table
        cdef uint32_t extra = 0
        cdef Span text
        cdef Failure failure
        cdef int64_t number
        if self.numbers[term] != 0:
            return self.numbers[term]
        if is_literal(stored_kind(stored, term)):
            extra = self.number(stored.terms[term].extra)
        text = stored_text(stored, term)
        make_room(
            <void**>&self.numbered, self.numbered_count, &self.numbered_capacity, sizeof(uint32_t)
        )
        number = terms_intern(
            table, <TermKind>stored_kind(stored, term), text.start, text.end - text.start, extra,
            hash_key(stored_kind(stored, term), text, table.hashes[extra]), NULL, &failure,
        )
        if number < 0:
            if table.offsets[table.count] > MAX_TABLE_TEXT // 2:
                raise LimitError("the terms of a batch have more than 4 GiB of text")
            raise MemoryError
        self.numbered[self.numbered_count] = term
        self.numbered_count += 1
        self.numbers[term] = <uint32_t>number
        return <uint32_t>number

"""Selects rows of batches, and returns them as batches with the same terms."""


@cython.final
cdef class RowSelection:
    """Selects the rows that a filter accepts, with the headers and transaction rows around them.

    An accepted row is kept together with the start and end of its transaction, all headers of its
    patch, and the end of its patch. Patches and transactions without an accepted row are left out.
    Headers are buffered until the first accepted row; more than ``max_held`` headers (the limit
    ``max_held_operations``) raise a LimitError.

    Args:
        filter: A `RowFilter`; None accepts all rows.
        keeps_prefixes: Whether to accept all PA rows, even those that the filter rejects.
    """

    cdef public RowFilter filter
    cdef public bint keeps_prefixes
    cdef size_t max_held
    cdef list held  # batches with the buffered headers of earlier batches
    cdef RowColumns headers  # the buffered headers of the current batch
    cdef size_t held_count
    cdef bint transaction_waits  # a transaction has started, but has no accepted row yet
    cdef bint has_content  # the patch has an accepted row

    def __cinit__(self, RowFilter filter, size_t max_held, *, bint keeps_prefixes=False):
        self.filter = filter
        self.max_held = max_held
        self.keeps_prefixes = keeps_prefixes
        self.held = []
        if rows_init(&self.headers, 1) < 0:
            raise MemoryError

    def __dealloc__(self):
        rows_free(&self.headers)

    def select(self, Batch batch not None, size_t start, size_t stop):
        """Return the selected rows from ``start`` up to ``stop``, exclusive, as batches."""
        cdef RowColumns kept
        cdef size_t row
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        if self.filter is not None:
            self.filter.start(batch.terms)
        if rows_init(&kept, 16) < 0:
            raise MemoryError
        found = []
        try:
            for row in range(start, min(stop, batch.rows.count)):
                self.take_row(&batch.rows, row, &kept, found)
            if kept.count > 0:
                found.append(batch_of_rows(batch, &kept))
            if self.headers.count > 0:
                self.held.append(batch_of_rows(batch, &self.headers))
                if rows_init(&self.headers, 1) < 0:
                    raise MemoryError
        finally:
            rows_free(&kept)
        return found

    cdef inline int take_row(
        self, const RowColumns* rows, size_t row, RowColumns* kept, list found
    ) except -1:
        cdef uint8_t op = rows.ops[row]
        cdef bint is_accepted = self.filter is None or self.filter.accepts(rows, row)
        if op == TX:
            self.transaction_waits = True
            # Without a filter an empty transaction is kept.
            return 0 if self.filter is not None else self.start_content(kept, found)
        if op == TC or op == TA:
            if not self.transaction_waits:
                rows_copy(kept, rows, row, op)
            self.transaction_waits = False
        elif op == END:
            if self.has_content or self.filter is None:
                self.start_content(kept, found)
                rows_copy(kept, rows, row, op)
            self.has_content = False
            self.forget_headers()
        elif is_accepted or (op == PA and self.keeps_prefixes):
            self.start_content(kept, found)
            rows_copy(kept, rows, row, op)
        elif op == H and self.has_content:
            rows_copy(kept, rows, row, op)
        elif op == H:
            self.held_count += 1
            if self.held_count > self.max_held:
                raise LimitError(
                    f"a patch has more than {self.max_held} headers before its first selected row",
                    limit="max_held_operations", value=self.max_held,
                )
            rows_copy(&self.headers, rows, row, op)
        return 0

    cdef int start_content(self, RowColumns* kept, list found) except -1:
        """Append the buffered headers, and a TX that was held back, before an accepted row."""
        cdef size_t row
        # Headers of earlier batches come first: if any exist, this batch has no kept row yet.
        found += self.held
        for row in range(self.headers.count):
            rows_copy(kept, &self.headers, row, H)
        self.forget_headers()
        if self.transaction_waits:
            if rows_append(kept, TX, 0, 0, 0, 0) < 0:
                raise MemoryError
            self.transaction_waits = False
        self.has_content = True
        return 0

    cdef int forget_headers(self) except -1:
        self.held = []
        self.headers.count = self.held_count = 0
        return 0

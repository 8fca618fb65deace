"""Iterates over the batches, the operations and the statements of a stream."""

@cython.nonecheck(True)
cdef class BatchSource(Tabular):
    """Iterates over a stream's batches, which subclasses read."""

    def __iter__(self):
        return self

    def __repr__(self):
        state = "at its end" if self.is_finished else "open"
        options = self.options
        return f"<{type(self).__name__}: {state}{'' if options is None else f', {options}'}>"

    def __next__(self):
        cdef Batch batch = self.next_batch()
        if batch is None:
            raise StopIteration
        return batch

    @cython.critical_section
    def close(self):
        """Stop reading, and close the file if the reader opened it."""
        if self.is_reading:
            raise ValueError("the reader is reading, and can't be closed")
        self.is_finished = True
        self.close_source()

    @property
    def options(self):
        """The stream's options, or None before they are read, and for formats without options."""
        return None

    cpdef int place_error(self, error) except -1:
        """Add the position of the last batch to an error raised while that batch was used."""
        self.locate_error(error)
        if error.source is None:
            error.source = self.name
        return 0

    def _is_used_up(self):
        return self.is_finished

    def _slices(self):
        return (BatchSlice(batch, 0, len(batch)) for batch in self)

    @cython.critical_section
    cdef Batch next_batch(self):
        """Return the next batch, or None at the end of the stream."""
        cdef Batch batch = None
        if self.is_finished:
            return None
        if self.is_reading:
            # The source's read() called this reader, or another thread is reading.
            raise ValueError("the reader is already reading")
        self.is_reading = True
        try:
            batch = self.read_batch()
        except BaseException as error:
            self.is_finished = True
            if isinstance(error, DecodeError) and error.source is None:
                error.source = self.name
            raise
        finally:
            self.is_reading = False
            if self.is_finished or batch is None:
                self.is_finished = True
                self.close_source()
        return batch

    cdef Batch read_batch(self):
        """Read and return a batch; None, or setting ``is_finished``, ends the stream."""
        raise NotImplementedError

    cdef int locate_error(self, error) except -1:
        """Add the last batch's position in the source to an error."""
        return 0

    cdef int close_source(self) except -1:
        """Close the source."""
        return 0


@cython.nonecheck(True)
@cython.final
cdef class LateBatches(BatchSource):
    """Batches of an input that is opened when the first batch is read.

    The input's ``open`` returns the batches. If it was never called, `close` calls the input's
    ``close``.
    """

    cdef object input
    cdef BatchSource batches

    def __cinit__(self, input not None):
        self.input = input

    def __del__(self):
        self.close_source()

    @property
    def options(self):
        """The stream's options, or None before they are read, and for formats without options."""
        return None if self.batches is None else self.batches.options

    cdef Batch read_batch(self):
        if self.batches is None:
            self.batches = self.input.open()
        return self.batches.next_batch()

    cdef int locate_error(self, error) except -1:
        # An error before the first batch already has its position.
        return 0 if self.batches is None else self.batches.place_error(error)

    cdef int close_source(self) except -1:
        opened = self.input if self.batches is None else self.batches
        if opened is not None:
            opened.close()
        return 0


@cython.nonecheck(True)
cdef class RowReader(RowIterator):
    """Iterates over the rows of a stream as tuples.

    ``limits`` are passed if the consumer buffers whole transactions: ``max_held_operations`` is the
    maximum number of operations since the last TX, TC, TA or END, checked batch by batch.
    """

    cdef BatchSource batches
    # The number of operations in the buffered transaction, and its maximum.
    cdef uint64_t held, max_held

    def __cinit__(self, BatchSource batches not None, *, limits=None):
        self.batches = batches
        self.max_held = <uint64_t>-1 if limits is None else limits.max_held_operations

    def __repr__(self):
        return f"<{type(self).__name__} of {self.batches}>"

    def _is_used_up(self):
        return self.batches.is_finished and self.row >= self.stop

    cdef bint next_piece(self) except -1:
        cdef Batch batch
        # Drop the old batch first, since two batches with nodes would need twice the memory.
        self.drop_batch()
        batch = self.batches.next_batch()
        if batch is None:
            return False
        try:
            if self.max_held < <uint64_t>-1:
                self.count_held(batch)
            self.start_piece(batch, 0, batch.rows.count)
        except LimitError as error:
            self.batches.place_error(error)
            raise
        return True

    cdef list make_nodes(self, Batch batch):
        try:
            return RowIterator.make_nodes(self, batch)
        except DecodeError as error:
            self.batches.place_error(error)
            raise

    cdef void drop_batch(self) noexcept:
        self.row = self.stop = 0
        self.batch = self.nodes = None

    cdef int count_held(self, Batch batch) except -1:
        """Check the number of operations since the last TX, TC, TA or END."""
        cdef size_t row = batch.rows.count
        while row > 0 and batch.rows.ops[row - 1] not in (TX, TC, TA, END):
            row -= 1
        self.held = batch.rows.count - row + (self.held if row == 0 else 0)
        if self.held > self.max_held:
            raise LimitError(
                f"a transaction has more than {self.max_held} operations",
                limit="max_held_operations", value=self.max_held,
            )
        return 0

    def place_error(self, error):
        """Add the position of the current batch to an error raised while its last row was used."""
        self.batches.place_error(error)

    @cython.critical_section
    def close(self):
        """Stop reading, and close the file if the reader opened it."""
        self.batches.close()
        self.drop_batch()

    @property
    def options(self):
        """The stream's options, or None before its first frame is read."""
        return self.batches.options


@cython.nonecheck(True)
@cython.final
cdef class OperationReader(RowReader):
    """Iterates over a stream's operations."""

    def __getattr__(self, name):
        raise AttributeError(
            f"an iterator of operations has no attribute {name!r}: convert it with"
            " jelly_rdflib.Patch(operations)",
            name=name, obj=self,
        )


@cython.nonecheck(True)
@cython.final
cdef class StatementReader(RowReader):
    """Iterates over the statements of a Jelly-RDF stream."""

    def __cinit__(self, *arguments, **options):
        self.only_statements = True

"""Iterates over the batches, the operations and the statements of a stream."""

@cython.nonecheck(True)
cdef class BatchSource:
    """Iterates over a stream's batches. Subclasses know how to read them."""

    def __iter__(self):
        return self

    def __next__(self):
        cdef Batch batch = self.next_batch()
        if batch is None:
            raise StopIteration
        return batch

    def close(self):
        """Stop reading, and close the file if the reader opened it."""
        if self.is_reading:
            raise ValueError("the reader is reading, and can't be closed")
        self.is_finished = True
        self.close_source()

    @property
    def options(self):
        """The stream's options; None before they were read, and where a format has none."""
        return None

    cpdef int place_error(self, error) except -1:
        """Tell an error that only the last batch's use shows where that batch stands."""
        return 0

    cdef Batch next_batch(self):
        """Return the next batch; None at the end of the stream."""
        cdef Batch batch = None
        if self.is_finished:
            return None
        if self.is_reading:
            # The source's read() came back here, or another thread is reading.
            raise ValueError("the reader is already reading")
        self.is_reading = True
        try:
            batch = self.read_batch()
        except BaseException:
            self.is_finished = True
            raise
        finally:
            self.is_reading = False
            if self.is_finished or batch is None:
                self.is_finished = True
                self.close_source()
        return batch

    cdef Batch read_batch(self):
        """Read a batch; None, or ``is_finished``, says that it is the last."""
        raise NotImplementedError

    cdef int close_source(self) except -1:
        """Let go of what is read from."""
        return 0


@cython.nonecheck(True)
@cython.final
cdef class LateBatches(BatchSource):
    """Batches of an input that is opened when the first of them is wanted.

    Args:
        input: ``open`` returns its batches; ``close`` lets go of it, if that was not called.
    """

    cdef object input
    cdef BatchSource batches

    def __cinit__(self, input not None):
        self.input = input

    def __del__(self):
        self.close_source()

    @property
    def options(self):
        """The stream's options; None before they were read, and where a format has none."""
        return None if self.batches is None else self.batches.options

    cdef Batch read_batch(self):
        if self.batches is None:
            self.batches = self.input.open()
        return self.batches.next_batch()

    cpdef int place_error(self, error) except -1:
        # An error before the first batch already has its place.
        return 0 if self.batches is None else self.batches.place_error(error)

    cdef int close_source(self) except -1:
        opened = self.input if self.batches is None else self.batches
        if opened is not None:
            opened.close()
        return 0


cdef bint is_mark(uint8_t op) noexcept:
    """Does a transaction start or end there?"""
    return op == TX or op == TC or op == TA or op == END


@cython.nonecheck(True)
cdef class RowReader(RowIterator):
    """Iterates over the rows of a stream as tuples.

    Args:
        batches: The stream's batches.
        limits: A `jelly_rdflib.Limits`, if the consumer buffers whole transactions:
            ``max_held_operations`` bounds the operations since the last mark, counted by whole
            batches. None: the consumer buffers nothing.
    """

    cdef BatchSource batches
    # Whether the consumer buffers a whole transaction; how many operations it has, and may have.
    cdef bint keeps
    cdef uint64_t held
    cdef uint64_t max_held

    def __cinit__(self, BatchSource batches not None, *, limits=None):
        self.batches = batches
        self.keeps = limits is not None
        if self.keeps:
            self.max_held = limits.max_held_operations

    cdef bint next_row(self) except -1:
        cdef Batch batch
        cdef list nodes
        while self.batch is None or self.row >= self.batch.rows.count:
            # Two batches with their nodes would be twice as much.
            self.batch = self.nodes = None
            batch = self.batches.next_batch()
            if batch is None:
                return False
            try:
                if self.keeps:
                    self.count_held(batch)
                # Making nodes runs rdflib's code, and other threads: the batch and its nodes are
                # put in place together.
                nodes = batch.terms.make_nodes()
            except LimitError as error:
                self.batches.place_error(error)
                raise
            self.batch, self.nodes, self.row = batch, nodes, 0
        self.row += 1
        return True

    cdef int count_held(self, Batch batch) except -1:
        """Check how many operations there are since the last mark."""
        cdef size_t row = batch.rows.count
        while row > 0 and not is_mark(batch.rows.ops[row - 1]):
            row -= 1
        self.held = batch.rows.count - row + (self.held if row == 0 else 0)
        if self.held > self.max_held:
            raise LimitError(
                f"a transaction has more than {self.max_held} operations"
                " (limit max_held_operations)"
            )
        return 0

    def place_error(self, error):
        """Tell an error of the last row's use where the batch stands that has it."""
        self.batches.place_error(error)

    def close(self):
        """Stop reading, and close the file if the reader opened it."""
        self.batches.close()
        self.batch = None

    @property
    def options(self):
        """The stream's options; None before its first frame was read."""
        return self.batches.options


@cython.nonecheck(True)
@cython.final
cdef class OperationReader(RowReader):
    """Iterates over a stream's operations."""


@cython.nonecheck(True)
@cython.final
cdef class StatementReader(RowReader):
    """Iterates over the statements of a Jelly-RDF stream."""

    def __cinit__(self, *arguments, **options):
        self.only_statements = True

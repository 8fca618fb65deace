"""Iterates over the batches, the operations and the statements of a stream."""

cimport cython
from libc.stdint cimport uint8_t, uint64_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.frame_decoder cimport FrameDecoder
from jelly_rdflib.core.frame_reader cimport FrameReader
from jelly_rdflib.core.stream_kind cimport StreamKind, find_stream_kind
from jelly_rdflib.core.wire cimport Span

from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.operations import Op

cdef uint8_t TX = Op.TX
cdef uint8_t TC = Op.TC
cdef uint8_t TA = Op.TA
cdef uint8_t END = Op.END


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
        # What comes before the first batch can tell its place by itself.
        return 0 if self.batches is None else self.batches.place_error(error)

    cdef int close_source(self) except -1:
        opened = self.input if self.batches is None else self.batches
        if opened is not None:
            opened.close()
        return 0


@cython.final
cdef class BatchReader(BatchSource):
    """Iterates over a stream's batches: one for each frame, and one for the end if it says any.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        decoder: Decodes the frames.
        limits: A `jelly_rdflib.Limits`.
        statement_decoder: Decodes the frames if they turn out to be of Jelly-RDF. None: they are
            of what ``decoder`` decodes, or wrong.
    """

    def __cinit__(
        self, source, FrameDecoder decoder not None, limits, FrameDecoder statement_decoder=None
    ):
        self.decoder = decoder
        self.statement_decoder = self.other_decoder = statement_decoder
        self.frames = FrameReader(source, limits)

    @property
    def options(self):
        """The stream's options; None before its first frame was read."""
        return self.decoder.options

    cdef int close_source(self) except -1:
        self.frames.close()
        return 0

    cdef Batch read_batch(self):
        cdef Batch batch
        try:
            if self.frames.next_frame():
                if self.statement_decoder is not None:
                    self.choose_decoder()
                return self.decoder.decode(
                    self.frames.frame, self.frames.frame_size, self.frames.frame_offset
                )
            batch = self.decoder.end(self.frames.position)
        except DecodeError as error:
            if not self.decoder.found_options and self.frames.position > 0:
                what = "Jelly" if self.other_decoder is not None else self.decoder.format.decode()
                error.message += f"; is the input {what} at all?"
            raise
        self.is_finished = True
        return batch if batch.rows.count > 0 else None

    cpdef int place_error(self, error) except -1:
        error.offset, error.frame = self.frames.frame_offset, self.decoder.last_frame()
        return 0

    cdef int choose_decoder(self) except -1:
        """Choose by the first frame with rows; one without may have metadata, as of Jelly-RDF."""
        cdef Span frame
        cdef StreamKind kind
        frame.start = self.frames.frame
        frame.end = self.frames.frame + self.frames.frame_size
        kind = find_stream_kind(frame)
        if (self.decoder is self.statement_decoder) != (
            kind == StreamKind.STATEMENT_STREAM or kind == StreamKind.NO_ROWS
        ):
            self.decoder, self.other_decoder = self.other_decoder, self.decoder
            self.decoder.frame = self.other_decoder.frame
        if kind != StreamKind.NO_ROWS:
            self.statement_decoder = self.other_decoder = None
        return 0


cdef bint is_mark(uint8_t op) noexcept:
    """Does a transaction start or end there?"""
    return op == TX or op == TC or op == TA or op == END


cdef class RowReader:
    """Iterates over the rows of a stream as tuples.

    Args:
        batches: The stream's batches.
        limits: A `jelly_rdflib.Limits` for who keeps what a transaction has: ``max_held_operations``
            is for those since the last mark, as far as batches are whole. None: nobody does.
    """

    cdef BatchSource batches
    cdef Batch batch
    cdef list nodes
    cdef size_t row
    # Whether who reads keeps what a transaction has; and then how much that is, and may be.
    cdef bint keeps
    cdef uint64_t held
    cdef uint64_t max_held

    def __cinit__(self, BatchSource batches not None, *, limits=None):
        self.batches = batches
        self.keeps = limits is not None
        if self.keeps:
            self.max_held = limits.max_held_operations

    def __iter__(self):
        return self

    cdef bint next_row(self) except -1:
        """Go to the next row, number ``row - 1`` of the batch; False if there is none."""
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


@cython.final
cdef class OperationReader(RowReader):
    """Iterates over a stream's operations."""

    def __next__(self):
        cdef Batch batch
        if not self.next_row():
            raise StopIteration
        # A tuple may be what the collector waits for, and a destructor may close the reader.
        batch = self.batch
        return batch.operation(self.row - 1, self.nodes)


@cython.final
cdef class StatementReader(RowReader):
    """Iterates over the statements of a Jelly-RDF stream."""

    def __next__(self):
        cdef tuple statement = None
        cdef Batch batch
        while statement is None:
            if not self.next_row():
                raise StopIteration
            # As for an operation.
            batch = self.batch
            statement = batch.statement(self.row - 1, self.nodes)
        return statement

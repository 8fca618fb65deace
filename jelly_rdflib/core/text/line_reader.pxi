"""Reads N-Triples and N-Quads as batches."""

cdef inline bint has_line_end(const uint8_t* at, const uint8_t* end) noexcept nogil:
    while at < end:
        if at[0] == b"\n" or at[0] == b"\r":
            return True
        at += 1
    return False


@cython.nonecheck(True)
@cython.final
cdef class LineBatchReader(BatchSource):
    """Iterates over the batches of N-Triples or N-Quads.

    Memory is bounded by a line and a batch. A batch has what is there: lines that come one by one
    are not kept waiting for each other.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` is for a statement or a comment.
        has_graphs: Whether it is N-Quads.
        strict: Whether to check IRIs and language tags.
    """

    cdef InputBuffer input
    cdef TextDecoder decoder
    cdef size_t max_line_size
    cdef bint is_started
    # Where the last batch starts.
    cdef uint64_t batch_offset
    cdef uint64_t batch_line

    def __cinit__(
        self, source, NodeMaker factory not None, limits, *, bint has_graphs, bint strict
    ):
        self.decoder = TextDecoder(factory, limits)
        self.decoder.grammar = STRICT_LINES if strict else LINES
        self.decoder.has_graphs = has_graphs
        self.max_line_size = limits.max_frame_size
        self.input = InputBuffer(source, limits, padding=True)

    cpdef int place_error(self, error) except -1:
        error.offset, error.line = self.batch_offset, self.batch_line
        return 0

    cdef int close_source(self) except -1:
        self.input.close()
        return 0

    cdef Batch read_batch(self):
        cdef InputBuffer input = self.input
        cdef const uint8_t* at
        try:
            if not self.is_started:
                self.is_started = True
                input.skip_byte_order_mark()
            self.batch_offset, self.batch_line = input.position, self.decoder.place.line
            while True:
                at = self.decoder.decode(input.begin, input.end, input.is_at_end, input.position)
                input.take(at - input.begin)
                if self.decoder.rows.count > 0:
                    return self.decoder.take_batch()
                if input.is_at_end:
                    return None
                self.read_line()
        except DecodeError as error:
            if error.line is None:
                # Of the source: bad compressed data.
                error.line = self.decoder.place.line
            raise

    cdef int read_line(self) except -1:
        """Read until the line at hand is whole, or there is no more."""
        cdef InputBuffer input = self.input
        cdef size_t searched
        while True:
            searched = input.end - input.begin
            input.read_more()
            if (
                input.is_at_end or has_line_end(input.begin + searched, input.end)
                or <size_t>(input.end - input.begin) > self.max_line_size
            ):
                return 0

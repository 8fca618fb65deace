"""Reads RDF Patch in Thrift as batches."""


@cython.final
cdef class ThriftBatchReader(BatchSource):
    """Iterates over the batches of RDF Patch in Thrift; the end of the input ends a patch too.

    Memory is bounded by a row and a batch. A batch has the rows at hand: it does not wait for more
    rows of a live source.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` is for a row.
    """

    cdef InputBuffer input
    cdef BatchBuilder builder
    cdef RowDecoder decoder
    cdef uint64_t row  # that comes next
    # Where the last batch starts.
    cdef uint64_t batch_offset
    cdef uint64_t batch_row

    def __cinit__(self, source, NodeMaker factory not None, limits):
        self.builder = BatchBuilder(factory, limits)
        self.decoder = RowDecoder(self.builder, limits)
        self.input = InputBuffer(source, limits, padding=True)

    cpdef int place_error(self, error) except -1:
        error.offset, error.row = self.batch_offset, self.batch_row
        return 0

    cdef int close_source(self) except -1:
        self.input.close()
        return 0

    cdef Batch read_batch(self):
        try:
            while not self.decode():
                if self.input.is_at_end:
                    self.is_finished = True
                    return self.finish()
                self.read_row()
        except DecodeError as error:
            error.row = self.row
            if self.row == 0 and not isinstance(error, LimitError):
                error.message += "; is the input RDF Patch in Thrift at all?"
            raise
        self.batch_row = self.row
        self.row += self.builder.rows.count
        return self.builder.take(has_graphs=True)

    cdef bint decode(self) except -1:
        """Decode the bytes at hand; False if they have no whole row."""
        cdef InputBuffer input = self.input
        cdef RowDecoder decoder = self.decoder
        cdef Failure* failure = decoder.cursor.failure
        cdef const uint8_t* at
        self.batch_offset = input.position
        with nogil:
            at = decoder.decode(input.begin, input.end, input.is_at_end)
        if self.builder.rows.count == 0 and failure.at != NULL:
            raise failure_to_error(
                failure, input.position + (failure.at - decoder.cursor.start), None, None
            )
        input.take(at - input.begin)
        return self.builder.rows.count > 0

    cdef int read_row(self) except -1:
        """Read until the row is whole, or there is no more."""
        cdef InputBuffer input = self.input
        cdef RowDecoder decoder = self.decoder
        cdef Skip skip
        cdef Cursor* cursor = &decoder.cursor
        start_skip(&skip, STRUCT, 0)
        while True:
            input.read_more()
            decoder.start_row(input.begin, input.end, False)
            cursor.at += skip.reached
            skip_values(cursor, &skip)
            if input.is_at_end or not cursor.is_incomplete:
                return 0

    cdef Batch finish(self):
        """Return a batch with the end of the patch that the input's end ends, if it ends one."""
        if self.decoder.in_transaction:
            raise DecodeError("the input ends inside a transaction", offset=self.input.position)
        if self.decoder.has_end and not self.decoder.is_open:
            return None
        self.builder.append(END, 0, 0, 0, 0)
        return self.builder.take(has_graphs=True)

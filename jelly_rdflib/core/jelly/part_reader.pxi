"""Reads a part of a long stream, from a place where the decoder's state is known."""

@cython.nonecheck(True)
@cython.final
cdef class PartReader(BatchSource):
    """Iterates over the batches of frames that follow one another somewhere in a stream.

    Args:
        source: The bytes of these frames, delimited, from the start of the first one's length on.
        decoder: A decoder that has decoded, or was restored to, all that comes before.
        limits: A `jelly_rdflib.Limits`.
        offset: Where in the stream they start, for errors.
        is_last: Whether the stream ends with them.
    """

    cdef FrameReader frames
    cdef FrameDecoder decoder
    cdef bint is_last

    def __cinit__(
        self, source, FrameDecoder decoder not None, limits, *, uint64_t offset, bint is_last
    ):
        self.decoder = decoder
        self.is_last = is_last
        self.frames = FrameReader(source, limits)
        self.frames.is_started = self.frames.is_delimited = True
        self.frames.position = offset
        self.frames.frame_number = decoder.frame

    @property
    def options(self):
        """The stream's options."""
        return self.decoder.options

    cdef Batch read_batch(self):
        cdef Batch batch
        if self.frames.next_frame():
            return self.decoder.decode(
                self.frames.frame, self.frames.frame_size, self.frames.frame_offset
            )
        if not self.is_last:
            return None
        batch = self.decoder.end(self.frames.position)
        self.is_finished = True
        return batch if batch.rows.count > 0 else None

    cpdef int place_error(self, error) except -1:
        error.offset, error.frame = self.frames.frame_offset, self.decoder.last_frame()
        return 0

    cdef int close_source(self) except -1:
        self.frames.close()
        return 0


@cython.nonecheck(True)
@cython.final
cdef class StreamScanner:
    """Goes through a stream, and tells the decoder's state at places about as far apart as asked.

    Iterating gives tuples of the offset at which the next frame starts, the place of its first
    operation (as `jelly_rdflib.core.arrow.RowColumnsBuilder` has it), and the decoder's
    state. There is none for the stream's start, nor for its end.

    Args:
        source: What `jelly_rdflib.core.source.open_source` takes.
        decoder: A new decoder.
        limits: A `jelly_rdflib.Limits`.
        spacing: How many bytes there are to be between two places, at the least.
        counts_frames: As for the builder of columns.
    """

    cdef FrameReader frames
    cdef FrameDecoder decoder
    cdef OperationPlace place
    cdef uint64_t spacing
    cdef uint64_t last
    cdef bint counts_frames
    cdef bint is_reading

    def __cinit__(
        self, source, FrameDecoder decoder not None, limits, *, uint64_t spacing,
        bint counts_frames=False
    ):
        self.decoder = decoder
        self.frames = FrameReader(source, limits)
        self.spacing = spacing
        self.counts_frames = counts_frames
        place_init(&self.place)

    def __iter__(self):
        return self

    def __next__(self):
        if self.is_reading:
            raise ValueError("the scanner is already reading")
        self.is_reading = True
        try:
            return self.next_place()
        finally:
            self.is_reading = False

    cdef tuple next_place(self):
        cdef FrameReader frames = self.frames
        cdef uint64_t start
        cdef bytes state
        while True:
            start = frames.position
            # A bare frame is one, and whole.
            if not frames.next_frame() or not frames.is_delimited:
                raise StopIteration
            if start - self.last < self.spacing or not self.decoder.has_options:
                self.step()
                continue
            self.last = start
            place = (
                self.place.seq, self.place.patch, self.place.next_transaction,
                self.place.transaction, self.place.implicit_transaction,
            )
            state = self.decoder.save()
            self.step()
            return start, place, state

    cdef int step(self) except -1:
        """Decode the frame that was found."""
        cdef Batch batch = self.decoder.decode(
            self.frames.frame, self.frames.frame_size, self.frames.frame_offset
        )
        cdef size_t row
        for row in range(batch.rows.count):
            place_operation(&self.place, batch.rows.ops[row])
        self.place.patch += self.counts_frames
        return 0

    def close(self):
        """Close the source, if it was opened here."""
        if self.is_reading:
            raise ValueError("the scanner is reading, and can't be closed")
        self.frames.close()

"""Finds places in a long stream from which its parts can be decoded."""

@cython.nonecheck(True)
@cython.final
cdef class StreamScanner:
    """Decodes a stream, and takes a checkpoint of the decoder each time so many bytes were read.

    Iterating gives tuples: the offset at which the next frame starts, the place of its first
    operation (see `jelly_rdflib.core.arrow.RowColumnsBuilder`), and the checkpoint. None is taken
    at the stream's start or end.

    Args:
        source: See `jelly_rdflib.core.source.open_source`.
        decoder: A new decoder.
        limits: A `jelly_rdflib.Limits`.
        spacing: The least number of bytes between two checkpoints.
        counts_frames: See `jelly_rdflib.core.arrow.RowColumnsBuilder`.
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
        cdef bytes checkpoint
        while True:
            start = frames.position
            # A bare frame is the whole stream.
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
            checkpoint = self.decoder.save()
            self.step()
            return start, place, checkpoint

    cdef int step(self) except -1:
        """Decode the frame that was found."""
        cdef Batch batch = decode_found(self.frames, self.decoder)
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

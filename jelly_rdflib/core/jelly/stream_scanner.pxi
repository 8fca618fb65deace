"""Finds positions in a long stream at which decoding can start."""

@cython.nonecheck(True)
@cython.final
cdef class StreamScanner:
    """Decodes a stream with a new decoder, and takes a checkpoint after every ``spacing`` bytes.

    Iterating yields tuples: the offset at which the next frame starts, the position of its first
    operation (see `jelly_rdflib.core.arrow.RowColumnsBuilder`, also for ``counts_frames``), and the
    checkpoint. No checkpoint is taken at the stream's start or end.
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

    @cython.critical_section
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
        cdef tuple found = None
        cdef uint64_t start
        cdef Batch batch
        cdef size_t row
        while found is None:
            start = frames.position
            # Stop at a bare frame, which is the whole stream.
            if not frames.next_frame() or not frames.is_delimited:
                raise StopIteration
            if start - self.last >= self.spacing and self.decoder.has_options:
                self.last = start
                place = (
                    self.place.seq, self.place.patch, self.place.next_transaction,
                    self.place.transaction, self.place.implicit_transaction,
                )
                found = start, place, self.decoder.save()
            batch = decode_found(frames, self.decoder)
            for row in range(batch.rows.count):
                place_operation(&self.place, batch.rows.ops[row])
            self.place.patch += self.counts_frames
        return found

    @cython.critical_section
    def close(self):
        """Close the source."""
        if self.is_reading:
            raise ValueError("the scanner is reading, and can't be closed")
        self.frames.close()

"""Counts of the rows, lookup entries and terms in the frames of a stream."""

@cython.final
cdef class FrameStatistics:
    """Reports the rows, lookup entries and terms in the frames that a reader has decoded.

    Making this object starts the counting in the reader's decoders. Call `count` after each batch.
    """

    cdef BatchReader batches
    cdef uint64_t frames
    # About the last frame.
    cdef uint64_t frame_offset
    cdef uint64_t frame_size
    cdef uint64_t frame_rows
    cdef uint64_t frame_entries
    # About all frames up to the last one.
    cdef Counts frame_counts
    cdef Lookup[LOOKUPS] counted_lookups  # only their counts are used

    def __cinit__(self, BatchReader batches not None):
        self.batches = batches
        batches.decoder.terms.inspect()
        if batches.other_decoder is not None:
            batches.other_decoder.terms.inspect()

    def count(self):
        """Update the counts with the frame of the reader's last batch, if the batch has a frame.

        A batch for the end of the input has no frame.
        """
        cdef FrameReader frames = self.batches.frames
        cdef FrameDecoder decoder = self.batches.decoder
        cdef int lookup
        if frames.frame_number == self.frames or self.batches.is_finished:
            return False
        self.frames = frames.frame_number
        self.frame_offset = frames.frame_offset
        self.frame_size = frames.frame_size
        self.frame_rows = decoder.row
        self.frame_entries = 0
        for lookup in range(LOOKUPS):
            self.frame_entries += decoder.terms.lookups[lookup].counts.entries
            self.frame_entries -= self.counted_lookups[lookup].counts.entries
            self.counted_lookups[lookup] = decoder.terms.lookups[lookup]
        self.frame_counts = decoder.terms.counts
        return True

    def locate(self, list rows not None):
        """Return the input positions of operations of the last batch, in ascending order.

        A position is an offset in bytes and the number of a row in the frame. For an operation
        without a row, such as any in Jelly-RDF 1.2, it is the end of the frame and None.
        """
        cdef FrameReader frames = self.batches.frames
        cdef FrameDecoder decoder = self.batches.decoder
        cdef const uint8_t* row_at
        cdef uint64_t number = 0
        cdef uint64_t operation = 0
        cdef uint64_t wanted
        cdef int found = 1
        cdef Span rest
        self.check_frame()
        rest.start = rest.end = frames.frame
        if not self.batches.is_finished and decoder.draft_options is None:
            # Search the frame, unless its memory may be released, or it has columns instead of
            # rows.
            rest.end += frames.frame_size
        places = []
        # Reset the count, since decoding merges the same messages again.
        decoder.terms.merged_size = 0
        self.batches.is_reading = True
        try:
            for wanted in rows:
                while found > 0 and operation <= wanted:
                    found = decoder.next_operation(&rest, &row_at, &number)
                    operation += 1
                if found < 0:
                    # The frame was decoded before, so other code has changed it since.
                    raise failure_to_error(
                        &decoder.terms.failure, self.frame_offset, self.frames, None
                    )
                if found > 0:
                    places.append((self.frame_offset + (row_at - frames.frame), number - 1))
                else:
                    places.append((self.position, None))
        finally:
            decoder.terms.free_merged()
            self.batches.is_reading = False
        return places

    def find_unexpected_fields(self):
        """Return the fields of the last frame that protobuf accepts but no stream should have.

        Each kind of field is returned once in a stream, as a tuple: the reason (an
        `UnexpectedKind`), the name of its message, the number of the field, its offset in the
        input in bytes, and the number of its row.
        """
        cdef FrameReader frames = self.batches.frames
        cdef UnexpectedFields* unexpected = self.batches.decoder.terms.unexpected
        cdef UnexpectedField* field
        cdef uint32_t number
        self.check_frame()
        found = []
        for number in range(0 if self.batches.is_finished else unexpected.count):
            field = &unexpected.found[number]
            offset = self.frame_offset
            # A field of a merged message has no offset in the input.
            if frames.frame <= field.at < frames.frame + frames.frame_size:
                offset += field.at - frames.frame
            kind = <UnexpectedKind>field.kind
            found.append((kind, MESSAGE_NAMES[field.message], field.field, offset, field.row))
        return found

    cdef int check_frame(self) except -1:
        """Check that the frame is still the reader's last one, since only that is in memory."""
        if self.batches.is_reading:
            raise ValueError("the reader is already reading")
        if self.batches.frames.frame_number != self.frames:
            raise ValueError("the reader has moved on: call count() after each of its batches")
        return 0

    @property
    def is_patch(self):
        """Whether the stream is Jelly-Patch, not Jelly-RDF."""
        return self.batches.decoder.row_message == PATCH_ROW

    @property
    def is_in_graph(self):
        """Whether a graph of a stream of graphs has started and not ended."""
        return self.batches.decoder.is_in_graph

    @property
    def is_delimited(self):
        """Whether each frame is preceded by its length."""
        return self.batches.frames.is_delimited

    @property
    def position(self):
        """The offset of the last frame's end in the uncompressed input, or 0 before any frame."""
        return self.frame_offset + self.frame_size

    @property
    def last_frame(self):
        """The last frame's number, offset and size in bytes, rows, and lookup entries."""
        return (
            max(self.frames, <uint64_t>1) - 1, self.frame_offset, self.frame_size, self.frame_rows,
            self.frame_entries,
        )

    @property
    def counts(self):
        """The counts of all frames so far, see `Counts`."""
        return self.frame_counts

    @property
    def lookups(self):
        """The sizes and `LookupCounts` of the lookups of names, prefixes and datatypes."""
        return [{"size": lookup.size, **lookup.counts} for lookup in self.counted_lookups]

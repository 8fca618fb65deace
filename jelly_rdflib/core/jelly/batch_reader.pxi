"""Iterates over the batches of a stream of frames."""

cdef enum:
    # Frames that `read_ahead` decodes at once, at the most.
    MAX_AHEAD = 64


@cython.nonecheck(True)
@cython.final
cdef class BatchReader(BatchSource):
    """Iterates over a stream's batches: one for each frame, and one for the end if it has rows.

    Args:
        source: See `jelly_rdflib.core.source.open_source`.
        statement_decoder: Decodes the frames if they turn out to be of Jelly-RDF. None: only the
            format of ``decoder`` is expected.
        offset: For a part of a stream that starts behind the stream's start: its offset there. Its
            frames are delimited, and ``decoder`` was restored from a checkpoint.
        is_last: Whether the stream ends where the source ends.
    """

    cdef FrameReader frames
    cdef FrameDecoder decoder
    cdef FrameDecoder statement_decoder  # None as soon as the format is known
    cdef FrameDecoder other_decoder
    cdef bint is_last
    cdef object known_options  # by `read_ahead`, that each batch need not make them
    cdef object late_error  # of a frame behind the batches that `read_ahead` returned

    def __cinit__(
        self, source, FrameDecoder decoder not None, limits, FrameDecoder statement_decoder=None,
        *, offset=None, bint is_last=True
    ):
        self.decoder = decoder
        self.statement_decoder = self.other_decoder = statement_decoder
        self.is_last = is_last
        self.frames = FrameReader(source, limits)
        if offset is not None:
            self.frames.is_started = self.frames.is_delimited = True
            self.frames.position = offset
            self.frames.frame_number = decoder.frame

    @property
    def options(self):
        """The stream's options; None before its first frame was read."""
        return self.decoder.options

    cdef int close_source(self) except -1:
        self.frames.close()
        return 0

    cdef Batch read_batch(self):
        cdef Batch batch
        if self.late_error is not None:
            error, self.late_error = self.late_error, None
            raise error
        try:
            if self.frames.next_frame():
                if self.statement_decoder is not None:
                    self.choose_decoder()
                return decode_found(self.frames, self.decoder)
            if not self.is_last:
                return None
            batch = self.decoder.end(self.frames.position)
        except DecodeError as error:
            if not self.decoder.found_options and self.frames.position > 0:
                what = "Jelly" if self.other_decoder is not None else self.decoder.format.decode()
                error.message += f"; is the input {what} at all?"
            raise
        self.is_finished = True
        return batch if batch.rows.count > 0 else None

    def save(self):
        """Return a checkpoint of the decoder: see `FrameDecoder.save`."""
        return self.decoder.save()

    def read_ahead(self, size_t most=MAX_AHEAD):
        """Return the next batch, and the batches of up to ``most - 1`` frames read together with it.

        They come as `PlacedBatches` takes them; none at the end. Frames are decoded in one go
        without the GIL: threads that take it for each frame get in each other's way.
        """
        cdef Batch batch = self.next_batch()
        # The batch may have told which of two decoders it is.
        cdef FrameDecoder decoder = self.decoder
        cdef list found = []
        cdef bint may_change = decoder.repeated_options == START_ANEW
        if batch is None:
            return found
        if self.known_options is None or may_change:
            self.known_options = decoder.options
        found.append(
            (batch, self.known_options, self.frames.frame_offset, decoder.last_frame())
        )
        if self.is_finished or not decoder.has_options or may_change:
            return found
        self.is_reading = True
        try:
            decode_at_hand(self.frames, decoder, self.known_options, found, most)
        except DecodeError as error:
            self.late_error = error
        finally:
            self.is_reading = False
        return found

    cdef int locate_error(self, error) except -1:
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
            self.decoder.terms.counts = self.other_decoder.terms.counts
        if kind != StreamKind.NO_ROWS:
            self.statement_decoder = self.other_decoder = None
        return 0


cdef Batch decode_found(FrameReader frames, FrameDecoder decoder):
    """Decode the frame that the reader has found."""
    return decoder.decode(frames.frame, frames.frame_size, frames.frame_offset)


cdef int decode_at_hand(
    FrameReader frames, FrameDecoder decoder, object options, list found, size_t most
) except -1:
    """Decode the frames that are in memory already; at an error those before it are found, too."""
    cdef DecodedFrame[MAX_AHEAD] decoded
    cdef size_t room = min(max(most, <size_t>1), <size_t>MAX_AHEAD) - 1  # `found` has a batch
    cdef uint64_t first = decoder.frame
    cdef size_t count = 0
    cdef size_t number
    cdef int result = 0
    cdef Span frame
    cdef dict metadata
    decoder.check_usable()
    decoder.is_busy = True
    with nogil:
        # There is room for the metadata of one frame only.
        while count < room and decoder.metadata is None and frames.next_at_hand():
            frame.start = frames.frame
            frame.end = frames.frame + frames.frame_size
            result = decoder.start_rows(frames.frame_size)
            if result >= 0:
                result = decoder.decode_frame_rows(frame)
            if result < 0:
                break
            decoder.frame += 1
            decoder.expect_as_many()
            decoded[count].rows = decoder.rows
            decoded[count].terms = decoder.terms.terms
            decoded[count].offset = frames.frame_offset
            memset(&decoder.rows, 0, sizeof(RowColumns))
            memset(&decoder.terms.terms, 0, sizeof(TermColumns))
            # No term is looked up any more. The next frame takes the same memory, which is warm.
            PyMem_RawFree(decoded[count].terms.slots)
            decoded[count].terms.slots = NULL
            count += 1
    decoder.is_busy = False
    try:
        for number in range(count):
            metadata = {}
            if number == count - 1 and result >= 0 and decoder.metadata is not None:
                metadata, decoder.metadata = decoder.metadata, None
            batch = make_batch(
                &decoded[number].rows, &decoded[number].terms, decoder.factory, decoder.has_graphs,
                metadata,
            )
            found.append((batch, options, decoded[number].offset, first + number))
    finally:
        for number in range(count):
            rows_free(&decoded[number].rows)
            terms_free(&decoded[number].terms)
    if result < 0:
        decoder.raise_failure(frames.frame, frames.frame_size, frames.frame_offset)
    return 0

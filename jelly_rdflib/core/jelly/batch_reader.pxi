"""Iterates over the batches of a stream of frames."""

cdef enum:
    # The maximum number of frames before the options. The limit is for files of zeros, which look
    # like empty frames.
    MOST_FRAMES_BEFORE_OPTIONS = 1 << 16

@cython.nonecheck(True)
@cython.final
cdef class BatchReader(BatchSource):
    """Iterates over a stream's batches: one for each frame, and one for the end if that adds rows.

    Args:
        source: See `jelly_rdflib.core.source.open_source`.
        statement_decoder: Decodes the frames if they turn out to be Jelly-RDF. None: only the
            format of ``decoder`` is expected.
        offset: The offset of the source in the stream, if the source is a later part of the stream.
            Its frames are delimited, and ``decoder`` was restored from a checkpoint.
        is_last: Whether the end of the source is the end of the stream.
    """

    cdef FrameReader frames
    cdef FrameDecoder decoder
    cdef FrameDecoder statement_decoder  # None as soon as the format is known
    cdef FrameDecoder other_decoder
    cdef bint is_last

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
    @cython.critical_section
    def options(self):
        """The stream's options, or None before its first frame is read."""
        return self.decoder.options

    @property
    def draft_options(self):
        """The options that only Jelly-RDF 1.2 has, or None for any other stream."""
        return self.decoder.draft_options

    cdef int close_source(self) except -1:
        self.frames.close()
        return 0

    cdef Batch read_batch(self):
        cdef Batch batch
        try:
            if self.frames.next_frame():
                if self.statement_decoder is not None:
                    self.choose_decoder()
                batch = decode_found(self.frames, self.decoder)
                if not self.decoder.has_options and self.decoder.frame > MOST_FRAMES_BEFORE_OPTIONS:
                    raise DecodeError(
                        f"the first {MOST_FRAMES_BEFORE_OPTIONS:,} frames don't have the stream's"
                        " options", rule=Rule.OPTIONS_FIRST, offset=self.frames.frame_offset,
                        frame=self.decoder.last_frame() + 1,
                    )
                return batch
            if not self.is_last:
                return None
            batch = self.decoder.end(self.frames.position)
        except DecodeError as error:
            # An error without a rule comes from the source, such as one in compressed data.
            if (
                not self.decoder.found_options and self.frames.position > 0
                and error.rule is not None and not self.frames.starts_with_options
            ):
                what = "Jelly" if self.other_decoder is not None else self.decoder.format.decode()
                error.message += f"; is the input {what} at all?"
            raise
        self.is_finished = True
        return batch if batch.rows.count > 0 else None

    @cython.critical_section
    def save(self):
        """Return a checkpoint of the decoder: see `FrameDecoder.save`."""
        return self.decoder.save()

    cdef int locate_error(self, error) except -1:
        error.offset, error.frame = self.frames.frame_offset, self.decoder.last_frame() + 1
        return 0

    cdef int choose_decoder(self) except -1:
        """Choose the decoder by the first frame with rows; until then, use Jelly-RDF's.

        Only Jelly-RDF has metadata, which a frame without rows may have.
        """
        cdef StreamKind kind = find_stream_kind(self.found_frame())
        if (self.decoder is self.statement_decoder) != (
            kind == StreamKind.STATEMENT_STREAM or kind == StreamKind.NO_ROWS
        ):
            self.decoder, self.other_decoder = self.other_decoder, self.decoder
            self.decoder.frame = self.other_decoder.frame
            self.decoder.terms.counts = self.other_decoder.terms.counts
        if kind != StreamKind.NO_ROWS:
            self.statement_decoder = self.other_decoder = None
        return 0

    cdef Span found_frame(self) noexcept:
        """Return the last frame, which is valid until the next read."""
        cdef Span frame
        frame.start = self.frames.frame
        frame.end = self.frames.frame + self.frames.frame_size
        return frame


cdef Batch decode_found(FrameReader frames, FrameDecoder decoder):
    """Decode the frame that the reader has found."""
    return decoder.decode(frames.frame, frames.frame_size, frames.frame_offset)

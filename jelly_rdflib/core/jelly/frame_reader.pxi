"""Splits a stream of bytes into frames."""

cdef enum:
    # The tag of a frame's columns in Jelly-RDF 1.2.
    COLUMNS_TAG = COLUMNS_FIELD << 3 | LENGTH_DELIMITED

@cython.nonecheck(True)
@cython.final
cdef class FrameReader(InputBuffer):
    """Finds the frames of a source, delimited or bare, or other messages that must be delimited.

    The largest frame bounds the memory: a frame's length is checked against the limit first, and
    memory grows only as the frame's bytes arrive.
    """

    cdef bint is_started
    cdef bint is_delimited
    cdef size_t max_frame_size
    cdef uint64_t frame_number
    # The last frame, valid until the next call.
    cdef const uint8_t* frame
    cdef size_t frame_size
    cdef uint64_t frame_offset
    # Whether the input ends inside a frame that starts with a stream's options.
    cdef bint starts_with_options

    def __cinit__(self, source, limits, *, bint delimited=False):
        self.max_frame_size = limits.max_frame_size
        # If the frames are not known to be delimited, the first bytes decide.
        self.is_started = self.is_delimited = delimited

    def __iter__(self):
        return self

    @cython.critical_section
    def __next__(self):
        """Return the next frame, without its length."""
        if not self.next_frame():
            raise StopIteration
        return PyBytes_FromStringAndSize(<const char*>self.frame, self.frame_size)

    cdef bint next_frame(self) except -1:
        """Find the next frame; return False at the end of the input."""
        cdef bint found
        try:
            if not self.is_started:
                self.start()
            found = self.next_delimited() if self.is_delimited else self.next_bare()
        except DecodeError as error:
            error.frame = self.frame_number + 1
            raise
        self.frame_number += found
        return found

    cdef int start(self) except -1:
        """Find out whether the frames are delimited.

        A bare frame starts with the tag of its first row, the row's length and the tag of the
        options in the row; a delimited frame with its length and the tag of its first row. Both
        tags are the same byte, 10. So a first byte other than 10 must be a length. If the first
        byte is 10 and the second is not, the frame is bare: the second is the length of its first
        row. If both are 10, the third byte decides, since no row in a frame of 10 bytes is 10 bytes
        long. Only a bare frame of Jelly-RDF 1.2 may start with the tag of its columns instead.
        """
        self.is_started = True
        if self.fill(1) and self.begin[0] == COLUMNS_TAG:
            self.is_delimited = not self.starts_with_columns()
            return 0
        self.fill(3)
        self.is_delimited = not (
            self.end - self.begin >= 1 and self.begin[0] == ROWS_TAG
            and (
                self.end - self.begin < 2 or self.begin[1] != ROWS_TAG
                or (self.end - self.begin >= 3 and self.begin[2] == ROWS_TAG)
            )
        )
        return 0

    cdef bint starts_with_columns(self) except -1:
        """Return whether the input is a bare frame that starts with columns, not delimited frames.

        The first byte, 18, is the tag of the columns or the length of a delimited frame. If the
        next 18 bytes are a frame with options or metadata, the frames are delimited: this is known
        without waiting for another frame. Otherwise the whole input decides.
        """
        cdef Span frame, entry, ignored
        cdef StreamKind kind
        if self.fill(1 + COLUMNS_TAG):
            frame.start = self.begin + 1
            frame.end = frame.start + COLUMNS_TAG
            kind = find_stream_kind(frame)
            if kind == StreamKind.PATCH_STREAM or kind == StreamKind.STATEMENT_STREAM:
                return False
            if (
                kind == StreamKind.NO_ROWS
                and find_field(&frame, METADATA, LENGTH_DELIMITED, &entry) > 0
                # All fields of an entry are texts, so this reads the entry to its end.
                and find_field(&entry, 1, VARINT, &ignored) == 0
            ):
                return False
        self.fill(self.max_frame_size + 1)
        frame.start = self.begin
        frame.end = self.end
        return has_draft_version(frame)

    cdef bint next_delimited(self) except -1:
        cdef const uint8_t* at
        cdef uint64_t size
        cdef Failure failure
        if not self.fill(1):
            return False
        if self.begin[0] >= 0x80:
            self.fill(MAX_VARINT)
        at = self.begin
        if read_varint(&at, self.end, &size, &failure) < 0:
            raise DecodeError(
                "the frame's length is cut off, or is not a varint", rule=Rule.FRAME_LENGTH,
                offset=self.position,
            )
        if size > self.max_frame_size:
            raise self.limit_error(size)
        self.take(at - self.begin)
        if not self.fill(size):
            self.starts_with_options = has_options_first(self.begin, self.end)
            raise DecodeError(
                f"the frame has {size} bytes, but the input ends after {self.end - self.begin}",
                rule=Rule.FRAME_LENGTH, offset=self.position,
            )
        self.frame_offset = self.position
        self.frame = self.begin
        self.frame_size = size
        self.take(size)
        return True

    cdef bint next_bare(self) except -1:
        if self.frame_number > 0:
            return False
        # Read one more byte than allowed, to detect a frame that is too long.
        if self.fill(self.max_frame_size + 1):
            raise self.limit_error(None)
        self.frame_offset = self.position
        self.frame = self.begin
        self.frame_size = self.end - self.begin
        self.take(self.frame_size)
        return True

    cdef object limit_error(self, object size):
        return LimitError(
            f"frame of {f'more than {self.max_frame_size}' if size is None else size} bytes",
            limit="max_frame_size", value=self.max_frame_size, asked=size, offset=self.position,
        )


cdef bint has_options_first(const uint8_t* at, const uint8_t* end) noexcept:
    """Return whether a frame starts with a row of options, as the first frame of a stream does."""
    # The length of the row has one or two bytes.
    return (
        end - at >= 4 and at[0] == ROWS_TAG
        and (at[2] == ROWS_TAG or (at[1] >= 0x80 and at[3] == ROWS_TAG))
    )

"""Decodes frames of either format to batches: what Jelly-RDF and Jelly-Patch share of a stream."""

cdef enum:
    # Fields of the options, in both formats.
    GENERALIZED_STATEMENTS = 3
    RDF_STAR = 4
    MAX_NAME_TABLE_SIZE = 9
    MAX_PREFIX_TABLE_SIZE = 10
    MAX_DATATYPE_TABLE_SIZE = 11
    VERSION = 15
    OPTION_FIELDS = 16

cdef enum:
    # The meaning of an options row that repeats the options of the stream.
    GO_ON = 0
    START_ANEW = 1
    REFUSE = 2

ctypedef struct NamedTerms:
    # The fields of a namespace, a header or a graph start: each has some of these.
    Span name
    EncodedTerm value
    EncodedTerm graph  # of a namespace


cdef enum:
    # Of checkpoints: a checkpoint of another version can't be read.
    CHECKPOINT_VERSION = 1
    MAX_FRAMES = 0x3FFFFFFFFFFFFFFF

cdef enum:
    MIN_NAME_TABLE_SIZE = 8
    # In place of a row's number.
    NO_ROW = 0xFFFFFFFFFFFFFFFF

# The names that users give to these meanings.
REPEATED_OPTIONS = {"continue": GO_ON, "restart": START_ANEW, "error": REFUSE}


cdef class FrameDecoder:
    """Decodes frames, one after another, each to a `Batch`. Subclasses know the rows of a format.

    Args:
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`.
        faults: A list that takes errors after which decoding goes on as if there had been none:
            those of rules that what follows does not depend on. Else each is raised.
        on_repeated_options: What options mean that the stream has already, see
            `jelly_rdflib.PatchDecoder`.
    """

    cdef TermDecoder terms
    cdef NodeMaker factory
    # Set by a subclass for its format: the messages of rows and options in `schema`, the version of
    # the protocol, and the name of the other format.
    cdef int row_message
    cdef int options_message
    cdef uint32_t newest_version
    cdef const char* format
    cdef const char* other_format
    cdef uint32_t other_wire_type  # of field 1 in the other format's options
    # The rows of statements that `TermDecoder.decode_regular_rows` may decode now, if any.
    cdef bint has_regular_rows
    cdef bint has_graph_fields
    cdef bint has_graphs  # statements have graphs, from wherever
    cdef StatementRow add_row
    cdef StatementRow delete_row
    cdef readonly bint found_options  # even if they are no good
    cdef bint has_options
    cdef int repeated_options  # what they mean
    cdef uint32_t[OPTION_FIELDS] option_fields  # numbers and flags, by number of field
    cdef bint must_warn  # there is something odd about the options, but not wrong
    cdef bint is_broken
    cdef bint is_finished
    cdef bint is_busy  # some thread is in there, without the GIL
    cdef uint32_t max_names
    cdef uint32_t max_prefixes
    cdef uint32_t max_datatypes
    cdef size_t max_frame_size
    cdef size_t max_frame_rows
    # Where the decoder is, for errors.
    cdef uint64_t frame
    cdef uint64_t row
    cdef bint is_in_row
    cdef list faults  # takes those that were recovered; None: none is
    # The frame being decoded.
    cdef RowColumns rows
    cdef dict metadata
    cdef size_t row_hint
    cdef uint32_t term_hint
    cdef size_t text_hint

    def __cinit__(
        self, NodeMaker factory not None, limits, *, list faults=None,
        on_repeated_options="continue", **_
    ):
        if on_repeated_options not in REPEATED_OPTIONS:
            raise ValueError(
                f"on_repeated_options is one of {', '.join(map(repr, REPEATED_OPTIONS))},"
                f" not {on_repeated_options!r}"
            )
        self.repeated_options = REPEATED_OPTIONS[on_repeated_options]
        self.factory = factory
        # A subclass has its own.
        self.format = self.other_format = b""
        self.terms = TermDecoder.__new__(TermDecoder)
        self.terms.limits.string_size = limits.max_string_size
        self.terms.limits.text_size = limits.max_text_size
        self.terms.limits.expansion = limits.max_expansion
        self.terms.max_frame_terms = limits.max_frame_terms
        self.terms.max_nesting_depth = limits.max_nesting_depth
        self.max_names = limits.max_name_table_size
        self.max_prefixes = limits.max_prefix_table_size
        self.max_datatypes = limits.max_datatype_table_size
        self.max_frame_size = limits.max_frame_size
        self.max_frame_rows = limits.max_frame_rows
        self.row_hint = 64
        self.term_hint = 64
        self.text_hint = 2048
        if faults is not None:
            self.faults = faults
            self.terms.recover_faults()

    def __dealloc__(self):
        rows_free(&self.rows)

    def decode_frame(self, data, *, uint64_t offset=0):
        """Decode one frame, without a length before it.

        Args:
            data: The bytes of the frame's message.
            offset: Position of the frame in its stream, for errors.

        Raises:
            DecodeError: The frame breaks a rule. The decoder can't go on after that.
        """
        cdef Py_buffer view
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            return self.decode(<const uint8_t*>view.buf, view.len, offset)
        finally:
            PyBuffer_Release(&view)

    def finish(self):
        """End the stream.

        Returns:
            A batch with the `Op.END` of the patch that the end of input ends: that of a FLAT
            stream, or the last one of a PUNCTUATED stream that has no mark behind it. Else an
            empty batch.

        Raises:
            DecodeError: A transaction is open, or there was no frame at all.
        """
        return self.end(0)

    def save(self):
        """Return a checkpoint: bytes with which another decoder goes on from the next frame.

        It has as many bytes as the lookups' entries, and some more.

        Raises:
            DecodeError: There was no frame with options yet, or the decoder can't go on.
        """
        cdef WriteBuffer out
        cdef size_t field
        memset(&out, 0, sizeof(out))
        self.check_usable()
        if not self.has_options:
            raise DecodeError("there is no state before the stream's options")
        try:
            put_saved_number(&out, CHECKPOINT_VERSION)
            put_saved_number(&out, self.row_message)
            for field in range(OPTION_FIELDS):
                put_saved_number(&out, self.option_fields[field])
            name = self.saved_name()
            put_saved_text(&out, <const uint8_t*>PyBytes_AS_STRING(name), len(name))
            put_saved_number(&out, self.frame)
            self.terms.save(&out)
            self.save_place(&out)
            return <bytes>(<char*>out.data)[:out.size]
        finally:
            buffer_free(&out)

    def restore(self, bytes checkpoint not None):
        """Go on from a checkpoint that `save` returned; the decoder must be new.

        Raises:
            DecodeError: The checkpoint is damaged, or one of another format.
            LimitError: It asks for more than the limits.
        """
        cdef Span rest
        cdef uint32_t[OPTION_FIELDS] options
        cdef size_t field
        cdef bytes name
        cdef Span span
        self.check_usable()
        if self.has_options or self.frame > 0:
            raise ValueError("only a new decoder can take over a state")
        # The decoder is unusable until the checkpoint is restored completely.
        self.is_broken = True
        rest.start = <const uint8_t*>PyBytes_AS_STRING(checkpoint)
        rest.end = rest.start + len(checkpoint)
        if take_saved_number(&rest, 0xFFFFFFFF) != CHECKPOINT_VERSION:
            raise DecodeError("the checkpoint of a decoder is damaged, or of another version")
        if <int>take_saved_number(&rest, 0xFFFFFFFF) != self.row_message:
            raise DecodeError(f"the checkpoint is not of a decoder of {self.format.decode()}")
        for field in range(OPTION_FIELDS):
            options[field] = <uint32_t>take_saved_number(&rest, 0xFFFFFFFF)
        name = take_saved_text(&rest, self.terms.limits.string_size)
        span.start = <const uint8_t*>PyBytes_AS_STRING(name)
        span.end = span.start + len(name)
        if self.set_options(options, span, span.start) < 0:
            raise failure_to_error(&self.terms.failure, None, None, None)
        # The decoder that read the options has warned of them.
        self.must_warn = False
        self.frame = take_saved_number(&rest, MAX_FRAMES)
        self.terms.restore(&rest)
        self.restore_place(&rest)
        if rest.start != rest.end:
            raise damaged("it goes on behind its end")
        self.is_broken = False
        self.found_options = True

    cdef int check_usable(self) except -1:
        if self.is_busy:
            raise RuntimeError("the decoder is decoding a frame already, in another thread")
        if self.is_broken:
            raise DecodeError("the decoder has failed on an earlier frame and can't go on")
        if self.is_finished:
            raise DecodeError("the stream has ended: finish() was called")
        return 0

    cdef uint64_t last_frame(self) noexcept:
        """Return the number of the last frame that was decoded; 0 before the first."""
        return self.frame - 1 if self.frame > 0 else 0

    cdef Batch decode(self, const uint8_t* start, size_t size, uint64_t offset):
        cdef Span frame
        cdef Batch batch
        cdef int result
        self.check_usable()
        if size > self.max_frame_size:
            self.is_broken = True
            raise LimitError(
                f"frame of {size} bytes (limit max_frame_size: {self.max_frame_size})",
                offset=offset, frame=self.frame,
            )
        frame.start = start
        frame.end = start + size
        self.is_busy = True
        with nogil:
            result = self.start_rows(size)
            if result >= 0:
                result = self.decode_frame_rows(frame)
        self.is_busy = False
        if self.terms.recovered_count > 0:
            self.report_recovered(start, size, offset)
        if result < 0:
            self.raise_failure(start, size, offset)
        self.frame += 1
        batch = self.take_batch()
        if self.must_warn:
            self.must_warn = False
            # Last, since it may run any code, which may decode the next frame.
            self.warn()
        return batch

    cdef Batch end(self, uint64_t offset):
        self.check_usable()
        # Whatever comes of it, there is nothing after the end.
        self.is_finished = True
        if not self.has_options:
            raise DecodeError(
                "the input is empty" if self.frame == 0 else "no frame has the stream's options",
                offset=offset, frame=self.frame,
            )
        self.check_end(offset)
        if self.start_rows(0) < 0:
            raise MemoryError
        self.rows.max_count += 1
        if self.end_rows() < 0:
            raise MemoryError
        return self.take_batch()

    cdef object raise_failure(self, const uint8_t* start, size_t size, uint64_t offset):
        cdef const uint8_t* at = self.terms.failure.at
        self.is_broken = True
        if start <= at <= start + size and at != NULL:
            offset += at - start
        raise failure_to_error(
            &self.terms.failure, offset, self.frame, self.row if self.is_in_row else None
        )

    cdef int report_recovered(
        self, const uint8_t* start, size_t size, uint64_t offset
    ) except -1:
        """Put what was recovered in the frame into the list of faults."""
        cdef RecoveredFault* fault
        cdef const uint8_t* at
        cdef uint32_t number
        for number in range(self.terms.recovered_count):
            fault = &self.terms.recovered[number]
            at = fault.failure.at
            self.faults.append(
                failure_to_error(
                    &fault.failure,
                    # A message that was merged from several fields has no offset of its own.
                    offset + (at - start) if start <= at <= start + size else offset,
                    self.frame, None if fault.row == NO_ROW else fault.row,
                )
            )
        self.terms.recovered_count = 0
        return 0

    cdef int start_rows(self, size_t size) noexcept nogil:
        rows_free(&self.rows)
        if rows_init(&self.rows, min(self.row_hint, self.max_frame_rows)) < 0:
            return fail_memory(&self.terms.failure, NULL)
        self.rows.max_count = self.max_frame_rows
        return self.terms.begin_frame(size, self.term_hint, self.text_hint)

    cdef Batch take_batch(self):
        cdef dict metadata = {} if self.metadata is None else self.metadata
        cdef Batch batch = make_batch(
            &self.rows, &self.terms.terms, self.factory, self.has_graphs, metadata
        )
        cdef TermColumns* terms = &batch.terms.columns
        self.metadata = None
        # The next frame is likely to be about as large as this one.
        self.row_hint = batch.rows.count + 8
        self.term_hint = terms.count + terms.count // 4 + 8
        self.text_hint = terms.offsets[terms.count]
        self.text_hint += self.text_hint // 4 + 64
        return batch

    cdef int decode_frame_rows(self, Span frame) noexcept nogil:
        cdef const uint8_t* at = frame.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef size_t rows
        cdef Span row
        self.is_in_row = False
        self.row = 0
        while at < frame.end:
            if self.has_regular_rows:
                rows = self.rows.count
                at = self.terms.decode_regular_rows(
                    at, frame.end, &self.rows, &self.add_row, &self.delete_row,
                    self.has_graph_fields,
                )
                self.row += self.rows.count - rows
                if at == frame.end:
                    break
            tag_at = at
            self.terms.row = self.row
            if read_tag(&at, frame.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field != ROWS_FIELD:
                if self.decode_frame_field(&at, frame.end, field, wire_type) < 0:
                    return -1
                continue
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure
                ) < 0
                or read_span(&at, frame.end, &row, &self.terms.failure) < 0
                or self.decode_row(row) < 0
            ):
                self.is_in_row = True
                return -1
            self.row += 1
        self.terms.row = NO_ROW
        # The END that the end of the stream stands for is no row of the frame.
        self.rows.max_count += 1
        # There are no options in a frame without rows, before the first row of the stream.
        if self.has_options and self.end_frame(at) < 0:
            return -1
        return self.terms.end_frame()

    @cython.final
    cdef int64_t read_row(self, Span row, Span* content) noexcept nogil:
        """Read a row, and return the last field of its oneof; 0 if it has none that is known."""
        cdef const uint8_t* at = row.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint32_t set_field = 0
        cdef Span span
        content[0] = row
        while at < row.end:
            tag_at = at
            if read_tag(&at, row.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field_kind(self.row_message, field) == UNKNOWN:
                if skip_field(&at, row.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure
                ) < 0
                or read_span(&at, row.end, &span, &self.terms.failure) < 0
            ):
                return -1
            if field == set_field:
                if self.terms.merge(
                    field_kind(self.row_message, field), content, span
                ) < 0:
                    return -1
            else:
                if set_field != 0 and self.terms.check_message(
                    field_kind(self.row_message, set_field), content[0]
                ) < 0:
                    return -1
                set_field = field
                content[0] = span
        return set_field

    cdef int decode_row(self, Span row) noexcept nogil:
        cdef Span content
        cdef int64_t set_field = self.read_row(row, &content)
        if set_field < 0:
            return -1
        if set_field == OPTIONS_ROW:
            return self.use_options(content)
        if not self.has_options:
            return fail(
                &self.terms.failure, content.start, b"the stream does not start with its options"
            )
        if set_field == 0:
            fail(&self.terms.failure, content.start, b"row of no kind that is known")
            return self.terms.recover()
        return self.decode_content(<uint32_t>set_field, content)

    cdef int append(
        self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil:
        if rows_append(&self.rows, op, s, p, o, g) < 0:
            if self.rows.count == self.rows.max_count:
                return self.fail_rows()
            return fail_memory(&self.terms.failure, NULL)
        return 0

    cdef int fail_rows(self) noexcept nogil:
        return fail_limit(
            &self.terms.failure, NULL, b"frame of more than {number} rows (limit max_frame_rows)",
            self.max_frame_rows, 0,
        )

    cdef int use_options(self, Span message) noexcept nogil:
        """Take the stream's options, or do what options mean that it has already."""
        cdef uint32_t[OPTION_FIELDS] options
        cdef Span name
        self.found_options = True
        if self.read_options(message, options, &name) < 0:
            return -1
        if not self.has_options:
            return self.set_options(options, name, message.start)
        if self.repeated_options == REFUSE:
            return fail(
                &self.terms.failure, message.start,
                b"the stream has its options again, and nothing says what that means: choose"
                b" on_repeated_options='restart' if a new stream starts here (the producer has"
                b" started anew, or makes each message a stream), or 'continue' if the producer"
                b" repeats them and goes on with its lookups",
            )
        if self.repeated_options == START_ANEW:
            # The rows before it in the frame would belong to the old stream, and those after it
            # to the new one.
            if self.row > 0:
                return fail(
                    &self.terms.failure, message.start,
                    b"options behind other rows of a frame, but a new stream starts with a frame",
                )
            if self.end_stream() < 0:
                return -1
            return self.set_options(options, name, message.start)
        if (
            memcmp(options, self.option_fields, sizeof(options)) != 0
            or not self.is_same_name(name)
        ):
            fail(
                &self.terms.failure, message.start,
                b"options that differ from the first options of the stream",
            )
            return self.terms.recover()
        return 0

    cdef int set_options(
        self, const uint32_t* options, Span name, const uint8_t* at
    ) noexcept nogil:
        """Check the stream's options, and make the lookups that they ask for."""
        if (
            self.check_options(options, at) < 0
            or self.check_version(options, at) < 0
            or self.check_lookups(options, at) < 0
            or self.terms.set_lookups(
                options[MAX_NAME_TABLE_SIZE], options[MAX_PREFIX_TABLE_SIZE],
                options[MAX_DATATYPE_TABLE_SIZE],
            ) < 0
        ):
            return -1
        memcpy(self.option_fields, options, sizeof(self.option_fields))
        self.terms.generalized = options[GENERALIZED_STATEMENTS]
        self.terms.rdf_star = options[RDF_STAR]
        self.has_options = True
        return self.keep_options(name)

    cdef int read_options(self, Span message, uint32_t* options, Span* name) noexcept nogil:
        """Read the numbers of an options message, by field, and the text that it may have."""
        cdef const uint8_t* at
        cdef uint32_t number, wire_type
        cdef int found
        cdef Field field
        memset(options, 0, OPTION_FIELDS * sizeof(uint32_t))
        name.start = name.end = message.end
        while True:
            at = message.start
            if (
                at < message.end
                and read_tag(&at, message.end, &number, &wire_type, &self.terms.failure) >= 0
                and number == 1 and wire_type == self.other_wire_type
            ):
                # The one field in which the options of the two formats can't be mistaken.
                self.terms.failure.what = self.other_format
                return fail(
                    &self.terms.failure, message.start, b"these are the options of {what}"
                )
            found = next_field(&message, self.options_message, &field, &self.terms.failure)
            if found <= 0:
                return found
            if field.kind == TEXT:
                name[0] = field.span
                if self.terms.check_text(name[0]) < 0:
                    return -1
                continue
            # As for protobuf, whose enums have 32 bits: a negative number takes 64.
            options[field.number] = <uint32_t>field.value
            if field.number == GENERALIZED_STATEMENTS or field.number == RDF_STAR:
                options[field.number] = field.value != 0

    cdef int check_version(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        self.terms.failure.what = self.format
        if options[VERSION] == 0:
            return fail(&self.terms.failure, at, b"options of {what} without a version")
        if options[VERSION] > self.newest_version:
            return fail_number(
                &self.terms.failure, at,
                b"version {number} of {what}: this library reads up to version {bound}",
                options[VERSION], self.newest_version,
            )
        return 0

    cdef int check_lookups(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        if options[MAX_NAME_TABLE_SIZE] < MIN_NAME_TABLE_SIZE:
            return fail_number(
                &self.terms.failure, at, b"name lookup of {number} entries: the least is {bound}",
                options[MAX_NAME_TABLE_SIZE], MIN_NAME_TABLE_SIZE,
            )
        if options[MAX_NAME_TABLE_SIZE] > self.max_names:
            return fail_limit(
                &self.terms.failure, at,
                b"name lookup of {number} entries (limit max_name_table_size: {bound})",
                options[MAX_NAME_TABLE_SIZE], self.max_names,
            )
        if options[MAX_PREFIX_TABLE_SIZE] > self.max_prefixes:
            return fail_limit(
                &self.terms.failure, at,
                b"prefix lookup of {number} entries (limit max_prefix_table_size: {bound})",
                options[MAX_PREFIX_TABLE_SIZE], self.max_prefixes,
            )
        if options[MAX_DATATYPE_TABLE_SIZE] > self.max_datatypes:
            return fail_limit(
                &self.terms.failure, at,
                b"datatype lookup of {number} entries (limit max_datatype_table_size: {bound})",
                options[MAX_DATATYPE_TABLE_SIZE], self.max_datatypes,
            )
        return 0

    cdef int read_named_terms(self, int kind, Span message, NamedTerms* row) noexcept nogil:
        """Read the fields of a namespace, a header or a graph start, a message of that kind."""
        cdef EncodedTerm* term
        cdef Field field
        cdef int found
        memset(row, 0, sizeof(NamedTerms))
        row.name.start = row.name.end = message.end
        while True:
            found = next_field(&message, kind, &field, &self.terms.failure)
            if found <= 0:
                return found
            if field.number == 1 and field.kind == TEXT:
                row.name = field.span
                if self.terms.check_text(row.name) < 0:
                    return -1
                continue
            term = &row.graph if kind == PATCH_NAMESPACE and field.number > 2 else &row.value
            if self.terms.keep(field.kind, term, field.span) < 0:
                return -1

    cdef bytes saved_name(self):
        """Return the text that the options have, where they have one."""
        return b""

    cdef int save_place(self, WriteBuffer* out) except -1:
        """Save where in a patch or graph the last frame ended."""
        return 0

    cdef int restore_place(self, Span* rest) except -1:
        """Take over what `save_place` saved."""
        return 0

    cdef int decode_frame_field(
        self, const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type
    ) noexcept nogil:
        """Decode a field of the frame that is no row."""
        return skip_field(at, end, field, wire_type, &self.terms.failure)

    cdef int warn(self) except -1:
        """Warn of what is odd about the options."""
        return 0

    cdef int decode_content(self, uint32_t field, Span content) noexcept nogil:
        """Decode what a row has: that member of its oneof, but not the options."""
        return 0

    cdef int check_options(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Check the fields that only this format has."""
        return 0

    cdef int keep_options(self, Span name) noexcept nogil:
        """Take notice of the options, which are in `option_fields`."""
        return 0

    cdef bint is_same_name(self, Span name) noexcept nogil:
        """Is this the name that the options had, where options have a name?"""
        return True

    cdef int end_frame(self, const uint8_t* at) noexcept nogil:
        """Do what the end of a frame stands for."""
        return 0

    cdef int check_end(self, uint64_t offset) except -1:
        """Check that the input may end here."""
        return 0

    cdef int end_rows(self) noexcept nogil:
        """Append the rows that the end of input stands for."""
        return 0

    cdef int end_stream(self) noexcept nogil:
        """End the stream where another one starts: append the rows that this stands for."""
        return 0

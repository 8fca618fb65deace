"""Decodes frames to batches: the part that Jelly-RDF and Jelly-Patch share."""

cdef enum:
    # Fields of the options: the fields of both formats ...
    GENERALIZED_STATEMENTS = 3
    RDF_STAR = 4
    TABLE_SIZES = 9  # the first of three: the sizes of the lookups
    VERSION = 15
    OPTION_FIELDS = 16
    # ... and the fields of one format.
    STATEMENT_TYPE = 1
    STREAM_TYPE = 2
    PHYSICAL_TYPE = 2
    LOGICAL_TYPE = 14

cdef enum:
    # What a decoder does with an options row that repeats the stream's options.
    GO_ON = 0
    START_ANEW = 1
    REFUSE = 2

cdef enum:
    # The version of checkpoints; other versions can't be read.
    CHECKPOINT_VERSION = 1
    MAX_FRAMES = 0x3FFFFFFFFFFFFFFF
    MIN_NAME_TABLE_SIZE = 8
    # Stands for a missing row number.
    NO_ROW = 0xFFFFFFFFFFFFFFFF

# The names of these choices in the public API.
REPEATED_OPTIONS = {"continue": GO_ON, "restart": START_ANEW, "error": REFUSE}


cdef class FrameDecoder:
    """Decodes frames, one after another, each to a `Batch`. Subclasses decode a format's rows.

    Args:
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`.
        faults: A list to which recoverable errors are appended: errors that do not affect the rest
            of the stream. None: they are raised.
        on_repeated_options: See `jelly_rdflib.PatchDecoder`.
    """

    cdef TermDecoder terms
    cdef NodeMaker factory
    # Set by a subclass for its format: the messages of rows and options in `schema`, the newest
    # version that is not a draft, the format's name, the name with the versions that are read, and
    # the error message for options of the other format.
    cdef int row_message
    cdef int options_message
    cdef uint32_t newest_version
    cdef const char* format
    cdef const char* read_versions
    cdef StreamKind other_kind
    # The rule that options of the other format break.
    cdef const char* type_rule
    cdef const char* other_options
    # Whether `TermDecoder.decode_regular_rows` may decode the statements now.
    cdef bint has_regular_rows
    cdef bint has_graphs  # statements have graphs, in their rows or from an earlier graph start
    cdef RowKinds kinds  # also set by a subclass
    cdef readonly bint found_options  # whether options were found, even invalid ones
    cdef bint has_options
    cdef int repeated_options  # GO_ON, START_ANEW or REFUSE
    cdef uint32_t[OPTION_FIELDS] option_fields  # numbers and flags, by number of field
    cdef bytes warning  # about options that are unusual, but allowed
    cdef bytes stream_name  # only in Jelly-RDF
    cdef const char* name_start  # of `stream_name`, for code without the GIL
    cdef size_t name_size
    cdef readonly bint is_broken
    cdef bint is_finished
    cdef bint is_busy  # a thread is decoding, without the GIL
    cdef uint32_t[LOOKUPS] max_sizes  # of the lookups
    cdef size_t max_frame_size
    cdef size_t max_frame_rows
    # The decoder's position, for errors.
    cdef uint64_t frame
    cdef uint64_t row
    cdef bint is_in_row
    cdef bint in_transaction
    cdef bint patch_is_open  # operations were read since the last end of a patch
    cdef bint is_in_graph  # in a GRAPHS stream
    cdef list faults  # for recovered errors; None: no error is recovered
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
                f"on_repeated_options must be one of {', '.join(map(repr, REPEATED_OPTIONS))},"
                f" not {on_repeated_options!r}"
            )
        self.repeated_options = REPEATED_OPTIONS[on_repeated_options]
        self.factory = factory
        # Subclasses set these.
        self.format = self.read_versions = self.type_rule = self.other_options = b""
        self.stream_name = b""
        self.terms = TermDecoder.__new__(TermDecoder)
        self.terms.limits.string_size = limits.max_string_size
        self.terms.limits.text_size = limits.max_text_size
        self.terms.limits.expansion = limits.max_expansion
        self.terms.max_frame_terms = limits.max_frame_terms
        self.terms.max_nesting_depth = limits.max_nesting_depth
        self.max_sizes = [
            limits.max_name_table_size, limits.max_prefix_table_size,
            limits.max_datatype_table_size,
        ]
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
        """Decode one frame, without a length before it; errors report its ``offset``.

        The decoder can't continue after a DecodeError.
        """
        cdef Py_buffer view
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            return self.decode(<const uint8_t*>view.buf, view.len, offset)
        finally:
            PyBuffer_Release(&view)

    @property
    def draft_options(self):
        """The options that only Jelly-RDF 1.2 has, or None for any other stream."""
        return None

    def finish(self):
        """End the stream; return a batch with the `Op.END` that its end implies, if any.

        The end of a FLAT stream implies an END, and so does the end of a PUNCTUATED stream whose
        last patch has no punctuation mark after it.
        """
        return self.end(0)

    @cython.critical_section
    def restart(self):
        """Forget the stream: the next frame starts another one, with options.

        That is faster than a new decoder: lookups of the same size keep their memory. A decoder
        that has failed, or was finished, can't be restarted.
        """
        self.check_usable()
        self.has_options = self.found_options = self.has_regular_rows = False
        self.in_transaction = self.patch_is_open = self.is_in_graph = False
        self.frame = 0
        self.terms.expansion = self.terms.max_expansion = 0

    @cython.critical_section
    def save(self):
        """Return a checkpoint: bytes with which another decoder can continue at the next frame.

        Its size is a little more than the size of the lookups' entries.
        """
        cdef WriteBuffer out
        cdef size_t field
        memset(&out, 0, sizeof(out))
        self.check_usable()
        if not self.has_options:
            raise DecodeError("there is no state to save before the stream's options are read")
        try:
            put_saved_number(&out, CHECKPOINT_VERSION)
            put_saved_number(&out, self.row_message)
            for field in range(<size_t>OPTION_FIELDS):
                put_saved_number(&out, self.option_fields[field])
            put_saved_text(&out, <const uint8_t*>self.name_start, self.name_size)
            put_saved_number(&out, self.frame)
            self.terms.save(&out)
            self.save_state(&out)
            return <bytes>(<char*>out.data)[:out.size]
        finally:
            buffer_free(&out)

    @cython.critical_section
    def restore(self, bytes checkpoint not None):
        """Continue from a checkpoint that `save` returned; the decoder must be new."""
        cdef Span rest
        cdef uint32_t[OPTION_FIELDS] options
        cdef size_t field
        cdef Span name
        self.check_usable()
        if self.has_options or self.frame > 0:
            raise ValueError("only a new decoder can restore a checkpoint")
        # The decoder is unusable until the checkpoint is restored completely.
        self.is_broken = True
        rest.start = <const uint8_t*>PyBytes_AS_STRING(checkpoint)
        rest.end = rest.start + len(checkpoint)
        if take_saved_number(&rest, 0xFFFFFFFF) != CHECKPOINT_VERSION:
            raise DecodeError("the checkpoint of a decoder is damaged, or of another version")
        if <int>take_saved_number(&rest, 0xFFFFFFFF) != self.row_message:
            raise DecodeError(f"the checkpoint is not from a {self.format.decode()} decoder")
        for field in range(<size_t>OPTION_FIELDS):
            options[field] = <uint32_t>take_saved_number(&rest, 0xFFFFFFFF)
        take_span(&rest, &name, self.terms.limits.string_size)
        if self.set_options(options, name, name.start) < 0:
            raise failure_to_error(&self.terms.failure, None, None, None)
        # Drop the warning, which the decoder that read the options has already issued.
        self.warning = None
        self.frame = take_saved_number(&rest, MAX_FRAMES)
        self.terms.restore(&rest)
        self.restore_state(&rest)
        if rest.start != rest.end:
            raise damaged("it has more bytes after its end")
        self.is_broken = False
        self.found_options = True

    cdef dict named_options(self, dict fields):
        """Return the numeric options by name; ``fields`` maps names to field numbers."""
        return {name: self.option_fields[<int>field] for name, field in fields.items()}

    cdef int check_usable(self) except -1:
        if self.is_busy:
            raise RuntimeError("the decoder is already decoding a frame, in another thread")
        if self.is_broken:
            raise DecodeError("the decoder has failed on an earlier frame and can't continue")
        if self.is_finished:
            raise DecodeError("the stream has ended: finish() was called")
        return 0

    cdef uint64_t last_frame(self) noexcept:
        """Return the number of the last frame that was decoded, or 0 before the first."""
        return self.frame - 1 if self.frame > 0 else 0

    @cython.critical_section
    cdef Batch decode(self, const uint8_t* start, size_t size, uint64_t offset):
        cdef Span frame
        cdef Batch batch
        cdef int result
        self.check_usable()
        if size > self.max_frame_size:
            self.is_broken = True
            raise LimitError(
                f"frame of {size} bytes", limit="max_frame_size", value=self.max_frame_size,
                asked=size, offset=offset, frame=self.frame + 1,
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
        if self.warning is not None:
            # Warn last, since a warning may run any code, which may decode the next frame.
            warning, self.warning = self.warning, None
            warn(warning.decode())
        return batch

    @cython.critical_section
    cdef Batch end(self, uint64_t offset):
        self.check_usable()
        # Set this first, since the stream has ended even if finishing it fails.
        self.is_finished = True
        if not self.has_options:
            raise DecodeError(
                "the input is empty" if self.frame == 0 else "no frame has the stream's options",
                rule=Rule.OPTIONS_FIRST, offset=offset, frame=self.frame + 1,
            )
        if self.in_transaction:
            raise DecodeError(
                "the input ends inside a transaction", rule=Rule.TRANSACTION_OPEN,
                offset=offset, frame=self.frame + 1,
            )
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
            &self.terms.failure, offset, self.frame + 1, self.row + 1 if self.is_in_row else None
        )

    cdef int report_recovered(
        self, const uint8_t* start, size_t size, uint64_t offset
    ) except -1:
        """Append the recovered errors of the frame to the list of faults."""
        cdef RecoveredFault* fault
        cdef const uint8_t* at
        cdef uint32_t number
        for number in range(self.terms.recovered_count):
            fault = &self.terms.recovered[number]
            at = fault.failure.at
            self.faults.append(
                failure_to_error(
                    &fault.failure,
                    # A message merged from several fields has no offset, so use the frame's.
                    offset + (at - start) if start <= at <= start + size else offset,
                    self.frame + 1, None if fault.row == NO_ROW else fault.row + 1,
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
        cdef TermColumns* terms = &self.terms.terms
        cdef Batch batch
        # Reserve memory, since the next frame is likely to be about as large as this one.
        self.row_hint = self.rows.count + 8
        self.term_hint = terms.count + terms.count // 4 + 8
        self.text_hint = terms.offsets[terms.count]
        self.text_hint += self.text_hint // 4 + 64
        batch = make_batch(&self.rows, &self.terms.terms, self.factory, self.has_graphs, metadata)
        self.metadata = None
        return batch

    cdef int decode_frame_rows(self, Span frame) noexcept nogil:
        cdef const uint8_t* at = frame.start
        cdef Field field
        cdef uint32_t wire_type, row_field
        cdef Tally* tally
        cdef Span row
        self.is_in_row = False
        self.row = 0
        self.terms.frame = frame
        while at < frame.end:
            if self.has_regular_rows:
                at = self.terms.decode_regular_rows(
                    at, frame.end, &self.rows, &self.kinds, &self.in_transaction, &self.row
                )
                if at == frame.end:
                    break
            self.terms.row = self.row
            field.at = at
            if read_tag(&at, frame.end, &field.number, &wire_type, &self.terms.failure) < 0:
                return -1
            if field.number != ROWS_FIELD:
                if self.decode_frame_field(&at, frame.end, &field, wire_type) < 0:
                    return -1
                continue
            row_field = 0
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, ROWS_FIELD, wire_type, field.at, &self.terms.failure
                ) < 0
                or read_span(&at, frame.end, &row, &self.terms.failure) < 0
                or self.decode_row(row, &row_field) < 0
            ):
                self.is_in_row = True
                return -1
            tally = &self.terms.counts.rows[row_field]
            tally.count += 1
            tally.size += at - field.at
            self.row += 1
        self.terms.row = NO_ROW
        # Allow one extra row: the END that a frame's end implies does not count as a row.
        self.rows.max_count += 1
        # Only frames without rows may come before the options, and their ends mean nothing.
        if self.has_options and self.end_frame(at) < 0:
            return -1
        return self.terms.end_frame()

    cdef int decode_row(self, Span row, uint32_t* row_field) noexcept nogil:
        """Decode a row, and store which member of its oneof it has, or 0 for an unknown one."""
        cdef Field content
        if self.terms.read_message(self.row_message, row, &content) < 0:
            return -1
        if content.kind == self.options_message:
            row_field[0] = OPTIONS_ROW
            return self.use_options(content.span)
        if content.kind == NO_FIELD:
            content.span = row
        if not self.has_options:
            return fail(
                &self.terms.failure, content.span.start,
                b"options-first", b"the stream does not start with its options",
            )
        if content.kind == NO_FIELD:
            return self.terms.recover(
                content.span.start, b"row-kinds", b"row of an unknown kind"
            )
        row_field[0] = content.number
        if content.kind == LOOKUP_ENTRY:
            return self.terms.set_entry(content.number - self.kinds.first_entry, content.span)
        return self.decode_content(&content)

    cdef int next_operation(
        self, Span* rest, const uint8_t** row_at, uint64_t* number
    ) noexcept nogil:
        """Find the next row of a decoded frame that yields an operation; return 0 at the end.

        ``number`` counts the rows up to that row.
        """
        cdef uint32_t field, wire_type
        cdef Field content
        cdef Field[2] header
        cdef Span row
        while rest.start < rest.end:
            row_at[0] = rest.start
            if read_tag(&rest.start, rest.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field != ROWS_FIELD:
                if skip_field(
                    &rest.start, rest.end, field, wire_type, &self.terms.failure
                ) < 0:
                    return -1
                continue
            if (
                read_span(&rest.start, rest.end, &row, &self.terms.failure) < 0
                or self.terms.read_message(self.row_message, row, &content) < 0
            ):
                return -1
            number[0] += 1
            if content.kind == NO_FIELD or OPERATIONS[self.row_message][content.number] == 0:
                continue
            # The decoder has skipped two kinds of wrong rows, so they yield no operation: a header
            # without a value, and a punctuation mark in a stream that is not PUNCTUATED.
            if content.kind == PATCH_HEADER:
                if self.terms.read_message(PATCH_HEADER, content.span, header) < 0:
                    return -1
                if header[1].kind == NO_FIELD:
                    continue
            elif content.number == PUNCTUATION and self.kinds.stream_type != PUNCTUATED:
                continue
            return 1
        return 0

    cdef int append(
        self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil:
        if rows_append(&self.rows, op, s, p, o, g) < 0:
            if self.rows.count < self.rows.max_count:
                return fail_memory(&self.terms.failure, NULL)
            return fail_limit(
                &self.terms.failure, NULL,
                b"max_frame_rows", b"frame of more than {bound} rows", 0, self.max_frame_rows,
            )
        return 0

    cdef int use_options(self, Span message) noexcept nogil:
        """Apply the stream's options, or handle repeated options as `repeated_options` says."""
        cdef uint32_t[OPTION_FIELDS] options
        cdef Span name
        self.found_options = True
        if self.read_options(message, options, &name) < 0:
            return -1
        if not self.has_options:
            return self.set_options(options, name, message.start)
        if self.repeated_options == REFUSE:
            return self.refuse_repeated(message.start)
        if self.repeated_options == START_ANEW:
            # Refuse options after other rows: the rows would belong to the old stream, and the rest
            # of the frame to the new one.
            if self.row > 0:
                return fail(
                    &self.terms.failure, message.start,
                    b"format",
                    b"options after other rows of a frame, but a new stream must start a new frame",
                )
            if self.end_stream() < 0:
                return -1
            return self.set_options(options, name, message.start)
        if (
            memcmp(options, self.option_fields, sizeof(options)) != 0
            or self.name_size != <size_t>(name.end - name.start)
            or memcmp(self.name_start, name.start, self.name_size) != 0
        ):
            return self.terms.recover(
                message.start, b"options-same",
                b"options that differ from the first options of the stream"
            )
        return 0

    cdef int refuse_repeated(self, const uint8_t* at) noexcept nogil:
        return fail(
            &self.terms.failure, at,
            b"repeated-options",
            b"the stream has its options again, which may mean two things: choose"
            b" on_repeated_options='restart' if a new stream starts here (the producer was"
            b" restarted, or makes each message a stream), or 'continue' if the producer"
            b" repeats them and keeps using its lookups",
        )

    cdef int set_options(
        self, const uint32_t* options, Span name, const uint8_t* at
    ) noexcept nogil:
        """Check the stream's options, and make lookups of the requested sizes."""
        if (
            self.check_version(options[VERSION], at) < 0
            or self.check_types(options, at) < 0
            or self.check_options(options, at) < 0
            or self.terms.set_lookups(&options[TABLE_SIZES]) < 0
            or self.put_name(name) < 0
        ):
            return -1
        memcpy(self.option_fields, options, sizeof(self.option_fields))
        self.terms.generalized = options[GENERALIZED_STATEMENTS]
        self.terms.rdf_star = options[RDF_STAR]
        self.has_options = True
        return 0

    cdef int put_name(self, Span name) noexcept with gil:
        try:
            # Keep other threads out, since one may be reading the options.
            with cython.critical_section(self):
                self.stream_name = <bytes>(<const char*>name.start)[:name.end - name.start]
        except MemoryError:
            return fail_memory(&self.terms.failure, name.start)
        self.name_start = self.stream_name
        self.name_size = len(self.stream_name)
        return 0

    cdef int read_options(self, Span message, uint32_t* options, Span* name) noexcept nogil:
        """Read the numbers of an options message, by field, and the stream's name if it has one."""
        cdef Field[MAX_SLOTS] fields
        cdef uint32_t number
        cdef int slot
        # Field 1 shows which of the two formats the options belong to.
        if find_options_kind(message) == self.other_kind:
            return fail(&self.terms.failure, message.start, self.type_rule, self.other_options)
        memset(options, 0, OPTION_FIELDS * sizeof(uint32_t))
        name.start = name.end = message.end
        if self.terms.read_message(self.options_message, message, fields) < 0:
            return -1
        for slot in range(SLOT_COUNTS[self.options_message]):
            number = fields[slot].number
            if fields[slot].kind == TEXT:
                name[0] = fields[slot].span
            elif fields[slot].kind != NO_FIELD:
                # Cut to 32 bits, as protobuf does for enums: a negative number takes 64 bits.
                options[number] = <uint32_t>fields[slot].value
                if number == GENERALIZED_STATEMENTS or number == RDF_STAR:
                    options[number] = fields[slot].value != 0
        return self.terms.check_text(name[0])

    cdef int check_version(self, uint32_t version, const uint8_t* at) noexcept nogil:
        """Check the version, on which the meaning of the other fields depends."""
        self.terms.failure.what = self.format
        if version == 0:
            return fail(
                &self.terms.failure, at, b"version-tag", b"options of {what} without a version"
            )
        if version > self.newest_version:
            self.terms.failure.what = self.read_versions
            return fail_number(
                &self.terms.failure, at,
                b"version-tag",
                b"version {number} of {what}; ask the writer of the stream for version {bound}",
                version, self.newest_version,
            )
        return 0

    cdef int check_options(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Check the fields that both formats have."""
        cdef uint32_t least = MIN_NAME_TABLE_SIZE
        cdef uint32_t size
        cdef int lookup
        if options[VERSION] == DRAFT_VERSION:
            least = MIN_COLUMN_NAMES
        if options[TABLE_SIZES] < least:
            return fail_number(
                &self.terms.failure, at, b"name-lookup-size",
                b"name lookup of {number} entries: the minimum is {bound}",
                options[TABLE_SIZES], least,
            )
        for lookup in range(LOOKUPS):
            size = options[TABLE_SIZES + lookup]
            if size > self.max_sizes[lookup]:
                self.terms.failure.what = LOOKUP_NAMES[lookup]
                return fail_limit(
                    &self.terms.failure, at,
                    b"max_{what}_table_size", b"{what} lookup of {number} entries",
                    size, self.max_sizes[lookup],
                )
        return 0

    cdef int decode_frame_field(
        self, const uint8_t** at, const uint8_t* end, const Field* field, uint32_t wire_type
    ) noexcept nogil:
        """Decode a field of the frame other than a row (Jelly-RDF, "Stream frame metadata")."""
        cdef Field[2] entry  # the key and the value
        cdef Span message
        if field.number != METADATA or self.row_message != STREAM_ROW:
            self.terms.note(UNKNOWN_FIELD, FRAME_MESSAGE, field.number, field.at)
            return skip_field(at, end, field.number, wire_type, &self.terms.failure)
        if (
            expect_wire_type(
                LENGTH_DELIMITED, METADATA, wire_type, field.at, &self.terms.failure
            ) < 0
            or read_span(at, end, &message, &self.terms.failure) < 0
            or self.terms.read_message(METADATA_ENTRY, message, entry) < 0
            or self.terms.check_text(entry[0].span) < 0
            or self.put_metadata(entry[0].span, entry[1].span) < 0
        ):
            return -1
        self.terms.counts.metadata.count += 1
        self.terms.counts.metadata.size += at[0] - field.at
        return 0

    cdef int put_metadata(self, Span key, Span value) noexcept with gil:
        try:
            if self.metadata is None:
                self.metadata = {}
            if <size_t>len(self.metadata) >= self.max_frame_rows:
                return fail_limit(
                    &self.terms.failure, key.start,
                    b"max_frame_rows", b"more than {bound} entries of metadata",
                    0, self.max_frame_rows,
                )
            name = (<const char*>key.start)[:key.end - key.start].decode()
            self.metadata[name] = <bytes>(<const char*>value.start)[:value.end - value.start]
        except MemoryError:
            return fail_memory(&self.terms.failure, key.start)
        except UnicodeDecodeError:
            # The key was valid UTF-8 before, so other code is changing the frame.
            return fail(&self.terms.failure, key.start, b"utf-8", b"string is not UTF-8")
        return 0

    cdef int decode_namespace(self, uint8_t op, int kind, Span message) noexcept nogil:
        """Decode an RdfPatchNamespace (Jelly-Patch, "Namespaces") or an RdfNamespaceDeclaration."""
        cdef Field[3] fields  # the name, the value, and in Jelly-Patch the graph
        cdef int64_t name
        cdef int64_t value = 0
        cdef int64_t graph = 0
        if self.terms.read_message(kind, message, fields) < 0:
            return -1
        name = self.terms.intern_text(TermKind.STRING, fields[0].span, 0)
        if name < 0:
            return -1
        if fields[1].kind != NO_FIELD:
            value = self.terms.decode_iri(fields[1].span)
            if value < 0:
                return -1
        elif op == PA:
            return fail(
                &self.terms.failure, message.start, b"namespace-value", b"namespace has no value"
            )
        if kind == PATCH_NAMESPACE:
            if self.has_graphs:
                # A graph must be set, or repeated. Jelly-JVM leaves it unset for Jena's prefixes,
                # which have no graph. Before the first graph this can only mean no graph.
                if fields[2].kind != NO_FIELD or self.terms.last[GRAPH] != NOT_YET:
                    graph = self.terms.decode_position(&fields[2], GRAPH, message.start)
                    if graph < 0:
                        return -1
            else:
                # The graph is ignored, but its ids count: its writer, such as Jelly-JVM, continues
                # from them with the next IRI ("RDF terms and graph nodes").
                if (
                    self.terms.check_graph(kind, &fields[2]) < 0
                    or fields[2].kind == IRI_MESSAGE
                    and self.terms.decode_iri(fields[2].span) < 0
                ):
                    return -1
        return self.append(op, <uint32_t>name, 0, <uint32_t>value, <uint32_t>graph)

    cdef int end_frame(self, const uint8_t* at) noexcept nogil:
        """Apply what the end of a frame means (Jelly-Patch, "Patch frames")."""
        if self.kinds.stream_type == FRAME:
            if self.in_transaction and self.terms.recover(
                at, b"transaction-frame",
                b"a transaction of a FRAME stream does not end with its frame"
            ) < 0:
                return -1
            self.in_transaction = False
            if self.append(END, 0, 0, 0, 0) < 0:
                return -1
        if self.kinds.stream_type != 0 and self.rows.count > 0:
            self.patch_is_open = self.rows.ops[self.rows.count - 1] != END
        return 0

    cdef int end_rows(self) noexcept nogil:
        """Append the rows that the end of the input implies."""
        if self.kinds.stream_type == FLAT or self.patch_is_open:
            return self.append(END, 0, 0, 0, 0)
        return 0

    cdef int end_stream(self) noexcept nogil:
        """End the stream where another one starts: end its patch, and abort its transaction."""
        # Allow two extra rows: the added ones do not count as rows of the frame.
        self.rows.max_count += 2
        if self.in_transaction and self.append(TA, 0, 0, 0, 0) < 0:
            return -1
        if self.end_rows() < 0:
            return -1
        self.in_transaction = self.patch_is_open = self.is_in_graph = False
        return 0

    cdef int decode_content(self, const Field* row) noexcept nogil:
        """Decode a row other than options and lookup entries."""
        return 0

    cdef int check_types(self, const uint32_t* options, const uint8_t* at) noexcept nogil:
        """Check and store the options that only this format has."""
        return 0

    cdef int save_state(self, WriteBuffer* out) except -1:
        """Save the state that only this format needs from earlier frames."""
        return 0

    cdef int restore_state(self, Span* rest) except -1:
        """Restore the state that `save_state` saved, after the options and the last terms."""
        return 0

"""Reads RDF Patch text, N-Triples and N-Quads as batches."""

cdef enum RowState:
    # The state of the search for the end of a row.
    BETWEEN_ROWS
    COMMENT_BETWEEN_ROWS
    IN_ROW
    COMMENT_IN_ROW
    AFTER_DOT
    AFTER_LESS_THAN
    IN_IRI
    AFTER_QUOTE
    AFTER_TWO_QUOTES
    IN_STRING
    ESCAPE_IN_STRING
    IN_LONG_STRING
    ESCAPE_IN_LONG_STRING
    QUOTE_IN_LONG_STRING
    TWO_QUOTES_IN_LONG_STRING
    ENDED  # a row ended before the byte, or a comment ends with it
    WRONG  # no row allows the byte there


cdef RowState next_state(RowState state, uint8_t byte, uint8_t* quote) noexcept nogil:
    """Return the state after a byte; a dot ends a row if the next byte can't continue the token."""
    if state == AFTER_DOT:
        if not (
            is_ascii_name_part(byte) or byte == b"." or byte == b":" or byte == b"+"
            or byte >= 0x80
        ):
            return ENDED
        state = IN_ROW
    elif state == AFTER_LESS_THAN:
        if byte == b"<":
            return IN_ROW
        state = IN_IRI
    elif state == AFTER_TWO_QUOTES:
        if byte == quote[0]:
            return IN_LONG_STRING
        state = IN_ROW
    if state == IN_ROW or state == BETWEEN_ROWS:
        if byte == b"#":
            return COMMENT_IN_ROW if state == IN_ROW else COMMENT_BETWEEN_ROWS
        if byte == b".":
            return AFTER_DOT
        if byte == b"<":
            return AFTER_LESS_THAN
        if byte == b'"' or byte == b"'":
            quote[0] = byte
            return AFTER_QUOTE
        return IN_ROW if byte > b" " else state
    if state == IN_IRI:
        if byte == b">":
            return IN_ROW
        return WRONG if byte <= b" " or byte == b"<" else IN_IRI
    if state == COMMENT_BETWEEN_ROWS:
        return ENDED if byte == b"\n" or byte == b"\r" else COMMENT_BETWEEN_ROWS
    if state == COMMENT_IN_ROW:
        return IN_ROW if byte == b"\n" or byte == b"\r" else COMMENT_IN_ROW
    if state == AFTER_QUOTE or state == IN_STRING:
        if byte == quote[0]:
            return AFTER_TWO_QUOTES if state == AFTER_QUOTE else IN_ROW
        if byte == b"\n" or byte == b"\r":
            return WRONG
        return ESCAPE_IN_STRING if byte == b"\\" else IN_STRING
    if state == ESCAPE_IN_STRING:
        return IN_STRING
    if state == ESCAPE_IN_LONG_STRING:
        return IN_LONG_STRING
    if byte == quote[0]:
        if state == IN_LONG_STRING:
            return QUOTE_IN_LONG_STRING
        return TWO_QUOTES_IN_LONG_STRING if state == QUOTE_IN_LONG_STRING else IN_ROW
    return ESCAPE_IN_LONG_STRING if byte == b"\\" else IN_LONG_STRING


cdef bint find_row_end(
    RowState* state, uint8_t* quote, const uint8_t* at, const uint8_t* end
) noexcept nogil:
    """Search from ``at`` on; return whether a row or comment ends, or is certainly wrong.

    The search may find an end too early, which only costs time; it never misses an end.
    """
    while at < end and state[0] < ENDED:
        state[0] = next_state(state[0], at[0], quote)
        at += 1
    return state[0] >= ENDED


@cython.nonecheck(True)
@cython.final
cdef class TextBatchReader(BatchSource):
    """Iterates over the batches of RDF Patch text, N-Triples or N-Quads.

    It needs memory for one row and one batch. A batch has the rows that are available: the reader
    does not wait for more from a live source. In RDF Patch the end of the input ends a patch, too.

    Args:
        source: A source that `jelly_rdflib.core.source.open_source` accepts.
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` limits the size of a row.
        faults: Only for RDF Patch: a list to which the errors of bad rows are appended; bad rows
            are left out, and every header needs its dot. None: the first error is raised.
        is_patch: Whether the text is RDF Patch; else it is N-Quads or N-Triples.
        has_graphs: Whether statements may have graphs.
        strict: Only for N-Quads and N-Triples: whether to check IRIs and language tags.
        by_grammar: Only for N-Quads and N-Triples: whether to check IRIs by the grammar alone;
            ignored if ``strict``.
        generalized: Only for N-Quads and N-Triples: whether any term may be in any position, as in
            RDF Patch.
        drops_directions: Only for N-Quads and N-Triples: whether to drop the base directions of
            literals, with a warning.
    """

    cdef InputBuffer input
    cdef TextDecoder decoder
    cdef size_t max_row_size
    cdef bint is_started
    cdef list faults
    cdef Place batch_place  # where the last batch starts
    cdef bint has_warned  # whether the warning about dropped directions was given

    def __cinit__(
        self, source, NodeMaker factory not None, limits, *, list faults=None, bint is_patch=True,
        bint has_graphs=True, bint strict=True, bint by_grammar=False,
        bint generalized=False, bint drops_directions=False
    ):
        self.decoder = TextDecoder(factory, limits)
        self.decoder.has_graphs = has_graphs
        self.decoder.is_generalized = generalized
        self.decoder.drops_directions = drops_directions
        if not is_patch:
            self.decoder.grammar = (
                STRICT_LINES if strict else GRAMMATICAL_LINES if by_grammar else LINES
            )
        self.max_row_size = limits.max_frame_size
        self.input = InputBuffer(source, limits, padding=True)
        self.faults = faults
        if faults is not None:
            self.decoder.keep_places()

    @property
    def position(self):
        """The number of bytes that were decoded."""
        return self.input.position

    @property
    def line_count(self):
        """The number of lines that were decoded; a last line without a line break counts."""
        return self.decoder.place.line - (self.decoder.place.column == 1)

    def locate(self, rows):
        """Return the offset in bytes, the line and the column (from 1) of rows of the last batch.

        Only a reader with a list of faults keeps these positions.
        """
        cdef size_t row
        places = []
        if self.decoder.row_places == NULL:
            raise ValueError("the positions of rows were not kept")
        for row in rows:
            if row >= MAX_ROWS:
                raise IndexError(f"no batch has a row {row}")
            place = self.decoder.row_places[row]
            places.append((place.offset, place.line, place.column))
        return places

    cdef int locate_error(self, error) except -1:
        error.offset, error.line = self.batch_place.offset, self.batch_place.line
        return 0

    cdef int close_source(self) except -1:
        self.input.close()
        return 0

    cdef Batch read_batch(self):
        try:
            if not self.is_started:
                self.is_started = True
                self.input.skip_byte_order_mark()
                self.decoder.place.offset = self.input.position
            self.batch_place = self.decoder.place
            while True:
                if not self.decode() or self.decoder.rows.count > 0:
                    return self.decoder.take_batch()
                if self.input.is_at_end:
                    break
                self.read_row()
        except DecodeError as error:
            if error.line is None:
                # The error comes from the source, for example from bad compressed data.
                error.line = self.decoder.place.line
            raise
        self.is_finished = True
        return self.finish() if self.decoder.grammar == RDF_PATCH else None

    cdef Batch finish(self):
        """Return a batch with an `Op.END` if the end of the input ends a patch, else None."""
        cdef TextDecoder decoder = self.decoder
        if decoder.in_transaction and not decoder.is_in_doubt:
            error = DecodeError(
                "the input ends inside a transaction", rule=Rule.TRANSACTION_OPEN,
                offset=decoder.place.offset,
                line=decoder.place.line, column=decoder.place.column,
            )
            if self.faults is None:
                raise error
            self.faults.append(error)
        if not decoder.needs_end:
            return None
        decoder.add_mark(END)
        return decoder.take_batch()

    cdef bint decode(self) except -1:
        """Decode the current text; return False if a bad row was left out."""
        cdef InputBuffer input = self.input
        cdef const uint8_t* at
        try:
            at = self.decoder.decode(input.begin, input.end, input.is_at_end)
        except DecodeError as error:
            if self.faults is None:
                raise
            self.faults.append(error)
            self.decoder.take_bad_row()
            self.skip_row()
            return False
        input.take(at - input.begin)
        if self.decoder.has_dropped and not self.has_warned:
            self.has_warned = True
            warn_of_dropped()
        return True

    cdef int skip_row(self) except -1:
        """Skip a bad row.

        The row ends at its dot, or at the next line that starts like a row. After an unfinished
        token only lines count: the row ends before a line that starts like a row, or after a line
        that ends with a dot or is empty.
        """
        cdef InputBuffer input = self.input
        cdef const uint8_t* at
        cdef RowState state = BETWEEN_ROWS
        cdef uint8_t quote = 0
        cdef bint goes_by_lines = self.decoder.is_cut_off
        cdef uint8_t last_byte = 0  # the last non-blank byte of the line; 0 if none
        cdef bint is_at_line_start = False
        cdef bint is_done = False
        cdef int op
        input.take(self.decoder.place.at - input.begin)
        while True:
            self.decoder.place.at = at = input.begin
            while at < input.end and not is_done:
                if is_at_line_start and at[0] != b" " and at[0] != b"\t":
                    if goes_by_lines or state == IN_ROW:
                        op = find_operation(at, input.end, input.is_at_end)
                        is_done = op > 0
                        if op != 0:
                            break
                    is_at_line_start = False
                if not goes_by_lines:
                    state = next_state(state, at[0], &quote)
                    is_done = state == ENDED
                    if is_done:
                        break
                    goes_by_lines = state == WRONG
                if at[0] == b"\n":
                    is_done = goes_by_lines and (last_byte == b"." or last_byte == 0)
                    is_at_line_start = True
                    last_byte = 0
                elif at[0] > b" ":
                    last_byte = at[0]
                at += 1
            move_place(&self.decoder.place, at)
            input.take(at - input.begin)
            if is_done or input.is_at_end:
                return 0
            input.read_more()

    cdef int read_row(self) except -1:
        """Read until a row, line or comment is complete, or the input ends.

        Each byte is scanned once, however small the pieces of the text are.
        """
        cdef InputBuffer input = self.input
        # Search a line as if it were a comment, which ends at the same bytes.
        cdef RowState state = (
            BETWEEN_ROWS if self.decoder.grammar == RDF_PATCH else COMMENT_BETWEEN_ROWS
        )
        cdef uint8_t quote = 0
        cdef size_t searched
        # Start with the bytes that are already here: the row is not complete, but it may lack only
        # the byte after its dot.
        find_row_end(&state, &quote, input.begin, input.end)
        while True:
            searched = input.end - input.begin
            input.read_more()
            if (
                input.is_at_end or <size_t>(input.end - input.begin) > self.max_row_size
                or find_row_end(&state, &quote, input.begin + searched, input.end)
            ):
                return 0

"""Decodes RDF Patch text, N-Triples and N-Quads to batches.

The grammar of RDF Patch follows the two specifications and Apache Jena's reader: Turtle's tokens,
in rows that end with a dot. Spaces between tokens are optional if the tokens are unambiguous
without them.

In N-Triples and N-Quads a statement is a row without a code, and a line has at most one statement.
The grammar is the one of RDF 1.1, with the quoted triples of RDF 1.2.
"""

cdef enum:
    # A batch ends after this many bytes of text, even with fewer than `MAX_ROWS` rows.
    MAX_TEXT = 1 << 18


cdef uint64_t count_lines(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Count line breaks, in pieces whose counts fit in a byte: the compiler can add 16 at once."""
    cdef uint64_t count = 0
    cdef uint8_t some
    cdef const uint8_t* stop
    while at < end:
        stop = at + min(240, end - at)
        some = 0
        while at < stop:
            some += at[0] == b"\n"
            at += 1
        count += some
    return count


cdef void move_place(Place* place, const uint8_t* end) noexcept nogil:
    """Move a position forward to ``end``, in the same text."""
    cdef uint64_t lines = count_lines(place.at, end)
    cdef const uint8_t* at = end
    if lines > 0:
        place.line += lines
        place.column = 1
    while at > place.at and (at - 1)[0] != b"\n":
        at -= 1
        place.column += not is_continuation(at[0])
    place.offset += end - place.at
    place.at = end


@cython.final
cdef class TextDecoder:
    """Decodes the text of a stream, piece by piece; ``max_frame_size`` limits the size of a row.

    The parsers below are functions, since methods would have to be declared twice. Most read a
    token or row at ``at`` and return its end. They return NULL after a fault (see ``failure``),
    if the text ends too early, or if ``at`` is NULL; so calls for several tokens can be chained.
    """

    def __cinit__(self, NodeMaker factory not None, limits):
        self.factory = factory
        self.seed = hash_seed()
        self.max_row_size = limits.max_frame_size
        self.max_string_size = limits.max_string_size
        self.max_text_size = limits.max_text_size
        self.max_nesting_depth = limits.max_nesting_depth
        self.term_hint = 64
        self.text_hint = 2048
        self.place.line = self.place.column = 1
        self.is_lenient = self.has_graphs = self.needs_end = True

    def __dealloc__(self):
        rows_free(&self.rows)
        terms_free(&self.terms)
        PyMem_RawFree(self.row_places)

    cdef const uint8_t* decode(
        self, const uint8_t* start, const uint8_t* end, bint is_final
    ) except? NULL:
        """Decode the current text until the batch is full; return the start of the next row.

        If ``rows`` stays empty, more text is needed. The batch ends before a bad row; if the bad
        row is the first one, its error is raised.

        Args:
            start: The current text: the bytes that are not decoded yet.
            end: The end of the text, with `PADDING` readable bytes after it.
            is_final: Whether no text follows.
        """
        cdef const uint8_t* at = start
        with nogil:
            memset(&self.failure, 0, sizeof(self.failure))
            memset(self.datatypes, 0, sizeof(self.datatypes))
            memset(self.last, 0, sizeof(self.last))
            self.default_graph = 0
            self.end = end
            self.is_final = is_final
            self.is_cut_off = False
            self.place.at = start
            if self.start_batch() == 0:
                at = self.decode_rows(start)
            move_place(&self.place, at)
        if self.failure.at != NULL and self.rows.count == 0:
            error = self.make_error()
            if self.is_cut_off and self.place.line < error.line:
                error.message += f", which starts in line {self.place.line}"
            raise error
        return at

    cdef int start_batch(self) noexcept nogil:
        if self.rows.ops == NULL and rows_init(&self.rows, MAX_ROWS) < 0:
            return fail_memory(&self.failure, self.end)
        if self.terms.slots == NULL and terms_init(
            &self.terms, self.term_hint, self.text_hint, self.max_text_size
        ) < 0:
            return fail_memory(&self.failure, self.end)
        return 0

    cdef const uint8_t* decode_rows(self, const uint8_t* at) noexcept nogil:
        cdef const uint8_t* last_start = at + MAX_TEXT
        cdef const uint8_t* next_at
        cdef uint32_t terms
        while self.rows.count < MAX_ROWS and (at < last_start or self.rows.count == 0):
            at = skip_blanks(self, at) if self.grammar == RDF_PATCH else skip_line_ends(self, at)
            if at == self.end:
                break
            terms = self.terms.count
            self.row_start = at
            if at[0] == b"#":
                next_at = skip_comment(self, at)
            elif self.grammar == RDF_PATCH:
                next_at = decode_row(self, at)
            else:
                next_at = decode_line(self, at)
            if next_at == NULL:
                terms_truncate(&self.terms, terms)
                break
            if self.row_places != NULL and at[0] != b"#":
                move_place(&self.place, at)
                self.row_places[self.rows.count - 1] = self.place
            at = next_at
        return at

    cdef int keep_places(self) except -1:
        """From now on, keep the positions of each batch's rows; refuse headers without a dot."""
        self.is_lenient = False
        self.row_places = <Place*>PyMem_RawMalloc(MAX_ROWS * sizeof(Place))
        if self.row_places == NULL:
            raise MemoryError
        return 0

    cdef int add_mark(self, uint8_t op) except -1:
        """Add a row that bounds a transaction or ends a patch to a batch without rows."""
        if self.start_batch() < 0 or rows_append(&self.rows, op, 0, 0, 0, 0) < 0:
            raise MemoryError
        self.in_transaction = op == TX
        if self.row_places != NULL:
            self.row_places[0] = self.place
        return 0

    cdef int take_bad_row(self) except -1:
        """Infer the state of transactions and patches from the code of a bad row.

        A row without a known code may have changed the state, so the next row is not reported as
        misplaced.
        """
        cdef int op
        if self.row_start == self.end or self.row_start[0] == b"#":
            return 0
        op = find_operation(self.row_start, self.end, True)
        self.is_in_doubt |= op == 0
        self.needs_end = op != END
        return self.add_mark(op) if op == TX or op == TC or op == TA or op == END else 0

    cdef Batch take_batch(self):
        cdef Batch batch = make_batch(
            &self.rows, &self.terms, self.factory, self.has_graphs, {}
        )
        cdef TermColumns* terms = &batch.terms.columns
        # Reserve memory, since the next batch is likely to be about as large as this one.
        self.term_hint = terms.count + terms.count // 4 + 8
        self.text_hint = terms.offsets[terms.count]
        self.text_hint += self.text_hint // 4 + 64
        return batch

    cdef object make_error(self):
        """Make the error for a failure in the row at the decoder's position."""
        cdef Place place = self.place
        move_place(&place, self.failure.at)
        return failure_to_error(
            &self.failure, place.offset, None, None, place.line, place.column
        )

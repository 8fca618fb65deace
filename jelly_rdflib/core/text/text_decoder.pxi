"""Decodes RDF Patch text, N-Triples and N-Quads to batches.

The grammar of RDF Patch is that of the two specifications and of Apache Jena's reader: the tokens
of Turtle, in rows that only a dot ends. Spaces between tokens are optional where the tokens are
unambiguous without them.

A statement of N-Triples or N-Quads is a row without a code, and a line has at most one. The grammar
is that of RDF 1.1, with the quoted triples of RDF 1.2.
"""

cdef enum:
    # Bytes of text after which a batch ends, even with fewer than `MAX_ROWS` rows.
    MAX_TEXT = 1 << 18

cdef enum:
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3


cdef uint64_t count_characters(const uint8_t* at, const uint8_t* end) noexcept nogil:
    cdef uint64_t count = 0
    while at < end:
        count += not is_continuation(at[0])
        at += 1
    return count


cdef void count_lines(LinePlace* place, const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Move the place over the line breaks of a text."""
    while at < end:
        if at[0] == b"\n":
            place.line += 1
            place.column = 0
            place.start = at + 1
        at += 1


cdef void move_place(LinePlace* place, const uint8_t* start, const uint8_t* end) noexcept nogil:
    """Move the place, which is at ``start``, on to ``end``, where the text at hand begins."""
    place.start = start
    count_lines(place, start, end)
    place.column += count_characters(place.start, end)
    place.start = end


@cython.final
cdef class TextDecoder:
    """Decodes the text of a stream, piece by piece; ``max_frame_size`` of the limits is for a row.

    The parsers below are functions, since methods would have to be declared twice. Most read a
    token or row at ``at`` and return its end, or NULL: then ``failure`` has the fault, or the text
    ends too early and ``is_incomplete`` is set.
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
        self.place.line = 1
        self.is_lenient = True
        self.has_graphs = True

    def __dealloc__(self):
        rows_free(&self.rows)
        terms_free(&self.terms)
        PyMem_RawFree(self.row_places)

    cdef const uint8_t* decode(
        self, const uint8_t* start, const uint8_t* end, bint is_final, uint64_t offset
    ) except? NULL:
        """Decode the text at hand until the batch is full; return the start of the next row.

        Without rows in ``rows``, more text is needed to go on. A bad row ends the batch before it;
        it is an error when it comes first.

        Args:
            start: The text at hand: the bytes that were not decoded yet.
            end: Its end, with `PADDING` readable bytes behind it.
            is_final: Whether no text follows.
            offset: Position of ``start`` in the input, for errors.
        """
        cdef const uint8_t* at
        cdef int position
        with nogil:
            memset(&self.failure, 0, sizeof(self.failure))
            memset(self.datatypes, 0, sizeof(self.datatypes))
            for position in range(4):
                self.last[position].size = 0
            self.end = end
            self.is_final = is_final
            self.is_incomplete = False
            self.is_cut_off = False
            self.offset = offset
            self.start = self.place.start = start
            if self.start_batch() < 0:
                at = start
            else:
                at = self.decode_rows(start)
        if self.failure.at != NULL and self.rows.count == 0:
            error = self.make_error(at, offset + (at - start))
            if self.is_cut_off and self.place.line < error.line:
                error.message += f", which starts in line {self.place.line}"
            # The caller may skip the row from here.
            self.row_start = at
            self.place.column += count_characters(self.place.start, at)
            self.place.start = at
            raise error
        self.place.column += count_characters(self.place.start, at)
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
        cdef LinePlace place
        cdef uint32_t terms
        while self.rows.count < MAX_ROWS and (at < last_start or self.rows.count == 0):
            at = skip_blanks(self, at) if self.grammar == RDF_PATCH else skip_line_ends(self, at)
            if at == self.end:
                break
            place = self.place
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
                self.place = place
                break
            if self.row_places != NULL and at[0] != b"#":
                self.keep_place(&place, at)
            at = next_at
        return at

    cdef int keep_places(self) except -1:
        """Keep the places of the rows of each batch from now on, and accept no lenient spelling."""
        self.is_lenient = False
        self.row_places = <RowPlace*>PyMem_RawMalloc(MAX_ROWS * sizeof(RowPlace))
        if self.row_places == NULL:
            raise MemoryError
        return 0

    cdef void keep_place(self, const LinePlace* place, const uint8_t* at) noexcept nogil:
        """Keep the place of the last row, which starts at ``at``."""
        cdef RowPlace* kept = &self.row_places[self.rows.count - 1]
        kept.offset = self.offset + (at - self.start)
        kept.line = place.line
        kept.column = place.column + count_characters(place.start, at) + 1

    cdef int take_bad_row(self) except -1:
        """Infer the state of transactions and patches from the code of a bad row.

        A row without a known code may have been any: the next row is not blamed for the state.
        """
        cdef RowCode code = find_row_code(self.row_start, self.end, True)
        cdef uint8_t op = 0
        if self.row_start == self.end or self.row_start[0] == b"#":
            return 0
        self.is_open = True
        if code == NO_CODE:
            self.is_in_doubt = True
        elif code == START_CODE:
            op = TX
        elif code == COMMIT_CODE:
            op = TC
        elif code == ABORT_CODE:
            op = TA
        elif code == PATCH_END_CODE:
            op = END
            self.has_end = True
        if op == 0:
            return 0
        self.in_transaction = op == TX
        self.is_open = op != END
        if self.start_batch() < 0 or rows_append(&self.rows, op, 0, 0, 0, 0) < 0:
            raise MemoryError
        self.keep_place(&self.place, self.row_start)
        return 0

    cdef Batch take_batch(self):
        cdef Batch batch = make_batch(
            &self.rows, &self.terms, self.factory, self.has_graphs, {}
        )
        cdef TermColumns* terms = &batch.terms.columns
        # The next batch is likely to be about as large as this one.
        self.term_hint = terms.count + terms.count // 4 + 8
        self.text_hint = terms.offsets[terms.count]
        self.text_hint += self.text_hint // 4 + 64
        return batch

    cdef Batch finish(self, uint64_t offset):
        """Return a batch with the end of the patch that the input's end ends, if it ends one."""
        if self.in_transaction and not self.is_in_doubt:
            raise DecodeError(
                "the input ends inside a transaction", offset=offset, line=self.place.line,
                column=self.place.column + 1,
            )
        if self.has_end and not self.is_open:
            return None
        if self.start_batch() < 0 or rows_append(&self.rows, END, 0, 0, 0, 0) < 0:
            raise MemoryError
        if self.row_places != NULL:
            self.offset = offset
            self.keep_place(&self.place, self.start)
        return self.take_batch()

    cdef object make_error(self, const uint8_t* start, uint64_t offset):
        """Make the error of a failure in the row that starts there."""
        cdef const uint8_t* at = self.failure.at
        cdef LinePlace place = self.place
        count_lines(&place, start, at)
        return failure_to_error(
            &self.failure, offset + (at - start), None, None, place.line,
            place.column + count_characters(place.start, at) + 1,
        )

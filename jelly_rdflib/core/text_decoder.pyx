# cython: nonecheck=False
# `__cinit__` sets all that is used, and nothing sets it to None later.
"""Decodes RDF Patch text, N-Triples and N-Quads to batches.

The grammar of RDF Patch is that of the two specifications and of Apache Jena's reader: what Turtle
says of tokens, and rows of tokens that only a dot ends. Tokens need no space between them where
they can be told apart without one.

A statement of N-Triples or N-Quads is a row without a code, and a line has no more than one. The
grammar is that of RDF 1.1, with the quoted triples of RDF 1.2.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset, strlen

from jelly_rdflib.core.batch cimport make_batch, rows_append, rows_free, rows_init
from jelly_rdflib.core.default_graph cimport is_jena_default_graph
from jelly_rdflib.core.failure cimport fail_limit, fail_memory, failure_to_error
from jelly_rdflib.core.hashing cimport copy_and_hash, load64, load64_little
from jelly_rdflib.core.interning cimport intern_padded_text, intern_text
from jelly_rdflib.core.iri cimport IRI_IS_GOOD, IRI_IS_RELATIVE, check_iri
from jelly_rdflib.core.language_tag cimport is_language_tag, is_well_formed
from jelly_rdflib.core.row_code cimport (
    ABORT_CODE,
    COMMIT_CODE,
    NO_CODE,
    PATCH_END_CODE,
    START_CODE,
    RowCode,
    find_row_code,
)
from jelly_rdflib.core.scanning cimport (
    find_iri_stop,
    find_long_stop,
    find_string_stop,
    is_ascii_name_part,
    is_digit,
    is_letter,
    is_name_part,
    is_name_start,
)
from jelly_rdflib.core.schema cimport check_text
from jelly_rdflib.core.terms cimport (
    hash_seed,
    term_hash,
    terms_free,
    terms_init,
    terms_intern_tail,
    terms_intern_triple,
    terms_reserve,
    terms_truncate,
)
from jelly_rdflib.core.utf8 cimport is_continuation, is_utf8, read_code_point

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.operations import Op

cdef enum:
    # How much goes into a batch, beside `MAX_ROWS`.
    MAX_TEXT = 1 << 18

cdef enum:
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3

cdef uint8_t H = Op.H
cdef uint8_t TX = Op.TX
cdef uint8_t TC = Op.TC
cdef uint8_t TA = Op.TA
cdef uint8_t PA = Op.PA
cdef uint8_t PD = Op.PD
cdef uint8_t A = Op.A
cdef uint8_t D = Op.D
cdef uint8_t END = Op.END

cdef const char* DATATYPES[SHORT_FORMS]
DATATYPES[INTEGER] = b"http://www.w3.org/2001/XMLSchema#integer"
DATATYPES[DECIMAL] = b"http://www.w3.org/2001/XMLSchema#decimal"
DATATYPES[DOUBLE] = b"http://www.w3.org/2001/XMLSchema#double"
DATATYPES[BOOLEAN] = b"http://www.w3.org/2001/XMLSchema#boolean"

cdef const char* XSD_STRING = b"http://www.w3.org/2001/XMLSchema#string"
cdef const char* LANGUAGE_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
cdef const char* DIRECTED_STRING = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString"

# White space: that of Turtle and the form feed, which Jena skips too.
cdef uint8_t[256] IS_BLANK
for byte in range(256):
    IS_BLANK[byte] = byte in b" \t\r\n\f"


cdef inline bint is_same(const uint8_t* one, const uint8_t* other, size_t size) noexcept nogil:
    """Compare texts of at least a byte; there must be 8 bytes to read behind both."""
    while size > 8:
        if load64(one) != load64(other):
            return False
        one += 8
        other += 8
        size -= 8
    return (load64_little(one) ^ load64_little(other)) << (64 - 8 * size) == 0


cdef uint64_t count_characters(const uint8_t* at, const uint8_t* end) noexcept nogil:
    cdef uint64_t count = 0
    while at < end:
        count += not is_continuation(at[0])
        at += 1
    return count


cdef void count_lines(LinePlace* place, const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Move the place on over a text that has line breaks in it."""
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


cdef inline bint is_text(const TermColumns* terms, uint32_t term, const char* text) noexcept nogil:
    cdef uint32_t start = terms.offsets[term]
    cdef size_t size = terms.offsets[term + 1] - start
    return size == strlen(text) and memcmp(terms.data + start, text, size) == 0


cdef inline int hex_value(uint8_t byte) noexcept nogil:
    if is_digit(byte):
        return byte - 0x30
    byte |= 0x20
    return byte - 0x57 if b"a" <= byte <= b"f" else -1


cdef inline size_t put_character(uint8_t* target, uint32_t c) noexcept nogil:
    """Write a character's UTF-8, and return how many bytes it has."""
    if c < 0x80:
        target[0] = <uint8_t>c
        return 1
    if c < 0x800:
        target[0] = <uint8_t>(0xC0 | c >> 6)
        target[1] = <uint8_t>(0x80 | c & 0x3F)
        return 2
    if c < 0x10000:
        target[0] = <uint8_t>(0xE0 | c >> 12)
        target[1] = <uint8_t>(0x80 | c >> 6 & 0x3F)
        target[2] = <uint8_t>(0x80 | c & 0x3F)
        return 3
    target[0] = <uint8_t>(0xF0 | c >> 18)
    target[1] = <uint8_t>(0x80 | c >> 12 & 0x3F)
    target[2] = <uint8_t>(0x80 | c >> 6 & 0x3F)
    target[3] = <uint8_t>(0x80 | c & 0x3F)
    return 4


@cython.final
cdef class TextDecoder:
    """Decodes the text of a stream, piece by piece.

    Most methods read something at ``at`` and return where it ends, or NULL: then what is wrong is
    in ``failure``, or the text ends too early and ``is_incomplete`` is set.

    Args:
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`; ``max_frame_size`` is for a row.
    """

    def __cinit__(self, NodeFactory factory not None, limits):
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
        """Decode rows, as many as go into a batch or as there are.

        A row that is wrong ends the batch before it; it is an error when it comes first.

        Args:
            start: Where the text at hand starts; what was not decoded before starts there.
            end: Where it ends, with `PADDING` bytes to read behind it.
            is_final: Whether no text follows.
            offset: Position of ``start`` in the input, for errors.

        Returns:
            Where the next row starts. Without rows in ``rows`` it takes more text to go on.
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
            # Whoever goes on behind the row starts here.
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
            at = self.skip_blanks(at) if self.grammar == RDF_PATCH else self.skip_line_ends(at)
            if at == self.end:
                break
            place = self.place
            terms = self.terms.count
            self.row_start = at
            if at[0] == b"#":
                next_at = self.skip_comment(at)
            elif self.grammar == RDF_PATCH:
                next_at = self.decode_row(at)
            else:
                next_at = self.decode_line(at)
            if next_at == NULL:
                terms_truncate(&self.terms, terms)
                self.place = place
                break
            if self.row_places != NULL and at[0] != b"#":
                self.keep_place(&place, at)
            at = next_at
        return at

    cdef int keep_places(self) except -1:
        """Keep the places of the rows of a batch from now on, and take no row that is amiss."""
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
        """Draw from a row that could not be read what the rows behind it depend on.

        Where a transaction or patch starts or ends is taken as it is meant; a row of which nobody
        knows what it is leaves a doubt, so that the next one is not blamed for it.
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

    cdef const uint8_t* fail(self, const uint8_t* at, const char* message) noexcept nogil:
        self.failure.message = message
        self.failure.at = at
        return NULL

    cdef const uint8_t* fail_size(self) noexcept nogil:
        self.is_cut_off = True
        fail_limit(
            &self.failure, self.row_start,
            b"row of more than {number} bytes (limit max_frame_size)", self.max_row_size, 0,
        )
        return NULL

    cdef const uint8_t* fail_term(self, const uint8_t* at) noexcept nogil:
        if at[0] == b".":
            return self.fail(at, b"the row ends where a term is expected")
        return self.fail_token(at, b"expected a term")

    cdef const uint8_t* fail_token(self, const uint8_t* at, const char* message) noexcept nogil:
        cdef uint32_t c
        cdef int size = 1
        if at[0] >= 0x80:
            size = read_code_point(at, self.end, &c)
        if size < 0:
            return self.cut_off()
        if size == 0:
            return self.fail(at, b"the text is not UTF-8")
        return self.fail(at, message)

    cdef const uint8_t* cut_off(self) noexcept nogil:
        """Say that the text ends before a row does."""
        if <size_t>(self.end - self.row_start) > self.max_row_size:
            return self.fail_size()
        if self.is_final:
            self.is_cut_off = True
            return self.fail(self.end, b"the input ends inside a row")
        self.is_incomplete = True
        return NULL

    # What stands between tokens, and what ends rows.

    cdef inline const uint8_t* skip_blanks(self, const uint8_t* at) noexcept nogil:
        while at < self.end and IS_BLANK[at[0]]:
            if at[0] == b"\n":
                self.place.line += 1
                self.place.column = 0
                self.place.start = at + 1
            at += 1
        return at

    cdef inline const uint8_t* skip_line_ends(self, const uint8_t* at) noexcept nogil:
        """Skip blanks, and line ends behind which another statement may stand."""
        while at < self.end:
            if at[0] == b"\n" or at[0] == b"\r":
                self.has_statement = False
                if at[0] == b"\n":
                    self.place.line += 1
                    self.place.column = 0
                    self.place.start = at + 1
            elif at[0] != b" " and at[0] != b"\t":
                break
            at += 1
        return at

    cdef const uint8_t* skip_comment(self, const uint8_t* at) noexcept nogil:
        """Skip a comment, but for the line break that ends it."""
        cdef const uint8_t* start = at
        while at < self.end and at[0] != b"\n" and at[0] != b"\r":
            at += 1
        if at == self.end and not self.is_final:
            return self.cut_off()
        if <size_t>(at - start) > self.max_row_size:
            return self.fail_size()
        if not is_utf8(start, at):
            return self.fail(start, b"comment is not UTF-8")
        return at

    cdef inline const uint8_t* next_token(self, const uint8_t* at) noexcept nogil:
        """Skip what stands before the next token of the row."""
        # One space is what nearly always stands there.
        if at + 1 < self.end and at[0] == b" " and at[1] > b" " and at[1] != b"#":
            return at + 1
        if self.grammar >= LINES:
            return self.next_token_in_line(at)
        while True:
            at = self.skip_blanks(at)
            if at == self.end:
                return self.cut_off()
            if at[0] != b"#":
                return at
            at = self.skip_comment(at)
            if at == NULL:
                return NULL

    cdef const uint8_t* next_token_in_line(self, const uint8_t* at) noexcept nogil:
        while at < self.end and (at[0] == b" " or at[0] == b"\t"):
            at += 1
        if at == self.end:
            return self.cut_off()
        if at[0] == b"\n" or at[0] == b"\r" or at[0] == b"#":
            return self.fail(at, b"the line ends inside a statement")
        return at

    cdef inline int is_dot(self, const uint8_t* at) noexcept nogil:
        """Is this the dot that ends a row? -1 says that the text ends too early to tell."""
        if at[0] != b".":
            return 0
        if self.grammar >= LINES:
            return 1
        if at + 1 == self.end:
            if self.is_final:
                return 1
            self.cut_off()
            return -1
        return not is_digit(at[1])

    cdef inline const uint8_t* add_row(
        self, const uint8_t* at, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil:
        """Add the row that ends at ``at`` to the batch."""
        if <size_t>(at - self.row_start) > self.max_row_size:
            return self.fail_size()
        if rows_append(&self.rows, op, s, p, o, g) < 0:
            fail_memory(&self.failure, at)
            return NULL
        self.is_open = op != END
        return at

    cdef inline const uint8_t* end_row(
        self, const uint8_t* at, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil:
        """Read the dot that ends a row, whose other tokens have been read."""
        cdef int is_dot = self.is_dot(at)
        if is_dot < 0:
            return NULL
        if not is_dot:
            return self.fail_token(at, b"expected the dot that ends the row")
        return self.add_row(at + 1, op, s, p, o, g)

    # Rows.

    cdef inline const uint8_t* decode_row(self, const uint8_t* at) noexcept nogil:
        cdef Span code
        cdef size_t size
        if at + 1 < self.end and at[1] == b" ":
            if at[0] == b"A":
                return self.decode_statement(at + 1, A)
            if at[0] == b"D":
                return self.decode_statement(at + 1, D)
        at = self.read_word(at, &code)
        if at == NULL:
            return NULL
        size = code.end - code.start
        if size == 1:
            if code.start[0] == b"A":
                return self.decode_statement(at, A)
            if code.start[0] == b"D":
                return self.decode_statement(at, D)
            if code.start[0] == b"H":
                return self.decode_header(at)
            if code.start[0] == b"Z":
                return self.decode_mark(at, END)
        elif size == 2 and code.start[0] == b"T":
            # The first edition of RDF Patch has TB for TX.
            if code.start[1] == b"X" or code.start[1] == b"B":
                return self.decode_mark(at, TX)
            if code.start[1] == b"C":
                return self.decode_mark(at, TC)
            if code.start[1] == b"A":
                return self.decode_mark(at, TA)
        elif size == 2 and code.start[0] == b"P":
            if code.start[1] == b"A":
                return self.decode_prefix(at, PA)
            if code.start[1] == b"D":
                return self.decode_prefix(at, PD)
        return self.fail_token(
            code.start, b"expected the code of a row: H, TX, TC, TA, PA, PD, A, D or Z"
        )

    cdef inline const uint8_t* decode_line(self, const uint8_t* at) noexcept nogil:
        """Decode a statement of N-Triples or N-Quads."""
        if self.has_statement:
            return self.fail_token(at, b"a line has only one statement")
        at = self.decode_statement(at, A)
        self.has_statement = at != NULL
        return at

    cdef inline const uint8_t* decode_statement(self, const uint8_t* at, uint8_t op) noexcept nogil:
        cdef uint32_t[4] quad
        cdef int position, is_dot
        cdef Span nothing
        for position in range(3):
            at = self.next_token(at)
            if at == NULL:
                return NULL
            at = self.read_position(at, position, &quad[position])
            if at == NULL:
                return NULL
        at = self.next_token(at)
        if at == NULL:
            return NULL
        is_dot = self.is_dot(at)
        if is_dot < 0:
            return NULL
        quad[GRAPH] = 0
        if is_dot:
            if self.grammar >= LINES and self.has_graphs:
                nothing.start = nothing.end = at
                if self.intern(TermKind.DEFAULT_GRAPH, nothing, 0, &quad[GRAPH]) < 0:
                    return NULL
        elif self.has_graphs:
            at = self.read_graph(at, &quad[GRAPH])
            if at == NULL:
                return NULL
            at = self.next_token(at)
            if at == NULL:
                return NULL
        return self.end_row(at, op, quad[SUBJECT], quad[PREDICATE], quad[OBJECT], quad[GRAPH])

    cdef const uint8_t* decode_header(self, const uint8_t* at) noexcept nogil:
        cdef uint32_t key, value
        cdef const uint8_t* value_end
        at = self.next_token(at)
        if at == NULL:
            return NULL
        at = self.read_name(
            at, &key, b"expected the header's key: a word or a quoted string"
        )
        if at == NULL:
            return NULL
        at = self.next_token(at)
        if at == NULL:
            return NULL
        value_end = self.read_term(at, &value, 0)
        if value_end == NULL:
            return NULL
        at = self.next_token(value_end)
        if at == NULL:
            return NULL
        if (
            at[0] == b"T" and at == value_end + 1 and value_end[0] == b"\n" and self.is_lenient
            and self.is_prev(key)
        ):
            # As rdflib 7 writes it: without a dot, and a TX in the next line.
            if self.end - at < 3:
                return self.cut_off()
            if at[1] == b"X" and at[2] == b" ":
                return self.add_row(at, H, key, 0, value, 0)
        return self.end_row(at, H, key, 0, value, 0)

    cdef bint is_prev(self, uint32_t key) noexcept nogil:
        """Is it this header's key, in any case of letters?"""
        cdef const uint8_t* text = self.terms.data + self.terms.offsets[key]
        cdef const uint8_t* prev = b"prev"
        cdef int index
        if self.terms.offsets[key + 1] - self.terms.offsets[key] != 4:
            return False
        for index in range(4):
            # In ASCII this bit is all that a letter's two cases differ in.
            if text[index] | 0x20 != prev[index]:
                return False
        return True

    cdef const uint8_t* decode_prefix(self, const uint8_t* at, uint8_t op) noexcept nogil:
        """Decode a prefix that is added or deleted; a graph may stand last.

        A deleted prefix may have its IRI, as a string or before a graph: one IRI alone is a graph,
        as it is for Jena.
        """
        cdef uint32_t name
        cdef uint32_t iri = 0
        cdef uint32_t graph = 0
        cdef int is_dot
        at = self.next_token(at)
        if at == NULL:
            return NULL
        at = self.read_name(
            at, &name, b"expected the prefix's name: a word or a quoted string, without colon"
        )
        if at == NULL:
            return NULL
        at = self.next_token(at)
        if at == NULL:
            return NULL
        if at[0] == b'"' or at[0] == b"'":
            at = self.read_string(at, TermKind.IRI, &iri)
            if at == NULL:
                return NULL
            at = self.next_token(at)
        elif op == PA:
            at = self.read_real_iri(at, &iri, b"expected the prefix's IRI, in <> or quoted")
            if at == NULL:
                return NULL
            at = self.next_token(at)
        if at == NULL:
            return NULL
        is_dot = self.is_dot(at)
        if is_dot == 0:
            at = self.read_graph(at, &graph)
            if at == NULL:
                return NULL
            at = self.next_token(at)
            if at == NULL:
                return NULL
            is_dot = self.is_dot(at)
            if is_dot == 0 and op == PD and iri == 0:
                if self.terms.kinds[graph] != TermKind.IRI:
                    return self.fail(at, b"expected the dot that ends the row")
                iri = graph
                at = self.read_graph(at, &graph)
                if at == NULL:
                    return NULL
                at = self.next_token(at)
                if at == NULL:
                    return NULL
        return self.end_row(at, op, name, 0, iri, graph)

    cdef const uint8_t* decode_mark(self, const uint8_t* at, uint8_t op) noexcept nogil:
        if self.is_in_doubt:
            pass
        elif op == TX:
            if self.in_transaction:
                return self.fail(self.row_start, b"transaction starts inside a transaction")
        elif op == END:
            if self.in_transaction:
                return self.fail(self.row_start, b"patch ends inside a transaction")
        elif not self.in_transaction:
            return self.fail(self.row_start, b"transaction ends, but none was started")
        at = self.next_token(at)
        if at == NULL:
            return NULL
        at = self.end_row(at, op, 0, 0, 0, 0)
        if at != NULL:
            self.in_transaction = op == TX
            self.is_in_doubt = False
            self.has_end |= op == END
        return at

    # Terms.

    cdef inline const uint8_t* read_position(
        self, const uint8_t* at, int position, uint32_t* number
    ) noexcept nogil:
        """Read a term of a statement, which may well be that of the last one again."""
        cdef LastIri* last = &self.last[position]
        cdef const uint8_t* next_at
        if (
            last.size > 0 and <size_t>(self.end - at) > last.size
            and is_same(at, last.start, last.size)
        ):
            number[0] = last.number
            return at + last.size
        if at[0] != b"<" or at[1] == b"<":
            return self.read_part(at, position, number, 0)
        next_at = self.read_iri(at, number)
        if next_at != NULL:
            last.start = at
            last.size = next_at - at
            last.number = number[0]
        return next_at

    cdef inline const uint8_t* read_graph(
        self, const uint8_t* at, uint32_t* number
    ) noexcept nogil:
        if at[0] == b"<" and at + 1 < self.end and at[1] == b"<":
            return self.fail(at, b"a quoted triple can't be a graph")
        at = self.read_position(at, GRAPH, number)
        if (
            at != NULL and self.grammar == RDF_PATCH
            and is_jena_default_graph(&self.terms, number[0])
        ):
            number[0] = 0
        return at

    cdef const uint8_t* read_part(
        self, const uint8_t* at, int position, uint32_t* number, int depth
    ) noexcept nogil:
        """Read a term of a statement or of a quoted triple, which may have any in RDF Patch."""
        cdef const uint8_t* next_at = self.read_term(at, number, depth)
        cdef int kind
        if next_at == NULL or self.grammar < LINES or position == OBJECT:
            return next_at
        kind = self.terms.kinds[number[0]]
        if kind == TermKind.IRI or (kind == TermKind.BLANK_NODE and position != PREDICATE):
            return next_at
        if position == PREDICATE:
            return self.fail(at, b"a predicate is an IRI")
        return self.fail(at, b"a subject or graph is an IRI or a blank node")

    cdef const uint8_t* read_term(
        self, const uint8_t* at, uint32_t* number, int depth
    ) noexcept nogil:
        """Read a term; ``depth`` counts the quoted triples around it."""
        cdef uint8_t first = at[0]
        if first == b"<":
            if at + 1 == self.end:
                return self.cut_off()
            if at[1] == b"<":
                return self.read_triple(at, number, depth + 1)
            return self.read_iri(at, number)
        if first == b'"' or (first == b"'" and self.grammar == RDF_PATCH):
            return self.read_literal(at, number)
        if first == b"_":
            return self.read_label(at, number)
        if self.grammar != RDF_PATCH:
            return self.fail_term(at)
        if is_digit(first) or first == b"+" or first == b"-" or first == b".":
            return self.read_number(at, number)
        return self.read_boolean(at, number)

    cdef inline const uint8_t* read_iri(
        self, const uint8_t* at, uint32_t* number
    ) noexcept nogil:
        """Read ``<IRI>``, or the blank node ``<_:label>``."""
        cdef const uint8_t* stop = self.find_iri_end(at + 1)
        cdef uint32_t count = self.terms.count
        cdef TermKind kind = TermKind.IRI
        cdef bint has_escapes = False
        cdef int fault
        cdef Span text
        while stop < self.end and stop[0] == b"\\":
            has_escapes = True
            stop = self.find_iri_end(stop + 1)
        if stop >= self.end:
            return self.cut_off()
        if stop[0] != b">":
            return self.fail(stop, b"this character can't stand in <>")
        text.start = at + 1
        text.end = stop
        if has_escapes:
            if self.intern_escaped(kind, text, False, 0, number) < 0:
                return NULL
        else:
            if text.start[0] == b"_" and text.start[1] == b":" and self.grammar == RDF_PATCH:
                kind = TermKind.BLANK_NODE
                text.start += 2
            if self.intern(kind, text, 0, number) < 0:
                return NULL
        if self.grammar == STRICT_LINES and number[0] == count:
            fault = check_iri(
                self.terms.data + self.terms.offsets[count],
                self.terms.data + self.terms.offsets[count + 1],
            )
            if fault == IRI_IS_RELATIVE:
                return self.fail(at, b"this IRI is relative: it has no scheme")
            if fault != IRI_IS_GOOD:
                return self.fail(at, b"this is no IRI")
        return stop + 1

    cdef const uint8_t* read_real_iri(
        self, const uint8_t* at, uint32_t* number, const char* message
    ) noexcept nogil:
        """Read an IRI where nothing else may stand."""
        cdef const uint8_t* next_at
        if at[0] != b"<":
            return self.fail_token(at, message)
        if at + 1 == self.end:
            return self.cut_off()
        if at[1] == b"<":
            return self.fail(at, message)
        next_at = self.read_iri(at, number)
        if next_at != NULL and self.terms.kinds[number[0]] != TermKind.IRI:
            return self.fail(at, message)
        return next_at

    cdef const uint8_t* read_label(self, const uint8_t* at, uint32_t* number) noexcept nogil:
        """Read ``_:label``."""
        cdef bint has_escapes = False
        cdef Span text
        if self.end - at < 2:
            return self.cut_off()
        if at[1] != b":":
            return self.fail_term(at)
        text.start = at + 2
        text.end = self.scan_name(text.start, True)
        if text.end == NULL:
            return NULL
        if self.grammar == ONE_TERM:
            # Any text can be a label there, none included.
            has_escapes = memchr(text.start, b"\\", text.end - text.start) != NULL
        elif text.start == text.end:
            return self.fail_token(text.start, b"expected the blank node's label")
        if has_escapes:
            if self.intern_escaped(TermKind.BLANK_NODE, text, False, 0, number) < 0:
                return NULL
        elif self.intern(TermKind.BLANK_NODE, text, 0, number) < 0:
            return NULL
        return text.end

    cdef const uint8_t* read_literal(self, const uint8_t* at, uint32_t* number) noexcept nogil:
        cdef QuotedText lexical
        at = self.scan_quoted(at, &lexical)
        if at != NULL and self.grammar != ONE_TERM:
            at = self.next_token(at)
        if at == NULL:
            return NULL
        if at == self.end:
            return self.cut_off()
        if at[0] == b"@":
            return self.read_tagged(at, &lexical, number)
        if at[0] == b"^":
            return self.read_typed(at, &lexical, number)
        if self.intern_quoted(TermKind.SIMPLE_LITERAL, &lexical, 0, number) < 0:
            return NULL
        return at

    cdef const uint8_t* read_tagged(
        self, const uint8_t* at, QuotedText* lexical, uint32_t* number
    ) noexcept nogil:
        """Read a literal's ``@`` and language tag."""
        cdef Span tag
        cdef uint32_t language = 0
        at += 1
        tag.start = at
        while at < self.end and (is_letter(at[0]) or is_digit(at[0]) or at[0] == b"-"):
            if at[0] == b"-" and at > tag.start and (at - 1)[0] == b"-":
                return self.fail(at - 1, b"RDF 1.1 has no direction behind a language tag")
            at += 1
        if at == self.end:
            return self.cut_off()
        tag.end = at
        if not is_language_tag(tag):
            return self.fail_token(tag.start, b"this is no language tag")
        if self.grammar == STRICT_LINES and not is_well_formed(tag):
            return self.fail(tag.start, b"this is no language tag of BCP 47")
        if (
            self.intern_tag(tag, &language) < 0
            or self.intern_quoted(TermKind.LANGUAGE_LITERAL, lexical, language, number) < 0
        ):
            return NULL
        return at

    cdef const uint8_t* read_typed(
        self, const uint8_t* at, QuotedText* lexical, uint32_t* number
    ) noexcept nogil:
        """Read a literal's ``^^`` and datatype; xsd:string is that of a simple literal in lines."""
        cdef const uint8_t* start
        cdef TermKind kind = TermKind.TYPED_LITERAL
        cdef uint32_t terms = self.terms.count
        cdef uint32_t datatype = 0
        if self.end - at < 2:
            return self.cut_off()
        if at[1] != b"^":
            return self.fail(at, b"expected ^^ and the literal's datatype")
        start = at + 2 if self.grammar == ONE_TERM else self.next_token(at + 2)
        if start == NULL:
            return NULL
        at = self.read_real_iri(
            start, &datatype, b"expected the literal's datatype: an IRI in <>"
        )
        if at == NULL:
            return NULL
        if self.grammar >= LINES and is_text(&self.terms, datatype, XSD_STRING):
            kind = TermKind.SIMPLE_LITERAL
            datatype = 0
            terms_truncate(&self.terms, terms)
        elif self.grammar == STRICT_LINES and (
            is_text(&self.terms, datatype, LANGUAGE_STRING)
            or is_text(&self.terms, datatype, DIRECTED_STRING)
        ):
            return self.fail(start, b"a literal of this datatype has a language tag")
        if self.intern_quoted(kind, lexical, datatype, number) < 0:
            return NULL
        return at

    cdef const uint8_t* read_number(self, const uint8_t* at, uint32_t* number) noexcept nogil:
        """Read a literal that is a number in one of Turtle's short forms."""
        cdef const uint8_t* start = at
        cdef const uint8_t* digits
        cdef const uint8_t* exponent_end
        cdef bint has_digits
        cdef int form = INTEGER
        if at[0] == b"+" or at[0] == b"-":
            at += 1
        digits = at
        while at < self.end and is_digit(at[0]):
            at += 1
        has_digits = at > digits
        if at == self.end:
            return self.cut_off()
        if at[0] == b"." and (at + 1 < self.end or not self.is_final):
            digits = at + 1
            at = digits
            while at < self.end and is_digit(at[0]):
                at += 1
            if at == self.end:
                return self.cut_off()
            exponent_end = at
            if has_digits or at > digits:
                exponent_end = self.read_exponent(at)
                if exponent_end == NULL:
                    return NULL
            if exponent_end > at:
                form = DOUBLE
                at = exponent_end
            elif at > digits:
                form = DECIMAL
            elif has_digits:
                # The dot ends the row.
                at = digits - 1
            else:
                return self.fail_term(start)
        elif not has_digits:
            return self.fail_term(start)
        else:
            exponent_end = self.read_exponent(at)
            if exponent_end == NULL:
                return NULL
            if exponent_end > at:
                form = DOUBLE
                at = exponent_end
        if self.intern_short(start, at, form, number) < 0:
            return NULL
        return at

    cdef const uint8_t* read_exponent(self, const uint8_t* at) noexcept nogil:
        """Read a number's exponent; return ``at`` if there is none."""
        cdef const uint8_t* start = at
        cdef const uint8_t* digits
        if at[0] != b"e" and at[0] != b"E":
            return start
        at += 1
        if at < self.end and (at[0] == b"+" or at[0] == b"-"):
            at += 1
        digits = at
        while at < self.end and is_digit(at[0]):
            at += 1
        if at == self.end:
            return self.cut_off()
        return at if at > digits else start

    cdef const uint8_t* read_boolean(self, const uint8_t* at, uint32_t* number) noexcept nogil:
        """Read ``true`` or ``false``, which no other words are terms beside."""
        cdef Span word
        cdef size_t size
        at = self.read_word(at, &word)
        if at == NULL:
            return NULL
        size = word.end - word.start
        if not (
            (size == 4 and memcmp(word.start, b"true", 4) == 0)
            or (size == 5 and memcmp(word.start, b"false", 5) == 0)
        ):
            if at[0] == b":":
                return self.fail(
                    word.start, b"prefixed name: RDF Patch has IRIs in full, between < and >"
                )
            return self.fail_term(word.start)
        if self.intern_short(word.start, word.end, BOOLEAN, number) < 0:
            return NULL
        return at

    cdef const uint8_t* read_triple(
        self, const uint8_t* at, uint32_t* number, int depth
    ) noexcept nogil:
        """Read ``<< s p o >>``, or RDF 1.2's ``<<( s p o )>>``."""
        cdef const uint8_t* start = at
        cdef uint32_t[3] numbers
        cdef int position
        cdef int64_t term
        cdef bint has_brackets
        if depth > self.max_nesting_depth:
            fail_limit(
                &self.failure, at,
                b"quoted triples nest deeper than {number} (limit max_nesting_depth)",
                self.max_nesting_depth, 0,
            )
            return NULL
        if self.end - at < 3:
            return self.cut_off()
        has_brackets = at[2] == b"("
        if self.grammar >= LINES and not has_brackets:
            return self.fail(at, b"a quoted triple stands between <<( and )>>")
        at += 2 + has_brackets
        for position in range(3):
            at = self.next_token(at)
            if at == NULL:
                return NULL
            at = self.read_part(at, position, &numbers[position], depth)
            if at == NULL:
                return NULL
        at = self.next_token(at)
        if at == NULL:
            return NULL
        if self.end - at < 2 + has_brackets:
            return self.cut_off()
        if has_brackets:
            if at[0] != b")":
                return self.fail_token(at, b"expected )>> after the quoted triple's terms")
            at += 1
        if at[0] != b">" or at[1] != b">":
            return self.fail_token(at, b"expected >> after the quoted triple's terms")
        term = terms_intern_triple(
            &self.terms, numbers[0], numbers[1], numbers[2], start, &self.failure
        )
        number[0] = <uint32_t>term
        return at + 2 if term >= 0 else NULL

    # Texts.

    cdef const uint8_t* read_name(
        self, const uint8_t* at, uint32_t* number, const char* message
    ) noexcept nogil:
        """Read a header's key or a prefix's name: a word or a string."""
        cdef Span word
        if at[0] == b'"' or at[0] == b"'":
            return self.read_string(at, TermKind.STRING, number)
        at = self.read_word(at, &word)
        if at == NULL:
            return NULL
        if word.start == word.end or at[0] == b":":
            return self.fail_token(word.start, message)
        if self.intern(TermKind.STRING, word, 0, number) < 0:
            return NULL
        return at

    cdef const uint8_t* read_string(
        self, const uint8_t* at, TermKind kind, uint32_t* number
    ) noexcept nogil:
        """Read a string that is no literal."""
        cdef QuotedText text
        at = self.scan_quoted(at, &text)
        if at == NULL or self.intern_quoted(kind, &text, 0, number) < 0:
            return NULL
        return at

    cdef inline const uint8_t* read_word(self, const uint8_t* at, Span* word) noexcept nogil:
        """Read a word, PN_PREFIX of Turtle; one of no characters if there is none."""
        word.start = at
        word.end = self.scan_name(at, False)
        return word.end

    cdef const uint8_t* scan_name(self, const uint8_t* start, bint is_label) noexcept nogil:
        """Return where a word or a label ends; ``start`` if there is none.

        A label may start with a digit or underscore. It has no colons in lines, and escapes where
        the text is one term.
        """
        cdef const uint8_t* at = start
        cdef const uint8_t* name_end = start
        cdef uint32_t c
        cdef int size
        while at < self.end:
            if at[0] >= 0x80:
                size = read_code_point(at, self.end, &c)
                if size < 0 and not self.is_final:
                    return self.cut_off()
                if size <= 0 or not (is_name_part(c) if at > start else is_name_start(c)):
                    return name_end
                at += size
                name_end = at
            elif at[0] == b".":
                # Only if more of the name follows.
                if at == start:
                    return start
                at += 1
            elif (
                is_ascii_name_part(at[0]) if at > start
                else is_letter(at[0]) or (is_label and at[0] != b"-" and is_ascii_name_part(at[0]))
            ) or (is_label and at[0] == b":" and self.grammar < LINES):
                at += 1
                name_end = at
            elif is_label and at[0] == b"\\" and self.grammar == ONE_TERM:
                at += 10 if at[1] == b"U" else 6
                name_end = at
            else:
                return name_end
        # Dots at the very end are not the name's.
        if self.is_final and name_end < self.end:
            return name_end
        return self.cut_off()

    cdef inline const uint8_t* find_iri_end(self, const uint8_t* at) noexcept nogil:
        """Find what ends an IRI or can't stand in it, or an escape."""
        if self.grammar == LINES:
            return find_string_stop(at, self.end, b">")
        return find_iri_stop(at, self.end)

    cdef inline const uint8_t* scan_quoted(
        self, const uint8_t* at, QuotedText* text
    ) noexcept nogil:
        """Find the end of a string in quotes, of whichever kind."""
        cdef uint8_t quote = at[0]
        cdef const uint8_t* stop
        if at + 1 < self.end and at[1] == quote:
            if at + 2 == self.end:
                return self.cut_off()
            if at[2] == quote and self.grammar == RDF_PATCH:
                return self.scan_long_quoted(at + 3, quote, text)
        text.has_escapes = False
        text.span.start = at + 1
        stop = find_string_stop(at + 1, self.end, quote)
        while stop < self.end and stop[0] == b"\\":
            text.has_escapes = True
            stop = find_string_stop(stop + 2, self.end, quote)
        if stop >= self.end:
            return self.cut_off()
        if stop[0] != quote:
            if self.grammar == RDF_PATCH:
                return self.fail(
                    stop, b"line break in a string: it takes three quotes, or \\n"
                )
            return self.fail(stop, b"line break in a string, which has it as \\n")
        text.span.end = stop
        return stop + 1

    cdef const uint8_t* scan_long_quoted(
        self, const uint8_t* at, uint8_t quote, QuotedText* text
    ) noexcept nogil:
        """Find the end of a string in three quotes, whose first character is at ``at``."""
        cdef const uint8_t* start = at
        text.has_escapes = False
        text.span.start = at
        while True:
            at = find_long_stop(at, self.end, quote)
            if self.end - at < 3:
                return self.cut_off()
            if at[0] == b"\\":
                text.has_escapes = True
                at += 2
            elif at[1] == quote and at[2] == quote:
                break
            else:
                at += 1
        text.span.end = at
        count_lines(&self.place, start, at)
        return at + 3

    cdef inline int intern(
        self, TermKind kind, Span text, uint32_t extra, uint32_t* number
    ) noexcept nogil:
        cdef int64_t term = intern_padded_text(
            &self.terms, kind, text.start, text.end - text.start, extra, self.seed,
            self.max_string_size, &self.failure,
        )
        number[0] = <uint32_t>term
        return -1 if term < 0 else 0

    cdef int intern_tag(self, Span tag, uint32_t* number) noexcept nogil:
        """Intern a language tag: in lines in lower case, as in what pyoxigraph reads."""
        cdef const uint8_t* start = tag.start
        cdef size_t size = tag.end - start
        cdef size_t index
        if self.grammar >= LINES:
            if terms_reserve(&self.terms, size, start, &self.failure) < 0:
                return -1
            tag.start = self.terms.data + self.terms.offsets[self.terms.count]
            tag.end = tag.start + size
            for index in range(size):
                # Digits and hyphens have this bit already.
                (<uint8_t*>tag.start)[index] = start[index] | 0x20
        if self.intern(TermKind.STRING, tag, 0, number) < 0:
            self.failure.at = start
            return -1
        return 0

    cdef inline int intern_quoted(
        self, TermKind kind, QuotedText* text, uint32_t extra, uint32_t* number
    ) noexcept nogil:
        if text.has_escapes:
            return self.intern_escaped(kind, text.span, True, extra, number)
        return self.intern(kind, text.span, extra, number)

    cdef int intern_escaped(
        self, TermKind kind, Span text, bint is_string, uint32_t extra, uint32_t* number
    ) noexcept nogil:
        """Intern a term whose text has escapes, of a string or of what stands in <>."""
        cdef uint8_t* target
        cdef int64_t size
        cdef uint64_t bits, hash
        # What is written is never shorter than what it means.
        if terms_reserve(&self.terms, text.end - text.start, text.start, &self.failure) < 0:
            return -1
        target = self.terms.data + self.terms.offsets[self.terms.count]
        size = self.unescape(text, is_string, target)
        if size < 0:
            return -1
        if (
            kind == TermKind.IRI and not is_string and self.grammar == RDF_PATCH
            and size >= 2 and target[0] == b"_" and target[1] == b":"
        ):
            kind = TermKind.BLANK_NODE
            size -= 2
            memmove(target, target + 2, size)
        if not is_utf8(target, target + size):
            self.fail(text.start, b"string is not UTF-8")
            return -1
        if <size_t>size > self.max_string_size:
            return fail_limit(
                &self.failure, text.start, b"string of {number} bytes (limit max_string_size:"
                b" {bound})", size, self.max_string_size,
            )
        hash = copy_and_hash(target, target, size, self.seed, &bits)
        number[0] = <uint32_t>terms_intern_tail(
            &self.terms, kind, size, extra, term_hash(kind, hash, self.terms.hashes[extra])
        )
        return 0

    cdef int64_t unescape(self, Span text, bint is_string, uint8_t* target) noexcept nogil:
        """Write what a text with escapes means, and return how many bytes that is."""
        cdef const uint8_t* at = text.start
        cdef const uint8_t* escape
        cdef uint8_t* start = target
        cdef uint32_t c
        cdef int digits, value
        while True:
            escape = find_long_stop(at, text.end, b"\\")
            if escape >= text.end:
                memcpy(target, at, text.end - at)
                return target + (text.end - at) - start
            memcpy(target, at, escape - at)
            target += escape - at
            at = escape + 2
            if at > text.end:
                self.fail(escape, b"this is no escape")
                return -1
            if escape[1] == b"u" or escape[1] == b"U":
                c = 0
                for digits in range(4 if escape[1] == b"u" else 8):
                    value = hex_value(at[0]) if at < text.end else -1
                    if value < 0 or c > 0x10FFFF >> 4:
                        self.fail(
                            escape, b"this is no character: \\u takes 4 hexadecimal digits,"
                            b" \\U 8 up to 0010FFFF"
                        )
                        return -1
                    c = c << 4 | <uint32_t>value
                    at += 1
                if 0xD800 <= c < 0xE000:
                    self.fail(escape, b"a surrogate is no character")
                    return -1
                target += put_character(target, c)
                continue
            if not is_string:
                self.fail(escape, b"only \\u and \\U are escapes between < and >")
                return -1
            if escape[1] == b"n":
                target[0] = 0x0A
            elif escape[1] == b'"' or escape[1] == b"\\" or escape[1] == b"'":
                target[0] = escape[1]
            elif escape[1] == b"t":
                target[0] = 0x09
            elif escape[1] == b"r":
                target[0] = 0x0D
            elif escape[1] == b"b":
                target[0] = 0x08
            elif escape[1] == b"f":
                target[0] = 0x0C
            else:
                self.fail(escape, b"this is no escape of a string")
                return -1
            target += 1

    cdef int intern_short(
        self, const uint8_t* start, const uint8_t* end, int form, uint32_t* number
    ) noexcept nogil:
        """Intern a literal in one of Turtle's short forms."""
        cdef Span text
        cdef int64_t datatype
        if self.datatypes[form] == 0:
            text.start = <const uint8_t*>DATATYPES[form]
            text.end = text.start + strlen(DATATYPES[form])
            datatype = intern_text(
                &self.terms, TermKind.IRI, text, 0, self.seed, self.max_string_size, &self.failure
            )
            if datatype < 0:
                self.failure.at = start
                return -1
            self.datatypes[form] = <uint32_t>datatype
        text.start = start
        text.end = end
        return self.intern(TermKind.TYPED_LITERAL, text, self.datatypes[form], number)

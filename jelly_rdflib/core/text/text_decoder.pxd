# Decodes RDF Patch text, N-Triples and N-Quads to batches.

cdef enum:
    # Rows in a batch, at most.
    MAX_ROWS = 1024

cdef enum Grammar:
    # The grammar of the text.
    RDF_PATCH
    ONE_TERM  # of N-Triples, with escapes in labels
    LINES  # N-Triples or N-Quads; IRIs and language tags are taken as they stand
    # IRIs have to be absolute, with the characters that the grammar gives them; the subtags of
    # languages short; and literals of languages have a tag.
    GRAMMATICAL_LINES
    STRICT_LINES  # they must be good ones

cdef enum:
    # The short forms of Turtle.
    INTEGER = 0
    DECIMAL = 1
    DOUBLE = 2
    BOOLEAN = 3
    SHORT_FORMS = 4


ctypedef struct Place:
    # A place in the input; line and column count from 1.
    const uint8_t* at  # in the text at hand
    uint64_t offset
    uint64_t line
    uint64_t column


ctypedef struct Text:
    # A text as it is written, with the escapes of a string or of an IRI.
    Span span
    bint is_string
    bint has_escapes


ctypedef struct LastIri:
    # An IRI or blank node as it was written, from "<" to ">", and its term.
    const uint8_t* start
    size_t size
    uint32_t number


cdef class TextDecoder:
    cdef NodeMaker factory
    cdef RowColumns rows  # of the batch that is being made
    cdef TermColumns terms
    cdef Failure failure
    cdef uint64_t seed  # of hashes
    cdef size_t max_row_size
    cdef size_t max_string_size
    cdef size_t max_text_size
    cdef int max_nesting_depth
    cdef Grammar grammar
    cdef uint32_t term_hint
    cdef size_t text_hint
    # The text at hand.
    cdef const uint8_t* end
    cdef bint is_final  # no text follows it
    cdef bint is_cut_off  # the row that failed has no end, or is too long
    cdef const uint8_t* row_start
    cdef Place place  # of the text that is not decoded yet, or of the row that failed
    cdef Place* row_places  # of the rows of the batch; NULL: not kept
    cdef uint32_t[SHORT_FORMS] datatypes  # numbers of the short forms' datatypes; 0: not there yet
    cdef LastIri[4] last  # of each position, in this text
    # The lines.
    cdef uint32_t default_graph  # its number; 0: not there yet
    cdef bint has_graphs
    cdef bint is_generalized  # any term may have any position, except that no graph is a triple
    cdef bint has_statement  # the line where the text at hand starts, before it
    cdef bint drops_directions
    cdef bint has_dropped  # a direction
    # The patch.
    cdef bint in_transaction
    cdef bint is_in_doubt  # a bad row may have started or ended a transaction
    cdef bint is_lenient
    cdef bint needs_end  # the last row is not the end of a patch

    cdef const uint8_t* decode(
        self, const uint8_t* start, const uint8_t* end, bint is_final
    ) except? NULL
    cdef int start_batch(self) noexcept nogil
    cdef const uint8_t* decode_rows(self, const uint8_t* at) noexcept nogil
    cdef int keep_places(self) except -1
    cdef int add_mark(self, uint8_t op) except -1
    cdef int take_bad_row(self) except -1
    cdef Batch take_batch(self)
    cdef object make_error(self)

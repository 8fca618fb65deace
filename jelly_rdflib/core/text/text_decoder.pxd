# Decodes RDF Patch text, N-Triples and N-Quads to batches.

cdef enum:
    # The maximum number of rows in a batch.
    MAX_ROWS = 1024

cdef enum Grammar:
    # The grammar of the text.
    RDF_PATCH
    ONE_TERM  # one N-Triples term, with escapes in labels
    LINES  # N-Triples or N-Quads; IRIs and language tags are not checked
    # IRIs must be absolute, with only the characters that the grammar allows; subtags must not be
    # too long; and literals of datatype rdf:langString must have a tag.
    GRAMMATICAL_LINES
    STRICT_LINES  # IRIs and language tags must be valid

cdef enum:
    # Turtle's short forms.
    INTEGER = 0
    DECIMAL = 1
    DOUBLE = 2
    BOOLEAN = 3
    SHORT_FORMS = 4


ctypedef struct Place:
    # A position in the input; line and column count from 1.
    const uint8_t* at  # in the current text
    uint64_t offset
    uint64_t line
    uint64_t column


ctypedef struct Text:
    # The text of a string or IRI, with its escapes.
    Span span
    bint is_string
    bint has_escapes


ctypedef struct LastIri:
    # The written form of an IRI or blank node, from "<" to ">", and its term.
    const uint8_t* start
    size_t size
    uint32_t number


cdef class TextDecoder:
    cdef NodeMaker factory
    cdef RowColumns rows  # of the batch that is being made
    cdef TermColumns terms
    cdef Failure failure
    cdef uint64_t seed  # the seed of hashes
    cdef size_t max_row_size
    cdef size_t max_string_size
    cdef size_t max_text_size
    cdef int max_nesting_depth
    cdef Grammar grammar
    cdef uint32_t term_hint
    cdef size_t text_hint
    # The current piece of text.
    cdef const uint8_t* end
    cdef bint is_final  # no text follows it
    cdef bint is_cut_off  # the row that failed has no end, or is too long
    cdef const uint8_t* row_start
    cdef Place place  # the start of the undecoded text, or of the row that failed
    cdef Place* row_places  # the starts of the batch's rows; NULL: not kept
    cdef uint32_t[SHORT_FORMS] datatypes  # numbers of the short forms' datatypes; 0: not added yet
    cdef LastIri[4] last  # the last IRI in each position of a statement, in the current text
    # For N-Triples and N-Quads.
    cdef uint32_t default_graph  # the number of the default graph; 0: not added yet
    cdef bint has_graphs
    cdef bint is_generalized  # any term may be in any position, except a triple as a graph
    cdef bint has_statement  # the current text starts in a line that already had a statement
    cdef bint drops_directions
    cdef bint has_dropped  # whether a base direction was dropped
    # For RDF Patch.
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

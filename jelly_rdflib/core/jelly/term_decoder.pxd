# Decodes terms and statements: what Jelly-RDF and Jelly-Patch share of the wire format.

cdef enum:
    # Positions of terms in a statement.
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3

cdef enum:
    # In place of a term's number: there was no term yet; it is a term of an earlier frame.
    NOT_YET = 0
    CARRIED = 0xFFFFFFFF

cdef enum:
    # How many bytes `decode_regular_rows` leaves behind the row that it looks at.
    SLACK = 40


cdef enum:
    # What a oneof of terms holds: the four members in the order of their fields; for a graph,
    # RdfDefaultGraph stands in the place of RdfTriple.
    UNSET = 0
    IS_IRI = 1
    IS_BLANK_NODE = 2
    IS_LITERAL = 3
    IS_TRIPLE_TERM = 4
    IS_DEFAULT_GRAPH = 5


ctypedef struct EncodedTerm:
    # A term as it stands in its message: read, but not decoded, since fields may come in any
    # order but terms must be decoded in theirs.
    int kind
    Span span


ctypedef struct StatementRow:
    # A kind of row: the tag of its field in the row's oneof, and the operation that it is.
    uint8_t tag
    uint8_t op


ctypedef struct RegularRow:
    # What `decode_regular_rows` knows of a row.
    uint32_t[4] quad
    uint32_t last_name
    uint32_t last_prefix


ctypedef struct EncodedLiteral:
    # The fields of an RdfLiteral, read but not decoded.
    TermKind kind
    Span lexical
    Span language
    uint32_t datatype


cdef enum:
    # How many faults of a frame may be recovered: strangers write our input.
    MAX_RECOVERED = 1000


ctypedef struct RecoveredFault:
    Failure failure
    uint64_t row


ctypedef struct MergedSpan:
    # A message whose field stood more than once on the wire, put together.
    MergedSpan* next
    size_t capacity  # of the bytes that follow


@cython.final
cdef class TermDecoder:
    cdef Lookup names
    cdef Lookup prefixes
    cdef Lookup datatypes
    cdef bint generalized
    cdef bint rdf_star
    cdef TextLimits limits
    cdef int max_nesting_depth
    cdef uint32_t max_frame_terms
    cdef size_t held  # bytes that the lookups keep
    # Bytes of texts that were put together or copied in the whole stream, and how many may be by
    # the size of what was read so far.
    cdef uint64_t expansion
    cdef uint64_t max_expansion
    # Bytes that merging fields took in this frame, and how many it may take.
    cdef size_t merged_size
    cdef size_t max_merged_size
    cdef TermColumns terms  # of the frame that is being decoded
    cdef Failure failure
    # Recoverable errors of this frame; NULL in strict mode.
    cdef RecoveredFault* recovered
    cdef uint32_t recovered_count
    cdef uint64_t row  # in which such faults are
    cdef uint64_t seed  # of hashes
    cdef uint64_t next_serial
    # Which uses of lookup entries are good: it changes with the table and with any prefix.
    cdef uint32_t epoch
    cdef uint32_t last_prefix
    cdef uint32_t last_name
    cdef uint32_t[4] last  # the last term of each position, in the frame's table
    cdef bint last_is_elsewhere  # some of `last` may not be in the frame's table (yet)
    cdef TermColumns[4] carried  # the last terms of earlier frames
    cdef uint32_t[4] carried_term
    cdef uint32_t[4] carried_copy  # its copy in this frame's table; 0 if there is none
    cdef MergedSpan* merged

    cdef int save(self, WriteBuffer* out) except -1
    cdef int restore(self, Checkpoint* state) except -1
    cdef bint may_repeat(self, const TermColumns* terms, uint32_t term, int position) noexcept
    cdef int set_lookups(
        self, uint32_t names, uint32_t prefixes, uint32_t datatypes
    ) noexcept nogil
    cdef int begin_frame(self, size_t size, uint32_t terms, size_t text) noexcept nogil
    cdef int count_expansion(self, size_t size, const uint8_t* at) noexcept nogil
    cdef void bound_expansion_left(self) noexcept nogil
    cdef int end_frame(self) noexcept nogil
    cdef int recover_faults(self) except -1
    cdef int recover(self) noexcept nogil
    cdef int set_entry(self, Lookup* lookup, Span entry) noexcept nogil
    cdef const uint8_t* decode_regular_rows(
        self, const uint8_t* at, const uint8_t* end, RowColumns* rows, const StatementRow* add,
        const StatementRow* delete, bint has_graph
    ) noexcept nogil
    cdef const uint8_t* decode_regular_iri(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row, int position
    ) noexcept nogil
    cdef const uint8_t* decode_regular_literal(
        self, const uint8_t* at, const uint8_t* row_end, RegularRow* row
    ) noexcept nogil
    cdef int decode_statement(
        self, Span message, uint32_t* quad, bint is_quad, bint has_graph
    ) noexcept nogil
    cdef int decode_graph(
        self, EncodedTerm* term, const uint8_t* at, uint32_t* number
    ) noexcept nogil
    cdef int read_statement(
        self, Span message, EncodedTerm* terms, bint has_graph
    ) noexcept nogil
    cdef int64_t decode_term(self, EncodedTerm* term, int position, int depth) noexcept nogil
    cdef int64_t decode_blank_node(self, Span label) noexcept nogil
    cdef int64_t intern_iri(
        self, uint32_t name_id, uint32_t prefix_id, const uint8_t* at
    ) noexcept nogil
    cdef int64_t decode_datatype(self, uint32_t id, const uint8_t* at) noexcept nogil
    cdef int check_text(self, Span text) noexcept nogil
    cdef int check_unused(self, EncodedTerm* term) noexcept nogil
    cdef int check_message(self, int kind, Span message) noexcept nogil
    cdef int64_t intern_text(self, TermKind kind, Span text, uint32_t extra) noexcept nogil
    cdef int64_t intern_regular_text(
        self, TermKind kind, const uint8_t* start, size_t size
    ) noexcept nogil
    cdef void free_merged(self) noexcept nogil
    cdef void start_epoch(self) noexcept nogil
    cdef int read_iri(self, Span message, uint32_t* prefix_id, uint32_t* name_id) noexcept nogil
    cdef int64_t decode_iri(self, Span message) noexcept nogil
    cdef int read_literal(self, Span message, EncodedLiteral* literal) noexcept nogil
    cdef int64_t decode_literal(self, Span message) noexcept nogil
    cdef int64_t decode_triple(self, Span message, int depth) noexcept nogil
    cdef int64_t intern_string(self, Span text) noexcept nogil
    cdef int64_t repeat(self, int position, const uint8_t* at) noexcept nogil
    cdef int keep(self, int kind, EncodedTerm* term, Span span) noexcept nogil
    cdef int merge(self, int message, Span* merged, Span more) noexcept nogil

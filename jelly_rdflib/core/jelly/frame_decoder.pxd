# Decodes frames of either format to batches: what Jelly-RDF and Jelly-Patch share of a stream.

cdef enum:
    # The field of a frame that its rows are in, in both formats.
    ROWS_FIELD = 1
    # The row of the options, in both formats.
    OPTIONS_ROW = 1
    # Fields of the options, in both formats.
    GENERALIZED_STATEMENTS = 3
    RDF_STAR = 4
    MAX_NAME_TABLE_SIZE = 9
    MAX_PREFIX_TABLE_SIZE = 10
    MAX_DATATYPE_TABLE_SIZE = 11
    VERSION = 15
    OPTION_FIELDS = 16

cdef enum:
    # What options mean that the stream has already.
    GO_ON = 0
    START_ANEW = 1
    REFUSE = 2


ctypedef struct DecodedNamespace:
    # The fields of a row that declares, adds or deletes a namespace.
    Span name
    EncodedTerm value
    EncodedTerm graph


cdef class FrameDecoder:
    cdef TermDecoder terms
    cdef NodeMaker factory
    # What a subclass says of its format: the messages of its rows and options in `schema`, the
    # number of its protocol's version, and what to call the other format.
    cdef int row_message
    cdef int options_message
    cdef uint32_t newest_version
    cdef const char* format
    cdef const char* other_format
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

    cdef Batch decode(self, const uint8_t* start, size_t size, uint64_t offset)
    cdef Batch end(self, uint64_t offset)
    cdef int check_end(self, uint64_t offset) except -1
    cdef int check_usable(self) except -1
    cdef uint64_t last_frame(self) noexcept
    cdef object raise_failure(self, const uint8_t* start, size_t size, uint64_t offset)
    cdef int report_recovered(self, const uint8_t* start, size_t size, uint64_t offset) except -1
    cdef int start_rows(self, size_t size) noexcept nogil
    cdef Batch take_batch(self)
    cdef int decode_frame_rows(self, Span frame) noexcept nogil
    cdef int64_t read_row(self, Span row, Span* content) noexcept nogil
    cdef int decode_row(self, Span row) noexcept nogil
    cdef int fail_rows(self) noexcept nogil
    cdef int append(
        self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil
    cdef int use_options(self, Span message) noexcept nogil
    cdef int read_options(self, Span message, uint32_t* options, Span* name) noexcept nogil
    cdef int check_version(self, const uint32_t* options, const uint8_t* at) noexcept nogil
    cdef int check_lookups(self, const uint32_t* options, const uint8_t* at) noexcept nogil
    cdef int read_namespace(
        self, Span message, int graph_fields, DecodedNamespace* namespace
    ) noexcept nogil

    cdef int set_options(
        self, const uint32_t* options, Span name, const uint8_t* at
    ) noexcept nogil

    # What a format has of its own.
    cdef bytes saved_name(self)
    cdef int save_place(self, WriteBuffer* out) except -1
    cdef int restore_place(self, Checkpoint* state) except -1
    cdef int warn(self) except -1
    cdef int decode_content(self, uint32_t field, Span content) noexcept nogil
    cdef int decode_frame_field(
        self, const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type
    ) noexcept nogil
    cdef int end_frame(self, const uint8_t* at) noexcept nogil
    cdef int check_options(self, const uint32_t* options, const uint8_t* at) noexcept nogil
    cdef int keep_options(self, Span name) noexcept nogil
    cdef bint is_same_name(self, Span name) noexcept nogil
    cdef int end_rows(self) noexcept nogil
    cdef int end_stream(self) noexcept nogil

# The messages of the schema as a table, to check those that mean nothing where they stand.
#
# Protobuf reads a member of a oneof in full even if another one overwrites it; so the rest of the
# core decodes what counts, and this checks what does not.

cdef enum:
    # The type of a field. From `FIRST_MESSAGE` on it is a message, of that number in `SCHEMA`.
    UNKNOWN = 0
    NUMBER = 1  # uint32
    ENUM = 2  # or bool: any varint
    TEXT = 3
    FIRST_MESSAGE = 4

cdef enum:
    EMPTY_MESSAGE = 4
    IRI_MESSAGE = 5
    LITERAL_MESSAGE = 6
    TRIPLE_MESSAGE = 7
    QUAD_MESSAGE = 8
    LOOKUP_ENTRY = 9
    PATCH_OPTIONS = 10
    PATCH_NAMESPACE = 11
    PATCH_HEADER = 12
    PATCH_ROW = 13
    STREAM_OPTIONS = 14
    GRAPH_START_MESSAGE = 15
    NAMESPACE_DECLARATION = 16
    STREAM_ROW = 17
    TRIPLE_STATEMENT = 18  # an RdfTriple that is a row, and so not quoted
    METADATA_ENTRY = 19
    MESSAGES = 20

cdef enum:
    MAX_FIELD = 16


ctypedef struct Field:
    # A field on the wire that its message has in the schema.
    uint32_t number
    int kind
    const uint8_t* at  # the field's tag
    uint64_t value  # of a NUMBER or an ENUM
    Span span  # of a TEXT or a message


cdef int field_kind(int message, uint32_t field) noexcept nogil

cdef int next_field(Span* rest, int message, Field* field, Failure* failure) noexcept nogil

cdef int check_text(Span text, size_t max_text, Failure* failure) noexcept nogil

cdef int check_message(
    int kind, Span message, size_t max_text, int max_depth, Failure* failure
) noexcept nogil

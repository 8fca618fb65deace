"""A decoder's records for `FrameStatistics`: counts, and fields that no stream should have.

Protobuf accepts such fields.
"""

cpdef enum UnexpectedKind:
    UNKNOWN_FIELD  # a field that the schema does not have
    SECOND_FIELD  # a singular field that occurs twice
    SECOND_MEMBER  # another member of a oneof that already has one
    GRAPH_FIELD  # a graph in a stream of triples
    UNEXPECTED_KINDS

cdef enum:
    # In a stream, each field of each message is recorded at most once for each kind.
    MAX_FOUND = 32 * MESSAGES * UNEXPECTED_KINDS
    # Stands for the frame itself.
    FRAME_MESSAGE = 0
    # The bit for all field numbers that are too high for the schema.
    HIGH_FIELD = 31
    TERM_KINDS = 8  # all of `TermKind` but STRING, which isn't a term

ctypedef struct UnexpectedField:
    int kind  # an `UnexpectedKind`
    int message
    uint32_t field
    uint64_t row
    const uint8_t* at

ctypedef struct UnexpectedFields:
    # The fields of this frame that no earlier frame had.
    UnexpectedField[MAX_FOUND] found
    uint32_t count
    # The bits of all fields found so far, by kind and message.
    uint32_t[UNEXPECTED_KINDS][MESSAGES] seen

ctypedef struct Tally:
    uint64_t count
    uint64_t size  # in bytes

ctypedef struct Counts:
    # The counts of all frames; complete only if frames are inspected.
    Tally[MAX_FIELD + 1] rows  # by the rows' fields; 0: rows of unknown kind
    Tally metadata
    uint64_t[TERM_KINDS] terms  # written terms, by kind
    uint64_t[4] repeated  # repeated terms, which are not written, by position

MESSAGE_NAMES = {
    FRAME_MESSAGE: "frame",
    EMPTY_MESSAGE: "message without fields",
    IRI_MESSAGE: "RdfIri",
    LITERAL_MESSAGE: "RdfLiteral",
    TRIPLE_MESSAGE: "RdfTriple",
    TRIPLE_STATEMENT: "RdfTriple",
    QUAD_MESSAGE: "RdfQuad",
    LOOKUP_ENTRY: "lookup entry",
    PATCH_OPTIONS: "RdfPatchOptions",
    PATCH_NAMESPACE: "RdfPatchNamespace",
    PATCH_HEADER: "RdfPatchHeader",
    PATCH_ROW: "RdfPatchRow",
    STREAM_OPTIONS: "RdfStreamOptions",
    GRAPH_START_MESSAGE: "RdfGraphStart",
    NAMESPACE_DECLARATION: "RdfNamespaceDeclaration",
    METADATA_ENTRY: "metadata entry",
    STREAM_ROW: "RdfStreamRow",
    COLUMN_ROW: "RdfStreamRow",
    COLUMN_OPTIONS: "RdfStreamOptions",
    COLUMN_TRIPLE: "RdfTripleTerm",
    COLUMN_LITERAL: "RdfLiteral",
}
ROW_NAMES = {MESSAGE_NAMES[PATCH_ROW], MESSAGE_NAMES[STREAM_ROW]}


cdef void note_field(UnexpectedFields* fields, UnexpectedField field) noexcept nogil:
    """Record an unexpected field, unless any frame so far had one of the same kind."""
    cdef uint32_t bit = 1U << (field.field if field.field <= MAX_FIELD else HIGH_FIELD)
    if fields.seen[field.kind][field.message] & bit == 0:
        fields.seen[field.kind][field.message] |= bit
        fields.found[fields.count] = field
        fields.count += 1

"""Notes that a decoder takes for `FrameStatistics`: counts, and fields that no stream should have.

Protobuf reads such fields without complaint.
"""

cpdef enum UnexpectedKind:
    UNKNOWN_FIELD  # which the schema does not have
    SECOND_FIELD  # a singular field that stands twice
    SECOND_MEMBER  # of a oneof that had another one
    GRAPH_FIELD  # a graph in a stream of triples
    UNEXPECTED_KINDS

cdef enum:
    # For each message each of its fields may be unexpected in each of these ways, once in a stream.
    MAX_FOUND = 32 * MESSAGES * UNEXPECTED_KINDS
    # In place of a message: the frame, and what it has that no message of its own says.
    FRAME_MESSAGE = 0
    # The bit of all fields that no schema has a number for.
    HIGH_FIELD = 31
    TERM_KINDS = 8  # those of `TermKind` but STRING, which is no term

ctypedef struct UnexpectedField:
    int kind  # an `UnexpectedKind`
    int message
    uint32_t field
    uint64_t row
    const uint8_t* at

ctypedef struct UnexpectedFields:
    # Those of this frame that were not found in an earlier one.
    UnexpectedField[MAX_FOUND] found
    uint32_t count
    # Bits of the fields that were found, by kind and message.
    uint32_t[UNEXPECTED_KINDS][MESSAGES] seen

ctypedef struct Tally:
    uint64_t count
    uint64_t size  # in bytes

ctypedef struct Counts:
    # Of all frames, if they are inspected.
    Tally[MAX_FIELD + 1] rows  # by the rows' fields; 0: rows of no kind
    Tally metadata
    uint64_t[TERM_KINDS] terms  # that are written, by kind
    uint64_t[4] repeated  # terms that are not written, by position

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
    METADATA_ENTRY: "entry of metadata",
    STREAM_ROW: "RdfStreamRow",
    COLUMN_ROW: "RdfStreamRow",
    COLUMN_OPTIONS: "RdfStreamOptions",
    COLUMN_TRIPLE: "RdfTripleTerm",
    COLUMN_LITERAL: "RdfLiteral",
}
ROW_NAMES = {MESSAGE_NAMES[PATCH_ROW], MESSAGE_NAMES[STREAM_ROW]}


cdef void note_field(UnexpectedFields* fields, UnexpectedField field) noexcept nogil:
    """Note an unexpected field unless one like it was noted before, in any frame."""
    cdef uint32_t bit = 1U << (field.field if field.field <= MAX_FIELD else HIGH_FIELD)
    if fields.seen[field.kind][field.message] & bit == 0:
        fields.seen[field.kind][field.message] |= bit
        fields.found[fields.count] = field
        fields.count += 1

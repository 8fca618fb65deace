"""Finds fields that protobuf reads without complaint, but that no stream should have."""

cpdef enum UnexpectedKind:
    UNKNOWN_FIELD  # which the schema does not have
    SECOND_FIELD  # a field that stands twice, or two members of a oneof
    GRAPH_FIELD  # a graph in a stream of triples
    UNEXPECTED_KINDS

ctypedef struct OddField:
    UnexpectedKind kind
    int message
    uint32_t field
    uint64_t row
    const uint8_t* at

cdef enum:
    # For each message each of its fields may be odd in each of these ways, once in a stream.
    MAX_FOUND = 32 * MESSAGES * UNEXPECTED_KINDS

ctypedef struct UnexpectedFields:
    # Those of this frame that were not found in an earlier one.
    OddField[MAX_FOUND] found
    uint32_t count
    # Bits of the fields that were found, by kind and message.
    uint32_t[UNEXPECTED_KINDS][MESSAGES] seen
    uint64_t row
    bint has_graphs  # which rows of quads may have

cdef enum:
    # In place of a message: the frame, and what it has that no message of its own says.
    FRAME_MESSAGE = 0
    # The bit of all fields that no schema has a number for.
    HIGH_FIELD = 31
    FIRST_QUAD_GRAPH = 13
    FIRST_NAMESPACE_GRAPH = 3

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
    STREAM_ROW: "RdfStreamRow",
}
ROW_NAMES = {MESSAGE_NAMES[PATCH_ROW], MESSAGE_NAMES[STREAM_ROW]}

MEMBERS = {
    LITERAL_MESSAGE: [(2, 3)],
    TRIPLE_MESSAGE: [(1, 4), (5, 8), (9, 12)],
    TRIPLE_STATEMENT: [(1, 4), (5, 8), (9, 12)],
    QUAD_MESSAGE: [(1, 4), (5, 8), (9, 12), (13, 16)],
    GRAPH_START_MESSAGE: [(1, 4)],
    PATCH_NAMESPACE: [(3, 6)],
    PATCH_HEADER: [(2, 5)],
    PATCH_ROW: [(1, 15)],
    STREAM_ROW: [(1, 11)],
}

# The oneof that a field belongs to, as the number of its first member; a field that belongs to
# none stands for itself. By message and field.
cdef uint8_t[MESSAGES][MAX_FIELD + 1] GROUPS
for message in range(MESSAGES):
    for field in range(MAX_FIELD + 1):
        GROUPS[message][field] = field
    for first, last in MEMBERS.get(message, ()):
        for field in range(first, last + 1):
            GROUPS[message][field] = first


cdef int find_unexpected_fields(
    UnexpectedFields* odd, Span frame, int row_message, int max_depth, Failure* failure
) noexcept nogil:
    """Find the odd fields of a frame that were not found in an earlier one.

    Args:
        odd: Takes them.
        frame: A frame that was decoded.
        row_message: The message of its rows in `schema`.
        max_depth: How deep quoted triples may nest.
    """
    cdef const uint8_t* at = frame.start
    cdef const uint8_t* tag_at
    cdef uint32_t field, wire_type
    cdef Span row
    odd.count = 0
    odd.row = 0
    while at < frame.end:
        tag_at = at
        if read_tag(&at, frame.end, &field, &wire_type, failure) < 0:
            return -1
        if field == ROWS_FIELD and wire_type == LENGTH_DELIMITED:
            if (
                read_span(&at, frame.end, &row, failure) < 0
                or look_at_message(odd, row_message, row, max_depth, failure) < 0
            ):
                return -1
            odd.row += 1
            continue
        if skip_field(&at, frame.end, field, wire_type, failure) < 0:
            return -1
        if field != METADATA or row_message != STREAM_ROW:
            note(odd, UNKNOWN_FIELD, FRAME_MESSAGE, field, tag_at)
    return 0


cdef int look_at_message(
    UnexpectedFields* odd, int message, Span content, int max_depth, Failure* failure
) noexcept nogil:
    cdef const uint8_t* at = content.start
    cdef const uint8_t* tag_at
    cdef uint32_t field, wire_type
    cdef uint32_t groups = 0
    cdef uint32_t group
    cdef int kind
    cdef Span inner
    if max_depth < 0:
        return fail(failure, content.start, b"quoted triples nest too deep")
    while at < content.end:
        tag_at = at
        if read_tag(&at, content.end, &field, &wire_type, failure) < 0:
            return -1
        kind = field_kind(message, field)
        if kind < FIRST_MESSAGE:
            if skip_field(&at, content.end, field, wire_type, failure) < 0:
                return -1
        elif (
            read_span(&at, content.end, &inner, failure) < 0
            or look_at_message(
                odd, kind, inner, max_depth - (kind == TRIPLE_MESSAGE), failure
            ) < 0
        ):
            return -1
        if kind == UNKNOWN:
            note(odd, UNKNOWN_FIELD, message, field, tag_at)
            continue
        group = 1U << GROUPS[message][field]
        if groups & group:
            note(odd, SECOND_FIELD, message, field, tag_at)
        groups |= group
        if not odd.has_graphs and (
            (message == QUAD_MESSAGE and field >= FIRST_QUAD_GRAPH)
            or (message == PATCH_NAMESPACE and field >= FIRST_NAMESPACE_GRAPH)
        ):
            note(odd, GRAPH_FIELD, message, field, tag_at)
    return 0


cdef void note(
    UnexpectedFields* odd, int kind, int message, uint32_t field, const uint8_t* at
) noexcept nogil:
    cdef uint32_t bit = 1U << (field if field <= MAX_FIELD else HIGH_FIELD)
    cdef OddField* found
    if odd.seen[kind][message] & bit:
        return
    odd.seen[kind][message] |= bit
    found = &odd.found[odd.count]
    odd.count += 1
    found.kind = <UnexpectedKind>kind
    found.message = message
    found.field = field
    found.row = odd.row
    found.at = at

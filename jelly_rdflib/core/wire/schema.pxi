"""Checks messages field by field, without decoding them."""

TERMS = [IRI_MESSAGE, TEXT, LITERAL_MESSAGE, TRIPLE_MESSAGE]
GRAPH_TERMS = [IRI_MESSAGE, TEXT, EMPTY_MESSAGE, LITERAL_MESSAGE]
SIZES_AND_VERSION = {9: NUMBER, 10: NUMBER, 11: NUMBER, 15: NUMBER}

# A message that is not listed has no fields.
FIELDS = {
    IRI_MESSAGE: {1: NUMBER, 2: NUMBER},
    LITERAL_MESSAGE: {1: TEXT, 2: TEXT, 3: NUMBER},
    TRIPLE_MESSAGE: dict(enumerate(3 * TERMS, 1)),
    TRIPLE_STATEMENT: dict(enumerate(3 * TERMS, 1)),
    QUAD_MESSAGE: dict(enumerate(3 * TERMS + GRAPH_TERMS, 1)),
    LOOKUP_ENTRY: {1: NUMBER, 2: TEXT},
    PATCH_OPTIONS: {1: ENUM, 2: ENUM, 3: ENUM, 4: ENUM, **SIZES_AND_VERSION},
    PATCH_NAMESPACE: {1: TEXT, 2: IRI_MESSAGE, **dict(enumerate(GRAPH_TERMS, 3))},
    PATCH_HEADER: {1: TEXT, **dict(enumerate(TERMS, 2))},
    PATCH_ROW: {
        1: PATCH_OPTIONS, 2: QUAD_MESSAGE, 3: QUAD_MESSAGE, 4: PATCH_NAMESPACE, 5: PATCH_NAMESPACE,
        6: EMPTY_MESSAGE, 7: EMPTY_MESSAGE, 8: EMPTY_MESSAGE,
        11: LOOKUP_ENTRY, 12: LOOKUP_ENTRY, 13: LOOKUP_ENTRY, 14: PATCH_HEADER, 15: EMPTY_MESSAGE,
    },
    STREAM_OPTIONS: {1: TEXT, 2: ENUM, 3: ENUM, 4: ENUM, 14: ENUM, **SIZES_AND_VERSION},
    GRAPH_START_MESSAGE: dict(enumerate(GRAPH_TERMS, 1)),
    NAMESPACE_DECLARATION: {1: TEXT, 2: IRI_MESSAGE},
    # The value is of bytes; nothing checks it by this table.
    METADATA_ENTRY: {1: TEXT, 2: TEXT},
    STREAM_ROW: {
        1: STREAM_OPTIONS, 2: TRIPLE_STATEMENT, 3: QUAD_MESSAGE, 4: GRAPH_START_MESSAGE,
        5: EMPTY_MESSAGE, 6: NAMESPACE_DECLARATION, 9: LOOKUP_ENTRY, 10: LOOKUP_ENTRY, 11: LOOKUP_ENTRY,
    },
}

# By message and by number of field.
cdef uint8_t[MESSAGES][MAX_FIELD + 1] SCHEMA
for message in range(MESSAGES):
    for field in range(MAX_FIELD + 1):
        SCHEMA[message][field] = FIELDS.get(message, {}).get(field, UNKNOWN)


cdef int field_kind(int message, uint32_t field) noexcept nogil:
    """Return what a field of a message holds."""
    return SCHEMA[message][field] if field <= MAX_FIELD else UNKNOWN


cdef int next_field(Span* rest, int message, Field* field, Failure* failure) noexcept nogil:
    """Read the next known field of a message, of which ``rest`` is still unread; 0 at its end."""
    cdef uint32_t wire_type, number
    while rest.start < rest.end:
        field.at = rest.start
        if read_tag(&rest.start, rest.end, &field.number, &wire_type, failure) < 0:
            return -1
        field.kind = field_kind(message, field.number)
        if field.kind == UNKNOWN:
            if skip_field(&rest.start, rest.end, field.number, wire_type, failure) < 0:
                return -1
            continue
        if field.kind > ENUM:
            if (
                expect_wire_type(LENGTH_DELIMITED, field.number, wire_type, field.at, failure) < 0
                or read_span(&rest.start, rest.end, &field.span, failure) < 0
            ):
                return -1
            return 1
        if expect_wire_type(VARINT, field.number, wire_type, field.at, failure) < 0:
            return -1
        if field.kind == ENUM:
            return 1 if read_varint(&rest.start, rest.end, &field.value, failure) >= 0 else -1
        if read_uint32(&rest.start, rest.end, &number, failure) < 0:
            return -1
        field.value = number
        return 1
    return 0


cdef int check_message(
    int kind, Span message, size_t max_text, int max_depth, Failure* failure
) noexcept nogil:
    """Check all that a reader of a message would check before it knows what the message means.

    Args:
        kind: Of the message, from `FIRST_MESSAGE` on; or `TEXT`, for a string by itself.
        message: Its bytes.
        max_text: The limit max_string_size.
        max_depth: How deep quoted triples may nest in it.
    """
    cdef Field field
    cdef int found
    if kind == TEXT:
        return check_text(message, max_text, failure)
    if kind == TRIPLE_MESSAGE:
        if max_depth <= 0:
            return fail_limit(
                failure, message.start,
                b"quoted triples nest too deep (limit max_nesting_depth)", 0, 0,
            )
        max_depth -= 1
    while True:
        found = next_field(&message, kind, &field, failure)
        if found <= 0:
            return found
        if (
            field.kind > ENUM
            and check_message(field.kind, field.span, max_text, max_depth, failure) < 0
        ):
            return -1


cdef int check_text(Span text, size_t max_text, Failure* failure) noexcept nogil:
    """Check a string on the wire."""
    if <size_t>(text.end - text.start) > max_text:
        return fail_limit(
            failure, text.start, b"string of {number} bytes (limit max_string_size: {bound})",
            text.end - text.start, max_text,
        )
    if not is_utf8(text.start, text.end):
        return fail(failure, text.start, b"string is not UTF-8")
    return 0

"""The part of the wire format that is off the hot path: unknown fields, checks of strings."""

cdef int skip_bytes(
    const uint8_t** at, const uint8_t* end, uint64_t count, Failure* failure
) noexcept nogil:
    if count > <uint64_t>(end - at[0]):
        return fail(failure, at[0], b"field is cut off")
    at[0] += count
    return 0


cdef int skip_group(
    const uint8_t** at, const uint8_t* end, uint32_t group, int depth, Failure* failure
) noexcept nogil:
    cdef const uint8_t* start = at[0]
    cdef const uint8_t* tag_at
    cdef uint32_t field, wire_type
    if depth > MAX_GROUP_DEPTH:
        return fail_number(
            failure, start, b"unknown groups nest deeper than {number}", MAX_GROUP_DEPTH, 0
        )
    while at[0] < end:
        tag_at = at[0]
        if read_tag(at, end, &field, &wire_type, failure) < 0:
            return -1
        if wire_type == END_GROUP:
            if field != group:
                return fail(failure, tag_at, b"end of a group that was not started")
            return 0
        if skip_value(at, end, field, wire_type, depth, failure) < 0:
            return -1
    return fail_number(failure, start, b"group {number} has no end", group, 0)


cdef int skip_value(
    const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type, int depth,
    Failure* failure,
) noexcept nogil:
    cdef uint64_t ignored
    cdef Span span
    if wire_type == VARINT:
        return read_varint(at, end, &ignored, failure)
    if wire_type == LENGTH_DELIMITED:
        return read_span(at, end, &span, failure)
    if wire_type == FIXED64:
        return skip_bytes(at, end, 8, failure)
    if wire_type == FIXED32:
        return skip_bytes(at, end, 4, failure)
    if wire_type == START_GROUP:
        return skip_group(at, end, field, depth + 1, failure)
    if wire_type == END_GROUP:
        return fail(failure, at[0], b"end of a group that was not started")
    return fail_number(failure, at[0], b"there is no wire type {number}", wire_type, 0)


cdef int skip_field(
    const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type, Failure* failure
) noexcept nogil:
    """Step over the value of a field that the schema does not have."""
    return skip_value(at, end, field, wire_type, 0, failure)


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

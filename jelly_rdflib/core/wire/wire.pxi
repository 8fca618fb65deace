"""The parts of the wire format that need not be fast: unknown fields, and checks of strings."""

cdef int skip_field(
    const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type, Failure* failure
) noexcept nogil:
    """Step over the value of a field that the schema does not have."""
    cdef uint32_t[MAX_GROUP_DEPTH] groups  # the open groups
    cdef const uint8_t* start = at[0]
    cdef const uint8_t* tag_at = start
    cdef ptrdiff_t size
    cdef uint64_t ignored
    cdef Span span
    cdef int depth = 0
    while True:
        if wire_type == START_GROUP:
            if depth == MAX_GROUP_DEPTH:
                return fail_number(
                    failure, tag_at, b"wire", b"unknown groups nest deeper than {number}", depth, 0
                )
            groups[depth] = field
            depth += 1
        elif wire_type == END_GROUP:
            depth -= 1
            if depth < 0 or field != groups[depth]:
                return fail(failure, tag_at, b"wire", b"end of a group that was not started")
        elif wire_type == FIXED64 or wire_type == FIXED32:
            size = 8 if wire_type == FIXED64 else 4
            if size > end - at[0]:
                return fail(failure, at[0], b"wire", b"field is cut off")
            at[0] += size
        elif wire_type == VARINT:
            if read_varint(at, end, &ignored, failure) < 0:
                return -1
        elif wire_type == LENGTH_DELIMITED:
            if read_span(at, end, &span, failure) < 0:
                return -1
        else:
            return fail_number(
                failure, at[0], b"wire", b"there is no wire type {number}", wire_type, 0
            )
        if depth == 0:
            return 0
        tag_at = at[0]
        if tag_at == end:
            return fail_number(
                failure, start, b"wire", b"group {number} has no end", groups[depth - 1], 0
            )
        if read_tag(at, end, &field, &wire_type, failure) < 0:
            return -1


cdef int check_text(Span text, size_t max_text, Failure* failure) noexcept nogil:
    """Check the size of a string in a message, and that it is UTF-8."""
    if <size_t>(text.end - text.start) > max_text:
        return fail_limit(
            failure, text.start, b"max_string_size", b"string of {number} bytes",
            text.end - text.start, max_text,
        )
    if not is_utf8(text.start, text.end):
        return fail(failure, text.start, b"utf-8", b"string is not UTF-8")
    return 0

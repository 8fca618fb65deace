"""Tells Jelly-RDF from Jelly-Patch by a stream's first frame.

Both formats start with a row of options, and most fields of the options are alike. But field 1 is
the statement type in Jelly-Patch, a number that every stream has; in Jelly-RDF it is the stream's
name, a string that may be missing.
"""

cdef enum StreamKind:
    UNKNOWN_STREAM  # the frame is damaged, or does not start with options
    NO_ROWS  # the frame has none, so that either format may follow
    PATCH_STREAM
    STATEMENT_STREAM

cdef enum:
    # The version tag of Jelly-RDF 1.2, a draft in which a frame has columns in place of rows.
    DRAFT_VERSION = 3

def holds_changes(bytes frame not None):
    """Is a stream with this first frame Jelly-Patch? None: the frame does not tell."""
    cdef Span span
    cdef StreamKind kind
    span.start = <const uint8_t*>PyBytes_AS_STRING(frame)
    span.end = span.start + len(frame)
    kind = find_stream_kind(span)
    if kind == StreamKind.PATCH_STREAM or kind == StreamKind.STATEMENT_STREAM:
        return kind == StreamKind.PATCH_STREAM
    return None


cdef StreamKind find_stream_kind(Span frame) noexcept nogil:
    cdef StreamKind kind = StreamKind.UNKNOWN_STREAM
    cdef Span row, options
    cdef int found = find_first_field(&frame, LENGTH_DELIMITED, &row)
    if found <= 0:
        return StreamKind.NO_ROWS if found == 0 else StreamKind.UNKNOWN_STREAM
    while True:
        found = find_first_field(&row, LENGTH_DELIMITED, &options)
        if found <= 0:
            return kind if found == 0 else StreamKind.UNKNOWN_STREAM
        # The options may come in parts.
        if kind != StreamKind.PATCH_STREAM:
            kind = find_options_kind(options)


cdef StreamKind find_options_kind(Span options) noexcept nogil:
    cdef Span ignored
    cdef int found = find_first_field(&options, VARINT, &ignored)
    if found < 0:
        return StreamKind.UNKNOWN_STREAM
    return StreamKind.PATCH_STREAM if found > 0 else StreamKind.STATEMENT_STREAM


cdef int find_first_field(Span* rest, uint32_t wanted, Span* found) noexcept nogil:
    """Find the next field 1 of that wire type, of the fields that are unread; 0: there is none."""
    cdef uint32_t field, wire_type
    cdef Failure ignored
    while rest.start < rest.end:
        if read_tag(&rest.start, rest.end, &field, &wire_type, &ignored) < 0:
            return -1
        if field == 1 and wire_type == wanted:
            if wanted == VARINT:
                return 1
            return 1 if read_span(&rest.start, rest.end, found, &ignored) >= 0 else -1
        if skip_field(&rest.start, rest.end, field, wire_type, &ignored) < 0:
            return -1
    return 0

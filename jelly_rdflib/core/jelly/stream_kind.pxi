"""Distinguishes Jelly-RDF from Jelly-Patch by a stream's first frame.

Both formats start with a row of options, and most fields of the options are the same. But field 1
in Jelly-Patch is the statement type, a number that every stream has; in Jelly-RDF it is the
stream's name, a string that may be missing.
"""

cdef enum StreamKind:
    UNKNOWN_STREAM  # the frame is damaged, or does not start with options
    NO_ROWS  # the frame has no rows, so either format may follow
    PATCH_STREAM
    STATEMENT_STREAM

cdef enum:
    # The version tag of Jelly-RDF 1.2, a draft in which a frame has columns instead of rows.
    DRAFT_VERSION = 3

def holds_changes(bytes frame not None):
    """Return whether a stream with this first frame is Jelly-Patch; None if it may be either."""
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
    cdef int found = find_field(&frame, 1, LENGTH_DELIMITED, &row)
    if found <= 0:
        return StreamKind.NO_ROWS if found == 0 else StreamKind.UNKNOWN_STREAM
    while True:
        found = find_field(&row, 1, LENGTH_DELIMITED, &options)
        if found <= 0:
            return kind if found == 0 else StreamKind.UNKNOWN_STREAM
        # Look at each field with options: in protobuf a message may be split over several fields.
        if kind != StreamKind.PATCH_STREAM:
            kind = find_options_kind(options)


cdef StreamKind find_options_kind(Span options) noexcept nogil:
    cdef Span ignored
    cdef int found = find_field(&options, 1, VARINT, &ignored)
    if found < 0:
        return StreamKind.UNKNOWN_STREAM
    return StreamKind.PATCH_STREAM if found > 0 else StreamKind.STATEMENT_STREAM


cdef bint has_draft_version(Span frame) noexcept nogil:
    """Return whether the first row of a frame has options of Jelly-RDF 1.2."""
    cdef Span row, options, number
    cdef uint64_t version = 0
    cdef Failure ignored
    if find_field(&frame, 1, LENGTH_DELIMITED, &row) <= 0:
        return False
    while find_field(&row, 1, LENGTH_DELIMITED, &options) > 0:
        while find_field(&options, VERSION, VARINT, &number) > 0:
            read_varint(&number.start, number.end, &version, &ignored)
    return version == DRAFT_VERSION


cdef int find_field(
    Span* rest, uint32_t wanted, uint32_t wanted_type, Span* found
) noexcept nogil:
    """Find the next unread field with the given number and wire type; return 0 at the end."""
    cdef uint32_t field, wire_type
    cdef Failure ignored
    while rest.start < rest.end:
        if read_tag(&rest.start, rest.end, &field, &wire_type, &ignored) < 0:
            return -1
        if field == wanted and wire_type == wanted_type == LENGTH_DELIMITED:
            return 1 if read_span(&rest.start, rest.end, found, &ignored) >= 0 else -1
        found.start = rest.start
        if skip_field(&rest.start, rest.end, field, wire_type, &ignored) < 0:
            return -1
        found.end = rest.start
        if field == wanted and wire_type == wanted_type:
            return 1
    return 0

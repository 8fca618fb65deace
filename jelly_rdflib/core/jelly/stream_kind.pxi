"""Tells Jelly-RDF from Jelly-Patch by a stream's first frame.

Both formats start with a row of options, and most fields of the options are alike. But field 1 is
the statement type in Jelly-Patch, a number that every stream has, and the stream's name in
Jelly-RDF, a string that may be missing.
"""

cdef enum StreamKind:
    UNKNOWN_STREAM  # the frame is damaged, or does not start with options
    NO_ROWS  # the frame says nothing of it
    PATCH_STREAM
    STATEMENT_STREAM

cdef StreamKind find_stream_kind(Span frame) noexcept nogil:
    """Return what a frame is of."""
    cdef const uint8_t* at = frame.start
    cdef uint32_t field, wire_type
    cdef Span row
    cdef Failure ignored
    while at < frame.end:
        if read_tag(&at, frame.end, &field, &wire_type, &ignored) < 0:
            return StreamKind.UNKNOWN_STREAM
        if field == 1 and wire_type == LENGTH_DELIMITED:
            if read_span(&at, frame.end, &row, &ignored) < 0:
                return StreamKind.UNKNOWN_STREAM
            return kind_of_row(row)
        if skip_field(&at, frame.end, field, wire_type, &ignored) < 0:
            return StreamKind.UNKNOWN_STREAM
    return StreamKind.NO_ROWS


cdef StreamKind kind_of_row(Span row) noexcept nogil:
    cdef StreamKind kind = StreamKind.UNKNOWN_STREAM
    cdef const uint8_t* at = row.start
    cdef uint32_t field, wire_type
    cdef Span options
    cdef Failure ignored
    while at < row.end:
        if read_tag(&at, row.end, &field, &wire_type, &ignored) < 0:
            return StreamKind.UNKNOWN_STREAM
        if field != 1 or wire_type != LENGTH_DELIMITED:
            if skip_field(&at, row.end, field, wire_type, &ignored) < 0:
                return StreamKind.UNKNOWN_STREAM
            continue
        if read_span(&at, row.end, &options, &ignored) < 0:
            return StreamKind.UNKNOWN_STREAM
        # The options may come in parts.
        if kind != StreamKind.PATCH_STREAM:
            kind = kind_of_options(options)
    return kind


cdef StreamKind kind_of_options(Span options) noexcept nogil:
    cdef const uint8_t* at = options.start
    cdef uint32_t field, wire_type
    cdef Failure ignored
    while at < options.end:
        if read_tag(&at, options.end, &field, &wire_type, &ignored) < 0:
            return StreamKind.UNKNOWN_STREAM
        if field == 1 and wire_type == VARINT:
            return StreamKind.PATCH_STREAM
        if skip_field(&at, options.end, field, wire_type, &ignored) < 0:
            return StreamKind.UNKNOWN_STREAM
    return StreamKind.STATEMENT_STREAM

"""Reads the repeated fields of columns (Jelly-RDF 1.2, a draft), one value after another."""

cdef enum:
    # Fields of an RdfColumn, the highest of which is `LAST_LIST`.
    COLUMN_KINDS = 1
    COLUMN_LAYOUTS = 2
    COLUMN_NAME_IDS = 3
    COLUMN_PREFIX_IDS = 4
    COLUMN_TEXTS = 5
    COLUMN_LITERAL_KINDS = 6
    COLUMN_TAGS = 7
    COLUMN_DIRECTIONS = 8
    COLUMN_LABELS = 9
    COLUMN_TRIPLES = 10
    LAST_LIST = 10

cdef enum:
    # The fields, as bits, whose values are numbers and may be packed.
    NUMBER_LISTS = (
        1 << COLUMN_LAYOUTS | 1 << COLUMN_NAME_IDS | 1 << COLUMN_PREFIX_IDS
        | 1 << COLUMN_LITERAL_KINDS | 1 << COLUMN_DIRECTIONS
    )

ctypedef struct ValueList:
    # A repeated field: the number of its values, and its unread bytes.
    uint32_t field
    uint32_t count
    Span rest  # the message from the field's next occurrence on
    Span packed  # the unread rest of a packed occurrence


cdef int join_messages(TermDecoder terms, Span* joined, bint is_first, Span more) noexcept nogil:
    """Join the parts of a message field that occurs more than once, as protobuf merges them.

    Each part must end with a complete field; all else is checked when the message is read.
    """
    cdef Span first = joined[0]
    cdef Span last = more
    cdef Span ignored
    if is_first:
        joined[0] = more
        return 0
    # Parts joined before are not checked again, since that would take quadratic time.
    if (
        (not terms.is_last_merged(first) and find_field(&first, 0, VARINT, &ignored) < 0)
        or find_field(&last, 0, VARINT, &ignored) < 0
    ):
        return fail(&terms.failure, more.start, b"wire", b"columns are not a valid message")
    return terms.join(joined, more)


cdef int count_numbers(Span packed, uint32_t* count, Failure* failure) noexcept nogil:
    """Count the varints in a packed field; they are checked when they are read."""
    cdef const uint8_t* at = packed.start
    cdef uint32_t found = 0
    if packed.start < packed.end and (packed.end - 1)[0] >= 0x80:
        return fail(failure, packed.start, b"wire", b"varint is cut off")
    while at < packed.end:
        found += at[0] < 0x80
        at += 1
    # This can't overflow, since a frame has at most 2 GB.
    count[0] += found
    return 0


cdef int count_values(
    ValueList* values, bint are_numbers, const uint8_t** at, const uint8_t* end,
    uint32_t wire_type, const uint8_t* tag, Failure* failure
) noexcept nogil:
    """Count the values in an occurrence of a field, after its tag, and skip the occurrence."""
    cdef uint32_t number
    cdef Span span
    if values.rest.start == NULL:
        values.rest.start = tag
        values.rest.end = end
    if are_numbers and wire_type == VARINT:
        values.count += 1
        return read_uint32(at, end, &number, failure)
    if (
        expect_wire_type(LENGTH_DELIMITED, values.field, wire_type, tag, failure) < 0
        or read_span(at, end, &span, failure) < 0
    ):
        return -1
    if are_numbers:
        return count_numbers(span, &values.count, failure)
    values.count += 1
    return 0


cdef int next_span(ValueList* values, Span* span, Failure* failure) noexcept nogil:
    """Find the field's next occurrence; each unpacked number is a separate span.

    The caller has counted the values, so it is an error if none is left.
    """
    cdef uint32_t field, wire_type
    while values.rest.start < values.rest.end:
        if read_tag(&values.rest.start, values.rest.end, &field, &wire_type, failure) < 0:
            return -1
        if field != values.field:
            if skip_field(&values.rest.start, values.rest.end, field, wire_type, failure) < 0:
                return -1
        elif wire_type == LENGTH_DELIMITED:
            return read_span(&values.rest.start, values.rest.end, span, failure)
        else:
            span.start = values.rest.start
            if skip_field(&values.rest.start, values.rest.end, field, wire_type, failure) < 0:
                return -1
            span.end = values.rest.start
            return 0
    return fail(failure, values.rest.end, b"wire", b"the frame changed while it was decoded")


cdef inline int next_number(ValueList* values, uint32_t* number, Failure* failure) noexcept nogil:
    """Read the field's next number."""
    while values.packed.start == values.packed.end:
        if next_span(values, &values.packed, failure) < 0:
            return -1
    if values.packed.start[0] < 0x80:
        number[0] = values.packed.start[0]
        values.packed.start += 1
        return 0
    return read_uint32(&values.packed.start, values.packed.end, number, failure)

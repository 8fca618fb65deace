# The wire format of Protocol Buffers: varints, tags, lengths, and skipping of unknown fields.
#
# Every read is checked against the end of its message, so no later code sees a bad length.

cdef enum:
    # Wire types.
    VARINT = 0
    FIXED64 = 1
    LENGTH_DELIMITED = 2
    START_GROUP = 3
    END_GROUP = 4
    FIXED32 = 5

cdef enum:
    # How deep unknown groups may nest, as in protobuf's own parsers.
    MAX_GROUP_DEPTH = 100
    MAX_LENGTH = 0x7FFFFFFF
    # The maximum number of bytes of a varint that is a tag or a length.
    MAX_SHORT_SIZE = 5


ctypedef struct Span:
    const uint8_t* start
    const uint8_t* end


cdef inline int read_long_varint(
    const uint8_t** at, const uint8_t* end, uint64_t* value, Failure* failure
) noexcept nogil:
    cdef const uint8_t* p = at[0]
    cdef uint64_t result = 0
    cdef uint8_t byte
    cdef int shift = 0
    while p < end:
        byte = p[0]
        p += 1
        if shift == 63 and byte > 1:
            return fail(failure, at[0], b"wire", b"varint is longer than 64 bits")
        result |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            at[0] = p
            value[0] = result
            return 0
        shift += 7
    return fail(failure, at[0], b"wire", b"varint is cut off")


cdef enum:
    # `peek_varint` reads at most `PEEK_SIZE` bytes; a number that fits in them is < `PEEK_LIMIT`.
    PEEK_SIZE = 2
    PEEK_LIMIT = 1 << 14


cdef inline const uint8_t* peek_varint(const uint8_t* p, uint32_t* value) noexcept nogil:
    """Read a varint of one or two bytes; for a longer one the value is at least `PEEK_LIMIT`.

    `PEEK_SIZE` bytes must be readable, and the caller must check the end of the varint. The code
    has no branches, since the lengths of ids are practically random.
    """
    cdef uint32_t is_long = p[0] >> 7
    value[0] = (p[0] & 0x7F) | ((p[1] & (0U - is_long)) << 7)
    return p + 1 + is_long


cdef inline int read_varint(
    const uint8_t** at, const uint8_t* end, uint64_t* value, Failure* failure
) noexcept nogil:
    cdef const uint8_t* p = at[0]
    if p < end and p[0] < 0x80:
        value[0] = p[0]
        at[0] = p + 1
        return 0
    return read_long_varint(at, end, value, failure)


cdef inline int read_short_varint(
    const uint8_t** at, const uint8_t* end, uint64_t* value, Failure* failure
) noexcept nogil:
    """Read a varint of a tag or length, of at most 5 bytes, as protobuf's own parsers do."""
    cdef const uint8_t* start = at[0]
    if read_varint(at, end, value, failure) < 0:
        return -1
    if at[0] - start > MAX_SHORT_SIZE:
        return fail(failure, start, b"wire", b"varint of a tag or a length has more than 5 bytes")
    return 0


cdef inline int read_uint32(
    const uint8_t** at, const uint8_t* end, uint32_t* value, Failure* failure
) noexcept nogil:
    cdef const uint8_t* start = at[0]
    cdef uint64_t number
    if read_varint(at, end, &number, failure) < 0:
        return -1
    if number > 0xFFFFFFFFU:
        return fail_number(
            failure, start, b"wire", b"number {number} is too large for 32 bits", number, 0
        )
    value[0] = <uint32_t>number
    return 0


cdef inline int read_span(
    const uint8_t** at, const uint8_t* end, Span* span, Failure* failure
) noexcept nogil:
    """Read a length and a span of that many bytes, which must end at or before ``end``."""
    cdef const uint8_t* start = at[0]
    cdef uint64_t length
    if read_short_varint(at, end, &length, failure) < 0:
        return -1
    if length > <uint64_t>(end - at[0]):
        return fail_number(
            failure, start, b"wire",
            b"length {number} is beyond the end of its message: only {bound} bytes are left",
            length, <uint64_t>(end - at[0]),
        )
    span.start = at[0]
    span.end = at[0] + length
    at[0] = span.end
    return 0


cdef inline int read_tag(
    const uint8_t** at, const uint8_t* end, uint32_t* field, uint32_t* wire_type, Failure* failure
) noexcept nogil:
    cdef const uint8_t* start = at[0]
    cdef uint64_t tag
    if read_short_varint(at, end, &tag, failure) < 0:
        return -1
    if tag > 0xFFFFFFFFU or tag < 8:
        return fail_number(failure, start, b"wire", b"{number} is not a field's tag", tag, 0)
    field[0] = <uint32_t>(tag >> 3)
    wire_type[0] = <uint32_t>(tag & 7)
    return 0


cdef int skip_field(
    const uint8_t** at, const uint8_t* end, uint32_t field, uint32_t wire_type, Failure* failure
) noexcept nogil

cdef int check_text(Span text, size_t max_text, Failure* failure) noexcept nogil


cdef inline int expect_wire_type(
    uint32_t expected, uint32_t field, uint32_t wire_type, const uint8_t* at, Failure* failure
) noexcept nogil:
    if wire_type != expected:
        return fail_number(
            failure, at, b"wire",
            b"field {number} has wire type {bound}, which does not match the schema",
            field, wire_type,
        )
    return 0

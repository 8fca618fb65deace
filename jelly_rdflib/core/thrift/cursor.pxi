"""Thrift's compact protocol: numbers, strings, fields, and skipping fields of unknown structs.

A cursor reads the bytes of a row. It stops at the first fault, or if bytes are missing. A stopped
cursor returns zeros, empty strings and ends of structs.
"""

cdef enum:
    # Type codes, from 0 on. The type code of a boolean field is also its value: TRUE or FALSE.
    STOP, TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID

cdef enum:
    # The maximum number of nested structs and containers in most implementations of Thrift. A
    # quoted triple needs two levels; the row, the statement, its term and the innermost term's
    # struct need four.
    MAX_DEPTH = 64
    MAX_TRIPLE_DEPTH = 30

# The maximum number of bytes of a varint of each type.
cdef int[I64 + 1] VARINT_SIZES
VARINT_SIZES[I16], VARINT_SIZES[I32], VARINT_SIZES[I64] = 3, 5, 10


ctypedef struct Cursor:
    const uint8_t* start  # the start of the row
    const uint8_t* at
    const uint8_t* end  # the end of the available bytes or longest row; a stopped cursor is here
    bint is_final  # no bytes follow
    bint is_stopped
    bint is_incomplete  # bytes are missing; if not, the failure says why the cursor stopped
    size_t max_size  # the maximum size of a row
    size_t max_string_size
    Failure* failure


cdef void stop(Cursor* cursor) noexcept nogil:
    cursor.is_stopped = True
    cursor.at = cursor.end


cdef int refuse(
    Cursor* cursor, const char* message, uint64_t number, uint64_t bound,
    const char* rule=b"format", const char* limit=NULL
) noexcept nogil:
    """Stop with a failure, and return STOP."""
    if not cursor.is_stopped:
        fail_number(cursor.failure, cursor.at, rule, message, number, bound)
        cursor.failure.limit = limit
        stop(cursor)
    return STOP


cdef bint miss(Cursor* cursor, uint64_t wanted) noexcept nogil:
    """Stop, because fewer bytes than wanted are available."""
    if cursor.is_stopped:
        return False
    if wanted > cursor.max_size - <size_t>(cursor.at - cursor.start):
        fail_limit(
            cursor.failure, cursor.start, b"max_frame_size", b"row of more than {bound} bytes",
            0, cursor.max_size,
        )
    elif cursor.is_final:
        fail(cursor.failure, cursor.end, b"format", b"the input ends inside a row")
    else:
        cursor.is_incomplete = True
    stop(cursor)
    return False


cdef inline bint has(Cursor* cursor, uint64_t wanted) noexcept nogil:
    return wanted <= <uint64_t>(cursor.end - cursor.at) or miss(cursor, wanted)


cdef inline Span take(Cursor* cursor, uint64_t size) noexcept nogil:
    cdef Span span
    if not has(cursor, size):
        size = 0
    span.start = cursor.at
    cursor.at += size
    span.end = cursor.at
    return span


cdef inline uint8_t read_byte(Cursor* cursor) noexcept nogil:
    if not has(cursor, 1):
        return 0
    cursor.at += 1
    return (cursor.at - 1)[0]


cdef inline uint64_t read_unsigned(Cursor* cursor, int kind) noexcept nogil:
    """Read an unsigned number; like other implementations, drop bits beyond the 64th."""
    cdef uint64_t number = 0
    cdef uint8_t byte
    cdef int index
    for index in range(VARINT_SIZES[kind]):
        byte = read_byte(cursor)
        number |= <uint64_t>(byte & 0x7F) << 7 * index
        if byte < 0x80:
            return number
    return refuse(cursor, b"varint of more than {number} bytes", VARINT_SIZES[kind], 0)


cdef inline int64_t read_number(Cursor* cursor, int kind) noexcept nogil:
    """Read a signed number, whose last bit is the sign."""
    cdef uint64_t number = read_unsigned(cursor, kind)
    if kind == I32:
        number = <uint32_t>number
    return <int64_t>(number >> 1) ^ -<int64_t>(number & 1)


cdef inline Span read_string(Cursor* cursor) noexcept nogil:
    cdef uint64_t size = read_unsigned(cursor, I32)
    if size > cursor.max_string_size:
        size = refuse(
            cursor, b"string of {number} bytes", size, cursor.max_string_size, b"limit",
            b"max_string_size",
        )
    return take(cursor, size)


cdef inline int check_type(Cursor* cursor, int kind) noexcept nogil:
    """Return the type; stop if it does not exist."""
    if kind <= UUID:
        return kind
    return refuse(cursor, b"this can't be a row: there is no type {number}", kind, 0)


cdef void check_depth(Cursor* cursor, int depth) noexcept nogil:
    """Stop at a struct or container that is nested too deeply."""
    if depth > MAX_DEPTH:
        refuse(
            cursor, b"structs nest deeper than {number}, the limit of most Thrift implementations;"
            b" quoted triples may have {bound} levels", MAX_DEPTH, MAX_TRIPLE_DEPTH,
            b"limit",
        )


cdef inline int read_field(Cursor* cursor, int64_t* number) noexcept nogil:
    """Read the header of a field; return its type, or STOP at the end of the struct.

    Args:
        cursor: The cursor, before the header.
        number: The number of the previous field; set to the number of this field.
    """
    cdef uint8_t byte = read_byte(cursor)
    if byte & 0xF == STOP:
        return STOP
    if byte >> 4:
        number[0] += byte >> 4
    else:
        number[0] = read_number(cursor, I16)
    if not -0x8000 <= number[0] <= 0x7FFF:
        refuse(cursor, b"this can't be the number of a field", 0, 0)
    return STOP if cursor.is_stopped else check_type(cursor, byte & 0xF)


# Skipping uses no recursion, and can continue when more bytes have arrived.

cdef enum:
    FIELDS = -1


ctypedef struct Level:
    # A struct or container that is being skipped.
    int64_t left  # how many values are left; FIELDS: a struct, whose end is marked
    uint8_t[2] kinds  # the types of the values, which alternate: a map has keys and values


ctypedef struct Skip:
    int outer_depth  # the depth of the struct that contains the value
    int depth
    size_t reached  # the offset in the row up to which values are skipped
    Level[MAX_DEPTH + 1] levels


cdef void start_skip(Skip* skip, int kind, int outer_depth) noexcept nogil:
    """Prepare to skip a value, as if a list had only this value."""
    skip.outer_depth = outer_depth
    skip.depth = 1
    skip.reached = 0
    skip.levels[0].left = 1
    skip.levels[0].kinds[0] = skip.levels[0].kinds[1] = <uint8_t>kind


cdef void skip_values(Cursor* cursor, Skip* skip) noexcept nogil:
    """Skip the rest of a value. If bytes are missing, ``reached`` is the place to continue."""
    cdef Level* level
    cdef int64_t number = 0
    cdef int kind
    while skip.depth > 0 and not cursor.is_stopped:
        skip.reached = cursor.at - cursor.start
        level = &skip.levels[skip.depth - 1]
        if level.left == FIELDS:
            number = 0
            kind = read_field(cursor, &number)
            if kind > FALSE:
                skip_value(cursor, skip, kind)
            elif kind == STOP and not cursor.is_stopped:
                skip.depth -= 1
        elif level.left == 0:
            skip.depth -= 1
        else:
            skip_value(cursor, skip, level.kinds[level.left & 1])
            level.left -= not cursor.is_stopped


cdef void skip_value(Cursor* cursor, Skip* skip, int kind) noexcept nogil:
    """Skip a value, or the head of a struct or container."""
    cdef uint64_t count
    cdef uint8_t kinds
    if I16 <= kind <= I64:
        read_unsigned(cursor, kind)
    elif kind == BINARY:
        read_string(cursor)
    elif kind == STRUCT:
        start_level(cursor, skip, FIELDS, STRUCT, STRUCT)
    elif kind == MAP:
        count = read_unsigned(cursor, I32)
        kinds = read_byte(cursor) if count > 0 else 0
        start_level(cursor, skip, 2 * count, kinds >> 4, kinds & 0xF)
    elif kind == LIST or kind == SET:
        kinds = read_byte(cursor)
        count = kinds >> 4
        if count == 0xF:
            count = read_unsigned(cursor, I32)
        start_level(cursor, skip, count, kinds & 0xF, kinds & 0xF)
    else:
        # In containers a boolean takes a byte.
        take(cursor, 8 if kind == DOUBLE else 16 if kind == UUID else 1)


cdef void start_level(
    Cursor* cursor, Skip* skip, int64_t left, int first_kind, int second_kind
) noexcept nogil:
    cdef Level* level = &skip.levels[skip.depth]
    check_type(cursor, max(first_kind, second_kind))
    check_depth(cursor, skip.outer_depth + skip.depth)
    if left > 0 and not cursor.is_stopped:
        if min(first_kind, second_kind) == STOP:
            refuse(cursor, b"this can't be a row: the items of a list have no type", 0, 0)
        elif <size_t>left > cursor.max_size - <size_t>(cursor.at - cursor.start):
            # Each value takes at least one byte.
            miss(cursor, left)
    if not cursor.is_stopped:
        level.left = left
        level.kinds[0], level.kinds[1] = <uint8_t>first_kind, <uint8_t>second_kind
        skip.depth += 1

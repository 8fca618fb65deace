"""Checks whether a text is an IRI of RFC 3987 with a scheme, and finds the fault if it is not."""

cdef enum:
    # Parts of an IRI in which an ASCII character is allowed.
    IN_SCHEME = 1
    IN_REGISTERED_NAME = 2  # the name of a host
    IN_USER = 4
    IN_PATH = 8
    IN_QUERY = 16
    IN_FRAGMENT = 32
    IN_GRAMMAR = 64  # in the IRIREF of N-Triples and Turtle

LETTERS_AND_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
NAME_CHARACTERS = LETTERS_AND_DIGITS + b"-._~!$&'()*+,;="

cdef uint8_t[128] PARTS
memset(PARTS, 0, sizeof(PARTS))
for part, characters in (
    (IN_SCHEME, LETTERS_AND_DIGITS + b"+-."),
    (IN_REGISTERED_NAME, NAME_CHARACTERS),
    (IN_USER, NAME_CHARACTERS + b":"),
    (IN_PATH, NAME_CHARACTERS + b":@/"),
    (IN_QUERY | IN_FRAGMENT, NAME_CHARACTERS + b":@/?"),
    (IN_GRAMMAR, bytes(set(range(0x21, 0x80)).difference(b'<>"{}|^`\\'))),
):
    for byte in characters:
        PARTS[byte] |= part


cdef inline bint is_iri_character(uint32_t c) noexcept nogil:
    """Return whether a character is a ucschar of RFC 3987, section 2.2."""
    if c >= 0x10000:
        return c <= 0xEFFFD and (c & 0xFFFF) <= 0xFFFD and (c < 0xE0000 or c >= 0xE1000)
    return 0xA0 <= c <= 0xD7FF or 0xF900 <= c <= 0xFDCF or 0xFDF0 <= c <= 0xFFEF


cdef inline bint is_private(uint32_t c) noexcept nogil:
    """Return whether a character is an iprivate of RFC 3987, section 2.2."""
    return 0xE000 <= c <= 0xF8FF or (0xF0000 <= c <= 0x10FFFD and (c & 0xFFFF) <= 0xFFFD)


cdef int check_part(const uint8_t* at, const uint8_t* end, uint8_t part) noexcept nogil:
    """Check the characters of one part of an IRI; return its `TermFault`."""
    cdef uint32_t c = 0
    cdef int size
    while at < end:
        if at[0] < 0x80:
            if not PARTS[at[0]] & part:
                if at[0] != b"%":
                    return BAD_CHARACTER
                if end - at < 3 or hex_value(at[1]) < 0 or hex_value(at[2]) < 0:
                    return BAD_ESCAPE
                at += 2
            at += 1
            continue
        size = read_code_point(at, end, &c)
        if size <= 0 or not (is_iri_character(c) or (part == IN_QUERY and is_private(c))):
            return BAD_CHARACTER
        at += size
    return NO_FAULT


cdef inline const uint8_t* find(const uint8_t* at, const uint8_t* end, uint8_t byte) noexcept nogil:
    """Return the first position of a byte, or ``end`` if it does not occur."""
    cdef const uint8_t* found = <const uint8_t*>memchr(at, byte, end - at) if at < end else NULL
    return end if found == NULL else found


cdef const uint8_t* skip_ipv4_address(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Return the end of the IPv4 address at ``at``, or NULL if none starts there."""
    cdef const uint8_t* start
    cdef int index, number
    for index in range(4):
        if index > 0:
            if at == end or at[0] != b".":
                return NULL
            at += 1
        start = at
        number = 0
        while at < end and at - start < 3 and is_digit(at[0]):
            number = 10 * number + at[0] - 0x30
            at += 1
        if at == start or number > 255 or (start[0] == b"0" and at - start > 1):
            return NULL
    return at


cdef bint is_ipv6_address(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Return whether a text is an IPv6 address, in which :: may replace some groups."""
    cdef const uint8_t* start
    cdef int groups = 0
    cdef bint has_gap = False
    if at < end and at[0] == b":":
        at += 1
        if at == end or at[0] != b":":
            return False
    while groups < 8:
        if at < end and at[0] == b":":
            if has_gap:
                return False
            has_gap = True
            at += 1
            if at == end:
                return True
        if skip_ipv4_address(at, end) == end:
            groups += 2
            return groups < 8 if has_gap else groups == 8
        start = at
        while at < end and at - start < 4 and hex_value(at[0]) >= 0:
            at += 1
        groups += 1
        if at == start:
            return False
        if at == end:
            return groups < 8 if has_gap else groups == 8
        if at[0] != b":":
            return False
        at += 1
        if at == end:
            return False
    return False


cdef bint is_ip_literal(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Return whether a host may have a text in brackets: an IPv6 address, or IPvFuture."""
    cdef const uint8_t* start
    if at == end or at[0] | 0x20 != b"v":
        return is_ipv6_address(at, end)
    at += 1
    start = at
    while at < end and hex_value(at[0]) >= 0:
        at += 1
    if at == start or end - at < 2 or at[0] != b".":
        return False
    at += 1
    while at < end:
        if at[0] >= 0x80 or not PARTS[at[0]] & IN_USER:
            return False
        at += 1
    return True


cdef int check_authority(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Check the authority, between // and the path: a user, a host and a port."""
    cdef const uint8_t* host = find(at, end, b"@")
    cdef const uint8_t* port
    cdef int fault = NO_FAULT
    if host < end:
        fault = check_part(at, host, IN_USER)
        at = host + 1
    if at < end and at[0] == b"[":
        port = find(at, end, b"]") + 1
        if port > end or (port < end and port[0] != b":"):
            return fault or BAD_CHARACTER
        if not is_ip_literal(at + 1, port - 1):
            return fault or BAD_ADDRESS
    else:
        port = find(at, end, b":")
        fault = fault or check_part(at, port, IN_REGISTERED_NAME)
    port += 1
    while port < end and is_digit(port[0]):
        port += 1
    return fault or (BAD_PORT if port < end else NO_FAULT)


cdef inline const uint8_t* skip_scheme(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Return the position after the scheme and its colon, or NULL if there is no scheme."""
    if at == end or not is_letter(at[0]):
        return NULL
    while at < end and at[0] < 0x80 and PARTS[at[0]] & IN_SCHEME:
        at += 1
    return at + 1 if at < end and at[0] == b":" else NULL


cdef int check_iri_by_grammar(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Check that an IRI has a scheme, and only characters that the grammar of IRIREF allows."""
    if skip_scheme(at, end) == NULL:
        return RELATIVE_IRI
    while at < end:
        if at[0] < 0x80 and not PARTS[at[0]] & IN_GRAMMAR:
            return BAD_CHARACTER
        at += 1
    return NO_FAULT


cdef int check_iri(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Check an IRI, which must be UTF-8 (RFC 3987, section 2.2); return its `TermFault`."""
    cdef const uint8_t* fragment
    cdef const uint8_t* query
    cdef const uint8_t* path
    cdef int fault = NO_FAULT
    at = skip_scheme(at, end)
    if at == NULL:
        return RELATIVE_IRI
    fragment = find(at, end, b"#")
    query = find(at, fragment, b"?")
    if query - at >= 2 and at[0] == b"/" and at[1] == b"/":
        path = find(at + 2, query, b"/")
        fault = check_authority(at + 2, path)
        at = path
    return (
        fault or check_part(at, query, IN_PATH) or check_part(query + 1, fragment, IN_QUERY)
        or check_part(fragment + 1, end, IN_FRAGMENT)
    )

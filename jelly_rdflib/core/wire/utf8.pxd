# Checks for UTF-8: accepts exactly the byte sequences that Python's strict decoder accepts.

cdef extern from *:
    """
    #define JELLY_NOT_ASCII 0x8080808080808080ULL
    """
    const uint64_t NOT_ASCII "JELLY_NOT_ASCII"


cdef inline bint is_continuation(uint8_t byte) noexcept nogil:
    return (byte & 0xC0) == 0x80


cdef inline bint is_utf8_tail(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Check the rest of a text, from the first byte that is not ASCII (RFC 3629, section 4)."""
    cdef uint8_t lead, low, high
    while p < end:
        lead = p[0]
        if lead < 0x80:
            p += 1
        elif lead < 0xC2:
            return False
        elif lead < 0xE0:
            if end - p < 2 or not is_continuation(p[1]):
                return False
            p += 2
        elif lead < 0xF0:
            # After E0, bytes below A0 are overlong; after ED, bytes above 9F are surrogates.
            low = 0xA0 if lead == 0xE0 else 0x80
            high = 0x9F if lead == 0xED else 0xBF
            if end - p < 3 or p[1] < low or p[1] > high or not is_continuation(p[2]):
                return False
            p += 3
        elif lead < 0xF5:
            low = 0x90 if lead == 0xF0 else 0x80
            high = 0x8F if lead == 0xF4 else 0xBF
            if (
                end - p < 4 or p[1] < low or p[1] > high
                or not is_continuation(p[2]) or not is_continuation(p[3])
            ):
                return False
            p += 4
        else:
            return False
    return True


cdef inline bint is_utf8(const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef uint64_t words[4]
    # Most text is ASCII, so check the high bits of 32 bytes at a time.
    while end - p >= 32:
        memcpy(words, p, 32)
        if (words[0] | words[1] | words[2] | words[3]) & NOT_ASCII:
            return is_utf8_tail(p, end)
        p += 32
    while end - p >= 8:
        memcpy(words, p, 8)
        if words[0] & NOT_ASCII:
            return is_utf8_tail(p, end)
        p += 8
    while p < end:
        if p[0] >= 0x80:
            return is_utf8_tail(p, end)
        p += 1
    return True


cdef inline int read_code_point(const uint8_t* p, const uint8_t* end, uint32_t* c) noexcept nogil:
    """Read a character that is not ASCII.

    Return the number of its bytes, or 0 if it is invalid, or -1 if it is cut off.
    """
    cdef int size = 2 if p[0] < 0xE0 else 3 if p[0] < 0xF0 else 4
    cdef int i
    if end - p < size:
        return -1
    if not is_utf8_tail(p, p + size):
        return 0
    c[0] = p[0] & (0x7F >> size)
    for i in range(1, size):
        c[0] = c[0] << 6 | (p[i] & 0x3F)
    return size

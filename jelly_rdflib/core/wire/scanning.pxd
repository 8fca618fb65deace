"""Finds the next special byte of a text, and defines the characters of names.

The finders read whole blocks, so 16 bytes after ``end`` must be readable. If they find no special
byte, they return ``end`` or a later position.
"""

cdef extern from * nogil:
    """
    #include <stdint.h>

    #if defined(__SSE2__)
    #include <emmintrin.h>

    #define JELLY_BYTES(byte) _mm_set1_epi8((char)(byte))
    #define JELLY_EQUAL(block, byte) _mm_cmpeq_epi8(block, JELLY_BYTES(byte))
    #define JELLY_FIND(p, end, block, special) \
        for (; p < end; p += 16) { \
            __m128i block = _mm_loadu_si128((const __m128i *)p); \
            unsigned found = (unsigned)_mm_movemask_epi8(special); \
            if (found) return p + __builtin_ctz(found); \
        } \
        return p;
    #define JELLY_OR _mm_or_si128
    /* Bytes that are at most this one, as unsigned numbers. */
    #define JELLY_UP_TO(block, byte) \
        _mm_cmpeq_epi8(_mm_min_epu8(block, JELLY_BYTES(byte)), block)
    /* The angle brackets, 3C and 3E, are the only bytes that become 3E when bit 02 is set. */
    #define JELLY_ANGLE(block) JELLY_EQUAL(JELLY_OR(block, JELLY_BYTES(2)), 0x3E)
    #else
    #define JELLY_EQUAL(block, byte) ((block) == (byte))
    #define JELLY_FIND(p, end, block, special) \
        for (; p < end; p++) { \
            uint8_t block = *p; \
            if (special) return p; \
        } \
        return p;
    #define JELLY_OR(a, b) ((a) | (b))
    #define JELLY_UP_TO(block, byte) ((block) <= (byte))
    #define JELLY_ANGLE(block) (((block) | 2) == 0x3E)
    #endif

    /* Bytes that an IRI can't have unescaped: white space, control characters, <, >, backslash. */
    static CYTHON_INLINE const uint8_t *find_iri_stop(const uint8_t *p, const uint8_t *end) {
        JELLY_FIND(p, end, block, JELLY_OR(
            JELLY_OR(JELLY_UP_TO(block, 0x20), JELLY_ANGLE(block)), JELLY_EQUAL(block, 0x5C)))
    }

    /* Bytes that are special in a short string: its quote, backslash, line breaks. */
    static CYTHON_INLINE const uint8_t *find_string_stop(const uint8_t *p, const uint8_t *end, int quote) {
        JELLY_FIND(p, end, block, JELLY_OR(
            JELLY_OR(JELLY_EQUAL(block, quote), JELLY_EQUAL(block, 0x5C)),
            JELLY_OR(JELLY_EQUAL(block, 0x0A), JELLY_EQUAL(block, 0x0D))))
    }

    /* Bytes that are special in a long string: its quote, backslash. */
    static CYTHON_INLINE const uint8_t *find_long_stop(const uint8_t *p, const uint8_t *end, int quote) {
        JELLY_FIND(p, end, block, JELLY_OR(JELLY_EQUAL(block, quote), JELLY_EQUAL(block, 0x5C)))
    }

    /* Bytes that a canonical string escapes, and EF, which may start U+FFFE or U+FFFF. */
    static CYTHON_INLINE const uint8_t *find_string_escape(const uint8_t *p, const uint8_t *end) {
        JELLY_FIND(p, end, block, JELLY_OR(
            JELLY_OR(
                JELLY_OR(JELLY_EQUAL(block, 0x22), JELLY_EQUAL(block, 0x5C)),
                JELLY_OR(JELLY_EQUAL(block, 0x7F), JELLY_EQUAL(block, 0xEF))),
            JELLY_UP_TO(block, 0x1F)))
    }

    /* Bytes that N-Triples does not allow in an IRI. */
    static CYTHON_INLINE const uint8_t *find_iri_escape(const uint8_t *p, const uint8_t *end) {
        JELLY_FIND(p, end, block, JELLY_OR(
            JELLY_OR(
                JELLY_OR(JELLY_UP_TO(block, 0x20), JELLY_ANGLE(block)),
                JELLY_OR(JELLY_EQUAL(block, 0x22), JELLY_EQUAL(block, 0x60))),
            JELLY_OR(
                JELLY_OR(JELLY_EQUAL(block, 0x5C), JELLY_EQUAL(block, 0x5E)),
                JELLY_OR(
                    JELLY_EQUAL(block, 0x7B),
                    JELLY_OR(JELLY_EQUAL(block, 0x7C), JELLY_EQUAL(block, 0x7D))))))
    }
    """
    const uint8_t* find_iri_stop(const uint8_t* p, const uint8_t* end)
    const uint8_t* find_string_stop(const uint8_t* p, const uint8_t* end, uint8_t quote)
    const uint8_t* find_long_stop(const uint8_t* p, const uint8_t* end, uint8_t quote)
    const uint8_t* find_string_escape(const uint8_t* p, const uint8_t* end)
    const uint8_t* find_iri_escape(const uint8_t* p, const uint8_t* end)


cdef inline bint is_digit(uint8_t byte) noexcept nogil:
    return <uint8_t>(byte - 0x30) < 10


cdef inline bint is_letter(uint8_t byte) noexcept nogil:
    return <uint8_t>((byte | 0x20) - 0x61) < 26


cdef inline bint is_name_start(uint32_t c) noexcept nogil:
    """Return whether a character is in Turtle's PN_CHARS_BASE, without ASCII."""
    return (
        0xC0 <= c <= 0xD6 or 0xD8 <= c <= 0xF6 or 0xF8 <= c <= 0x2FF
        or 0x370 <= c <= 0x37D or 0x37F <= c <= 0x1FFF or 0x200C <= c <= 0x200D
        or 0x2070 <= c <= 0x218F or 0x2C00 <= c <= 0x2FEF or 0x3001 <= c <= 0xD7FF
        or 0xF900 <= c <= 0xFDCF or 0xFDF0 <= c <= 0xFFFD or 0x10000 <= c <= 0xEFFFF
    )


cdef inline bint is_name_part(uint32_t c) noexcept nogil:
    """Return whether a character is in Turtle's PN_CHARS, without ASCII."""
    return is_name_start(c) or c == 0xB7 or 0x300 <= c <= 0x36F or 0x203F <= c <= 0x2040


cdef inline bint is_ascii_name_part(uint8_t byte) noexcept nogil:
    """Return whether an ASCII character is in Turtle's PN_CHARS."""
    return is_letter(byte) or is_digit(byte) or byte == b"_" or byte == b"-"


cdef inline int read_name_part(
    const uint8_t* at, const uint8_t* end, bint is_first, bint is_label
) noexcept nogil:
    """Return the size of a character other than a dot if a name allows it there; else 0.

    A label may also start with a digit or underscore. -1 means that the text ends within the
    character.
    """
    cdef uint32_t c = 0
    cdef int size
    if at[0] >= 0x80:
        size = read_code_point(at, end, &c)
        if size > 0 and not (is_name_start(c) if is_first else is_name_part(c)):
            return 0
        return size
    if is_first:
        return is_letter(at[0]) or (is_label and (is_digit(at[0]) or at[0] == b"_"))
    return is_ascii_name_part(at[0])

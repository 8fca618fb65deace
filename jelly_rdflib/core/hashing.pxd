"""A fast hash of text with a secret seed, so that a stranger can't choose texts that collide."""

from libc.stdint cimport uint8_t, uint64_t


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* Multiply to 128 bits and fold: the mixing step of the wyhash family. */
    static inline uint64_t jelly_fold(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    #else
        uint64_t a_low = (uint32_t)a, a_high = a >> 32;
        uint64_t b_low = (uint32_t)b, b_high = b >> 32;
        uint64_t low = a_low * b_low, high = a_high * b_high;
        uint64_t cross = a_high * b_low + (low >> 32);
        uint64_t other = a_low * b_high + (uint32_t)cross;
        high += (cross >> 32) + (other >> 32);
        low = (other << 32) | (uint32_t)low;
        return low ^ high;
    #endif
    }

    /* Odd constants with as many one bits as zero bits. */
    #define JELLY_MIX_A 0x9E3779B97F4A7C15ULL
    #define JELLY_MIX_B 0xE7037ED1A0B428DBULL

    static inline uint64_t jelly_load64(const uint8_t *p) {
        uint64_t word;
        memcpy(&word, p, 8);
        return word;
    }

    /* The byte at p is the lowest one of the result, on every machine. */
    static inline uint64_t jelly_load64_little(const uint8_t *p) {
        uint64_t word = jelly_load64(p);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }

    static inline uint64_t jelly_load32(const uint8_t *p) {
        uint32_t word;
        memcpy(&word, p, 4);
        return word;
    }
    """
    const uint64_t MIX_A "JELLY_MIX_A"
    const uint64_t MIX_B "JELLY_MIX_B"
    uint64_t fold "jelly_fold"(uint64_t a, uint64_t b) noexcept nogil
    uint64_t load64 "jelly_load64"(const uint8_t* p) noexcept nogil
    uint64_t load64_little "jelly_load64_little"(const uint8_t* p) noexcept nogil
    uint64_t load32 "jelly_load32"(const uint8_t* p) noexcept nogil


cdef inline uint64_t hash_and_scan(
    const uint8_t* p, size_t size, uint64_t seed, uint64_t* bits
) noexcept nogil:
    """Hash a text, and tell in ``bits`` which bits are set anywhere in it, byte by byte."""
    # Each word is mixed with the seed before it is multiplied: a word that a stranger could make
    # zero there would swallow the word beside it.
    cdef uint64_t key = seed ^ MIX_B
    cdef uint64_t state = seed ^ MIX_A
    cdef uint64_t other = seed
    cdef uint64_t seen = 0
    cdef uint64_t first, second, third, fourth
    cdef size_t left = size
    while left > 32:
        # Two independent lanes keep the multiplier busy.
        first, second, third, fourth = load64(p), load64(p + 8), load64(p + 16), load64(p + 24)
        seen |= first | second | third | fourth
        state = fold(first ^ key, second ^ state)
        other = fold(third ^ key, fourth ^ other)
        p += 32
        left -= 32
    state ^= other
    if left > 16:
        first, second = load64(p), load64(p + 8)
        seen |= first | second
        state = fold(first ^ key, second ^ state)
        p += 16
        left -= 16
    if left >= 8:
        first = load64(p)
        second = load64(p + left - 8)
    elif left >= 4:
        first = load32(p)
        second = load32(p + left - 4)
    elif left > 0:
        first = (<uint64_t>p[0] << 16) | (<uint64_t>p[left >> 1] << 8) | p[left - 1]
        second = 0
    else:
        first = 0
        second = 0
    bits[0] = seen | first | second
    return fold(key ^ size, fold(first ^ key, second ^ state) ^ MIX_A)


cdef inline uint64_t hash_text(const uint8_t* p, size_t size, uint64_t seed) noexcept nogil:
    cdef uint64_t ignored
    return hash_and_scan(p, size, seed, &ignored)


cdef inline uint64_t mix(uint64_t a, uint64_t b) noexcept nogil:
    """Combine two hashes into one; the order counts."""
    return fold(a ^ MIX_A, b ^ MIX_B)

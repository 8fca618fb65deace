# A fast hash of text. Without knowing its secret seed, one can make at most four texts collide.

cdef extern from * nogil:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    /* Multiply to 128 bits and fold: the mixing step of the wyhash family. */
    static CYTHON_INLINE uint64_t jelly_fold(uint64_t a, uint64_t b) {
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

    static CYTHON_INLINE uint64_t jelly_load64(const uint8_t *p) {
        uint64_t word;
        memcpy(&word, p, 8);
        return word;
    }

    /* The byte at p is the lowest one of the result, on every machine. */
    static CYTHON_INLINE uint64_t jelly_load64_little(const uint8_t *p) {
        uint64_t word = jelly_load64(p);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }

    /* Load at most eight bytes from p to the end of a text, as a word padded with zeros, without
       reading after the end. Copying the bytes to a buffer first would stall the reads. */
    static CYTHON_INLINE uint64_t jelly_load_rest(const uint8_t *p, const uint8_t *end, int is_long) {
        ptrdiff_t size = end - p;
        if (size >= 8) return jelly_load64(p);
        if (size <= 0) return 0;
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        if (is_long) return jelly_load64(end - 8) >> (64 - 8 * size);
        if (size >= 4) {
            uint32_t first, last;
            memcpy(&first, p, 4);
            memcpy(&last, end - 4, 4);
            return first | (uint64_t)last << (8 * size - 32);
        }
        return p[0] | (uint64_t)p[size >> 1] << 8 * (size >> 1)
            | (uint64_t)end[-1] << 8 * (size - 1);
    #else
        uint64_t word = 0;
        (void)is_long;
        memcpy(&word, p, (size_t)size);
        return word;
    #endif
    }

    /* From index 32 - n on, a mask for the first n bytes of a block. */
    static const uint8_t jelly_block_mask[64] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    """
    const uint64_t MIX_A "JELLY_MIX_A"
    const uint64_t MIX_B "JELLY_MIX_B"
    uint64_t fold "jelly_fold"(uint64_t a, uint64_t b)
    uint64_t load64 "jelly_load64"(const uint8_t* p)
    uint64_t load_rest "jelly_load_rest"(const uint8_t* p, const uint8_t* end, int is_long)
    uint64_t load64_little "jelly_load64_little"(const uint8_t* p)
    const uint8_t* BLOCK_MASK "jelly_block_mask"


cdef enum:
    # Texts are hashed in blocks of this size, the last one padded with zeros.
    BLOCK = 32


ctypedef struct TextHash:
    uint64_t key
    uint64_t state
    uint64_t other
    uint64_t bits  # the words of the text, combined by OR


cdef inline void hash_start(TextHash* hash, uint64_t seed) noexcept nogil:
    hash.key = seed ^ MIX_B
    hash.state = seed ^ MIX_A
    hash.other = seed
    hash.bits = 0


cdef inline void hash_block(
    TextHash* hash, uint64_t first, uint64_t second, uint64_t third, uint64_t fourth
) noexcept nogil:
    # Mix each word with the seed before the multiplication: otherwise an attacker could choose a
    # word that makes the product zero whatever the other is. Two lanes keep the multiplier busy.
    hash.state = fold(first ^ hash.key, second ^ hash.state)
    hash.other = fold(third ^ hash.key, fourth ^ hash.other)
    hash.bits |= first | second | third | fourth


cdef inline uint64_t hash_end(TextHash* hash, size_t size) noexcept nogil:
    return fold(hash.key ^ size, hash.state ^ (hash.other << 1 | hash.other >> 63))


cdef inline bint is_padded_ascii(const uint8_t* text, size_t size) noexcept nogil:
    """Return whether a text is ASCII; it must have a `BLOCK` of readable bytes after it."""
    cdef const uint8_t* mask
    cdef uint64_t bits = 0
    while size > BLOCK:
        bits |= load64(text) | load64(text + 8) | load64(text + 16) | load64(text + 24)
        text += BLOCK
        size -= BLOCK
    mask = BLOCK_MASK + BLOCK - size
    bits |= (load64(text) & load64(mask)) | (load64(text + 8) & load64(mask + 8))
    bits |= (load64(text + 16) & load64(mask + 16)) | (load64(text + 24) & load64(mask + 24))
    return bits & NOT_ASCII == 0


cdef inline uint64_t copy_and_hash(
    uint8_t* target, const uint8_t* text, size_t size, uint64_t seed, uint64_t* bits
) noexcept nogil:
    """Copy and hash a text, and set ``bits`` to the OR of its words.

    Whole blocks are read and written, so the text and its copy need `BLOCK` bytes of spare memory
    after their ends. ``target`` and ``text`` may be equal.
    """
    cdef TextHash hash
    cdef const uint8_t* mask
    cdef size_t left = size
    hash_start(&hash, seed)
    while left > BLOCK:
        memcpy(target, text, BLOCK)
        hash_block(&hash, load64(text), load64(text + 8), load64(text + 16), load64(text + 24))
        target += BLOCK
        text += BLOCK
        left -= BLOCK
    mask = BLOCK_MASK + BLOCK - left
    memcpy(target, text, BLOCK)
    hash_block(
        &hash, load64(text) & load64(mask), load64(text + 8) & load64(mask + 8),
        load64(text + 16) & load64(mask + 16), load64(text + 24) & load64(mask + 24),
    )
    bits[0] = hash.bits
    return hash_end(&hash, size)


cdef inline uint64_t hash_text(const uint8_t* text, size_t size, uint64_t seed) noexcept nogil:
    """Hash a text without reading any byte after its end."""
    cdef TextHash hash
    cdef const uint8_t* end = text + size
    cdef bint is_long = size >= 8
    hash_start(&hash, seed)
    while end - text > BLOCK:
        hash_block(&hash, load64(text), load64(text + 8), load64(text + 16), load64(text + 24))
        text += BLOCK
    hash_block(
        &hash, load_rest(text, end, is_long), load_rest(text + 8, end, is_long),
        load_rest(text + 16, end, is_long), load_rest(text + 24, end, is_long),
    )
    return hash_end(&hash, size)


cdef inline uint64_t mix(uint64_t a, uint64_t b) noexcept nogil:
    """Combine two hashes into one; their order matters."""
    return fold(a ^ MIX_A, b ^ MIX_B)

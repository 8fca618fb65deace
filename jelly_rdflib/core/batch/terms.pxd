# The distinct terms of a batch as columns: their layout, and functions to find and add terms.

cpdef enum TermKind:
    # The kind of a term, and the meaning of its text and of its extra number.
    NONE = 0  # no term: number 0 of each table, and no other number
    IRI = 1  # text: the IRI
    BLANK_NODE = 2  # text: the label
    SIMPLE_LITERAL = 3  # text: the lexical form
    # Text: the lexical form; extra: number of the tag, a STRING, perhaps with a direction: ar--rtl.
    LANGUAGE_LITERAL = 4
    TYPED_LITERAL = 5  # text: the lexical form; extra: number of the datatype, an IRI
    TRIPLE_TERM = 6  # text: the numbers of s, p and o, 4 bytes each
    DEFAULT_GRAPH = 7  # no text
    STRING = 8  # text: not an RDF term, but a header's key or a prefix's name


cdef enum:
    # Spare bytes after the texts, so that texts can be copied in whole blocks.
    DATA_SLACK = 2 * BLOCK


cdef extern from *:
    """
    /* Offsets of texts have 32 bits. */
    #define JELLY_MAX_TABLE_TEXT ((size_t)0xFFFFFF00)
    """
    const size_t MAX_TABLE_TEXT "JELLY_MAX_TABLE_TEXT"


ctypedef struct TermColumns:
    uint32_t count
    uint32_t capacity
    uint32_t max_count  # the count up to which neither the columns nor the slots need to grow
    uint32_t max_terms  # the maximum number of terms
    # The columns, in one block of memory, which starts with `hashes`.
    uint64_t* hashes  # equal for equal terms, even in different tables
    uint32_t* offsets  # text of term i: data[offsets[i]:offsets[i + 1]]
    uint32_t* extras
    uint8_t* kinds
    uint8_t* data
    size_t data_capacity
    size_t max_text
    # A hash table with open addressing; 0 marks a free slot, since term 0 is never looked up.
    uint32_t* slots
    uint32_t slot_mask


cdef uint64_t hash_seed() noexcept nogil


cdef inline uint64_t term_hash(
    TermKind kind, uint64_t text_hash, uint64_t extra_hash
) noexcept nogil:
    return mix(text_hash + kind, extra_hash)


cdef inline bint is_text(int kind) noexcept nogil:
    """Return whether a term of this kind can be a header's key or a prefix's name."""
    return (
        kind != TermKind.NONE and kind != TermKind.TRIPLE_TERM and kind != TermKind.DEFAULT_GRAPH
    )


cdef int resize(void** memory, size_t size) noexcept nogil

# Each of these returns 0 or the number of a term, or -1 with the failure filled in.
cdef int terms_init(
    TermColumns* terms, uint32_t capacity, size_t text, size_t max_text
) noexcept nogil
cdef int terms_make_room(
    TermColumns* terms, size_t text, const uint8_t* at, Failure* failure
) noexcept nogil
cdef int64_t terms_intern_triple(
    TermColumns* terms, uint32_t s, uint32_t p, uint32_t o, const uint8_t* at, Failure* failure
) noexcept nogil
cdef int64_t terms_copy(
    TermColumns* target, const TermColumns* source, uint32_t term, const uint8_t* at,
    Failure* failure
) noexcept nogil
cdef int64_t terms_copy_once(
    TermColumns* target, const TermColumns* source, uint32_t term, const uint8_t* at,
    uint32_t* copies, Failure* failure
) noexcept nogil
cdef bint terms_same(
    const TermColumns* one, uint32_t term, const TermColumns* other, uint32_t other_term,
    bint any_spelling,
) noexcept nogil
cdef void terms_set_max(TermColumns* terms, uint32_t max_terms) noexcept nogil
cdef int terms_check_count(
    const TermColumns* terms, const uint8_t* at, Failure* failure
) noexcept nogil
cdef void terms_clear(TermColumns* terms) noexcept nogil
cdef void terms_truncate(TermColumns* terms, uint32_t count) noexcept nogil
cdef void terms_free(TermColumns* terms) noexcept nogil


cdef inline Span text_of(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Return the text of a term, which is valid until the table grows."""
    cdef Span text
    text.start = terms.data + terms.offsets[term]
    text.end = terms.data + terms.offsets[term + 1]
    return text


cdef inline bint has_bytes(Span text, const void* other, size_t size) noexcept nogil:
    return <size_t>(text.end - text.start) == size and memcmp(text.start, other, size) == 0


cdef inline int terms_reserve(
    TermColumns* terms, size_t text, const uint8_t* at, Failure* failure
) noexcept nogil:
    """Make room for one more term with a text of the given size."""
    if (
        terms.count < terms.max_count
        and terms.offsets[terms.count] + text <= terms.data_capacity
    ):
        return 0
    return terms_make_room(terms, text, at, failure)


cdef inline int64_t terms_find_or_add(
    TermColumns* terms, TermKind kind, const uint8_t* text, size_t size, uint32_t extra,
    uint64_t hash
) noexcept nogil:
    """Intern a term after `terms_reserve`; the caller must store the text of a new term."""
    cdef uint32_t slot = <uint32_t>hash & terms.slot_mask
    cdef uint32_t new = terms.count
    cdef uint32_t term, start
    while terms.slots[slot] != 0:
        term = terms.slots[slot]
        start = terms.offsets[term]
        if (
            terms.hashes[term] == hash
            and terms.kinds[term] == kind
            and terms.extras[term] == extra
            and terms.offsets[term + 1] - start == size
            and memcmp(terms.data + start, text, size) == 0
        ):
            return term
        slot = (slot + 1) & terms.slot_mask
    terms.slots[slot] = new
    terms.kinds[new] = kind
    terms.extras[new] = extra
    terms.hashes[new] = hash
    terms.offsets[new + 1] = terms.offsets[new] + <uint32_t>size
    terms.count = new + 1
    return new


cdef inline int64_t terms_intern_tail(
    TermColumns* terms, TermKind kind, size_t size, uint32_t extra, uint64_t hash
) noexcept nogil:
    """Intern a term after `terms_reserve`; the caller has stored its text after the last text."""
    cdef const uint8_t* tail = terms.data + terms.offsets[terms.count]
    return terms_find_or_add(terms, kind, tail, size, extra, hash)


cdef inline int64_t terms_intern(
    TermColumns* terms, TermKind kind, const uint8_t* text, size_t size, uint32_t extra,
    uint64_t hash, const uint8_t* at, Failure* failure
) noexcept nogil:
    """Return the number of a term; add the term if the table does not have it yet."""
    cdef int64_t term
    if terms_reserve(terms, size, at, failure) < 0:
        return -1
    term = terms_find_or_add(terms, kind, text, size, extra, hash)
    # If the term was found and is the table's last one, this stores the same text again.
    if term + 1 == terms.count:
        memcpy(terms.data + terms.offsets[term], text, size)
    return term


cdef inline int64_t intern_text(
    TermColumns* terms, TermKind kind, Span text, uint32_t extra, uint64_t seed, size_t max_size,
    Failure* failure
) noexcept nogil:
    """Check a text, and intern the term with this text."""
    cdef size_t size = text.end - text.start
    if check_text(text, max_size, failure) < 0:
        return -1
    return terms_intern(
        terms, kind, text.start, size, extra,
        term_hash(kind, hash_text(text.start, size, seed), terms.hashes[extra]),
        text.start, failure,
    )


cdef inline int64_t intern_padded_text(
    TermColumns* terms, TermKind kind, const uint8_t* start, size_t size, uint32_t extra,
    uint64_t seed, size_t max_size, Failure* failure
) noexcept nogil:
    """Do the same as `intern_text`, for a text with a `BLOCK` of readable bytes after it."""
    cdef uint64_t bits, hash
    cdef Span text
    if terms_reserve(terms, size, start, failure) < 0:
        return -1
    hash = copy_and_hash(terms.data + terms.offsets[terms.count], start, size, seed, &bits)
    if bits & NOT_ASCII or size > max_size:
        text.start = start
        text.end = start + size
        if check_text(text, max_size, failure) < 0:
            return -1
    return terms_intern_tail(
        terms, kind, size, extra, term_hash(kind, hash, terms.hashes[extra])
    )

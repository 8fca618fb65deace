# Interns texts of which it is not known yet whether they may be what they are.

cdef inline int64_t intern_text(
    TermColumns* terms, TermKind kind, Span text, uint32_t extra, uint64_t seed, size_t max_size,
    Failure* failure
) noexcept nogil:
    """Check a text and intern the term that it is the text of."""
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
    """Do what `intern_text` does, where there is a `BLOCK` of bytes to read behind the text."""
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

"""The distinct terms of a batch as columns: their layout, and functions to find and add terms."""

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")


cdef uint64_t hash_seed() noexcept nogil:
    return SEED


cdef int terms_init(
    TermColumns* terms, uint32_t capacity, size_t text, size_t max_text
) noexcept nogil:
    """Make an empty table, with room for ``capacity`` terms and ``text`` bytes before it grows."""
    cdef uint32_t slots = 64
    while slots < 4 * <uint64_t>capacity + 4:
        slots *= 2
    memset(terms, 0, sizeof(TermColumns))
    terms.data_capacity = min(text + 16, max_text)
    terms.max_text = max_text
    terms.max_terms = <uint32_t>-1
    terms.slot_mask = slots - 1
    terms.slots = <uint32_t*>PyMem_RawCalloc(slots, sizeof(uint32_t))
    if (
        terms.slots == NULL or terms_resize(terms, capacity + 1) < 0
        or resize(<void**>&terms.data, terms.data_capacity + DATA_SLACK) < 0
    ):
        terms_free(terms)
        return -1
    terms_set_none(terms)
    set_max_count(terms)
    return 0


cdef void terms_set_max(TermColumns* terms, uint32_t max_terms) noexcept nogil:
    """Set the maximum number of terms; one term more still fits, but a second one fails."""
    terms.max_terms = max_terms
    set_max_count(terms)


cdef void terms_set_none(TermColumns* terms) noexcept nogil:
    terms.kinds[0] = TermKind.NONE
    terms.offsets[0] = 0
    terms.offsets[1] = 0
    terms.extras[0] = 0
    terms.hashes[0] = 0
    terms.count = 1


cdef void terms_clear(TermColumns* terms) noexcept nogil:
    """Forget all terms but keep the memory."""
    memset(terms.slots, 0, (<size_t>terms.slot_mask + 1) * sizeof(uint32_t))
    terms_set_none(terms)


cdef void terms_truncate(TermColumns* terms, uint32_t count) noexcept nogil:
    """Forget all terms but the first ``count``."""
    cdef uint32_t term, slot
    # Remove the last term first, so that the probe sequences of the others stay intact.
    while terms.count > count:
        terms.count -= 1
        term = terms.count
        slot = <uint32_t>terms.hashes[term] & terms.slot_mask
        while terms.slots[slot] != term:
            slot = (slot + 1) & terms.slot_mask
        terms.slots[slot] = 0


cdef void terms_free(TermColumns* terms) noexcept nogil:
    PyMem_RawFree(terms.hashes)
    PyMem_RawFree(terms.data)
    PyMem_RawFree(terms.slots)
    memset(terms, 0, sizeof(TermColumns))


cdef int resize(void** memory, size_t size) noexcept nogil:
    """Allocate or resize memory; on failure it stays unchanged."""
    cdef void* resized = PyMem_RawRealloc(memory[0], size)
    if resized == NULL:
        return -1
    memory[0] = resized
    return 0


cdef int terms_resize(TermColumns* terms, uint32_t capacity) noexcept nogil:
    """Move the columns to memory with room for more terms; on failure they stay unchanged."""
    cdef TermColumns old = terms[0]
    cdef size_t size = sizeof(uint64_t) + 2 * sizeof(uint32_t) + 1
    cdef uint64_t* memory
    if capacity < old.capacity:
        return -1
    memory = <uint64_t*>PyMem_RawMalloc(capacity * size + sizeof(uint32_t))
    if memory == NULL:
        return -1
    terms.capacity = capacity
    terms.hashes = memory
    terms.offsets = <uint32_t*>(terms.hashes + capacity)
    terms.extras = terms.offsets + capacity + 1
    terms.kinds = <uint8_t*>(terms.extras + capacity)
    if old.hashes != NULL:
        memcpy(terms.hashes, old.hashes, old.count * sizeof(uint64_t))
        memcpy(terms.offsets, old.offsets, (<size_t>old.count + 1) * sizeof(uint32_t))
        memcpy(terms.extras, old.extras, old.count * sizeof(uint32_t))
        memcpy(terms.kinds, old.kinds, old.count)
        PyMem_RawFree(old.hashes)
    return 0


cdef int terms_rehash(TermColumns* terms) noexcept nogil:
    cdef uint32_t mask = terms.slot_mask * 2 + 1
    cdef uint32_t term, slot
    cdef uint32_t* slots = <uint32_t*>PyMem_RawCalloc(<size_t>mask + 1, sizeof(uint32_t))
    if slots == NULL:
        return -1
    for term in range(1, terms.count):
        slot = <uint32_t>terms.hashes[term] & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = term
    PyMem_RawFree(terms.slots)
    terms.slots = slots
    terms.slot_mask = mask
    return 0


cdef void set_max_count(TermColumns* terms) noexcept nogil:
    # The slots are never more than half full. Make room for one more term than allowed, since it
    # is not known yet whether the next term is new.
    terms.max_count = <uint32_t>min(
        <uint64_t>min(terms.capacity, terms.slot_mask // 2), <uint64_t>terms.max_terms + 2
    )


cdef int terms_check_count(
    const TermColumns* terms, const uint8_t* at, Failure* failure
) noexcept nogil:
    """Fail if the table has more terms than allowed."""
    # Term 0 does not count.
    if terms.count > <uint64_t>terms.max_terms + 1:
        return fail_limit(
            failure, at,
            b"max_frame_terms", b"the frame has more than {bound} distinct terms",
            0, terms.max_terms,
        )
    return 0


cdef int terms_make_room(
    TermColumns* terms, size_t text, const uint8_t* at, Failure* failure
) noexcept nogil:
    """Grow the columns, slots or texts that lack room for one more term with its text."""
    cdef size_t needed = terms.offsets[terms.count] + text
    if terms_check_count(terms, at, failure) < 0:
        return -1
    if terms.count >= terms.capacity and terms_resize(terms, 2 * terms.capacity) < 0:
        return fail_memory(failure, at)
    if terms.count >= terms.slot_mask // 2 and terms_rehash(terms) < 0:
        return fail_memory(failure, at)
    set_max_count(terms)
    if needed > terms.max_text:
        return fail_limit(
            failure, at,
            b"max_text_size", b"the frame's terms have more than {bound} bytes of text",
            0, terms.max_text,
        )
    if needed > terms.data_capacity:
        needed = min(needed + needed // 2, terms.max_text)
        if resize(<void**>&terms.data, needed + DATA_SLACK) < 0:
            return fail_memory(failure, at)
        terms.data_capacity = needed
    return 0


cdef int64_t terms_intern_triple(
    TermColumns* terms, uint32_t s, uint32_t p, uint32_t o, const uint8_t* at, Failure* failure
) noexcept nogil:
    cdef uint32_t[3] numbers
    numbers[0], numbers[1], numbers[2] = s, p, o
    return terms_intern(
        terms, TermKind.TRIPLE_TERM, <uint8_t*>numbers, sizeof(numbers), 0,
        triple_hash(terms, s, p, o), at, failure,
    )


cdef uint64_t triple_hash(
    const TermColumns* terms, uint32_t s, uint32_t p, uint32_t o
) noexcept nogil:
    cdef uint64_t hash = mix(mix(terms.hashes[s], terms.hashes[p]), terms.hashes[o])
    return term_hash(TermKind.TRIPLE_TERM, hash, 0)


cdef int64_t terms_copy(
    TermColumns* target, const TermColumns* source, uint32_t term, const uint8_t* at,
    Failure* failure
) noexcept nogil:
    """Intern a term of ``source``, with the terms that it refers to, in ``target``."""
    cdef uint32_t* copies = NULL
    cdef int64_t copied
    if source.kinds[term] == TermKind.TRIPLE_TERM:
        # Copy each term once, since many quoted triples may contain the same term.
        copies = <uint32_t*>PyMem_RawCalloc(source.count, sizeof(uint32_t))
        if copies == NULL:
            return fail_memory(failure, at)
    copied = terms_copy_once(target, source, term, at, copies, failure)
    PyMem_RawFree(copies)
    return copied


cdef int64_t terms_copy_once(
    TermColumns* target, const TermColumns* source, uint32_t term, const uint8_t* at,
    uint32_t* copies, Failure* failure
) noexcept nogil:
    """Do the same as `terms_copy`, but look up and store finished copies in ``copies``.

    ``copies`` has for each term of ``source`` the number of its copy, or 0; it may be NULL.
    """
    cdef uint32_t start = source.offsets[term]
    cdef uint32_t[3] numbers
    cdef int64_t extra = 0
    cdef int64_t copied
    cdef int i
    if copies != NULL and copies[term] != 0:
        return copies[term]
    if source.kinds[term] == TermKind.TRIPLE_TERM:
        memcpy(numbers, source.data + start, sizeof(numbers))
        for i in range(3):
            copied = terms_copy_once(target, source, numbers[i], at, copies, failure)
            if copied < 0:
                return -1
            numbers[i] = <uint32_t>copied
        copied = terms_intern_triple(target, numbers[0], numbers[1], numbers[2], at, failure)
    else:
        if source.extras[term] != 0:
            extra = terms_copy_once(target, source, source.extras[term], at, copies, failure)
            if extra < 0:
                return -1
        copied = terms_intern(
            target, <TermKind>source.kinds[term], source.data + start,
            source.offsets[term + 1] - start, <uint32_t>extra, source.hashes[term], at, failure,
        )
    if copies != NULL and copied > 0:
        copies[term] = <uint32_t>copied
    return copied


cdef bint terms_same(
    const TermColumns* one, uint32_t term, const TermColumns* other, uint32_t other_term,
    bint any_spelling,
) noexcept nogil:
    """Return whether terms of two tables are the same; one must be of limited size when written.

    A term that quoted triples share is compared again for each of them. Because of that limit this
    does not take long. With ``any_spelling``, compare the identity of the terms.
    """
    cdef Span text = text_of(one, term)
    cdef Span other_text = text_of(other, other_term)
    cdef uint32_t extra = one.extras[term]
    cdef uint32_t other_extra = other.extras[other_term]
    cdef int kind = one.kinds[term]
    cdef uint32_t[3] numbers
    cdef uint32_t[3] other_numbers
    if any_spelling:
        kind = identity_kind(one, term)
        if kind != identity_kind(other, other_term):
            return False
    elif one.hashes[term] != other.hashes[other_term] or kind != other.kinds[other_term]:
        return False
    if kind == TermKind.TRIPLE_TERM:
        memcpy(numbers, text.start, sizeof(numbers))
        memcpy(other_numbers, other_text.start, sizeof(other_numbers))
        return (
            terms_same(one, numbers[0], other, other_numbers[0], any_spelling)
            and terms_same(one, numbers[1], other, other_numbers[1], any_spelling)
            and terms_same(one, numbers[2], other, other_numbers[2], any_spelling)
        )
    if not has_bytes(text, other_text.start, other_text.end - other_text.start):
        return False
    if any_spelling and kind == TermKind.LANGUAGE_LITERAL:
        return is_same_tag(text_of(one, extra), text_of(other, other_extra))
    return kind == TermKind.SIMPLE_LITERAL or extra == 0 or terms_same(
        one, extra, other, other_extra, any_spelling
    )

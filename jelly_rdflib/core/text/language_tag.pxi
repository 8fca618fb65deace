"""The grammar of language tags: BCP 47 (RFC 5646, section 2.1)."""

cdef enum Part:
    # The kind of a subtag.
    NOTHING
    LANGUAGE
    EXTENDED_LANGUAGE
    SCRIPT
    REGION
    VARIANT
    SINGLETON  # before an extension
    EXTENSION
    PRIVATE_SINGLETON
    PRIVATE

cdef enum:
    MAX_SUBTAG = 8
    MAX_EXTENDED_LANGUAGES = 3
    MAX_REGISTERED = 10

# Irregular tags that were registered before the grammar existed; each has spaces around it.
cdef const char* REGISTERED = (
    b" en-gb-oed sgn-be-fr sgn-be-nl sgn-ch-de i-ami i-bnn i-default i-enochian i-hak i-klingon"
    b" i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu "
)


cdef bint is_registered(Span tag) noexcept nogil:
    cdef char[MAX_REGISTERED + 3] word
    cdef size_t size = tag.end - tag.start
    cdef size_t index
    if size > MAX_REGISTERED:
        return False
    word[0] = word[size + 1] = b" "
    word[size + 2] = 0
    for index in range(size):
        # Convert to lower case; digits and hyphens already have this bit.
        word[index + 1] = <char>(tag.start[index] | 0x20)
    return strstr(REGISTERED, word) != NULL


cdef bint has_long_subtag(Span tag) noexcept nogil:
    """Return whether a tag has a subtag that is too long for any language tag."""
    cdef const uint8_t* at = tag.start
    cdef const uint8_t* start = at
    while at < tag.end and at - start <= MAX_SUBTAG:
        if at[0] == b"-":
            start = at + 1
        at += 1
    return at - start > MAX_SUBTAG


cdef Part next_part(
    Part last, int extended, const uint8_t* start, size_t size, bint has_letters, bint has_digits
) noexcept nogil:
    """Return the kind of a subtag after one of kind ``last``, or `NOTHING` if it is not allowed."""
    if last >= PRIVATE_SINGLETON:
        return PRIVATE
    if size == 1:
        if start[0] | 0x20 == b"x":
            return PRIVATE_SINGLETON if last != SINGLETON else NOTHING
        return SINGLETON if last != NOTHING and last != SINGLETON else NOTHING
    if last == NOTHING:
        return LANGUAGE if has_letters else NOTHING
    if last >= SINGLETON:
        return EXTENSION
    if last <= EXTENDED_LANGUAGE and has_letters and size == 3:
        return EXTENDED_LANGUAGE if extended < MAX_EXTENDED_LANGUAGES else NOTHING
    if last < SCRIPT and has_letters and size == 4:
        return SCRIPT
    if last < REGION and ((has_letters and size == 2) or (has_digits and size == 3)):
        return REGION
    if size > 4 or (size == 4 and start[0] <= b"9"):
        return VARIANT
    return NOTHING


cdef bint is_well_formed(Span tag) noexcept nogil:
    """Return whether a LANGTAG of N-Triples or Turtle is well-formed according to BCP 47."""
    cdef const uint8_t* at = tag.start
    cdef const uint8_t* start
    cdef Part last = NOTHING
    cdef bint has_letters, has_digits
    # Extended language subtags follow only a language of at most three letters.
    cdef int extended = 0
    while at < tag.end:
        start = at
        has_letters = has_digits = True
        while at < tag.end and at[0] != b"-":
            if is_letter(at[0]):
                has_digits = False
            else:
                has_letters = False
            at += 1
        if at - start > MAX_SUBTAG:
            return False
        last = next_part(last, extended, start, at - start, has_letters, has_digits)
        if last == NOTHING:
            return is_registered(tag)
        if last == LANGUAGE and at - start > 3:
            extended = MAX_EXTENDED_LANGUAGES
        extended += last == EXTENDED_LANGUAGE
        at += at < tag.end
    return last != SINGLETON and last != PRIVATE_SINGLETON

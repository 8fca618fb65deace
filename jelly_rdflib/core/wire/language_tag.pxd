# The grammar of language tags in N-Triples and Turtle, and of the directions after them.

cdef inline bint is_language_tag(Span tag) noexcept nogil:
    """Return whether a tag is a LANGTAG of N-Triples: letters, then alphanumeric groups."""
    cdef const uint8_t* at = tag.start
    cdef bint is_first_group = True
    cdef const uint8_t* group = at
    while at < tag.end:
        if at[0] == b"-":
            if at == group:
                return False
            group = at + 1
            is_first_group = False
        elif not (
            b"a" <= at[0] <= b"z" or b"A" <= at[0] <= b"Z"
            or (b"0" <= at[0] <= b"9" and not is_first_group)
        ):
            return False
        at += 1
    return at != group


cdef inline int split_direction(Span tag, Span* language) noexcept nogil:
    """Return the base direction at the end of a tag in RDF 1.2, such as ``ar--rtl``.

    The result is 1 for ltr, 2 for rtl, 0 if there are no two hyphens, and -1 if any other text
    follows them. ``language`` is set to the part before the two hyphens.
    """
    cdef const uint8_t* at = tag.start
    language[0] = tag
    while tag.end - at >= 2 and (at[0] != b"-" or at[1] != b"-"):
        at += 1
    if tag.end - at < 2:
        return 0
    language.end = at
    if tag.end - at == 5 and memcmp(at + 2, b"ltr", 3) == 0:
        return 1
    return 2 if tag.end - at == 5 and memcmp(at + 2, b"rtl", 3) == 0 else -1

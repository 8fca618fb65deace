# The grammar of language tags in N-Triples and Turtle.

cdef inline bint is_language_tag(Span tag) noexcept nogil:
    """The LANGTAG of N-Triples and Turtle: letters, then groups of letters and digits."""
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

# Lexical forms that are the normal form of their value, for rdflib as for XML Schema.

cdef inline bint starts_with(Span text, const char* start, size_t size) noexcept:
    return <size_t>(text.end - text.start) >= size and memcmp(text.start, start, size) == 0


cdef inline bint is_canonical_integer(Span text) noexcept:
    cdef const uint8_t* at = text.start
    if at < text.end and at[0] == b"-":
        at += 1
        if at < text.end and at[0] == b"0":
            return False
    if at == text.end or (at[0] == b"0" and text.end - at > 1):
        return False
    while at < text.end and b"0" <= at[0] <= b"9":
        at += 1
    return at == text.end


cdef inline bint is_canonical(Span text, Span datatype) noexcept:
    """Is a literal surely in its normal form? False if that takes longer to tell."""
    cdef Span name = datatype
    if not starts_with(datatype, b"http://www.w3.org/2001/XMLSchema#", 33):
        return False
    name.start += 33
    if (
        has_bytes(name, b"integer", 7) or has_bytes(name, b"int", 3) or has_bytes(name, b"long", 4)
        or has_bytes(name, b"nonNegativeInteger", 18)
    ):
        return is_canonical_integer(text)
    if has_bytes(name, b"boolean", 7):
        return has_bytes(text, b"true", 4) or has_bytes(text, b"false", 5)
    return has_bytes(name, b"string", 6)

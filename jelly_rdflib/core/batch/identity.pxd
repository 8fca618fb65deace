# One identity of a term, however it is spelled (RDF 1.1, Concepts, section 3.3): a literal of the
# datatype xsd:string is the simple literal with the same text, and language tags are compared
# without case. All else is compared as it stands.
#
# The batches of a stream keep the spelling. The dictionary of a store numbers terms by their
# identity (`identity_of`), `NodeNumbers` and `jelly_rdflib.terms.identity` do so for nodes, and
# filters of the command line ask `are_spellings`.
# tests/graph/test_identity.py compares them.

cdef extern from *:
    """
    #define JELLY_XSD_STRING "http://www.w3.org/2001/XMLSchema#string"
    """
    const char* XSD_STRING "JELLY_XSD_STRING"


cdef inline bint has_capital(Span tag) noexcept nogil:
    """Is a language tag not its own lower case form?"""
    cdef const uint8_t* at = tag.start
    while at < tag.end:
        if b"A" <= at[0] <= b"Z":
            return True
        at += 1
    return False


cdef inline uint8_t lower_letter(uint8_t letter) noexcept nogil:
    return letter + 32 if b"A" <= letter <= b"Z" else letter


cdef inline bint is_string_literal(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Is it ``"x"`` or ``"x"^^xsd:string``?"""
    if terms.kinds[term] != TermKind.TYPED_LITERAL:
        return terms.kinds[term] == TermKind.SIMPLE_LITERAL
    return has_bytes(text_of(terms, terms.extras[term]), XSD_STRING, strlen(XSD_STRING))


cdef inline bint are_spellings(
    const TermColumns* one, uint32_t term, const TermColumns* other, uint32_t other_term
) noexcept nogil:
    """Are these two spellings of a string, or of a literal with a language tag?"""
    cdef Span text = text_of(one, term)
    cdef Span other_text = text_of(other, other_term)
    cdef size_t size = text.end - text.start
    cdef size_t i
    if <size_t>(other_text.end - other_text.start) != size or memcmp(
        text.start, other_text.start, size
    ) != 0:
        return False
    if one.kinds[term] != TermKind.LANGUAGE_LITERAL:
        return is_string_literal(one, term) and is_string_literal(other, other_term)
    if other.kinds[other_term] != TermKind.LANGUAGE_LITERAL:
        return False
    text = text_of(one, one.extras[term])
    other_text = text_of(other, other.extras[other_term])
    size = text.end - text.start
    if <size_t>(other_text.end - other_text.start) != size:
        return False
    for i in range(size):
        if lower_letter(text.start[i]) != lower_letter(other_text.start[i]):
            return False
    return True

# The identity of a term, whatever its spelling (RDF 1.1, Concepts, section 3.3): a literal of the
# datatype xsd:string is the simple literal with the same text, and language tags are compared
# without case. All else is compared literally. Quoted triples are the same if their terms are.
#
# The batches of a stream keep the spelling, and `terms_same` compares terms with or without it. The
# dictionary of a store (`identity_of`) and the viewer have their own implementations, which compare
# the numbers of tags and datatypes, since this is faster than comparing texts.
# `jelly_rdflib.terms.identity` is for nodes, `NodeNumbers` has a faster form of it, and Spark has
# one in SQL. tests/graph/test_identity.py compares them; tests/spark/pipeline compares Spark's.

cdef extern from *:
    """
    #define JELLY_XSD_STRING "http://www.w3.org/2001/XMLSchema#string"
    """
    const char* XSD_STRING "JELLY_XSD_STRING"


cdef inline uint8_t lower_letter(uint8_t letter) noexcept nogil:
    return letter + 32 if b"A" <= letter <= b"Z" else letter


cdef inline bint has_capital(Span tag) noexcept nogil:
    """Return whether a language tag has a capital letter."""
    cdef const uint8_t* at = tag.start
    while at < tag.end:
        if lower_letter(at[0]) != at[0]:
            return True
        at += 1
    return False


cdef inline bint is_same_tag(Span tag, Span other) noexcept nogil:
    cdef Py_ssize_t size = tag.end - tag.start
    cdef Py_ssize_t i
    if other.end - other.start != size:
        return False
    for i in range(size):
        if lower_letter(tag.start[i]) != lower_letter(other.start[i]):
            return False
    return True


cdef inline int identity_kind(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Return the kind of a term; ``"x"^^xsd:string`` has the kind of ``"x"``."""
    cdef int kind = terms.kinds[term]
    if kind == TermKind.TYPED_LITERAL and has_bytes(
        text_of(terms, terms.extras[term]), XSD_STRING, strlen(XSD_STRING)
    ):
        return TermKind.SIMPLE_LITERAL
    return kind

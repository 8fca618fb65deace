# One identity of a term, however it is spelled (RDF 1.1, Concepts, section 3.3): a literal of the
# datatype xsd:string is the simple literal with the same text, and language tags are compared
# without case. All else is compared as it stands.
#
# The batches of a stream keep the spelling. The dictionary of a store numbers terms by their
# identity (`identity_of`), `NodeNumbers` and `jelly_rdflib.terms.identity` do so for nodes.
# tests/graph/test_identity.py compares them.

cdef inline bint has_capital(Span tag) noexcept nogil:
    """Is a language tag not its own lower case form?"""
    cdef const uint8_t* at = tag.start
    while at < tag.end:
        if b"A" <= at[0] <= b"Z":
            return True
        at += 1
    return False

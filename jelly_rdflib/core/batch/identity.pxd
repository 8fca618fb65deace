# One identity of a term, however it is spelled (RDF 1.1, Concepts, section 3.3): a literal of the
# datatype xsd:string is the simple literal with the same text, and language tags are compared
# without case. All else is compared as it stands.
#
# The batches of a stream keep the spelling. What compares terms of several sources asks here: the
# dictionary of a store for terms of batches and for nodes, and `NodeNumbers` and
# `jelly_rdflib.terms.identity` for nodes alone. tests/nodes/test_identity.py compares all of them.

cdef inline bint is_string_datatype(Span iri) noexcept nogil:
    """Is it the IRI of xsd:string?"""
    return has_bytes(iri, b"http://www.w3.org/2001/XMLSchema#string", 39)


cdef inline bint has_capital(Span tag) noexcept nogil:
    """Is a language tag not its own lower case form?"""
    cdef const uint8_t* at = tag.start
    while at < tag.end:
        if b"A" <= at[0] <= b"Z":
            return True
        at += 1
    return False

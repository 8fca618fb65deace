# Which terms of a batch stand for the default graph.

cdef enum:
    # Of urn:x-arq:DefaultGraph, and of the same with Node behind it.
    JENA_NAME_SIZE = 22
    JENA_NODE_NAME_SIZE = 26


cdef inline bint is_jena_default_graph(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Is it an IRI that Apache Jena has for the default graph, and writes as if it were one?"""
    cdef uint32_t start = terms.offsets[term]
    cdef uint32_t size = terms.offsets[term + 1] - start
    return (
        (size == JENA_NAME_SIZE or size == JENA_NODE_NAME_SIZE)
        and terms.kinds[term] == TermKind.IRI
        and memcmp(terms.data + start, b"urn:x-arq:DefaultGraphNode", size) == 0
    )


cdef inline bint is_default_graph(
    const TermColumns* terms, uint32_t term, bytes name
) noexcept:
    """Is it the default graph, or no graph at all, or the IRI that has that name?"""
    cdef uint32_t start = terms.offsets[term]
    cdef size_t size = terms.offsets[term + 1] - start
    cdef int kind = terms.kinds[term]
    return kind == TermKind.NONE or kind == TermKind.DEFAULT_GRAPH or (
        kind == TermKind.IRI and size == <size_t>PyBytes_GET_SIZE(name)
        and memcmp(terms.data + start, PyBytes_AS_STRING(name), size) == 0
    )

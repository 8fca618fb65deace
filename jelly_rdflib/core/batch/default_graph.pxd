# Recognizes the terms that stand for the default graph.

cdef inline bint is_unnamed(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Return whether a graph is the default graph or missing."""
    return terms.kinds[term] == TermKind.NONE or terms.kinds[term] == TermKind.DEFAULT_GRAPH


cdef inline bint is_jena_default_graph(const TermColumns* terms, uint32_t term) noexcept nogil:
    """Return whether a graph is one of the IRIs that Jena uses as names of the default graph."""
    cdef Span text = text_of(terms, term)
    return terms.kinds[term] == TermKind.IRI and (
        has_bytes(text, b"urn:x-arq:DefaultGraph", 22)
        or has_bytes(text, b"urn:x-arq:DefaultGraphNode", 26)
    )


cdef inline bint is_default_graph(
    const TermColumns* terms, uint32_t term, bytes name
) noexcept:
    """Return whether a graph is the default graph, no graph at all, or the default graph's IRI."""
    return is_unnamed(terms, term) or (
        terms.kinds[term] == TermKind.IRI
        and has_bytes(text_of(terms, term), PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name))
    )

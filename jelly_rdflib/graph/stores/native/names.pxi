"""What a store calls its graphs."""

cdef object GRAPH = Graph


cdef object get_name(object graph):
    """Return the name of what a store has for a graph: a Graph, its name itself, or None."""
    if type(graph) is GRAPH:
        return graph.identifier
    if isinstance(graph, GRAPH):
        # A Dataset warns who asks for its own.
        return GRAPH.identifier.__get__(graph)
    return graph

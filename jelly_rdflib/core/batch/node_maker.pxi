"""Makes nodes from the terms of a batch. The core does not know their classes."""

@cython.nonecheck(True)
cdef class NodeMaker:
    """Base of what makes nodes."""

    cdef list make_nodes(self, const TermColumns* terms):
        """Return a list with the node of each term, in the order of the table; None is number 0."""
        raise NotImplementedError

    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes):
        """Return the node of a term; ``nodes`` has those of the terms that it refers to."""
        raise NotImplementedError

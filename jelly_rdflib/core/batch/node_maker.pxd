# What makes nodes of the terms of a batch; the core does not know of what classes they are.

cdef class NodeMaker:
    cdef list make_nodes(self, const TermColumns* terms)
    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes)

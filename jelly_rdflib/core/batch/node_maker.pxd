# Makes nodes from the terms of a batch. The core does not know their classes.

cdef class NodeMaker:
    cdef list make_nodes(self, const TermColumns* terms)
    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes)

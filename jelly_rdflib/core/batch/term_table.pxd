# The distinct terms of a batch as a Python object.

cdef enum:
    # The maximum nesting depth of quoted triples in output.
    MAX_NESTING_DEPTH = 1000


cdef class NodeMaker:
    cdef bytes default_graph  # the IRI that means the default graph
    cdef list make_nodes(self, const TermColumns* terms)
    cdef object find_or_make(self, const TermColumns* terms, uint32_t term, list nodes)


cdef class TermTable:
    cdef TermColumns columns
    cdef readonly NodeMaker factory
    cdef list nodes
    cdef bint is_open  # terms are still being added
    cdef list make_nodes(self)
    cdef object make_node(self, uint32_t term, NodeMaker factory=*)
    cpdef str text_of(self, uint32_t term)
    cpdef str show(self, uint32_t term)
    cdef bint is_default(self, uint32_t graph) noexcept
    cdef int check_made(self) except -1
    cdef int check_name(self, uint32_t term, str what) except -1
    cdef int check_prefix(self, uint32_t name, uint32_t iri, bint is_added) except -1


cdef int refuse_node(object node) except -1
cdef int raise_direction(str literal, int direction, str who, error) except -1


cdef inline int refuse_direction(Span literal, Span tag, str who, error) except -1:
    """Raise an error if a literal's tag has a base direction, which ``who`` can't express."""
    cdef Span language
    cdef int direction = split_direction(tag, &language)
    if direction > 0:
        raise_direction(
            literal.start[:literal.end - literal.start].decode(errors="replace"), direction, who,
            error,
        )
    return 0

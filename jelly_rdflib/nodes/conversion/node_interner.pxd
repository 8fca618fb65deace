# Numbers nodes as terms of a table.

cdef enum:
    RECENT_SIZE = 1 << 9

ctypedef struct RecentTerm:
    PyObject* node  # is kept alive, so that its address can't become another node's; or NULL
    size_t seen  # the address of another node, which takes this place when it is seen again
    uint32_t number


@cython.final
cdef class NodeInterner:
    cdef NodeTypes types
    cdef NodeFactory factory
    cdef TermTable table
    cdef RecentTerm[RECENT_SIZE] recent
    cdef uint32_t repeats  # how often a node came again since the table was started
    cdef int depth  # of quoted triples
    cdef list nodes  # of the table, if they are wanted; else None

    cdef int start_table(self) except -1
    cdef bint is_full(self) noexcept
    cdef void clear_recent(self) noexcept
    cdef bint is_iri(self, object node, uint32_t term) noexcept
    cdef uint32_t find(self, object node, uint32_t last) except 0
    cdef uint32_t intern_node(self, object node) except 0
    cdef uint32_t intern_triple(self, object node) except 0
    cdef uint32_t intern(self, TermKind kind, object text, uint32_t extra) except 0
    cdef uint32_t check(self, int64_t number, object node) except 0
    cdef Batch make_batch(self, RowColumns* rows, bint has_graphs)

# Adds nodes to a table of terms.

cdef enum:
    RECENT_SIZE = 1 << 9

ctypedef struct RecentTerm:
    PyObject* node  # kept alive, so that no other node gets its address; or NULL
    size_t seen  # the address of another node, which gets this slot if it occurs again
    uint32_t number


@cython.final
cdef class NodeInterner:
    cdef NodeTypes types
    cdef NodeFactory factory
    cdef TermTable table
    cdef RecentTerm[RECENT_SIZE] recent
    cdef uint32_t repeats  # how many times a known node occurred again in this table
    cdef int depth  # of nesting in quoted triples
    cdef list nodes  # the nodes of the table's terms, if wanted; else None

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

"""Numbers nodes as terms of a table."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.term_table cimport TermTable
from jelly_rdflib.core.terms cimport TermColumns, TermKind

cdef enum:
    RECENT_SIZE = 1 << 11


ctypedef struct RecentTerm:
    PyObject* node  # is kept alive, so that its address can't become another node's; or NULL
    size_t seen  # the address of another node, which comes here if it is seen once more
    uint32_t number


cdef class NodeInterner:
    cdef NodeTypes types
    cdef NodeFactory factory
    cdef TermTable table
    cdef RecentTerm* recent
    cdef int depth  # of quoted triples

    cdef int start_table(self) except -1
    cdef bint is_full(self) noexcept
    cdef void clear_recent(self) noexcept
    cdef uint32_t find(self, object node) except 0
    cdef uint32_t intern_node(self, object node) except 0
    cdef uint32_t intern_literal(self, object node) except 0
    cdef uint32_t intern_triple(self, object node) except 0
    cdef uint32_t intern(self, TermKind kind, object text, uint32_t extra) except 0
    cdef uint32_t check(self, int64_t number) except 0


cdef inline RecentTerm* recent_place(RecentTerm* recent, object node) noexcept:
    cdef size_t address = <size_t><PyObject*>node
    return &recent[((address >> 4) ^ (address >> 16)) & (RECENT_SIZE - 1)]


cdef inline uint32_t term_number(NodeInterner interner, object node) except 0:
    """Return the number of a node in the table of an interner."""
    cdef RecentTerm* recent = recent_place(interner.recent, node)
    if recent.node is <PyObject*>node:
        return recent.number
    return interner.find(node)

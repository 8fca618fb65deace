"""Statements into rdflib's Memory store, past its public methods."""

from libc.stdint cimport uint32_t

from jelly_rdflib.core.batch cimport Batch, RowIterator
from jelly_rdflib.stores.node_table cimport NodeEntry, NodeTable
from jelly_rdflib.stores.undoing cimport UndoLog, Undoer


cdef enum Change:
    """What the log keeps of a change beside `DELETED`: what it takes to undo it."""
    # The triple was, or is now, in no other graph: it came into the indexes or went out of them.
    WHOLE = 2
    # It came into the union of all graphs or went out of it.
    UNION = 4
    # The statement was one of a formula: quoted, not asserted.
    QUOTED = 8


cdef class MemoryGraph:
    # rdflib's name for the graph in its indexes, and the graph; both None for the union of all.
    cdef str key
    cdef object graph
    # Triples yet to be taken out of the graph's set, and those yet to be put in after that.
    cdef dict removes
    cdef dict adds
    cdef bint is_dirty
    # The number of the last transaction that made sure that the store lists the graph.
    cdef Py_ssize_t listed_in


cdef class MemoryChanges(Undoer):
    cdef readonly Py_ssize_t operations
    cdef readonly Py_ssize_t added
    cdef readonly Py_ssize_t deleted
    cdef object target
    cdef object store
    cdef bint is_atomic
    cdef bint is_deferred
    # What is told of the changes when they are committed, and whether it was; None for nobody.
    cdef object teller
    cdef bint is_told
    # The store's own, by their names there.
    cdef dict spo
    cdef dict pos
    cdef dict osp
    cdef dict triple_contexts
    cdef dict context_triples
    cdef dict context_map
    cdef set all_contexts
    cdef dict default_contexts

    cdef NodeTable nodes
    # The batch whose rows were applied last, and the entries of its terms, as far as known.
    cdef Batch batch
    cdef list entries
    cdef Py_ssize_t until_flush
    cdef dict graphs
    cdef MemoryGraph union
    cdef MemoryGraph default_graph
    cdef UndoLog log
    cdef list dirty
    cdef Py_ssize_t transaction
    # The innermost dict that was used last: the next statement is often of the same subject.
    cdef NodeEntry last_s
    cdef NodeEntry last_p
    cdef dict last_objects

    cdef object run_operations(self, object operations)
    cdef object run_rows(self, RowIterator rows)
    cdef NodeEntry find_entry(self, list entries, list nodes, uint32_t term)
    cdef int change(
        self, bint is_add, NodeEntry s, NodeEntry p, NodeEntry o, NodeEntry g
    ) except -1
    cdef MemoryGraph find_graph(self, NodeEntry g)
    cdef MemoryGraph make_graph(self, object g)
    cdef int list_graph(self, MemoryGraph graph) except -1
    cdef int add(self, NodeEntry s, NodeEntry p, NodeEntry o, MemoryGraph graph) except -1
    cdef int remove(self, NodeEntry s, NodeEntry p, NodeEntry o, MemoryGraph graph) except -1
    cdef tuple find_in(self, MemoryGraph graph, tuple triple, Py_hash_t hash)
    cdef object spell(self, tuple triple, Py_hash_t hash, MemoryGraph graph, int change)
    cdef dict need_objects(self, NodeEntry s, NodeEntry p)
    cdef int index(self, NodeEntry s, NodeEntry p, NodeEntry o) except -1
    cdef int unindex(self, NodeEntry s, NodeEntry p, NodeEntry o) except -1
    cdef dict get_contexts(self, tuple triple, Py_hash_t hash)
    cdef int set_contexts(self, tuple triple, Py_hash_t hash, dict contexts) except -1
    cdef dict get_default_contexts(self)
    cdef int put(self, MemoryGraph graph, tuple triple, Py_hash_t hash) except -1
    cdef int take(self, MemoryGraph graph, tuple triple, Py_hash_t hash) except -1
    cdef int flush(self) except -1
    cdef int flush_graph(self, MemoryGraph graph) except -1

"""Writes statements to rdflib's Memory store, bypassing its public methods.

The store keeps each triple in three nested dicts (``spo``, ``pos``, ``osp``), the graphs that a
triple is in (``tripleContexts``, except where they are the ``defaultContexts``), and the triples of
each graph and of all graphs as sets (``contextTriples``). `MemoryChanges` leaves the same
contents there as the store's own ``add`` and ``remove``; the tests compare the two.

Two things make this fast. Each distinct node is one object, hashed once (`NodeTable`), and batches
find it by its number. Each lookup of a node in the indexes is done once.
"""

cdef enum Change:
    """Flags of a change, in addition to `DELETED`, for undoing it."""
    # No other graph has the triple: it was added to the indexes, or removed from them.
    WHOLE = 2
    # The triple was added to the union of all graphs, or removed from it.
    UNION = 4
    # The statement belonged to a formula: it was quoted, not asserted.
    QUOTED = 8

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object op) noexcept
    bint PyObject_GC_IsTracked(object op) noexcept

cdef tuple MEMORY_DICTS = (
    "_Memory__spo",
    "_Memory__pos",
    "_Memory__osp",
    "_Memory__tripleContexts",
    "_Memory__contextTriples",
    "_Memory__context_obj_map",
)


def can_use(store):
    """Return whether `MemoryChanges` may be used: only for rdflib's Memory without subscribers.

    A subclass may do more in its methods, and subscribers would miss the store's events.
    """
    return (
        type(store) is Memory
        and all([type(getattr(store, name, None)) is dict for name in MEMORY_DICTS])
        and type(getattr(store, "_Memory__all_contexts", None)) is set
        and type(getattr(store, "_Memory__defaultContexts", ...)) in (dict, type(None))
        and not store.dispatcher.get_map()
    )


@cython.final
cdef class MemoryGraph:
    """A graph of the store."""

    # rdflib's name for the graph in its indexes; the graph itself.
    cdef str key
    cdef object graph
    # The number of the last transaction that has made sure that the store lists the graph.
    cdef Py_ssize_t listed_in

    def __cinit__(self, str key, graph):
        self.key = key
        self.graph = graph
        self.listed_in = -1


@cython.final
cdef class MemoryChanges(Changes):
    """Changes a Memory store through its dicts."""

    # Whether this transaction was reported to the tap.
    cdef bint is_told
    # The store's own dicts; each has the same name there.
    cdef dict spo, pos, osp, triple_contexts, context_triples, context_map, default_contexts
    cdef set all_contexts
    cdef Spellings spellings
    cdef dict graphs
    cdef Py_ssize_t transaction
    # The innermost dict that was used last, since consecutive statements often share a subject.
    cdef NodeEntry last_s, last_p
    cdef dict last_objects

    def __init__(self, target, UndoLog log not None, *, is_atomic):
        super().__init__(target, log, is_atomic=is_atomic)
        store = target.store
        self.spo = store._Memory__spo
        self.pos = store._Memory__pos
        self.osp = store._Memory__osp
        self.triple_contexts = store._Memory__tripleContexts
        self.context_triples = store._Memory__contextTriples
        self.context_map = store._Memory__context_obj_map
        self.all_contexts = store._Memory__all_contexts
        self.spellings = open_spellings(store)
        self.graphs = {}

    def begin(self):
        self.nodes.is_lenient = False
        self.is_told = False
        self.transaction += 1
        Changes.begin(self)

    def commit(self):
        cdef list entries = self.log.entries
        cdef list changes = [], listed = []
        cdef MemoryGraph graph
        cdef Py_ssize_t i
        if self.tap is None:
            return
        for i in range(0, len(entries), 3):
            if type(entries[i + 2]) is not MemoryGraph:
                continue
            graph = entries[i + 2]
            statement = entries[i + 1]
            if statement is None:
                listed.append(graph.graph)
            else:
                is_add = not <int>entries[i] & DELETED
                changes.append((is_add, triple_of(statement), graph.graph, statement))
        self.is_told = True
        self.tap.tell_made(changes, listed)

    def begin_undoing(self):
        if self.is_told:
            # The tap was notified of the commit before an interrupt: notify it of the undoing.
            self.tap.take_back()
            self.is_told = False
        self.nodes.is_lenient = True

    cdef int change(
        self, bint is_add, NodeEntry s, NodeEntry p, NodeEntry o, NodeEntry g
    ) except -1:
        Changes.change(self, is_add, s, p, o, g)
        # Nothing else here checks for Ctrl-C.
        return PyErr_CheckSignals()

    cdef object make_graph(self, object name):
        graph = self.target.context(name)
        key = make_key(graph.identifier)
        if key not in self.graphs:
            self.graphs[key] = MemoryGraph(key, graph)
            self.context_map[key] = graph
        return self.graphs[key]

    cdef int list_graph(self, MemoryGraph graph) except -1:
        if graph.listed_in != self.transaction:
            if graph.graph not in self.all_contexts:
                if self.is_atomic:
                    self.log.note(0, None, graph)
                self.all_contexts.add(graph.graph)
            graph.listed_in = self.transaction
        return 0

    cdef int add(self, NodeEntry s, NodeEntry p, NodeEntry o, object where) except -1:
        cdef MemoryGraph graph = where
        cdef tuple triple = (s.node, p.node, o.node)
        cdef Py_hash_t hash = hash_triple(triple, s, p, o)
        cdef int change = 0
        cdef dict objects = self.need_objects(s, p)
        cdef dict contexts
        if s.is_leaf and p.is_leaf and o.is_leaf:
            # The tuple can't be part of a cycle, so the collector would walk it in vain.
            PyObject_GC_UnTrack(triple)
        if o.is_string and self.find_other(objects, s, p, o, graph) is not None:
            return 0
        if dict_has(objects, o.node, o.hash):
            contexts = self.get_contexts(triple, hash)
            if graph.key in contexts:
                return 0
            if None not in contexts:
                change = Change.UNION
            if contexts is self.default_contexts:
                contexts = contexts.copy()
        else:
            change = Change.WHOLE | Change.UNION
            contexts = {}
        self.list_graph(graph)
        # Log the change before it is made, so that an interrupted change can be undone, too.
        if self.is_atomic:
            self.log.note(change, triple, graph)
        contexts[graph.key] = False
        if change & Change.UNION:
            contexts[None] = False
        self.set_contexts(triple, hash, contexts)
        self.put(graph.key, triple, hash, change, True)
        if change & Change.WHOLE:
            self.index(s, p, o, True)
        self.added += 1
        return 0

    cdef int delete(self, NodeEntry s, NodeEntry p, NodeEntry o, object where) except -1:
        cdef MemoryGraph graph = where
        cdef tuple triple
        cdef Py_hash_t hash
        cdef dict objects, contexts
        cdef int change = DELETED
        if s.predicates is None:
            s.predicates = dict_get_dict(self.spo, s.node, s.hash)
            if s.predicates is None:
                return 0
        objects = dict_get_dict(s.predicates, p.node, p.hash)
        if objects is None:
            return 0
        # Use the store's own object: lookups by it are faster, and undoing must put it back.
        stored = find_key(objects, o.node, o.hash)
        if stored is not None:
            triple = (s.node, p.node, stored)
            hash = hash_triple(triple, s, p, o)
            contexts = self.get_contexts(triple, hash)
        if stored is None or graph.key not in contexts:
            if o.is_string:
                o = self.find_other(objects, s, p, o, graph)
                if o is not None:
                    self.delete(s, p, o, graph)
            return 0
        if contexts[graph.key]:
            change |= Change.QUOTED
        if None in contexts and not is_asserted_elsewhere(contexts, graph.key):
            change |= Change.UNION
        if len(contexts) == (2 if change & Change.UNION else 1):
            change |= Change.WHOLE
        if contexts is self.default_contexts:
            contexts = contexts.copy()
        if self.is_atomic:
            statement = self.spell(triple, hash, graph) if o.has_spellings else triple
            self.log.note(change, statement, graph)
        if change & Change.WHOLE:
            self.index(s, p, o, False)
            dict_discard(self.triple_contexts, triple, hash)
        else:
            del contexts[graph.key]
            if change & Change.UNION:
                del contexts[None]
            self.set_contexts(triple, hash, contexts)
        self.put(graph.key, triple, hash, change, False)
        self.deleted += 1
        return 0

    cdef NodeEntry find_other(
        self, dict objects, NodeEntry s, NodeEntry p, NodeEntry o, MemoryGraph graph
    ):
        """Return the other spelling of a string if a graph has the statement with it; or None.

        rdflib treats the two as different statements, RDF 1.1 as the same.
        """
        cdef tuple triple
        if o.respelled is None:
            o.respelled = respell_string(o.node)
            o.respelled_hash = hash_node(o.respelled)
        if not dict_has(objects, o.respelled, o.respelled_hash):
            return None
        o = self.nodes.find(o.respelled)
        triple = (s.node, p.node, o.node)
        return o if graph.key in self.get_contexts(triple, hash_triple(triple, s, p, o)) else None

    cdef object spell(self, tuple triple, Py_hash_t hash, MemoryGraph graph):
        """Return a triple that is about to be deleted, in the form for the log."""
        cdef Spelled spelled = self.spellings.look_up(triple, graph.key, hash)
        for other in (spelled.in_graph, spelled.in_union, spelled.in_contexts):
            if other is not None and not is_same(other[2], triple[2]):
                return spelled
        return triple

    cdef int undo(self, int change, object statement, object where) except -1:
        cdef MemoryGraph graph = where
        cdef tuple triple
        cdef NodeEntry s, p, o
        cdef Py_hash_t hash
        cdef dict contexts = {}
        cdef bint was_there = change & DELETED
        if statement is None:
            self.all_contexts.discard(graph.graph)
            graph.listed_in = -1
            return 0
        triple = triple_of(statement)
        s, p, o = self.nodes.find(triple[0]), self.nodes.find(triple[1]), self.nodes.find(triple[2])
        hash = hash_triple(triple, s, p, o)
        if change & Change.WHOLE:
            self.index(s, p, o, was_there)
        else:
            contexts = self.get_contexts(triple, hash).copy()
        if was_there:
            contexts[graph.key] = bool(change & Change.QUOTED)
        else:
            contexts.pop(graph.key, None)
        if change & Change.UNION:
            if was_there:
                contexts[None] = False
            else:
                contexts.pop(None, None)
        self.put(graph.key, triple, hash, change, was_there)
        if contexts:
            self.set_contexts(triple, hash, contexts)
        else:
            dict_discard(self.triple_contexts, triple, hash)
        if type(statement) is Spelled:
            self.spellings.respell(statement)
        return 0

    cdef dict need_objects(self, NodeEntry s, NodeEntry p):
        """Return ``spo[s][p]``; make it if it is missing."""
        if s is self.last_s and p is self.last_p:
            return self.last_objects
        if s.predicates is None:
            s.predicates = dict_need_dict(self.spo, s.node, s.hash)
        self.last_objects = dict_need_dict(s.predicates, p.node, p.hash)
        self.last_s = s
        self.last_p = p
        return self.last_objects

    cdef int index(self, NodeEntry s, NodeEntry p, NodeEntry o, bint is_there) except -1:
        """Add a triple to the three indexes, or remove it."""
        if p.objects is None:
            p.objects = dict_need_dict(self.pos, p.node, p.hash)
        if o.subjects is None:
            o.subjects = dict_need_dict(self.osp, o.node, o.hash)
        # Dicts that become empty stay, as rdflib leaves them.
        put_key(self.need_objects(s, p), o, is_there)
        put_key(dict_need_dict(p.objects, o.node, o.hash), s, is_there)
        return put_key(dict_need_dict(o.subjects, s.node, s.hash), p, is_there)

    cdef dict get_contexts(self, tuple triple, Py_hash_t hash):
        """Return a dict that maps the keys of a triple's graphs to whether it is quoted there."""
        cdef PyObject* found = dict_get(self.triple_contexts, triple, hash)
        return <dict>found if found is not NULL else self.get_default_contexts()

    cdef int set_contexts(self, tuple triple, Py_hash_t hash, dict contexts) except -1:
        cdef dict default = self.get_default_contexts()
        if default is None:
            default = self.default_contexts = self.store._Memory__defaultContexts = contexts
        # Equal dicts have the same length; checking that first avoids most comparisons.
        if len(contexts) == len(default) and (contexts is default or contexts == default):
            dict_discard(self.triple_contexts, triple, hash)
        else:
            dict_set(self.triple_contexts, triple, contexts, hash)
        return 0

    cdef dict get_default_contexts(self):
        # The store sets this once, at its first triple.
        if self.default_contexts is None:
            self.default_contexts = self.store._Memory__defaultContexts
        return self.default_contexts

    cdef int put(
        self, str key, tuple triple, Py_hash_t hash, int change, bint is_there
    ) except -1:
        """Add a triple to the sets of a graph and of the union, or remove it."""
        cdef set triples = self.context_triples.get(key)
        cdef dict one
        if is_there:
            if triples is None:
                triples = self.context_triples[key] = set()
            # A set can't be given a hash, but it copies the hashes of a dict that updates it.
            one = {}
            dict_set(one, triple, True, hash)
            triples.update(one)
        elif triples is not None:
            triples.discard(ask_for(triple, hash))
            if not triples and key is not None:
                del self.context_triples[key]
        if change & Change.UNION:
            self.put(None, triple, hash, 0, is_there)
        return 0


cdef inline int put_key(dict nodes, NodeEntry entry, bint is_there) except -1:
    cdef bint is_tracked = PyObject_GC_IsTracked(nodes)
    if not is_there:
        return dict_discard(nodes, entry.node, entry.hash)
    dict_set(nodes, entry.node, 1, entry.hash)
    if entry.is_leaf and not is_tracked:
        # Python's collector need not visit a dict that has only leaves. Up to Python 3.13 it does
        # not track an empty dict until a node is added; leave it untracked while all are leaves.
        PyObject_GC_UnTrack(nodes)
    return 0


cdef bint is_asserted_elsewhere(dict contexts, str key) except -1:
    """Return whether a graph other than ``key`` has the triple asserted, not only quoted."""
    for other, quoted in contexts.items():
        if not quoted and other is not None and other != key:
            return True
    return False

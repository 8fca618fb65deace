"""The contents of rdflib's Memory store, by its private dicts."""

cdef tuple MEMORY_DICTS = (
    "_Memory__spo",
    "_Memory__pos",
    "_Memory__osp",
    "_Memory__tripleContexts",
    "_Memory__contextTriples",
    "_Memory__context_obj_map",
)


cdef bint can_view_memory(object store) except -1:
    """Is it exactly rdflib's Memory store, as this module knows it?"""
    return type(store) is Memory and all(
        [type(getattr(store, name, None)) is dict for name in MEMORY_DICTS]
    )


cdef class MemoryView(View):
    """A view of a Memory store that `can_view_memory` holds for."""

    # The triples of each graph, by the graph's key; the keys of the graphs of each triple that is
    # not in the usual ones; and the graphs by their keys.
    cdef dict spo, context_triples, triple_contexts, context_map
    # The graph that was asked for last, and its key.
    cdef object graph
    cdef str key

    def __init__(self, store):
        super().__init__(store)
        self.spo = store._Memory__spo
        self.context_triples = store._Memory__contextTriples
        self.triple_contexts = store._Memory__tripleContexts
        self.context_map = store._Memory__context_obj_map
        self.graph = self
        self.is_exact = True

    cdef set triples_of(self, object graph):
        """Return the store's set of the triples of a graph; None if it has none."""
        if graph is not self.graph:
            self.key = make_key(get_name(graph))
            self.graph = graph
        return self.context_triples.get(self.key)

    cdef tuple look_up(self, tuple triple, object graph):
        cdef set triples = self.triples_of(graph)
        if triples is None or find_triple(triples, triple, hash_of_triple(triple)) is None:
            triple = None
        return triple, []

    cdef bint has_respelled(self, object s, object p, object o, object graph) except -1:
        cdef dict predicates = dict_get_dict(self.spo, s, hash_node(s))
        cdef dict objects = None
        if predicates is not None:
            objects = dict_get_dict(predicates, p, hash_node(p))
        # Most statements are the only ones of their subject and predicate.
        if objects is None or len(objects) == (find_key(objects, o, hash_node(o)) is not None):
            return False
        return View.has_respelled(self, s, p, o, graph)

    cdef list removals(self, object pattern, object graph):
        cdef list changes = []
        cdef tuple triple
        s, p, o = pattern
        if graph is not None and s is not None and p is not None and o is not None:
            triple = tuple(pattern)
            triple = find_triple(self.triples_of(graph) or (), triple, hash_of_triple(triple))
            return [] if triple is None else [(False, triple, graph, self.spell(triple, graph))]
        for triple, _ in self.store.triples(pattern, graph):
            if graph is None:
                self.remove_from_all(triple, changes)
            else:
                changes.append((False, triple, graph, self.spell(triple, graph)))
        if isinstance(o, Literal) and o.language:
            # The store answers with the literal of the question, not with its own.
            changes = [
                (False, triple_of(statement), each, statement) for _, _, each, statement in changes
            ]
        return changes

    cdef int remove_from_all(self, tuple triple, list changes) except -1:
        """Append the removals of a triple from all the graphs that it is in."""
        cdef PyObject* found = dict_get(self.triple_contexts, triple, hash_of_triple(triple))
        cdef dict contexts
        if found is not NULL:
            contexts = <dict>found
        else:
            contexts = self.store._Memory__defaultContexts
        for key, is_quoted in contexts.items():
            if is_quoted:
                raise RecordError(
                    f"the removal of {triple} can't be recorded: it is in a formula too, and a "
                    "patch has no formulas"
                )
            if key is not None:
                graph = self.context_map[key]
                changes.append((False, triple, graph, self.spell(triple, graph)))
        return 0

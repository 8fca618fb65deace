"""The contents of rdflib's Memory store, read from its private dicts."""

cdef object NO_TRIPLES = frozenset()


@cython.final
cdef class MemoryView(View):
    """A view of rdflib's own Memory store, not of a subclass; its `Spellings` are known."""

    # The graph that was asked for last, and its key.
    cdef object graph
    cdef str key

    def __init__(self, store):
        super().__init__(store)
        self.graph = self
        self.is_exact = True

    cpdef object triple_set(self, object graph):
        if graph is not self.graph:
            self.key = make_key(get_name(graph))
            self.graph = graph
        return self.spellings.context_triples.get(self.key, NO_TRIPLES)

    cdef tuple look_up(self, tuple triple, object graph):
        found = self.triple_set(graph)
        return (None if find_triple(found, triple, hash_of_triple(triple)) is None else triple), []

    cdef bint has_respelled(self, object s, object p, object o, object graph) except -1:
        cdef dict predicates = dict_get_dict(self.spellings.spo, s, hash_node(s))
        cdef dict objects = None
        if predicates is not None:
            objects = dict_get_dict(predicates, p, hash_node(p))
        # If no other statement has this subject and predicate, there is no other spelling. This is
        # the most frequent case.
        if objects is None or len(objects) == (find_key(objects, o, hash_node(o)) is not None):
            return False
        return View.has_respelled(self, s, p, o, graph)

    cdef list removals(self, object pattern, object graph):
        cdef list changes
        cdef tuple triple
        s, p, o = pattern
        if graph is not None and s is not None and p is not None and o is not None:
            triple = tuple(pattern)
            triple = find_triple(self.triple_set(graph), triple, hash_of_triple(triple))
            return [] if triple is None else [(False, triple, graph, self.spell(triple, graph))]
        changes = View.removals(self, pattern, graph)
        if graph is None:
            for _, triple, _, _ in changes:
                contexts = self.spellings.triple_contexts.get(triple)
                if contexts is None:
                    contexts = self.store._Memory__defaultContexts
                if any(contexts.values()):
                    raise RecordError(
                        f"the removal of {triple} can't be recorded: a formula has it, too, and a "
                        "patch has no formulas"
                    )
        return changes

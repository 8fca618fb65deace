"""The contents of rdflib's Memory store, by its private dicts."""

cdef object NO_TRIPLES = frozenset()


@cython.final
cdef class MemoryView(View):
    """A view of exactly rdflib's Memory store, whose `Spellings` are known."""

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
        objects = self.spellings.spo.get(s, {}).get(p, ())
        # Most statements are the only ones of their subject and predicate.
        if len(objects) == (o in objects):
            return False
        return View.has_respelled(self, s, p, o, graph)

    cdef list removals(self, object pattern, object graph):
        cdef list changes = View.removals(self, pattern, graph)
        if graph is None:
            for _, triple, _, _ in changes:
                contexts = self.spellings.triple_contexts.get(triple)
                if contexts is None:
                    contexts = self.store._Memory__defaultContexts
                if any(contexts.values()):
                    raise RecordError(
                        f"the removal of {triple} can't be recorded: it is in a formula too, and a "
                        "patch has no formulas"
                    )
        return changes

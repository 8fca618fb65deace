"""The contents of oxrdflib's store, read from the Oxigraph store inside it.

oxrdflib converts each term of a pattern and of the results, which takes most of the time. Here the
terms of results are converted only if they are needed.
"""

cdef enum:
    # How many IRIs are remembered; a store may have any number.
    MAX_IRIS = 1 << 14

cdef str STRING_TEXT = str(STRING)
# The module pyoxigraph, once an Oxigraph store exists.
cdef object ox = None


class _Remembered(dict):
    """The results of a function by key, each computed at the first look-up."""

    def __init__(self, make):
        self.make = make

    def __missing__(self, key):
        if len(self) >= MAX_IRIS:
            self.clear()
        made = self[key] = self.make(key)
        return made


cdef bint can_view_oxigraph(object store) except -1:
    """Return whether a store is exactly oxrdflib's, with the attributes that are needed here."""
    global ox
    if type(store).__module__.partition(".")[0] != "oxrdflib":
        return False
    import oxrdflib
    import pyoxigraph as ox

    # ``_inner`` makes the Oxigraph if it is missing. If two threads ask for it, each may get its
    # own, and the statements of one are lost: so don't ask before the store is claimed.
    inner = getattr(store, "_store", ...)
    return type(store) is oxrdflib.OxigraphStore and (
        inner is None or isinstance(inner, ox.Store)
    )


cdef class OxigraphView(View):
    """A view of a store for which `can_view_oxigraph` is true.

    A log keeps Oxigraph's own quads, since rdflib normalizes literals.
    """

    # Graphs by Oxigraph's names for them.
    cdef dict graphs
    # rdflib's IRIs by Oxigraph's, and the other way round.
    cdef object iris, named_nodes
    # The graph that was asked for last, and Oxigraph's name for it.
    cdef object graph, name

    def __init__(self, store):
        super().__init__(store)
        self.tells_tags_apart = self.tells_strings_apart = False
        self.is_exact = True
        self.graphs = {}
        self.iris = _Remembered(URIRef)
        self.named_nodes = _Remembered(ox.NamedNode)
        self.graph = self

    cdef object oxigraph(self):
        # Get it each time: keeping a reference would keep its files open.
        return self.store._inner

    cdef tuple look_up(self, tuple triple, object graph):
        quad = self.find_quad(triple, graph)
        return (triple if quad is not None and quad in self.oxigraph() else None), []

    cdef bint lists(self, object graph) except -1:
        name = self.graph_name(graph)
        return type(name) is not ox.DefaultGraph and self.oxigraph().contains_named_graph(name)

    cdef tuple triple_of(self, object statement):
        return self.triple(statement) if type(statement) is ox.Quad else statement

    cdef int undo(self, int change, object statement, object graph) except -1:
        # Pass Oxigraph's own quads to it directly: oxrdflib does not accept quoted triples.
        if type(statement) is not ox.Quad:
            View.undo(self, change, statement, graph)
        elif change & DELETED:
            self.oxigraph().add(statement)
        else:
            self.oxigraph().remove(statement)
        return 0

    cdef object addition(self, tuple triple, object graph):
        quad = self.find_quad(triple, graph)
        if quad is None:
            return triple
        return None if quad in self.oxigraph() else quad

    cdef list removals(self, object pattern, object graph):
        cdef tuple triple = tuple(pattern)
        if graph is not None and not any([term is None for term in triple]):
            quad = self.find_quad(triple, graph)
            if quad is None or quad not in self.oxigraph():
                return []
            if isinstance(triple[2], Literal):
                triple = (triple[0], triple[1], self.stored_literal(triple, graph))
            return [(False, triple, graph, quad)]
        try:
            terms = [None if term is None else self.term(term) for term in pattern]
            name = None if graph is None else self.graph_name(graph)
            quads = list(self.oxigraph().quads_for_pattern(terms[0], terms[1], terms[2], name))
        except (TypeError, ValueError):
            return []
        # Not `graph or ...`: a graph's truth value is its length, which is slow to count.
        return [
            (False, self.triple(quad), self.graph_of(quad) if graph is None else graph, quad)
            for quad in quads
        ]

    cdef list stored_forms(self, tuple change):
        is_add, triple, graph, statement = change
        if not is_add or not isinstance(triple[2], Literal):
            return [change]
        literal = self.stored_literal(triple, graph)
        return [(True, (triple[0], triple[1], literal), graph, statement)]

    cdef object stored_literal(self, tuple triple, object graph):
        """Return the object of a stored triple, a literal, in the store's spelling."""
        literal = triple[2]
        if literal.language:
            tag = literal.language.lower()
            return literal if tag == literal.language else Literal(literal, lang=tag)
        if literal.datatype is None:
            return make_string(literal, STRING)
        if literal.datatype == STRING:
            return literal
        quad = self.find_quad(triple, graph)
        found = next(
            self.oxigraph().quads_for_pattern(
                quad.subject, quad.predicate, quad.object, quad.graph_name
            ),
            quad,
        )
        return literal if found.object.value == str(literal) else self.node(found.object)

    cdef object take_snapshot(self):
        return set(self.oxigraph())

    cdef list differences(self, object before, object after):
        removed = [(False, self.triple(quad), self.graph_of(quad), quad) for quad in before - after]
        added = [(True, self.triple(quad), self.graph_of(quad), quad) for quad in after - before]
        return removed + added

    # --- terms ------------------------------------------------------------------------------------

    cdef object find_quad(self, tuple triple, object graph):
        """Return Oxigraph's quad for a triple, or None if Oxigraph can't hold the statement."""
        try:
            s, p, o = triple
            return ox.Quad(self.term(s), self.term(p), self.term(o), self.graph_name(graph))
        except (TypeError, ValueError):
            # Oxigraph raises the error when it is asked to add the triple.
            return None

    cdef object graph_name(self, object graph):
        if graph is not self.graph:
            name = get_name(graph)
            is_default = name == DATASET_DEFAULT_GRAPH_ID
            self.name = ox.DefaultGraph() if is_default else self.term(name)
            self.graph = graph
        return self.name

    cdef object term(self, object node):
        """Return Oxigraph's term for a node; raise a TypeError or ValueError if there is none."""
        if isinstance(node, URIRef):
            return self.named_nodes[node]
        if isinstance(node, Literal):
            datatype = node.datatype
            if node.language:
                return ox.Literal(node, language=node.language)
            if datatype is not None and not isinstance(datatype, URIRef):
                # This may be a mock, whose datatype is another mock, and so on without end.
                raise TypeError(f"Oxigraph has no datatype for {show(datatype)}")
            return ox.Literal(node, datatype=None if datatype is None else self.term(datatype))
        if isinstance(node, BNode):
            return ox.BlankNode(node)
        if isinstance(node, TripleTerm):
            return ox.Triple(self.term(node.s), self.term(node.p), self.term(node.o))
        raise TypeError(f"Oxigraph has no term for {show(node)}")

    cdef tuple triple(self, object quad):
        return (self.node(quad.subject), self.node(quad.predicate), self.node(quad.object))

    cdef object graph_of(self, object quad):
        name = quad.graph_name
        if name not in self.graphs:
            is_default = isinstance(name, ox.DefaultGraph)
            identifier = DATASET_DEFAULT_GRAPH_ID if is_default else self.node(name)
            self.graphs[name] = Graph(self.store, identifier)
        return self.graphs[name]

    cdef object node(self, object term):
        """Return rdflib's node for a term of Oxigraph."""
        cls = type(term)
        if cls is ox.NamedNode:
            return self.iris[term.value]
        if cls is ox.BlankNode:
            return BNode(term.value)
        if cls is ox.Literal:
            if term.language:
                return Literal(term.value, lang=term.language)
            datatype = term.datatype.value
            if datatype == STRING_TEXT:
                return make_string(term.value, STRING)
            return Literal(term.value, datatype=self.iris[datatype])
        parts = (term.subject, term.predicate, term.object)
        return TripleTerm(*[self.node(part) for part in parts])


cpdef View open_view(object store):
    """Return the fastest view of a store."""
    if type(store) is Memory and open_spellings(store) is not None:
        return MemoryView(store)
    if can_view_oxigraph(store):
        return OxigraphView(store)
    return View(store)

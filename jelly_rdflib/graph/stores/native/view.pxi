"""The contents of a store; the store decides which statements are equal."""

cdef object GRAPH = Graph
# The datatypes of a string.
cdef tuple STRINGS = (None, STRING)


class SpellingError(ApplyError, RecordError):
    """A store has a literal in a spelling that rdflib hides."""


@cython.final
cdef class Crowded:
    """A triple to add to a store that returns other triples when it is asked for this one.

    rdflib-sqlalchemy matches a plain literal with any language and datatype, and a SPARQLStore
    matches an empty literal with any term. Such a store also removes all triples that it returns,
    so the others are kept here, to be put back.
    """

    cdef tuple triple
    # Triples that the store has in the same graph.
    cdef list others

    def __cinit__(self, tuple triple, list others):
        self.triple = triple
        self.others = others


cdef class View(Undoer):
    """Looks up statements and graphs in a store, and reverts changes.

    Only the store knows which statements are equal, and how it spells its own. So the view decides
    in what form a log keeps a statement: usually as the triple.

    A change is a tuple: whether it is an addition or a removal; the triple; the Graph, None if the
    store has no graphs; and the statement in the form for a log.
    """

    cdef object store
    # Whether the store keeps each literal unchanged.
    cdef bint keeps_literals
    # Whether the store may have both "x"@en and "x"@EN, and both "x" and "x"^^xsd:string.
    cdef bint tells_tags_apart, tells_strings_apart
    # Whether looking up a statement finds it however the store spells it.
    cdef bint is_exact
    # The store that lists the graphs, this one or the one that it wraps; and whether it has a list.
    cdef object lister
    cdef bint is_graph_aware
    # The indexes of a store in memory; otherwise None.
    cdef Spellings spellings
    cdef set all_contexts
    # The names of the graphs that another store lists; None until they are needed.
    cdef set listed
    # Whether the view reverted a change because the store had not rolled it back.
    cdef bint has_undone

    def __init__(self, store):
        self.store = store
        self.keeps_literals = type(store) in (Memory, SimpleMemory, JellyStore)
        self.lister = get_inner(store)
        self.is_graph_aware = self.lister.graph_aware
        self.forget_listed()
        # SPARQL endpoints have the terms of RDF 1.1.
        self.tells_strings_apart = not isinstance(store, (JellyStore, SPARQLStore))
        self.tells_tags_apart = self.spellings is None and self.tells_strings_apart

    # --- statements -------------------------------------------------------------------------------

    cdef tuple look_up(self, tuple triple, object graph):
        """Return a triple in the store's spelling, or None if the store lacks the triple.

        Also return the other triples that the store returns when it is asked for this one.
        """
        cdef list others = []
        stored = None
        for (s, p, o), _ in self.store.triples(triple, graph):
            if stored is None and is_answer(triple[2], o):
                stored = (s, p, o)
            else:
                others.append((s, p, o))
        literals = [(other, graph) for other in others if may_be_normalized(other[2])]
        if literals:
            self.check_spellings(literals)
        return stored, others

    cdef int check_spellings(self, list found) except -1:
        """Check that rdflib has changed no spellings in ``found``: triples, each with its Graph."""
        cdef set known = set()
        for triple, graph in found:
            s, p, o = triple
            key = (s, p, literal_key(o), get_name(graph))
            if key in known or not any(
                [each[2] == o for each, _ in self.store.triples(triple, graph)]
            ):
                raise SpellingError(
                    f"the store ({type(self.store).__name__}) spells {show(o)} in another way, "
                    "and rdflib has normalized it, so that its removal can't be recorded or "
                    "undone: set rdflib.NORMALIZE_LITERALS = False before it is read"
                )
            known.add(key)
        return 0

    cdef object addition(self, tuple triple, object graph):
        """Return a triple to add, in the form for a log, or None if the store has the triple."""
        stored, others = self.look_up(triple, graph)
        if stored is not None:
            return None
        return Crowded(triple, others) if others else triple

    cdef tuple respelled(self, tuple triple, list others, object graph):
        """Find another spelling of a triple that the store lacks in this spelling.

        Args:
            others: Other triples that the store returns for the triple.

        Returns:
            The triple in the store's spelling, or None; and the other triples that the store
            removes with it.
        """
        s, p, o = triple
        if not (others or self.tells_strings_apart) or not isinstance(o, Literal):
            return None, others
        wanted = identity(o)
        for other in others:
            if identity(other[2]) == wanted:
                return other, [each for each in others if each is not other]
        if o.language:
            if self.tells_tags_apart:
                for (_, _, found), _ in self.store.triples((s, p, None), graph):
                    if identity(found) == wanted:
                        return self.look_up((s, p, found), graph)
        elif self.tells_strings_apart and o.datatype in STRINGS:
            return self.look_up((s, p, respell_string(o)), graph)
        return None, others

    cdef bint has_respelled(self, object s, object p, object o, object graph) except -1:
        """Return whether a graph has the statement with the other spelling of a string."""
        return self.look_up((s, p, respell_string(o)), graph)[0] is not None

    cdef bint is_respelled(self, tuple triple, object statement, object graph) except -1:
        """Return whether a graph has a triple in another spelling.

        ``statement`` is the result of `addition` for the triple.
        """
        others = (<Crowded>statement).others if type(statement) is Crowded else []
        return self.respelled(triple, others, graph)[0] is not None

    def has(self, tuple triple not None, graph):
        """Return whether a graph has a triple, in any spelling."""
        stored, others = self.look_up(triple, graph)
        return stored is not None or self.respelled(triple, others, graph)[0] is not None

    cpdef object triple_set(self, object graph):
        """Return the store's own set of a graph's triples, or None if it has no sets."""
        return None

    cdef bint has_added(self, object statement, object graph) except -1:
        """Return whether the store has a statement that it lacked when `addition` returned it."""
        others = (<Crowded>statement).others if type(statement) is Crowded else ()
        # Any new triple counts, since the store may spell a literal in a way that rdflib does not
        # recognize.
        found = self.store.triples(self.triple_of(statement), graph)
        return any([tuple(triple) not in others for triple, _ in found])

    cdef bint is_there(self, int change, object statement, object graph) except -1:
        """Return whether the store has the statement of a log's change."""
        if change & DELETED or self.is_exact:
            return self.look_up(self.triple_of(statement), graph)[0] is not None
        return self.has_added(statement, graph)

    cdef tuple removal(self, tuple triple, object graph):
        """Find all statements that the store removes with a triple.

        Return the triple in the form for a log, None if the store lacks it; and the other triples.
        """
        stored, others = self.look_up(triple, graph)
        if stored is None:
            return self.respelled(triple, others, graph)
        if self.spellings is not None:
            return self.spell(triple, graph), others
        # If the objects differ, rdflib has normalized a literal while reading it.
        return (stored if stored[2] == triple[2] else triple), others

    cdef int put_back(self, list triples, object graph) except -1:
        """Add back the triples that the store has removed from a graph without being asked."""
        for triple in triples:
            if self.look_up(triple, graph)[0] is None:
                self.store.add(triple, graph)
        return 0

    cdef object spell(self, tuple triple, object graph):
        """Return a triple of a store in memory, in the form for a log."""
        if is_plain(triple[2]):
            return triple
        return self.spellings.spell(triple, get_name(graph))

    cdef tuple triple_of(self, object statement):
        """Return the triple of a statement in the form for a log."""
        return (<Crowded>statement).triple if type(statement) is Crowded else triple_of(statement)

    cdef int undo(self, int change, object statement, object graph) except -1:
        if statement is None:
            return self.undo_listing(graph, change & DELETED)
        cdef tuple triple = self.triple_of(statement)
        if self.is_there(change, statement, graph) != <bint>(change & DELETED):
            self.has_undone = True
            try:
                if change & DELETED:
                    self.store.add(triple, graph)
                    self.note_listing(graph, True)
                else:
                    self.store.remove(triple, graph)
                if isinstance(self.store, SPARQLUpdateStore):
                    self.store.commit()
            except BaseException:
                self.forget_failed()
                raise
        if change & DELETED and type(statement) is Spelled and self.spellings is not None:
            self.spellings.respell(statement)
        elif type(statement) is Crowded:
            self.put_back((<Crowded>statement).others, graph)
        return 0

    cdef int forget_failed(self) except -1:
        """Make a SPARQL store forget a failed update, which it would send with the next one."""
        if isinstance(self.store, SPARQLUpdateStore):
            self.store.rollback()
        return 0

    # --- graphs -----------------------------------------------------------------------------------

    cdef bint lists(self, object graph) except -1:
        """Return whether the store lists a graph, which may be empty."""
        if self.all_contexts is not None:
            return graph in self.all_contexts
        return get_name(graph) in self.list_graphs()

    cdef int note_listing(self, object graph, bint is_listed) except -1:
        """Record that the store has put a graph on the list, or taken it off."""
        if self.listed is None:
            return 0
        if is_listed:
            self.listed.add(get_name(graph))
        else:
            self.listed.discard(get_name(graph))
        return 0

    cdef int forget_listed(self) except -1:
        """Forget the store's list of graphs and indexes, and read them again when needed."""
        self.listed = None
        self.spellings = open_spellings(self.store)
        self.all_contexts = None
        if isinstance(self.lister, Memory) and type(self.lister).contexts is Memory.contexts:
            self.all_contexts = getattr(self.lister, "_Memory__all_contexts", None)
        return 0

    cdef set list_graphs(self):
        """Return the names of the graphs that the store lists."""
        if self.listed is not None:
            return self.listed
        contexts = None
        try:
            contexts = self.lister.contexts() if self.is_graph_aware else ()
            # Some stores yield graphs, others the names of graphs.
            self.listed = {get_name(graph) for graph in contexts}
        except BaseException as error:
            # After an interrupt an iterator may still exist, here or in the store's own code. As
            # long as it does, Oxigraph delays each change, and undoing would take for ever.
            contexts = None
            clear_frames(error.__traceback__)
            raise
        return self.listed

    cdef bint is_empty(self, object graph) except -1:
        for _ in self.store.triples(ANYTHING, graph):
            return False
        return True

    cdef int undo_listing(self, object graph, bint was_listed) except -1:
        """Make the store list a graph again; or take it off the list, if it is empty."""
        cdef bint is_listed
        if isinstance(self.store, SPARQLStore):
            # Some endpoints list a graph only while it has statements.
            self.forget_listed()
        is_listed = self.lists(graph)
        if was_listed and not is_listed:
            self.lister.add_graph(graph)
        # Leave it on the list if other code has added statements to it in the meantime.
        elif is_listed and not was_listed and self.is_empty(graph):
            self.lister.remove_graph(graph)
        self.note_listing(graph, was_listed)
        return 0

    # --- changes ----------------------------------------------------------------------------------

    cdef list removals(self, object pattern, object graph):
        """Return a change for each statement that matches a pattern; None matches everything."""
        cdef list changes = []
        cdef list literals = []
        found = self.store.triples(pattern, graph)
        for (s, p, o), graphs in found:
            triple = (s, p, o)
            if graph is not None or not self.store.context_aware:
                graphs = (graph,)
            # Some stores yield graphs, others names, and some nothing for their only graph.
            for each in graphs or (None,):
                statement = triple
                if self.spellings is not None:
                    statement = self.spell(triple, each)
                    triple = self.triple_of(statement)
                elif is_normalized(pattern[2], triple[2]):
                    statement = (triple[0], triple[1], pattern[2])
                elif may_be_normalized(triple[2]):
                    literals.append((triple, each))
                changes.append((False, triple, each, statement))
        if literals and not self.keeps_literals:
            self.check_spellings(literals)
        if isinstance(self.store, SPARQLStore):
            for _, triple, _, _ in changes:
                if any([isinstance(term, BNode) for term in triple]):
                    raise RecordError(
                        f"the removal of {triple} can't be recorded: the labels of blank nodes "
                        "from a SPARQL endpoint can't be used to find the nodes again"
                    )
        return changes

    cdef list as_stored(self, list changes):
        """Return changes, with added literals in the store's spelling.

        Oxigraph's store has ``"x"^^xsd:string`` for ``"x"``, and 1 for 01.
        """
        cdef dict stored
        if self.keeps_literals:
            return changes
        # A single change has no duplicates: hashing terms and graphs is Python code, and slow.
        if len(changes) == 1:
            return self.stored_forms(changes[0])
        stored = {}
        for change in changes:
            for form in self.stored_forms(change):
                stored[self.key_of(form)] = form
        return list(stored.values())

    cdef list stored_forms(self, tuple change):
        """Return the change in the store's spelling, in a list; empty if the store lacks it."""
        is_add, triple, graph, statement = change
        if not is_add or not isinstance(triple[2], Literal):
            return [change]
        stored, others = self.look_up(triple, graph)
        if stored is None and type(statement) is not Crowded and others:
            # rdflib does not recognize the store's spelling as the same literal.
            stored = others[0]
        return [] if stored is None else [(True, stored, graph, statement)]

    cdef object take_snapshot(self):
        """Return the contents of the store, in a form for `differences`."""
        return {self.key_of(change): change for change in self.removals(ANYTHING, None)}

    cdef list differences(self, object before, object after):
        """Return the changes that lead from one snapshot to another."""
        removed = [change for key, change in before.items() if key not in after]
        added = [(True, *change[1:]) for key, change in after.items() if key not in before]
        return removed + added

    cdef tuple key_of(self, tuple change):
        """Return a key that equal changes share, with a hash that mixes all of its parts."""
        is_add, (s, p, o), graph, _ = change
        tag = o.language if self.tells_tags_apart and isinstance(o, Literal) else None
        return is_add, s, p, literal_key(o), tag, get_name(graph)


cdef bint is_answer(object asked, object found) except -1:
    """Return whether a store's term is the one asked for, or rdflib's normal form of it."""
    return asked is found or asked == found or is_normalized(asked, found)


cdef bint is_normalized(object asked, object found) except -1:
    """Return whether one literal is the normalized form of another."""
    return (
        isinstance(asked, Literal)
        and isinstance(found, Literal)
        and asked.language == found.language
        and asked.datatype == found.datatype
        and str(found) == str(Literal(str(asked), datatype=asked.datatype, lang=asked.language))
    )


cdef bint may_be_normalized(object found) except -1:
    """Return whether the store may spell a term in a way that rdflib hides."""
    return (
        rdflib.NORMALIZE_LITERALS
        and isinstance(found, Literal)
        and found.datatype not in STRINGS
    )


cdef object literal_key(object node):
    """Return a key that literals share if rdflib treats them as equal, with a seeded hash."""
    if isinstance(node, Literal):
        return str(node), (node.language or "").lower(), node.datatype
    return node


cdef object get_name(object graph):
    """Return the name of a store's graph, given as a Graph, as the name, or as None."""
    if type(graph) is GRAPH:
        return graph.identifier
    if isinstance(graph, GRAPH):
        # A Dataset warns if somebody asks for its own default graph.
        return GRAPH.identifier.__get__(graph)
    return graph

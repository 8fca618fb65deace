"""The spelling of a statement in rdflib's stores in memory, which may differ in each index.

rdflib treats ``"x"@en`` and ``"x"@EN`` as equal. Each index of a Memory store keeps the spelling
that was added there first, so indexes may differ. If the store is asked for a triple, it returns
that very triple, not its own spelling. So the code here looks up the keys of the store's dicts and
sets, and restores them.
"""

@cython.final
cdef class Spelled:
    """A triple, in the spelling of each index of the store."""

    # The triple in the spelling of the subjects' index.
    cdef tuple triple
    # rdflib's key for the graph.
    cdef str key
    # The same for the graph's set, the set of all graphs, and the dict of each triple's graphs;
    # None if the triple is missing.
    cdef tuple in_graph, in_union, in_contexts


class _Asked(Literal):
    """A literal that remembers which literal it was found equal to.

    Python calls its comparison first, since it is a subclass of the class of the dict's key.
    """

    def __eq__(self, other):
        # Avoid the comparison of Literal, which is Python code.
        if is_same(self.found, other) or Literal.__eq__(self, other):
            self.found = other
            return True
        return False

    def __ne__(self, other):
        return not self == other

    __hash__ = Literal.__hash__


@cython.final
cdef class _AskedTriple:
    """Finds a set's own triple by a known hash: hashing a literal is Python code, and slow."""

    cdef tuple triple
    cdef tuple found
    cdef Py_hash_t hash

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        # The set's tuple can be compared with `triple`, but not with this class.
        if self.triple is None or self.triple != other:
            return False
        self.found = other
        return True


cdef _AskedTriple ask_for(tuple triple, Py_hash_t hash):
    cdef _AskedTriple asked = _AskedTriple.__new__(_AskedTriple)
    asked.triple = triple
    asked.hash = hash
    return asked


cdef tuple find_triple(object triples, tuple triple, Py_hash_t hash):
    """Return the triple of a set or dict that is equal to this one, or None."""
    cdef _AskedTriple asked = ask_for(triple, hash)
    return asked.found if asked in triples else None


cdef object find_key(dict nodes, object node, Py_hash_t hash):
    """Return the key of a dict that is equal to a node, or None."""
    if not isinstance(node, Literal):
        return node if dict_get(nodes, node, hash) is not NULL else None
    asked = str.__new__(_Asked, node)
    asked._datatype = node._datatype
    asked._language = node._language
    asked._value = None
    asked._ill_typed = None
    asked.found = node
    return asked.found if dict_get(nodes, asked, hash) is not NULL else None


cdef inline bint is_string(object node) except -1:
    """Return whether a term is ``"x"`` or ``"x"^^xsd:string``."""
    return isinstance(node, Literal) and node._language is None and node._datatype in STRINGS


cdef object respell_string(object literal):
    """Return ``"x"^^xsd:string`` for ``"x"``, and the other way round."""
    return make_string(literal, STRING if literal.datatype is None else None)


cdef object make_string(object text, object datatype):
    """Return the result of ``Literal(text, datatype=datatype)``, ten times as fast."""
    literal = str.__new__(Literal, text)
    literal._language = None
    literal._datatype = datatype
    literal._value = str(text)
    literal._ill_typed = None if datatype is None else False
    return literal


cdef bint is_plain(object node) except -1:
    """Return whether all nodes that rdflib finds equal to this one have the same spelling."""
    cls = type(node)
    return cls is URIRef or cls is BNode or (cls is Literal and not node._language)


cdef tuple triple_of(object statement):
    """Return the triple of a result of `Spellings.spell`, which is a triple or a `Spelled`."""
    return (<Spelled>statement).triple if type(statement) is Spelled else statement


cdef str make_key(object name):
    """Return the key of rdflib's Memory store for the name of a graph."""
    return f"{type(name).__name__}:{name}"


cdef class Spellings:
    """The indexes of a Memory or SimpleMemory store that decide how it spells triples."""

    cdef dict spo, context_triples, triple_contexts

    cdef object spell(self, tuple triple, object name):
        """Return a graph's triple in the store's spelling: a `Spelled` if indexes may differ."""
        s, p, o = triple
        try:
            found = find_key(self.spo[s][p], o, hash_node(o))
        except KeyError:
            return triple
        if found is None:
            return triple
        triple = (s, p, found)
        return self.look_up(triple, make_key(name), hash_of_triple(triple))

    cdef Spelled look_up(self, tuple triple, str key, Py_hash_t hash):
        """Look up how the indexes spell a triple of a graph."""
        cdef Spelled spelled = Spelled.__new__(Spelled)
        spelled.triple = triple
        spelled.key = key
        if self.context_triples is not None:
            spelled.in_graph = find_triple(self.context_triples.get(key, ()), triple, hash)
            spelled.in_union = find_triple(self.context_triples.get(None, ()), triple, hash)
            spelled.in_contexts = find_triple(self.triple_contexts, triple, hash)
        return spelled

    cdef int respell(self, Spelled spelled) except -1:
        """Restore each index's spelling of a triple in the store. May be called again."""
        cdef dict objects
        s, p, o = spelled.triple
        objects = self.spo[s][p]
        found = find_key(objects, o, hash_node(o))
        if found is None or not is_same(found, o):
            objects.pop(o, None)
            objects[o] = 1
        if self.context_triples is None:
            return 0
        respell_in(self.context_triples.get(spelled.key), spelled.in_graph)
        respell_in(self.context_triples.get(None), spelled.in_union)
        if spelled.in_contexts is not None:
            contexts = self.triple_contexts.pop(spelled.in_contexts, None)
            if contexts is not None:
                self.triple_contexts[spelled.in_contexts] = contexts
        return 0


cdef int respell_in(set triples, tuple triple) except -1:
    if triples is not None and triple is not None:
        triples.discard(triple)
        triples.add(triple)
    return 0


cdef Spellings open_spellings(object store):
    """Return the `Spellings` of a store, or of the store that it wraps, or None."""
    cdef Spellings spellings
    store = get_inner(store)
    # Write the names out: Python caches attribute names, and would keep many concatenated ones.
    if isinstance(store, Memory):
        dicts = [
            getattr(store, "_Memory__spo", None),
            getattr(store, "_Memory__contextTriples", None),
            getattr(store, "_Memory__tripleContexts", None),
        ]
    elif isinstance(store, SimpleMemory):
        dicts = [getattr(store, "_SimpleMemory__spo", None), None, {}]
    else:
        return None
    is_known = [type(each) is dict for each in dicts]
    if not (is_known[0] and is_known[2] and is_known[1] == isinstance(store, Memory)):
        return None
    spellings = Spellings.__new__(Spellings)
    spellings.spo, spellings.context_triples, spellings.triple_contexts = dicts
    return spellings

"""Gives each distinct node a number.

rdflib's nodes hash and compare in Python code, so a dict with nodes as keys would be slow.
"""

cdef extern from "Python.h":
    hashfunc str_hash "PyUnicode_Type.tp_hash"

cdef enum:
    RECENT_SIZE = 1 << 12
    FIRST_SIZE = 1 << 10

cdef object IRI = URIRef
cdef object BLANK_NODE = BNode
cdef object LITERAL_CLASS = Literal
cdef object STRING_DATATYPE = XSD.string
cdef tuple KNOWN_CLASSES = (IdentifiedNode, Literal)

# The hashes of languages, which a literal's hash includes.
cdef dict language_hashes = {}


@cython.final
cdef class NodeNumbers:
    """Numbers nodes from 1 on: the same node has the same number.

    A small cache in front of the table finds recent nodes by their address. With ``is_exact``
    indistinguishable nodes have the same number, and hashes are rdflib's. Otherwise nodes with the
    same `jelly_rdflib.terms.identity` have the same number, and nobody can choose texts whose
    hashes collide.
    """

    def __cinit__(self, *, bint is_exact=False, int max_same_hash=0):
        self.is_exact = is_exact
        self.max_same_hash = max_same_hash
        self.nodes = [None]
        self.recent = <RecentNumber*>PyMem_Calloc(RECENT_SIZE, sizeof(RecentNumber))
        if self.recent == NULL:
            raise MemoryError
        self.grow()

    def __dealloc__(self):
        cdef size_t i
        if self.recent != NULL:
            for i in range(<size_t>RECENT_SIZE):
                Py_XDECREF(self.recent[i].node)
        PyMem_Free(self.recent)
        PyMem_Free(self.slots)
        PyMem_Free(self.hashes)

    cdef int64_t find(self, object node) except -1:
        """Return the number of the node; too many nodes with the same hash raise a LimitError."""
        cdef size_t address = <size_t><PyObject*>node
        cdef RecentNumber* recent = (
            &self.recent[((address >> 4) ^ (address >> 16)) & (RECENT_SIZE - 1)]
        )
        cdef PyObject* old
        cdef int64_t number
        if recent.node is <PyObject*>node:
            return recent.number
        number = self.find_or_add(node)
        # The cached node is kept alive, so that no other node gets its address.
        Py_INCREF(node)
        old = recent.node
        recent.node = <PyObject*>node
        recent.number = <uint32_t>number
        Py_XDECREF(old)
        return number

    cdef int64_t find_or_add(self, object node) except -1:
        cdef Py_hash_t hash = hash_node(node) if self.is_exact else hash_evenly(node)
        cdef size_t count = len(self.nodes)
        cdef size_t slot
        cdef uint32_t number
        cdef int same_hash = 0
        if count >= self.capacity:
            self.grow()
        slot = <size_t>hash & self.mask
        while self.slots[slot] != 0:
            number = self.slots[slot]
            if self.hashes[number] == hash:
                found = self.nodes[number]
                if is_same(found, node) if self.is_exact else has_identity_of(found, node):
                    return number
                same_hash += 1
            slot = (slot + 1) & self.mask
        if same_hash >= self.max_same_hash > 0:
            raise LimitError(
                f"more than {self.max_same_hash} different terms have the same hash in rdflib, so"
                " that its store would take time that grows with the square of their number"
            )
        if count != <size_t>len(self.nodes):
            # Search again if a comparison in Python has added nodes in the meantime.
            return self.find_or_add(node)
        self.nodes.append(node)
        self.hashes[count] = hash
        self.slots[slot] = <uint32_t>count
        return count

    cdef int grow(self) except -1:
        """Make room for another node."""
        cdef size_t count = len(self.nodes)
        cdef size_t size = max(<size_t>FIRST_SIZE, 2 * (self.mask + 1))
        cdef size_t number, slot
        cdef void* grown
        if count >= <uint32_t>-1:
            raise MemoryError("there are more distinct terms than can be numbered")
        grown = PyMem_Realloc(self.hashes, size // 2 * sizeof(Py_hash_t))
        if grown == NULL:
            raise MemoryError
        self.hashes = <Py_hash_t*>grown
        grown = PyMem_Calloc(size, sizeof(uint32_t))
        if grown == NULL:
            raise MemoryError
        PyMem_Free(self.slots)
        self.slots = <uint32_t*>grown
        self.mask = size - 1
        # Half of the slots stay free.
        self.capacity = size // 2
        for number in range(1, count):
            slot = <size_t>self.hashes[number] & self.mask
            while self.slots[slot] != 0:
                slot = (slot + 1) & self.mask
            self.slots[slot] = <uint32_t>number
        return 0


cdef inline Py_hash_t hash_evenly(object node) except -1:
    """Hash a node so that nobody can choose texts with many collisions.

    rdflib's hash of a literal is the hash of its text XOR the hash of its language or datatype, so
    all literals whose texts are the IRIs of their datatypes have the hash 0.
    """
    cdef uint64_t hash
    cdef object cls = type(node)
    if cls is IRI or cls is BLANK_NODE:
        return PyObject_Hash(node)
    if not isinstance(node, LITERAL_CLASS):
        return PyObject_Hash(identity(node))
    hash = <uint64_t>str_hash(node)
    language, datatype = node._language, node._datatype
    if language:
        hash = mix(hash, <uint64_t>PyObject_Hash(language.lower()))
    elif datatype is not None and not is_string(datatype):
        hash = mix(hash, ~<uint64_t>PyObject_Hash(datatype))
    # The hash -1 would mean an error.
    return <Py_hash_t>hash if <Py_hash_t>hash != -1 else -2


cdef inline Py_hash_t hash_literal(object literal) except -1:
    """Return the same hash as `Literal.__hash__`."""
    cdef Py_hash_t hash = str_hash(literal)
    language = literal._language
    if language:
        language_hash = language_hashes.get(language)
        if language_hash is None:
            language_hash = PyObject_Hash(language.lower())
            # No entry is ever removed, since other threads may be reading it.
            if len(language_hashes) < 1000:
                language_hash = language_hashes.setdefault(language, language_hash)
        hash ^= <Py_hash_t>language_hash
    datatype = literal._datatype
    if datatype is not None:
        hash ^= PyObject_Hash(datatype)
    # The hash -1 would mean an error.
    return -2 if hash == -1 else hash


cdef Py_hash_t hash_node(object node) except -1:
    cls = type(node)
    if cls is LITERAL_CLASS or cls is IRI or cls is BLANK_NODE or isinstance(node, KNOWN_CLASSES):
        return hash_any(node)
    # An object that no store accepts may not be hashable; the caller will refuse it.
    return <Py_hash_t>(<size_t><PyObject*>node >> 4)


cdef inline Py_hash_t hash_any(object node) except -1:
    if type(node) is LITERAL_CLASS and knows_literal_hash:
        return hash_literal(node)
    return PyObject_Hash(node)


cdef Py_hash_t hash_of_triple(tuple triple) except -1:
    """Return the hash of a tuple of three objects."""
    if knows_tuple_hash and len(triple) == 3:
        return mix_triple_hash(hash_any(triple[0]), hash_any(triple[1]), hash_any(triple[2]))
    return PyObject_Hash(triple)


cdef inline bint is_same_text(object one, object other) except -1:
    if one is other:
        return True
    return one is not None and other is not None and PyUnicode_Compare(one, other) == 0


cdef bint is_same(object one, object other) except -1:
    """Return whether two nodes are indistinguishable.

    Literals that differ in the case of the language tag are equal for rdflib, but a store must
    return the literal that it was given.
    """
    if one is other:
        return True
    cls = type(one)
    if type(other) is not cls:
        return False
    if cls is IRI or cls is BLANK_NODE:
        return PyUnicode_Compare(one, other) == 0
    return (
        cls is LITERAL_CLASS
        and PyUnicode_Compare(one, other) == 0
        and is_same_text(one._language, other._language)
        and is_same_text(one._datatype, other._datatype)
        and type(one._value) is type(other._value)
        and one._ill_typed is other._ill_typed
    )


cdef inline bint has_identity_of(object one, object other) except -1:
    """Return whether two nodes have the same `jelly_rdflib.terms.identity`.

    For literals, and for other nodes of the usual classes, this takes less time.
    """
    if isinstance(one, LITERAL_CLASS) and isinstance(other, LITERAL_CLASS):
        return (
            PyUnicode_Compare(one, other) == 0
            and is_equal_language(one._language, other._language)
            and (
                is_same_text(one._datatype, other._datatype)
                or (is_string(one._datatype) and is_string(other._datatype))
            )
        )
    return is_same(one, other) or bool(identity(one) == identity(other))


cdef inline bint is_string(object datatype) except -1:
    """Return whether a datatype is xsd:string or None."""
    return datatype is None or is_same_text(datatype, STRING_DATATYPE)


cdef inline bint is_equal_language(object one, object other) except -1:
    if one is other:
        return True
    # An empty tag is the same as no tag.
    return (one.lower() if one else None) == (other.lower() if other else None)


def _check_literal_hash() -> bool:
    """Return whether this module hashes literals as the installed rdflib does."""
    samples = [
        Literal("a"),
        Literal("a", lang="en-GB"),
        Literal("1", datatype=URIRef("urn:d")),
        Literal(1),
        Literal(""),
    ]
    return all(hash_literal(literal) == hash(literal) for literal in samples)


def _check_tuple_hash() -> bool:
    """Return whether this module hashes tuples as the running Python does."""
    if sizeof(Py_hash_t) != 8:
        return False
    samples = [(0, 0, 0), (1, 2, 3), ("a", "b", "c"), (-5, 1 << 70, "é")]
    return all(
        mix_triple_hash(hash(a), hash(b), hash(c)) == hash((a, b, c)) for a, b, c in samples
    )

cdef bint knows_literal_hash = _check_literal_hash()
cdef bint knows_tuple_hash = _check_tuple_hash()

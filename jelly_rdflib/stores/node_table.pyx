"""Each distinct node of an apply once, with its hash and the places where a store keeps it.

rdflib's nodes hash and compare in Python code: a dict that is asked for an equal node which is
another object takes many times as long as one that is asked for the very object it holds. So all
equal nodes of an apply are made one object here, by comparing in C.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject, PyObject_Hash, hashfunc
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_Compare

from jelly_rdflib.stores.known_hash cimport mix_triple_hash

from rdflib.term import BNode, IdentifiedNode, Literal, URIRef

from jelly_rdflib.errors import LimitError

cdef extern from "Python.h":
    hashfunc str_hash "PyUnicode_Type.tp_hash"

cdef enum:
    RECENT_SIZE = 1 << 12
    FIRST_SIZE = 1 << 10
    # A stream may be of any length; what the table holds must not be.
    MAX_ENTRIES = 1 << 20
    # Of 64 bits no two nodes share a hash by chance, but labels such as "fr"@fr all have the same:
    # there may be one for each of ISO's codes of two letters.
    MAX_SAME_HASH = 200

cdef object IRI = URIRef
cdef object BLANK_NODE = BNode
cdef object LITERAL_CLASS = Literal
cdef object IDENTIFIED_CLASS = IdentifiedNode
cdef tuple KNOWN_CLASSES = (IdentifiedNode, Literal)

# The hash that a literal mixes in for its language.
cdef dict language_hashes = {}


@cython.final
@cython.no_gc
cdef class NodeEntry:
    """One distinct node. It refers to nothing that could refer to it."""


@cython.final
cdef class NodeTable:
    """A hash table of nodes, in front of it a small cache that knows recent ones by address."""

    def __cinit__(self):
        self.slots = <PyObject**>PyMem_Calloc(FIRST_SIZE, sizeof(PyObject*))
        self.recent = <RecentNode*>PyMem_Calloc(RECENT_SIZE, sizeof(RecentNode))
        if self.slots == NULL or self.recent == NULL:
            raise MemoryError
        self.mask = FIRST_SIZE - 1
        self.entries = []

    def __dealloc__(self):
        if self.recent != NULL:
            self.clear_recent()
        PyMem_Free(self.recent)
        PyMem_Free(self.slots)

    cdef NodeEntry find(self, object node):
        """Return the entry of the node, a new one where there is none yet."""
        cdef size_t address = <size_t><PyObject*>node
        cdef RecentNode* recent = &self.recent[((address >> 4) ^ (address >> 16)) & (RECENT_SIZE - 1)]
        cdef PyObject* old_node
        cdef PyObject* old_entry
        if recent.node is <PyObject*>node:
            return <NodeEntry>recent.entry
        entry = self.find_or_make(node)
        # The node is kept alive, so that its address can't become another node's.
        Py_INCREF(node)
        Py_INCREF(entry)
        old_node, old_entry = recent.node, recent.entry
        recent.node = <PyObject*>node
        recent.entry = <PyObject*>entry
        Py_XDECREF(old_node)
        Py_XDECREF(old_entry)
        return entry

    cdef NodeEntry find_or_make(self, object node):
        cdef Py_hash_t hash = hash_node(node)
        cdef size_t slot
        cdef NodeEntry entry
        cdef int same_hash = 0
        if <size_t>len(self.entries) * 3 >= self.mask * 2:
            self.grow()
        slot = <size_t>hash & self.mask
        while self.slots[slot] != NULL:
            entry = <NodeEntry>self.slots[slot]
            if entry.hash == hash:
                if is_same(entry.node, node):
                    return entry
                same_hash += 1
            slot = (slot + 1) & self.mask
        if same_hash >= MAX_SAME_HASH and not self.is_lenient:
            raise LimitError(
                f"more than {MAX_SAME_HASH} different terms have the same hash in rdflib, so that"
                " its store would take time that grows with the square of their number"
            )
        entry = NodeEntry.__new__(NodeEntry)
        entry.node = node
        entry.hash = hash
        cls = type(node)
        entry.is_plain = cls is IRI or cls is BLANK_NODE
        entry.has_spellings = not (entry.is_plain or (cls is LITERAL_CLASS and not node._language))
        if entry.is_plain or isinstance(node, IDENTIFIED_CLASS):
            entry.kind = NodeKind.IDENTIFIED
        elif isinstance(node, LITERAL_CLASS):
            entry.kind = NodeKind.LITERAL
        self.entries.append(entry)
        self.slots[slot] = <PyObject*>entry
        return entry

    cdef int grow(self) except -1:
        cdef list entries = self.entries
        cdef size_t mask = self.mask * 2 + 1
        cdef PyObject** slots
        cdef size_t slot
        cdef NodeEntry entry
        if len(entries) >= MAX_ENTRIES:
            entries = self.entries_of_hash_0()
            mask = FIRST_SIZE - 1
        slots = <PyObject**>PyMem_Calloc(mask + 1, sizeof(PyObject*))
        if slots == NULL:
            raise MemoryError
        for entry in entries:
            slot = <size_t>entry.hash & mask
            while slots[slot] != NULL:
                slot = (slot + 1) & mask
            slots[slot] = <PyObject*>entry
        PyMem_Free(self.slots)
        self.slots = slots
        self.mask = mask
        if entries is not self.entries:
            self.clear_recent()
            self.entries = entries
        return 0

    cdef list entries_of_hash_0(self):
        """Return some that have this hash, the only one that many nodes can have on purpose.

        It is that of literals whose text is the same as their datatype or language. They stay in
        the table, so that those that come later are counted together with them.
        """
        cdef list found = []
        cdef NodeEntry entry
        for entry in self.entries:
            if entry.hash == 0 and len(found) < MAX_SAME_HASH:
                found.append(entry)
        return found

    cdef void clear_recent(self) noexcept:
        cdef int i
        for i in range(RECENT_SIZE):
            Py_XDECREF(self.recent[i].node)
            Py_XDECREF(self.recent[i].entry)
            self.recent[i].node = NULL
            self.recent[i].entry = NULL


@cython.final
cdef class HashLimit:
    """Refuses literals of which too many have the same hash.

    Args:
        is_needed: Whether a store keeps them in dicts; else any number is fine.
    """

    cdef NodeTable nodes

    def __init__(self, *, bint is_needed):
        self.nodes = NodeTable() if is_needed else None

    def check(self, node):
        """Count a node.

        Raises:
            LimitError: Too many others, and different ones, have had the same hash.
        """
        if self.nodes is not None and isinstance(node, LITERAL_CLASS):
            self.nodes.find(node)


cdef inline Py_hash_t hash_literal(object literal) except -1:
    """What `Literal.__hash__` does."""
    cdef Py_hash_t hash = str_hash(literal)
    language = literal._language
    if language:
        language_hash = language_hashes.get(language)
        if language_hash is None:
            if len(language_hashes) > 1000:
                language_hashes.clear()
            language_hash = language_hashes[language] = PyObject_Hash(language.lower())
        hash ^= <Py_hash_t>language_hash
    datatype = literal._datatype
    if datatype is not None:
        hash ^= PyObject_Hash(datatype)
    # A hash is never -1: that means an error.
    return -2 if hash == -1 else hash


cdef Py_hash_t hash_node(object node) except -1:
    cls = type(node)
    if cls is LITERAL_CLASS and knows_literal_hash:
        return hash_literal(node)
    if cls is IRI or cls is BLANK_NODE or isinstance(node, KNOWN_CLASSES):
        return PyObject_Hash(node)
    # What no store takes may have no hash; whoever asked for its entry is about to refuse it.
    return <Py_hash_t>(<size_t><PyObject*>node >> 4)


cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1:
    if knows_tuple_hash:
        return mix_triple_hash(s.hash, p.hash, o.hash)
    return PyObject_Hash(triple)


cdef inline Py_hash_t hash_any(object node) except -1:
    cls = type(node)
    if cls is LITERAL_CLASS and knows_literal_hash:
        return hash_literal(node)
    return PyObject_Hash(node)


cdef Py_hash_t hash_of_triple(tuple triple) except -1:
    """Hash a triple of whatever there is."""
    if knows_tuple_hash and len(triple) == 3:
        return mix_triple_hash(hash_any(triple[0]), hash_any(triple[1]), hash_any(triple[2]))
    return PyObject_Hash(triple)


cdef inline bint is_same_text(object one, object other) except -1:
    if one is other:
        return True
    return one is not None and other is not None and PyUnicode_Compare(one, other) == 0


cdef bint is_same(object one, object other) except -1:
    """Are the nodes equal in all that can be seen?

    Literals that differ in the case of the language tag are equal for rdflib, and yet a store
    must hand back the one that it was given.
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


def _check_literal_hash() -> bool:
    """Does this module hash literals just as the installed rdflib does?"""
    samples = [
        Literal("a"),
        Literal("a", lang="en-GB"),
        Literal("1", datatype=URIRef("urn:d")),
        Literal(1),
        Literal(""),
    ]
    return all(hash_literal(literal) == hash(literal) for literal in samples)


def _check_tuple_hash() -> bool:
    """Does this module hash tuples just as the running Python does?"""
    if sizeof(Py_hash_t) != 8:
        return False
    samples = [(0, 0, 0), (1, 2, 3), ("a", "b", "c"), (-5, 1 << 70, "é")]
    return all(
        mix_triple_hash(hash(a), hash(b), hash(c)) == hash((a, b, c)) for a, b, c in samples
    )


cdef bint knows_literal_hash = _check_literal_hash()
cdef bint knows_tuple_hash = _check_tuple_hash()

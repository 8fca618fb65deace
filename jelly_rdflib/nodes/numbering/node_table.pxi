"""Each distinct node of an apply once, with its hash and the places where a store keeps it.

rdflib's nodes hash and compare in Python code: a dict that is asked for an equal node which is
another object takes many times as long as one that is asked for the very object it holds. So all
equal nodes of an apply are made one object here, by comparing in C.
"""

cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t index)

cdef enum:
    # A stream may be of any length; what the table holds must not be.
    MAX_ENTRIES = 1 << 20
    # Of 64 bits no two nodes share a hash by chance, but labels such as "fr"@fr all have the same:
    # there may be one for each of ISO's codes of two letters.
    MAX_SAME_HASH = 200

cdef object IDENTIFIED_CLASS = IdentifiedNode


@cython.final
@cython.no_gc
cdef class NodeEntry:
    """One distinct node. It refers to nothing that could refer to it."""


@cython.final
cdef class NodeTable:
    """Has the entries of nodes.

    Attributes:
        is_lenient: May as many nodes as one likes have the same hash?
    """

    def __cinit__(self):
        self.start([])

    cdef int start(self, list entries) except -1:
        """Have these entries and no others."""
        cdef NodeEntry entry
        self.numbers = NodeNumbers(is_exact=True)
        self.entries = [None, *entries]
        for entry in entries:
            self.numbers.find(entry.node)
        return 0

    cdef NodeEntry find(self, object node):
        """Return the entry of the node, a new one where there is none yet.

        Raises:
            LimitError: Too many nodes have the same hash.
        """
        cdef int64_t number
        if len(self.entries) > MAX_ENTRIES:
            self.start(self.entries_of_hash_0())
        self.numbers.max_same_hash = 0 if self.is_lenient else MAX_SAME_HASH
        number = self.numbers.find(node)
        # More than one is missing where there was no memory for the last.
        while len(self.entries) <= number:
            self.entries.append(self.make_entry(len(self.entries)))
        return <NodeEntry>PyList_GET_ITEM(self.entries, number)

    cdef NodeEntry make_entry(self, Py_ssize_t number):
        cdef NodeEntry entry = NodeEntry.__new__(NodeEntry)
        cdef object node = self.numbers.nodes[number]
        cdef object cls = type(node)
        entry.node = node
        entry.hash = self.numbers.hashes[number]
        entry.is_plain = cls is IRI or cls is BLANK_NODE
        entry.has_spellings = not (entry.is_plain or (cls is LITERAL_CLASS and not node._language))
        if entry.is_plain or isinstance(node, IDENTIFIED_CLASS):
            entry.kind = NodeKind.IDENTIFIED
        elif isinstance(node, LITERAL_CLASS):
            entry.kind = NodeKind.LITERAL
        return entry

    cdef list entries_of_hash_0(self):
        """Return some that have this hash, the only one that many nodes can have on purpose.

        It is that of literals whose text is the same as their datatype or language. They stay in
        the table, so that those that come later are counted together with them.
        """
        cdef list found = []
        cdef NodeEntry entry
        for entry in self.entries[1:]:
            if entry.hash == 0 and len(found) < MAX_SAME_HASH:
                found.append(entry)
        return found


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


cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1:
    if knows_tuple_hash:
        return mix_triple_hash(s.hash, p.hash, o.hash)
    return PyObject_Hash(triple)

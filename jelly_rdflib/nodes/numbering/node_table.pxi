"""Each distinct node of an apply once, with its hash and its places in a store.

rdflib's nodes hash and compare in Python code: a dict finds its own object many times as fast as an
equal one. So this table, which compares in C, makes equal nodes of an apply one object.
"""

cdef extern from "Python.h":
    bint PyObject_GC_IsTracked(object node) noexcept

cdef enum:
    # A stream may have any length, but the table must not.
    MAX_ENTRIES = 1 << 20
    # No two nodes share a hash of 64 bits by chance, but labels such as "fr"@fr all have the
    # same: there may be one for each of ISO's codes of two letters.
    MAX_SAME_HASH = 200


@cython.final
@cython.no_gc
cdef class NodeEntry:
    """One distinct node. It refers to nothing that could refer to it."""


@cython.final
cdef class NodeTable:
    """The entries of nodes."""

    def __cinit__(self):
        self.max_entries = MAX_ENTRIES
        self.start([])

    cdef int start(self, list entries) except -1:
        """Replace all entries."""
        cdef NodeEntry entry
        self.numbers = NodeNumbers(is_exact=True)
        self.entries = [None, *entries]
        for entry in entries:
            self.numbers.find(entry.node)
        return 0

    cdef NodeEntry find(self, object node):
        """Return the entry of the node; too many nodes with its hash are a LimitError."""
        cdef int64_t number
        if len(self.entries) > self.max_entries:
            self.start(self.entries_of_hash_0())
        self.numbers.max_same_hash = 0 if self.is_lenient else MAX_SAME_HASH
        number = self.numbers.find(node)
        # After a MemoryError several entries are missing.
        while len(self.entries) <= number:
            self.entries.append(self.make_entry(len(self.entries)))
        return <NodeEntry>self.entries[number]

    cdef NodeEntry make_entry(self, Py_ssize_t number):
        cdef NodeEntry entry = NodeEntry.__new__(NodeEntry)
        cdef object node = self.numbers.nodes[number]
        cdef object cls = type(node)
        cdef bint is_plain = cls is IRI or cls is BLANK_NODE
        entry.node = node
        entry.hash = self.numbers.hashes[number]
        # A literal of a reader is not tracked if its value refers to nothing.
        entry.is_leaf = is_plain or not PyObject_GC_IsTracked(node)
        entry.has_spellings = not (is_plain or (cls is LITERAL_CLASS and not node._language))
        if is_plain or isinstance(node, IdentifiedNode):
            entry.kind = NodeKind.IDENTIFIED
        elif isinstance(node, LITERAL_CLASS):
            entry.kind = NodeKind.LITERAL
        entry.is_string = cls is LITERAL_CLASS and not node._language and is_string(node._datatype)
        return entry

    cdef list entries_of_hash_0(self):
        """Return some entries with the hash 0, the only one that many nodes can have on purpose.

        Literals whose text is the same as their datatype or language have it. Their entries stay in
        the table, so that later ones are counted together with them.
        """
        cdef NodeEntry entry
        return [entry for entry in self.entries[1:] if entry.hash == 0][:MAX_SAME_HASH]


cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1:
    if knows_tuple_hash:
        return mix_triple_hash(s.hash, p.hash, o.hash)
    return PyObject_Hash(triple)

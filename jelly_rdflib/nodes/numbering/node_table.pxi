"""The distinct nodes of one `apply`, each with its hash and its entries in a store's indexes.

rdflib's nodes hash and compare in Python code: a dict finds the key object itself many times faster
than an equal object. So this table, which compares in C, replaces equal nodes by one object.
"""

cdef extern from "Python.h":
    bint PyObject_GC_IsTracked(object node) noexcept

cdef enum:
    # The table must be bounded, since a stream may have any length.
    MAX_ENTRIES = 1 << 20
    # No two nodes share a 64-bit hash by accident. But labels such as "fr"@fr, whose text is their
    # language, all have the same hash. Allow one for each of ISO's two-letter codes.
    MAX_SAME_HASH = 200


@cython.final
@cython.no_gc
cdef class NodeEntry:
    """One distinct node. It refers to nothing that could refer back."""


@cython.final
cdef class NodeTable:
    """Finds or makes the entries of nodes."""

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
        """Return the entry of the node; too many nodes with the same hash raise a LimitError."""
        cdef int64_t number
        if len(self.entries) > self.max_entries:
            self.start(self.entries_of_hash_0())
        self.numbers.max_same_hash = 0 if self.is_lenient else MAX_SAME_HASH
        number = self.numbers.find(node)
        # A loop, since several entries may be missing after a MemoryError.
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
        # `NodeFactory` hides a literal from the garbage collector if its value refers to nothing.
        entry.is_leaf = is_plain or not PyObject_GC_IsTracked(node)
        entry.has_spellings = not (is_plain or (cls is LITERAL_CLASS and not node._language))
        if is_plain or isinstance(node, IdentifiedNode):
            entry.kind = NodeKind.IDENTIFIED
        elif isinstance(node, LITERAL_CLASS):
            entry.kind = NodeKind.LITERAL
            # A program may have a subclass of Literal, whose literals are the same terms.
            entry.is_string = not node._language and is_string(node._datatype)
        return entry

    cdef list entries_of_hash_0(self):
        """Return some entries with the hash 0, the only hash that one can give to many nodes.

        Literals whose text equals their datatype or language have this hash. Their entries stay in
        the table, so that later such literals are counted together with them.
        """
        cdef NodeEntry entry
        return [entry for entry in self.entries[1:] if entry.hash == 0][:MAX_SAME_HASH]


cdef Py_hash_t hash_triple(tuple triple, NodeEntry s, NodeEntry p, NodeEntry o) except -1:
    if knows_tuple_hash:
        return mix_triple_hash(s.hash, p.hash, o.hash)
    return PyObject_Hash(triple)

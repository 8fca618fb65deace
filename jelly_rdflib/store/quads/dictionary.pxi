"""The distinct terms of a store, each with a number.

Terms are equal as rdflib's are: literals by lexical form, datatype, and language whatever its
case. Equal terms have the same number; a language tag in another case is kept beside it.
"""

cdef enum:
    FIRST_CAPACITY = 64
    FIRST_DATA = 1 << 11
    # Nodes with a longer text are not kept.
    MAX_RECENT_TEXT = 1 << 10
    # Language tags are hashed in pieces of this size.
    TAG_PIECE = 64

# Two thirds of the slots of the largest table.
cdef uint32_t MAX_NUMBER = 0x7FFFFFF0


@cython.nonecheck(True)
@cython.final
cdef class Dictionary:
    """Numbers terms, and makes nodes of them."""

    def __cinit__(self, NodeTypes types not None):
        self.types = types
        self.factory = NodeFactory(types, normalize=False)
        self.capacity = FIRST_CAPACITY
        self.data_capacity = FIRST_DATA
        grow(<void**>&self.terms, self.capacity * sizeof(StoredTerm))
        grow(<void**>&self.data, self.data_capacity + DATA_SLACK)
        memset(self.terms, 0, 2 * sizeof(StoredTerm))
        self.count = 1
        self.spellings = {}
        slots_resize(&self.table, 2 * FIRST_CAPACITY)

    def __dealloc__(self):
        self.forget_nodes()
        PyMem_RawFree(self.terms)
        PyMem_RawFree(self.data)
        PyMem_RawFree(self.table.slots)

    # --- numbers ----------------------------------------------------------------------------------

    cdef int64_t number_of_node(self, object node, bint is_added) except -1:
        """Return the number of a node; a TypeError if it is to be added and no store can hold it.

        Raises:
            EncodeError: Its text has no UTF-8 form.
        """
        cdef object text, tag
        cdef TermKey key
        cdef int64_t datatype
        key.kind = node_kind(self.types, node)
        if key.kind == TermKind.LANGUAGE_LITERAL:
            tag = as_utf8(get_slot(node, self.types.slots[LANGUAGE]))
            text = as_utf8(node)
            key.tag = utf8_of(tag)
            key.text = utf8_of(text)
            key.hash = hash_key(key.kind, key.text, hash_tag(key.tag))
        elif key.kind == TermKind.TYPED_LITERAL:
            datatype = self.number_of_iri(get_slot(node, self.types.slots[DATATYPE]), is_added)
            if datatype == 0:
                return 0
            key.datatype = <uint32_t>datatype
            text = as_utf8(node)
            key.text = utf8_of(text)
            key.hash = hash_key(
                key.kind, key.text, hash_key(TermKind.IRI, stored_text(self, key.datatype), 0)
            )
        elif (
            key.kind == TermKind.NONE
            or key.kind == TermKind.TRIPLE_TERM
            or key.kind == TermKind.STRING
        ):
            if is_added:
                refuse_term(node)
            return 0
        else:
            text = as_utf8(node)
            key.text = utf8_of(text)
            key.hash = hash_key(key.kind, key.text, 0)
        return self.number_of_key(&key, is_added)

    cdef int64_t number_of_iri(self, object iri, bint is_added) except -1:
        """Return the number of an IRI that is given as any str."""
        cdef object text = as_utf8(iri)
        cdef TermKey key
        key.kind = TermKind.IRI
        key.text = utf8_of(text)
        key.hash = hash_key(TermKind.IRI, key.text, 0)
        return self.number_of_key(&key, is_added)

    cdef int64_t number_of_term(
        self, const TermColumns* terms, uint32_t term, bint is_added
    ) except -1:
        """Return the number of a term of a batch, which is no quoted triple."""
        cdef TermKey key
        cdef int64_t datatype
        key.kind = terms.kinds[term]
        key.text = text_of(terms, term)
        key.hash = terms.hashes[term]
        if key.kind == TermKind.LANGUAGE_LITERAL:
            key.tag = text_of(terms, terms.extras[term])
            key.hash = hash_key(key.kind, key.text, hash_tag(key.tag))
        elif key.kind == TermKind.TYPED_LITERAL:
            datatype = self.number_of_term(terms, terms.extras[term], is_added)
            if datatype == 0:
                return 0
            key.datatype = <uint32_t>datatype
        return self.number_of_key(&key, is_added)

    cdef int64_t number_of_key(self, TermKey* key, bint is_added) except -1:
        """Return the number of what a key stands for, whose texts somebody keeps in memory."""
        cdef uint32_t number = <uint32_t>self.slot_of(key)[0]
        self.spelling = 0
        if number == 0 and is_added:
            return self.add_key(key)
        if key.kind == TermKind.LANGUAGE_LITERAL and number != 0:
            self.spelling = self.find_spelling(key, number, is_added)
        return number

    cdef uint32_t find_spelling(self, TermKey* key, uint32_t number, bint is_added) except? 0:
        """Return the number of a literal in its own spelling; 0 if the table has that, or none."""
        cdef Span tag = stored_text(self, self.terms[number].extra)
        cdef size_t size = key.tag.end - key.tag.start
        if memcmp(tag.start, key.tag.start, size) == 0:
            return 0
        spelling = (number, <bytes>key.tag.start[:size])
        if spelling not in self.spellings and is_added:
            self.spellings[spelling] = self.append(key)
        return self.spellings.get(spelling, 0)

    cdef void prefetch_terms(self, const uint64_t* hashes, uint32_t count) noexcept:
        """Prefetch the slots, the entries and the texts of the terms with these hashes.

        The processor loads all of them at the same time, before `slot_of` reads the first.
        """
        cdef uint32_t i
        cdef uint64_t slot
        for i in range(count):
            prefetch_slot(&self.table, hashes[i])
        for i in range(count):
            slot = self.table.slots[<uint32_t>hashes[i] & self.table.mask]
            prefetch(&self.terms[<uint32_t>slot])
        for i in range(count):
            slot = self.table.slots[<uint32_t>hashes[i] & self.table.mask]
            prefetch(self.data + (self.terms[<uint32_t>slot].place >> 8))

    # --- the table --------------------------------------------------------------------------------

    cdef uint64_t* slot_of(self, const TermKey* key) noexcept:
        """Return the slot of a term, or the free one where it is to be put."""
        cdef uint32_t hash = <uint32_t>key.hash
        cdef uint32_t slot = hash & self.table.mask
        cdef size_t size = key.text.end - key.text.start
        cdef StoredTerm* term
        cdef uint64_t start
        while self.table.slots[slot] != 0:
            if self.table.slots[slot] >> 32 == hash:
                term = &self.terms[<uint32_t>self.table.slots[slot]]
                start = term.place >> 8
                if (
                    <uint8_t>term.place == key.kind
                    and (term[1].place >> 8) - start == size
                    and memcmp(self.data + start, key.text.start, size) == 0
                ):
                    if key.kind == TermKind.TYPED_LITERAL:
                        if term.extra == key.datatype:
                            break
                    elif key.kind == TermKind.LANGUAGE_LITERAL:
                        if is_same_tag(stored_text(self, term.extra), key.tag):
                            break
                    else:
                        break
            slot = (slot + 1) & self.table.mask
        return &self.table.slots[slot]

    cdef uint32_t add_key(self, TermKey* key) except 0:
        """Add a term that the store does not have."""
        cdef uint32_t number = self.append(key)
        # Before there was a number, the slots may have grown.
        self.slot_of(key)[0] = make_slot(key.hash, number)
        return number

    cdef uint32_t append(self, TermKey* key) except 0:
        """Number a term, with its tag, but leave it out of the slots, which have room for it."""
        cdef size_t size = key.text.end - key.text.start
        cdef uint32_t number
        cdef uint64_t end
        cdef uint32_t extra = 0
        cdef TermKey tag
        if key.kind == TermKind.TYPED_LITERAL:
            extra = key.datatype
        elif key.kind == TermKind.LANGUAGE_LITERAL:
            tag.kind = TermKind.STRING
            tag.text = key.tag
            tag.hash = hash_key(TermKind.STRING, tag.text, 0)
            extra = <uint32_t>self.number_of_key(&tag, True)
        self.reserve(size)
        number = self.count
        end = self.terms[number].place >> 8
        memcpy(self.data + end, key.text.start, size)
        self.terms[number].place = end << 8 | <uint8_t>key.kind
        self.terms[number].hash = <uint32_t>key.hash
        self.terms[number].extra = extra
        self.terms[number + 1].place = (end + size) << 8
        self.count += 1
        return number

    cdef int reserve(self, size_t text) except -1:
        """Make room for a term with a text of that size."""
        cdef size_t needed = (self.terms[self.count].place >> 8) + text
        cdef uint64_t capacity
        if self.count >= MAX_NUMBER:
            raise LimitError(f"a store can't have more than {MAX_NUMBER} distinct terms")
        # The end of the last text takes a place, too.
        if self.count + 2 > self.capacity:
            capacity = min(<uint64_t>self.capacity + self.capacity // 2, <uint64_t>MAX_NUMBER + 2)
            grow(<void**>&self.terms, capacity * sizeof(StoredTerm))
            self.capacity = <uint32_t>capacity
        if needed > self.data_capacity:
            needed += needed // 2
            grow(<void**>&self.data, needed + DATA_SLACK)
            self.data_capacity = needed
        # Two thirds of the slots are taken at the most.
        if 3 * <uint64_t>self.count > 2 * <uint64_t>self.table.mask:
            slots_resize(&self.table, 2 * (<uint64_t>self.table.mask + 1))
        return 0

    # --- nodes ------------------------------------------------------------------------------------

    cdef object node(self, uint32_t number):
        """Return the node of a term, and keep it for the next time."""
        cdef bint is_kept = self.is_small(number)
        cdef object node = self.make_node(number)
        cdef RecentNode* recent
        cdef PyObject* old
        if not is_kept:
            return node
        if self.recent == NULL:
            self.recent = <RecentNode*>PyMem_RawCalloc(RECENT_NODES, sizeof(RecentNode))
            if self.recent == NULL:
                raise MemoryError
        recent = &self.recent[number & (RECENT_NODES - 1)]
        old = recent.node
        Py_INCREF(node)
        recent.node = <PyObject*>node
        recent.number = number
        # Last, since a destructor may run any code.
        Py_XDECREF(old)
        return node

    cdef bint is_small(self, uint32_t number) noexcept:
        """Does the term's node surely take little memory? rdflib makes trees of XML and HTML."""
        cdef Span text = stored_text(self, number)
        cdef size_t size = text.end - text.start
        return size <= MAX_RECENT_TEXT and (
            stored_kind(self, number) != TermKind.TYPED_LITERAL
            or memchr(text.start, b"<", size) == NULL
        )

    cdef object make_node(self, uint32_t number):
        cdef uint32_t extra = self.terms[number].extra
        cdef object extra_node = None if extra == 0 else node_of(self, extra)
        return self.factory.make_node(
            stored_kind(self, number), stored_text(self, number), extra_node
        )

    cdef void forget_nodes(self) noexcept:
        cdef RecentNode* recent = self.recent
        cdef size_t i
        self.recent = NULL
        if recent != NULL:
            for i in range(<size_t>RECENT_NODES):
                Py_XDECREF(recent[i].node)
            PyMem_RawFree(recent)


cdef int refuse_term(object node) except -1:
    raise TypeError(
        f"the store can't hold {show(node)} of type {type(node).__name__}: it has rdflib's URIRef,"
        " BNode and Literal; no formulas, variables or quoted triples"
    )


cdef inline uint64_t hash_key(int kind, Span text, uint64_t extra_hash) noexcept:
    """Return the hash that a batch has for the term, but for literals with a language tag."""
    cdef uint64_t hash = hash_text(text.start, text.end - text.start, hash_seed())
    return term_hash(<TermKind>kind, hash, extra_hash)


cdef inline uint8_t lower(uint8_t byte) noexcept:
    return byte | 0x20 if b"A" <= byte <= b"Z" else byte


cdef uint64_t hash_tag(Span tag) noexcept:
    """Hash a language tag without regard to case."""
    cdef uint8_t[TAG_PIECE] piece
    cdef uint64_t hash = 0
    cdef size_t size, i
    while tag.start < tag.end:
        size = min(<size_t>(tag.end - tag.start), <size_t>TAG_PIECE)
        for i in range(size):
            piece[i] = lower(tag.start[i])
        hash = mix(hash, hash_text(piece, size, hash_seed()))
        tag.start += size
    return hash


cdef bint is_same_tag(Span one, Span other) noexcept:
    cdef size_t i
    if one.end - one.start != other.end - other.start:
        return False
    for i in range(<size_t>(one.end - one.start)):
        if lower(one.start[i]) != lower(other.start[i]):
            return False
    return True

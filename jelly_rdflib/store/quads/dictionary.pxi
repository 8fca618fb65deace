"""The distinct terms of a store, each with a number.

Terms that are the same, as core/batch/identity.pxd defines it, have the same number. If a literal
is added in another spelling later, the dictionary keeps that spelling, too.
"""

cdef enum:
    FIRST_CAPACITY = 64
    FIRST_DATA = 1 << 11
    # How many terms ahead the slots are prefetched.
    AHEAD = 16
    # Nodes with a longer text are not cached.
    MAX_RECENT_TEXT = 1 << 10

# The highest number of a term, which is less than two thirds of the slots of the largest table.
cdef uint32_t MAX_NUMBER = 0x7FFFFFF0


@cython.nonecheck(True)
@cython.final
cdef class Dictionary:
    """Numbers terms, and makes nodes from them."""

    def __cinit__(self, NodeTypes types not None):
        cdef bytes string = XSD_STRING
        self.types = types
        self.factory = NodeFactory(types, normalize=False)
        self.capacity = FIRST_CAPACITY
        self.data_capacity = FIRST_DATA
        grow(<void**>&self.terms, self.capacity * sizeof(StoredTerm))
        grow(<void**>&self.data, self.data_capacity + DATA_SLACK)
        memset(self.terms, 0, 2 * sizeof(StoredTerm))
        self.count = 1
        self.spellings = {}
        self.ill_typed = set()
        slots_reserve(&self.table)
        self.number_of_text(TermKind.IRI, utf8_of(string), True)

    def __dealloc__(self):
        cdef size_t i
        if self.recent != NULL:
            for i in range(<size_t>RECENT_NODES):
                Py_XDECREF(self.recent[i].node)
        PyMem_RawFree(self.recent)
        PyMem_RawFree(self.terms)
        PyMem_RawFree(self.data)
        PyMem_RawFree(self.table.slots)

    # --- numbers ----------------------------------------------------------------------------------

    cdef int64_t number_of_node(self, object node, bint is_added) except -1:
        """Return the number of a node.

        Raises:
            TypeError: The node must be added, but no store can hold it.
            EncodeError: The node's text has no UTF-8 form.
        """
        cdef object text
        cdef TermKey key
        cdef int64_t extra = 0
        cdef int64_t number
        cdef uint32_t count
        key.kind = node_kind(self.types, node)
        if is_literal(key.kind):
            if key.kind == TermKind.LANGUAGE_LITERAL:
                text = as_utf8(get_slot(node, self.types.slots[LANGUAGE]))
                extra = self.number_of_text(TermKind.STRING, utf8_of(text), is_added)
            else:
                text = as_utf8(get_slot(node, self.types.slots[DATATYPE]))
                extra = self.number_of_text(TermKind.IRI, utf8_of(text), is_added)
            if extra == 0:
                return 0
        elif (
            key.kind == TermKind.NONE
            or key.kind == TermKind.TRIPLE_TERM
            or key.kind == TermKind.STRING
        ):
            if is_added:
                refuse_term(node)
            return 0
        text = as_utf8(node)
        key.text = utf8_of(text)
        key.extra = <uint32_t>extra
        key.hash = hash_term(self, key.kind, key.text, key.extra)
        count = self.count
        number = self.number_of_key(&key, is_added)
        if (
            self.count > count and key.kind == TermKind.TYPED_LITERAL
            and is_boolean(key.text) and get_slot(node, self.types.slots[ILL_TYPED]) is True
        ):
            self.ill_typed.add(number)
        return number

    cdef int64_t number_of_text(self, int kind, Span text, bint is_added) except -1:
        """Return the number of an IRI or a language tag.

        If the tag is unknown and must not be added, return the number of its lower-case form.
        """
        cdef TermKey key
        cdef bytes lower
        key.kind, key.text, key.extra = kind, text, 0
        if kind == TermKind.STRING and has_capital(text):
            lower = text.start[:text.end - text.start].lower()
            key.extra = <uint32_t>self.number_of_text(kind, utf8_of(lower), is_added)
            if key.extra == 0:
                return 0
        key.hash = hash_term(self, kind, text, 0)
        return self.number_of_key(&key, is_added) or key.extra

    cdef int64_t number_of_term(
        self, const TermColumns* terms, uint32_t term, bint is_added
    ) except -1:
        """Return the number of a batch's term, which must not be a quoted triple."""
        cdef TermKey key
        cdef int64_t extra = 0
        key.kind = terms.kinds[term]
        key.text = text_of(terms, term)
        key.hash = terms.hashes[term]
        if is_literal(key.kind):
            if key.kind == TermKind.LANGUAGE_LITERAL:
                refuse_direction(
                    key.text, text_of(terms, terms.extras[term]), "rdflib's literals have",
                    DecodeError,
                )
                extra = self.number_of_text(
                    TermKind.STRING, text_of(terms, terms.extras[term]), is_added
                )
            else:
                extra = self.number_of_term(terms, terms.extras[term], is_added)
            if extra == 0:
                return 0
            if extra == STRING_DATATYPE or (
                key.kind == TermKind.LANGUAGE_LITERAL
                and has_capital(text_of(terms, terms.extras[term]))
            ):
                # The batch's hash is that of this spelling, but the table compares a different one.
                key.hash = hash_term(self, key.kind, key.text, <uint32_t>extra)
        key.extra = <uint32_t>extra
        return self.number_of_key(&key, is_added)

    cdef int64_t number_of_key(self, TermKey* key, bint is_added) except -1:
        """Return the number of the term with a key; the caller keeps the key's text in memory."""
        cdef uint32_t number = <uint32_t>self.slot_of(key)[0]
        self.spelling = 0
        if number == 0 and is_added:
            number = self.append(key)
            # Find the slot again: adding the term may have moved the slots.
            fill_slot(&self.table, self.slot_of(key), key.hash, number)
        elif number != 0 and self.terms[number].extra != key.extra:
            spelling = <uint64_t>key.extra << 32 | number
            if spelling not in self.spellings and is_added:
                self.spellings[spelling] = self.append(key)
            self.spelling = self.spellings.get(spelling, 0)
        return number

    cdef void prefetch_terms(self, const uint64_t* hashes, uint32_t count) noexcept:
        """Prefetch the slots, the entries and the texts of the terms with these hashes.

        The processor loads all of them at the same time, before `slot_of` reads the first.
        """
        cdef uint32_t i, number
        for i in range(count):
            prefetch_slot(&self.table, hashes[i])
        for i in range(count):
            prefetch(&self.terms[number_at_home(&self.table, hashes[i])])
        for i in range(count):
            number = number_at_home(&self.table, hashes[i])
            prefetch(self.data + (self.terms[number].place >> 8))

    # --- the table --------------------------------------------------------------------------------

    cdef uint64_t* slot_of(self, const TermKey* key) noexcept:
        """Return the slot of a term, or the free slot for it."""
        cdef uint64_t* slot = first_slot(&self.table, key.hash)
        cdef size_t size = key.text.end - key.text.start
        cdef uint64_t identity = identity_of(self, key.kind, key.extra)
        cdef const StoredTerm* term
        cdef uint64_t start
        while slot[0] != 0:
            term = &self.terms[<uint32_t>slot[0]]
            start = term.place >> 8
            if (
                (term[1].place >> 8) - start == size
                and memcmp(self.data + start, key.text.start, size) == 0
                and identity_of(self, <uint8_t>term.place, term.extra) == identity
            ):
                break
            slot = next_slot(&self.table, key.hash, slot)
        return slot

    cdef uint32_t append(self, const TermKey* key) except 0:
        """Append a term, and return its number; the caller fills its slot, which is reserved."""
        cdef size_t size = key.text.end - key.text.start
        cdef uint32_t number = self.count
        cdef uint64_t end
        self.reserve(size)
        end = self.terms[number].place >> 8
        memcpy(self.data + end, key.text.start, size)
        self.terms[number].place = end << 8 | <uint8_t>key.kind
        self.terms[number].hash = <uint32_t>key.hash
        self.terms[number].extra = key.extra
        self.terms[number + 1].place = (end + size) << 8
        self.count += 1
        if size > MAX_RECENT_TEXT:
            self.has_long = True
        if self.ill_typed:
            # A removed term that had this number may have been ill-typed.
            self.ill_typed.discard(number)
        return number

    cdef int reserve(self, size_t text) except -1:
        """Make room for a term whose text has ``text`` bytes."""
        cdef size_t needed = (self.terms[self.count].place >> 8) + text
        cdef uint64_t capacity
        if self.count >= MAX_NUMBER:
            raise LimitError(f"a store can't have more than {MAX_NUMBER} distinct terms")
        # The end of the last text needs an entry, too.
        if self.count + 2 > self.capacity:
            capacity = min(<uint64_t>self.capacity + self.capacity // 2, <uint64_t>MAX_NUMBER + 2)
            grow(<void**>&self.terms, capacity * sizeof(StoredTerm))
            self.capacity = <uint32_t>capacity
        if needed > self.data_capacity:
            needed += needed // 2
            grow(<void**>&self.data, needed + DATA_SLACK)
            self.data_capacity = needed
        slots_reserve(&self.table)
        return 0

    # --- fewer terms ------------------------------------------------------------------------------

    cdef dict spellings_before(self, uint32_t count):
        """Return the spellings with numbers below ``count``."""
        if not self.spellings:
            return {}
        return {key: number for key, number in self.spellings.items() if number < count}

    cdef void cut(self, uint32_t count, dict spellings) noexcept:
        """Keep ``count`` terms and their spellings. No number of another term may be in use."""
        cdef uint64_t* slot
        cdef uint32_t number, hash
        cdef RecentNode* recent
        cdef size_t needed
        for number in range(count, self.count):
            if number + AHEAD < self.count:
                prefetch_slot(&self.table, self.terms[number + AHEAD].hash)
            hash = self.terms[number].hash
            slot = first_slot(&self.table, hash)
            while slot[0] != 0 and <uint32_t>slot[0] != number:
                slot = next_slot(&self.table, hash, slot)
            # A term that is only another spelling has no slot.
            if slot[0] != 0:
                slots_remove(&self.table, slot)
            if self.recent != NULL:
                recent = &self.recent[number & (RECENT_NODES - 1)]
                if recent.number == number:
                    # Keep the node until another replaces it: a destructor may run any code.
                    recent.number = 0
        self.count = count
        self.spellings = spellings
        self.spelling = 0
        needed = text_size(self, count)
        needed += needed // 2 + FIRST_DATA
        if self.data_capacity > 2 * needed and resize(<void**>&self.data, needed + DATA_SLACK) == 0:
            self.data_capacity = needed

    cdef void move_to(self, Dictionary other) noexcept:
        """Swap the terms with an empty dictionary's.

        Code that holds numbers of terms compares this dictionary with the store's, and so detects
        that the numbers are no longer valid.
        """
        self.terms, other.terms = other.terms, self.terms
        self.count, other.count = other.count, self.count
        self.capacity, other.capacity = other.capacity, self.capacity
        self.data, other.data = other.data, self.data
        self.data_capacity, other.data_capacity = other.data_capacity, self.data_capacity
        self.table, other.table = other.table, self.table
        self.recent, other.recent = other.recent, self.recent
        self.has_long, other.has_long = other.has_long, self.has_long
        self.spellings, other.spellings = other.spellings, self.spellings
        self.ill_typed, other.ill_typed = other.ill_typed, self.ill_typed
        self.factory, other.factory = other.factory, self.factory

    # --- nodes ------------------------------------------------------------------------------------

    cdef object node(self, uint32_t number):
        """Return the node of a term, and cache it."""
        cdef int kind = stored_kind(self, number)
        cdef Span text = stored_text(self, number)
        cdef size_t size = text.end - text.start
        # rdflib parses XML and HTML into trees, which need too much memory for the cache.
        cdef bint is_kept = size <= MAX_RECENT_TEXT and (
            kind != TermKind.TYPED_LITERAL or memchr(text.start, b"<", size) == NULL
        )
        cdef object node = None
        cdef RecentNode* recent
        cdef PyObject* old
        if is_literal(kind):
            node = node_of(self, self.terms[number].extra)
            # Making the node may have run code that added terms, and so moved the text.
            text = stored_text(self, number)
        node = self.factory.make_node(kind, text, node)
        if self.ill_typed and number in self.ill_typed:
            node._ill_typed = True
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
        # Release the old node last, since a destructor may run any code.
        Py_XDECREF(old)
        return node


cdef inline bint is_boolean(Span text) noexcept:
    cdef size_t size = text.end - text.start
    return (size == 4 and memcmp(text.start, b"true", size) == 0) or (
        size == 5 and memcmp(text.start, b"false", size) == 0
    )


cdef int refuse_term(object node) except -1:
    raise TypeError(
        f"the store can't hold {show(node)} of type {type(node).__name__}: it accepts rdflib's"
        " URIRef, BNode and Literal, but no formulas, variables or quoted triples"
    )


cdef inline uint64_t hash_key(int kind, Span text, uint64_t extra_hash) noexcept:
    """Return the hash that a batch computes for a term."""
    cdef uint64_t hash = hash_text(text.start, text.end - text.start, hash_seed())
    return term_hash(<TermKind>kind, hash, extra_hash)


cdef uint64_t hash_term(Dictionary terms, int kind, Span text, uint32_t extra) noexcept:
    """Return a batch's hash of a term; a tag is in lower case, and ``"x"`` has no datatype."""
    cdef uint64_t identity = identity_of(terms, kind, extra)
    cdef uint64_t hash = 0
    extra = <uint32_t>(identity >> 8)
    if extra != 0:
        hash = hash_key(stored_kind(terms, extra), stored_text(terms, extra), 0)
    return hash_key(<uint8_t>identity, text, hash)

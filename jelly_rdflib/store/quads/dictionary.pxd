# The distinct terms of a store, each with a number.

cdef enum:
    # The number of the IRI of xsd:string, which each dictionary has from the start.
    STRING_DATATYPE = 1
    # The number of nodes that are cached. A node's number determines its position in the cache.
    RECENT_NODES = 1 << 16


ctypedef struct StoredTerm:
    uint64_t place  # the offset of the text in the data, shifted left by 8 bits, plus the kind
    uint32_t hash
    # The number of the tag or the datatype, as in `TermColumns`; for a tag with capitals, the
    # number of its lower-case form.
    uint32_t extra


ctypedef struct TermKey:
    # The identity of a term: two terms are equal if their keys are.
    int kind
    Span text
    uint32_t extra  # as above
    uint64_t hash  # only the low half is used


ctypedef struct RecentNode:
    PyObject* node
    uint32_t number


@cython.final
cdef class Dictionary:
    cdef NodeTypes types
    cdef NodeFactory factory
    cdef StoredTerm* terms  # number 0 isn't a term; an extra entry marks the end of the last text
    cdef uint32_t count, capacity
    cdef uint8_t* data
    cdef size_t data_capacity
    cdef SlotTable table
    cdef RecentNode* recent
    cdef bint has_long  # whether a text has been longer than `MAX_RECENT_TEXT`
    # Other spellings of literals in the table: `"x"^^xsd:string` for `"x"`, or a language tag in
    # another case. Maps the literal's number in the table and the number of the spelling's tag or
    # datatype to the number of the spelling.
    cdef dict spellings
    # Literals that were ill-typed when they were added, although their text is valid: rdflib turns
    # any boolean that it can't read into "false".
    cdef set ill_typed
    # For the literal that was looked up last: the number of the requested spelling; 0 if the table
    # has the literal in this spelling.
    cdef uint32_t spelling

    # Each of these returns a number, or 0 if the store lacks the term and ``is_added`` is False.
    cdef int64_t number_of_node(self, object node, bint is_added) except -1
    cdef int64_t number_of_text(self, int kind, Span text, bint is_added) except -1
    cdef int64_t number_of_term(
        self, const TermColumns* terms, uint32_t term, bint is_added
    ) except -1
    cdef int64_t number_of_key(self, TermKey* key, bint is_added) except -1

    cdef void prefetch_terms(self, const uint64_t* hashes, uint32_t count) noexcept
    cdef uint64_t* slot_of(self, const TermKey* key) noexcept
    cdef uint32_t append(self, const TermKey* key) except 0
    cdef int reserve(self, size_t text) except -1
    cdef dict spellings_before(self, uint32_t count)
    cdef void cut(self, uint32_t count, dict spellings) noexcept
    cdef void move_to(self, Dictionary other) noexcept
    cdef object node(self, uint32_t number)


cdef inline int stored_kind(Dictionary terms, uint32_t number) noexcept:
    return <uint8_t>terms.terms[number].place


cdef inline Span stored_text(Dictionary terms, uint32_t number) noexcept:
    """Return the text of a term, valid until a term is added."""
    cdef Span text
    text.start = terms.data + (terms.terms[number].place >> 8)
    text.end = terms.data + (terms.terms[number + 1].place >> 8)
    return text


cdef inline uint64_t text_size(Dictionary terms, uint32_t number) noexcept:
    """Return the total size in bytes of the texts of all terms before a number."""
    return terms.terms[number].place >> 8


cdef inline uint64_t identity_of(Dictionary terms, int kind, uint32_t extra) noexcept:
    """Combine the kind of a term and the number of its tag or datatype, for comparisons."""
    if kind == TermKind.TYPED_LITERAL and extra == STRING_DATATYPE:
        return TermKind.SIMPLE_LITERAL
    # Tags are compared by their lower-case forms.
    return <uint64_t>(terms.terms[extra].extra or extra) << 8 | <uint64_t>kind


cdef inline bint is_literal(int kind) noexcept:
    """Return whether a kind means literals with a tag or a datatype."""
    return kind == TermKind.LANGUAGE_LITERAL or kind == TermKind.TYPED_LITERAL


cdef inline bint is_spelled_as(
    Dictionary terms, uint32_t number, const TermColumns* columns, uint32_t term
) noexcept:
    """Return whether a term is spelled like the same term of a batch."""
    cdef int kind = stored_kind(terms, number)
    cdef Span tag
    if kind != columns.kinds[term] or kind != TermKind.LANGUAGE_LITERAL:
        return kind == columns.kinds[term]
    tag = text_of(columns, columns.extras[term])
    return has_bytes(
        stored_text(terms, terms.terms[number].extra), tag.start, tag.end - tag.start
    )


cdef inline TermKey key_of(Dictionary terms, uint32_t number) noexcept:
    """Return the key of a term, valid until a term is added; its extra is this store's number."""
    cdef TermKey key
    key.kind = stored_kind(terms, number)
    key.text = stored_text(terms, number)
    key.extra = terms.terms[number].extra
    key.hash = terms.terms[number].hash
    return key


cdef int64_t find_number(Dictionary terms, object node) except -1


cdef inline object node_of(Dictionary terms, uint32_t number):
    """Return the node of a term."""
    cdef RecentNode* recent
    if terms.recent != NULL:
        recent = &terms.recent[number & (RECENT_NODES - 1)]
        if recent.number == number:
            return <object>recent.node
    return terms.node(number)

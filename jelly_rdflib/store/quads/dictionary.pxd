# The distinct terms of a store, each with a number.

ctypedef struct StoredTerm:
    uint64_t place  # of the text in the data, shifted left by 8 bits, and the kind
    uint32_t hash
    uint32_t extra  # number of the tag or the datatype, as in `TermColumns`


ctypedef struct TermKey:
    # What makes a term: two are equal if these are.
    int kind
    Span text
    uint32_t datatype  # a typed literal's
    Span tag  # a language literal's, in any case
    uint64_t hash  # of which the low half is used


ctypedef struct RecentNode:
    PyObject* node
    uint32_t number


@cython.final
cdef class Dictionary:
    cdef NodeTypes types
    cdef NodeFactory factory
    cdef StoredTerm* terms  # number 0 is none; behind the last one is the end of its text
    cdef uint32_t count, capacity
    cdef uint8_t* data
    cdef size_t data_capacity
    cdef SlotTable table
    cdef RecentNode* recent
    # Literals that differ from one of the table in the case of the language tag: their numbers, by
    # the number of that one and their own tag.
    cdef dict spellings
    # The number of the last literal in its own spelling; 0 if the table has it in this spelling.
    cdef uint32_t spelling

    # Each returns a number, or 0 if the store does not have the term and is not to get it.
    cdef int64_t number_of_node(self, object node, bint is_added) except -1
    cdef int64_t number_of_iri(self, object iri, bint is_added) except -1
    cdef int64_t number_of_term(
        self, const TermColumns* terms, uint32_t term, bint is_added
    ) except -1
    cdef int64_t number_of_key(self, TermKey* key, bint is_added) except -1

    cdef void prefetch_terms(self, const uint64_t* hashes, uint32_t count) noexcept
    cdef uint64_t* slot_of(self, const TermKey* key) noexcept
    cdef uint32_t add_key(self, TermKey* key) except 0
    cdef uint32_t append(self, TermKey* key) except 0
    cdef uint32_t find_spelling(self, TermKey* key, uint32_t number, bint is_added) except? 0
    cdef int reserve(self, size_t text) except -1
    cdef object node(self, uint32_t number)
    cdef bint is_small(self, uint32_t number) noexcept
    cdef object make_node(self, uint32_t number)
    cdef void forget_nodes(self) noexcept


cdef inline int stored_kind(Dictionary terms, uint32_t number) noexcept:
    return <uint8_t>terms.terms[number].place


cdef inline Span stored_text(Dictionary terms, uint32_t number) noexcept:
    """Return the text of a term, good until a term is added."""
    cdef Span text
    text.start = terms.data + (terms.terms[number].place >> 8)
    text.end = terms.data + (terms.terms[number + 1].place >> 8)
    return text


cdef inline object node_of(Dictionary terms, uint32_t number):
    """Return the node of a term."""
    cdef RecentNode* recent
    if terms.recent != NULL:
        recent = &terms.recent[number & (RECENT_NODES - 1)]
        if recent.number == number:
            return <object>recent.node
    return terms.node(number)


cdef enum:
    # Nodes that are kept once they were made. Each has one place, by its number.
    RECENT_NODES = 1 << 16

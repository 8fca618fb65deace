"""Ranks terms: IRIs, then blank nodes, then literals; each by code points.

Literals are ranked by lexical form, then language tag, then datatype. UTF-8 bytes sort in the same
order as code points.
"""

cdef enum:
    # The number of text bytes in a key; a byte with their actual number follows.
    KEY_BYTES = 7


cdef enum:
    # The texts of a term, compared in this order.
    OWN_TEXT, TAG_TEXT, DATATYPE_TEXT, TEXTS


ctypedef struct TextPart:
    int text
    size_t start


@cython.nonecheck(True)
@cython.final
cdef class TermRanks:
    """The ranks of some terms of a dictionary, to which no term may be added in the meantime."""

    cdef Dictionary terms
    cdef uint32_t* ranks  # by the terms' numbers; 0 for unranked terms
    # A key is the part of a term's text that is being compared.
    cdef SortItem* items
    cdef uint32_t count, capacity

    def __cinit__(self, Dictionary terms not None):
        self.terms = terms
        self.ranks = <uint32_t*>PyMem_RawCalloc(<size_t>terms.count + 1, sizeof(uint32_t))
        if self.ranks == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.ranks)
        PyMem_RawFree(self.items)

    cdef inline int add(self, uint32_t term) except -1:
        """Make sure that a term gets a rank."""
        if self.ranks[term] == 0:
            self.ranks[term] = 1
            self.append(term)
        return 0

    cdef int append(self, uint32_t term) except -1:
        make_room(<void**>&self.items, self.count, &self.capacity, sizeof(SortItem))
        self.items[self.count].number = term
        # Sort by kind first.
        self.items[self.count].key = min(stored_kind(self.terms, term), <int>TermKind.SIMPLE_LITERAL)
        self.count += 1
        return 0

    cdef int rank(self) except -1:
        """Give each term its rank, from 1 on."""
        cdef TextPart part
        cdef uint32_t i
        part.text = -1
        part.start = 0
        # The second half is the working space for sorting.
        grow(<void**>&self.items, (2 * <size_t>self.count + 1) * sizeof(SortItem))
        self.sort(self.items, self.items + self.count, self.count, part)
        for i in range(self.count):
            self.ranks[self.items[i].number] = i + 1
        PyMem_RawFree(self.items)
        self.items = NULL
        return 0

    cdef int sort(
        self, SortItem* items, SortItem* spare, uint32_t count, TextPart part
    ) except -1:
        """Sort terms by their texts, beginning at a part; each key is this part of a term's text.

        The texts are equal before this part. Terms with equal keys are sorted by the next part: the
        function loops over the largest group of them and calls itself for the others, so that the
        stack stays small.
        """
        cdef uint32_t largest, size, start, i
        while True:
            sort_items(items, spare, count)
            if count > FEW_ITEMS:
                PyErr_CheckSignals()
            largest = size = start = 0
            for i in range(1, count + 1):
                if i < count and items[i].key == items[start].key:
                    continue
                if i - start > size:
                    self.sort_equals(items + largest, spare, size, part)
                    largest, size = start, i - start
                else:
                    self.sort_equals(items + start, spare, i - start, part)
                start = i
            items += largest
            count = size
            if count < 2 or not self.next_part(items, count, &part):
                return 0

    cdef int sort_equals(
        self, SortItem* items, SortItem* spare, uint32_t count, TextPart part
    ) except -1:
        if count > 1 and self.next_part(items, count, &part):
            self.sort(items, spare, count, part)
        return 0

    cdef bint next_part(self, SortItem* items, uint32_t count, TextPart* part) noexcept:
        """Load the next keys of terms with equal keys; return False if no text is left."""
        cdef uint32_t i
        if part.text >= 0 and <uint8_t>items[0].key > KEY_BYTES:
            part.start += KEY_BYTES
        else:
            part.text += 1
            part.start = 0
        if part.text == TEXTS:
            return False
        for i in range(count):
            items[i].key = self.key_at(items[i].number, part)
        return True

    cdef uint64_t key_at(self, uint32_t term, const TextPart* part) noexcept:
        cdef Span text = self.text_of(term, part.text)
        cdef size_t size = text.end - text.start - part.start
        cdef uint64_t key = 0
        cdef size_t i
        text.start += part.start
        for i in range(min(size, <size_t>KEY_BYTES)):
            key |= <uint64_t>text.start[i] << (56 - 8 * i)
        return key | min(size, <size_t>KEY_BYTES + 1)

    cdef Span text_of(self, uint32_t term, int text) noexcept:
        cdef int kind = stored_kind(self.terms, term)
        cdef Span none
        if text == OWN_TEXT:
            return stored_text(self.terms, term)
        if kind == <int>(TermKind.LANGUAGE_LITERAL if text == TAG_TEXT else TermKind.TYPED_LITERAL):
            return stored_text(self.terms, self.terms.terms[term].extra)
        none.start = none.end = NULL
        return none

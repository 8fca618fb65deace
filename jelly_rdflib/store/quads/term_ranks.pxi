"""Ranks terms: IRIs, blank nodes, literals; each by code points.

Literals come by lexical form, then language tag, then datatype. The order of UTF-8 bytes is that of
code points.
"""

cdef enum:
    # A key has so many bytes of a text, and a byte with their number.
    KEY_BYTES = 7
    # Up to this number, terms are sorted by insertion.
    FEW_TERMS = 12


cdef enum:
    # The texts of a term, one after the other.
    OWN_TEXT, TAG_TEXT, DATATYPE_TEXT, TEXTS


ctypedef struct RankItem:
    uint64_t key  # the part of the text by which the term is being sorted
    uint32_t term


ctypedef struct TextPart:
    int text
    size_t start


@cython.nonecheck(True)
@cython.final
cdef class TermRanks:
    """The ranks of some terms of a dictionary, to which no term is added meanwhile."""

    cdef Dictionary terms
    cdef uint32_t* ranks  # by the terms' numbers; 0 for other terms
    cdef RankItem* items
    cdef uint32_t count, capacity
    cdef uint64_t random

    def __cinit__(self, Dictionary terms not None):
        self.terms = terms
        self.random = hash_seed() | 1
        self.ranks = <uint32_t*>PyMem_RawCalloc(<size_t>terms.count + 1, sizeof(uint32_t))
        if self.ranks == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.ranks)
        PyMem_RawFree(self.items)

    cdef inline int add(self, uint32_t term) except -1:
        """See that a term gets a rank."""
        if self.ranks[term] == 0:
            self.ranks[term] = 1
            self.append(term)
        return 0

    cdef int append(self, uint32_t term) except -1:
        cdef uint64_t capacity = min(2 * <uint64_t>self.capacity + 64, <uint64_t>MAX_NUMBER)
        if self.count == self.capacity:
            grow(<void**>&self.items, capacity * sizeof(RankItem))
            self.capacity = <uint32_t>capacity
        self.items[self.count].term = term
        # The kind is sorted by first.
        self.items[self.count].key = min(stored_kind(self.terms, term), <int>TermKind.SIMPLE_LITERAL)
        self.count += 1
        return 0

    cdef int rank(self) except -1:
        """Give each term its rank, from 1 on."""
        cdef TextPart part
        cdef uint32_t i
        part.text = -1
        part.start = 0
        self.sort(self.items, self.count, part)
        for i in range(self.count):
            self.ranks[self.items[i].term] = i + 1
        PyMem_RawFree(self.items)
        self.items = NULL
        return 0

    cdef int sort(self, RankItem* items, uint32_t count, TextPart part) except -1:
        """Sort terms by their texts from a part on; each key is this part of the term's text.

        The texts are equal before this part. A quicksort divides the terms by their keys into
        lesser, equal and greater ones, and sorts the equal ones by the next part. It loops over
        the largest of the three and calls itself for the two others: the stack has few calls.
        """
        cdef uint32_t equal, greater, i
        cdef uint64_t pivot
        cdef RankItem* equals
        while count > FEW_TERMS:
            self.random = mix(self.random, count)
            pivot = items[self.random % count].key
            equal = i = 0
            greater = count
            while i < greater:
                if items[i].key < pivot:
                    swap_items(&items[i], &items[equal])
                    equal += 1
                    i += 1
                elif items[i].key > pivot:
                    greater -= 1
                    swap_items(&items[i], &items[greater])
                else:
                    i += 1
            PyErr_CheckSignals()
            equals = items + equal
            if greater - equal >= max(equal, count - greater):
                self.sort(items, equal, part)
                self.sort(items + greater, count - greater, part)
                items, count = equals, greater - equal
                if not self.next_part(items, count, pivot, &part):
                    return 0
                continue
            self.sort_equals(equals, greater - equal, pivot, part)
            if equal > count - greater:
                self.sort(items + greater, count - greater, part)
                count = equal
            else:
                self.sort(items, equal, part)
                items += greater
                count -= greater
        self.insert_terms(items, count, part)
        return 0

    cdef int sort_equals(
        self, RankItem* items, uint32_t count, uint64_t key, TextPart part
    ) except -1:
        if count > 1 and self.next_part(items, count, key, &part):
            self.sort(items, count, part)
        return 0

    cdef bint next_part(
        self, RankItem* items, uint32_t count, uint64_t key, TextPart* part
    ) noexcept:
        """Load the next keys of terms with equal keys; False if the terms have no more text."""
        cdef uint32_t i
        if part.text >= 0 and <uint8_t>key > KEY_BYTES:
            part.start += KEY_BYTES
        else:
            part.text += 1
            part.start = 0
        if part.text == TEXTS:
            return False
        for i in range(count):
            items[i].key = self.key_at(items[i].term, part)
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
        if kind == (TermKind.LANGUAGE_LITERAL if text == TAG_TEXT else TermKind.TYPED_LITERAL):
            return stored_text(self.terms, self.terms.terms[term].extra)
        none.start = none.end = NULL
        return none

    cdef void insert_terms(self, RankItem* items, uint32_t count, TextPart part) noexcept:
        cdef uint32_t i, place
        cdef RankItem item
        for i in range(1, count):
            item = items[i]
            place = i
            while place > 0 and self.is_before(&item, &items[place - 1], part):
                items[place] = items[place - 1]
                place -= 1
            items[place] = item

    cdef bint is_before(self, const RankItem* one, const RankItem* other, TextPart part) noexcept:
        cdef RankItem[2] pair
        pair[0], pair[1] = one[0], other[0]
        while pair[0].key == pair[1].key:
            if not self.next_part(pair, 2, pair[0].key, &part):
                return False
        return pair[0].key < pair[1].key


cdef inline void swap_items(RankItem* one, RankItem* other) noexcept:
    one[0], other[0] = other[0], one[0]

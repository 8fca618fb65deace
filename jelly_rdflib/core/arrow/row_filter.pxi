"""Filters the rows of a batch by its distinct terms, before any row is made."""

cdef enum:
    POSITIONS = 4

cdef inline bint accepts(
    RowFilter filter, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept:
    # Other rows than statements have no term as s and p.
    cdef bint is_statement = op == A or op == D
    return (
        filter.ops[op]
        and (not filter.is_filtered[0] or filter.wanted[0][s if is_statement else 0])
        and (not filter.is_filtered[1] or filter.wanted[1][p if is_statement else 0])
        and (not filter.is_filtered[2] or filter.wanted[2][o])
        and (not filter.is_filtered[3] or filter.wanted[3][g])
    )

@cython.final
cdef class TermCondition:
    """A condition on the term in a column.

    Args:
        factory: Makes nodes.
        limits: A `jelly_rdflib.Limits`.
        values: N-Triples texts, one of which the term must have; None: any term will do. A text
            that is malformed, or not canonical, matches no term.
        is_negated: The term must have none of ``values``.
        accepts_null: Whether the condition holds where there is no term.

    Attributes:
        unknown: The ``values`` that are malformed or not canonical.
    """

    cdef readonly bint accepts_null
    cdef readonly list unknown
    cdef bint is_negated
    cdef bint has_values
    cdef TermParser parser  # its decoder's table has the values
    cdef uint8_t* is_value  # by number in that table

    def __cinit__(self, factory, limits, values, *, bint is_negated=False, bint accepts_null=False):
        cdef list numbers = []
        cdef uint32_t number
        self.is_negated = is_negated
        self.accepts_null = accepts_null
        self.unknown = []
        self.has_values = values is not None
        if not self.has_values:
            return
        self.parser = TermParser(factory, limits)
        for value in values:
            text = value.encode("utf-8", "surrogatepass")
            try:
                number = self.parser.parse(
                    <const uint8_t*>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
                )
                if canonical_text(self.parser, number, limits.max_text_size) == text:
                    numbers.append(number)
                    continue
            except LimitError:
                # Readers accept no term as large as this.
                continue
            except DecodeError:
                pass
            self.unknown.append(value)
        self.is_value = <uint8_t*>PyMem_RawCalloc(self.parser.decoder.terms.count, 1)
        if self.is_value == NULL:
            raise MemoryError
        for number in numbers:
            self.is_value[number] = True

    def __dealloc__(self):
        PyMem_RawFree(self.is_value)

    cdef int mark(self, Batch batch, uint8_t* wanted) except -1:
        """Clear ``wanted`` for the numbers of terms that do not meet the condition."""
        cdef const TermColumns* terms = &batch.terms.columns
        cdef const TermColumns* values
        cdef uint32_t term, slot, value
        cdef bint found
        if not self.has_values:
            for term in range(terms.count):
                if is_null(terms, term):
                    wanted[term] &= self.accepts_null
                elif self.is_negated:
                    wanted[term] = False
            return 0
        values = &self.parser.decoder.terms
        for term in range(terms.count):
            if is_null(terms, term):
                wanted[term] &= self.accepts_null
                continue
            if not wanted[term]:
                continue
            found = False
            slot = <uint32_t>terms.hashes[term] & values.slot_mask
            while values.slots[slot] != 0:
                value = values.slots[slot]
                if (
                    values.hashes[value] == terms.hashes[term] and self.is_value[value]
                    and is_same_term(terms, term, values, value)
                ):
                    found = True
                    break
                slot = (slot + 1) & values.slot_mask
            wanted[term] = found != self.is_negated
        return 0


cdef inline bint is_null(const TermColumns* terms, uint32_t term) noexcept:
    return terms.kinds[term] == TermKind.NONE or terms.kinds[term] == TermKind.DEFAULT_GRAPH


cdef bint is_same_term(
    const TermColumns* one, uint32_t term, const TermColumns* other, uint32_t value
) noexcept:
    """Compare terms of two tables."""
    cdef size_t size = one.offsets[term + 1] - one.offsets[term]
    cdef const uint8_t* text = one.data + one.offsets[term]
    cdef const uint8_t* other_text = other.data + other.offsets[value]
    cdef uint32_t[3] numbers
    cdef uint32_t[3] other_numbers
    cdef int position
    if (
        one.kinds[term] != other.kinds[value] or one.hashes[term] != other.hashes[value]
        or size != other.offsets[value + 1] - other.offsets[value]
    ):
        return False
    if one.kinds[term] == TermKind.TRIPLE_TERM:
        memcpy(numbers, text, sizeof(numbers))
        memcpy(other_numbers, other_text, sizeof(numbers))
        for position in range(3):
            if not is_same_term(one, numbers[position], other, other_numbers[position]):
                return False
        return True
    return memcmp(text, other_text, size) == 0 and (
        one.extras[term] == 0 or is_same_term(one, one.extras[term], other, other.extras[value])
    )


cdef bytes canonical_text(TermParser parser, uint32_t number, size_t max_size):
    cdef TermTexts texts = TermTexts(max_size)
    cdef WrittenTerm* place
    texts.start_columns(&parser.decoder.terms)
    place = texts.find(number)
    return <bytes>(<const char*>texts.out.data + place.start)[:place.size]


@cython.final
cdef class RowFilter:
    """The conditions that a row must meet.

    Args:
        ops: Codes of the accepted operations; None for all.
        s, p, o, g: Lists of `TermCondition`.
    """

    cdef uint8_t[16] ops
    cdef list conditions  # of each position a list
    cdef bint[POSITIONS] is_filtered
    cdef uint8_t* wanted[POSITIONS]  # by number in the batch's table
    cdef size_t capacity

    def __cinit__(self, *, ops=None, s=(), p=(), o=(), g=()):
        cdef int position
        memset(self.ops, ops is None, sizeof(self.ops))
        for op in () if ops is None else ops:
            self.ops[<int>op] = True
        self.conditions = [list(s), list(p), list(o), list(g)]
        for position in range(POSITIONS):
            self.is_filtered[position] = bool(self.conditions[position])

    def __dealloc__(self):
        cdef int position
        for position in range(POSITIONS):
            PyMem_RawFree(self.wanted[position])

    cdef int start(self, Batch batch) except -1:
        """Find the accepted terms of a batch."""
        cdef uint32_t count = batch.terms.columns.count
        cdef bint must_grow = count > self.capacity
        cdef int position
        cdef void* grown
        for position in range(POSITIONS):
            if not self.is_filtered[position]:
                continue
            if must_grow:
                grown = PyMem_RawRealloc(self.wanted[position], count)
                if grown == NULL:
                    raise MemoryError
                self.wanted[position] = <uint8_t*>grown
            memset(self.wanted[position], True, count)
            for condition in self.conditions[position]:
                (<TermCondition>condition).mark(batch, self.wanted[position])
        if must_grow:
            self.capacity = count
        return 0

"""Filters the rows of a batch by its distinct terms, before rows are converted."""


@cython.final
cdef class TermCondition:
    """A condition on the term in a column: it must be, or must not be, among some N-Triples texts.

    If ``values`` is None, the condition is only whether the column has a term. A malformed text
    matches no term, nor does a text that is not canonical. With ``any_spelling`` each spelling of
    a term matches; Spark, which compares texts, does not use this.
    """

    cdef readonly bint accepts_null  # whether a column without a term fulfils the condition
    cdef readonly list unknown  # the texts that are malformed or not canonical
    cdef bint is_negated
    cdef TermParser parser  # its decoder's table has the values; None: any term is accepted
    cdef uint8_t* is_value  # for each number in that table, whether it is a value
    cdef bint any_spelling

    def __cinit__(
        self, factory, limits, values, *, bint is_negated=False, bint accepts_null=False,
        bint any_spelling=False,
    ):
        cdef list numbers = []
        cdef uint32_t number
        self.is_negated = is_negated
        self.accepts_null = accepts_null
        self.any_spelling = any_spelling
        self.unknown = []
        if values is None:
            return
        self.parser = TermParser(factory, limits)
        for value in values:
            text = value.encode("utf-8", "surrogatepass")
            try:
                number = self.parser.parse(
                    <const uint8_t*>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
                )
                if any_spelling or text == canonical_text(
                    self.parser, number, limits.max_text_size
                ):
                    numbers.append(number)
                    continue
            except LimitError:
                # A text that is too long matches nothing, since no reader accepts such a term.
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

    cdef int mark(self, const TermColumns* terms, uint8_t* wanted) except -1:
        """Clear ``wanted`` for the numbers of terms that do not meet the condition."""
        cdef uint32_t term
        for term in range(terms.count):
            if is_unnamed(terms, term):
                wanted[term] &= self.accepts_null
            elif wanted[term]:
                wanted[term] = self.has(terms, term) != self.is_negated
        return 0

    cdef bint has(self, const TermColumns* terms, uint32_t term) except -1:
        """Return whether a term is one of the values."""
        cdef const TermColumns* values
        cdef uint32_t slot, number
        if self.parser is None:
            return True
        values = &self.parser.decoder.terms
        if self.any_spelling:
            for number in range(values.count):
                if self.is_value[number] and terms_same(values, number, terms, term, True):
                    return True
            return False
        slot = <uint32_t>terms.hashes[term] & values.slot_mask
        while values.slots[slot] != 0:
            if self.is_value[values.slots[slot]] and terms_same(
                values, values.slots[slot], terms, term, False
            ):
                return True
            slot = (slot + 1) & values.slot_mask
        return False


cdef bytes canonical_text(TermParser parser, uint32_t number, size_t max_size):
    cdef TermTexts texts = TermTexts(max_size)
    cdef WrittenTerm* place
    texts.start_columns(&parser.decoder.terms)
    place = texts.find(number)
    return <bytes>(<const char*>texts.out.data + place.start)[:place.size]


@cython.final
cdef class RowFilter:
    """The conditions on a row: its code is in ``ops`` (None: any), and each term is accepted."""

    cdef uint8_t[CODES] ops
    cdef list conditions  # a list for each position
    cdef TermTable table  # the table of the current batch
    cdef uint8_t* wanted[GRAPH + 1]  # by number in `table`; NULL: no conditions

    def __cinit__(self, *, ops=None, s=(), p=(), o=(), g=()):
        memset(self.ops, ops is None, sizeof(self.ops))
        for op in ops or ():
            self.ops[<int>Op(op)] = True
        self.conditions = [list(s), list(p), list(o), list(g)]

    def __dealloc__(self):
        cdef int position
        for position in range(GRAPH + 1):
            PyMem_RawFree(self.wanted[position])

    cdef int start(self, TermTable table) except -1:
        """Find the accepted terms of a batch."""
        cdef uint32_t count = table.columns.count
        cdef int position
        if self.table is table:
            return 0
        self.table = None
        table.check_made()
        for position in range(GRAPH + 1):
            if self.conditions[position]:
                if resize(<void**>&self.wanted[position], count) < 0:
                    raise MemoryError
                memset(self.wanted[position], True, count)
                for condition in self.conditions[position]:
                    (<TermCondition?>condition).mark(&table.columns, self.wanted[position])
        self.table = table
        return 0

    cdef inline bint accepts(self, const RowColumns* rows, size_t row) noexcept:
        cdef uint8_t op = rows.ops[row]
        # Only statements have terms as s and p.
        cdef bint is_statement = op == A or op == D
        return (
            self.ops[op]
            and (self.wanted[SUBJECT] == NULL
                 or self.wanted[SUBJECT][rows.s[row] if is_statement else 0])
            and (self.wanted[PREDICATE] == NULL
                 or self.wanted[PREDICATE][rows.p[row] if is_statement else 0])
            and (self.wanted[OBJECT] == NULL or self.wanted[OBJECT][rows.o[row]])
            and (self.wanted[GRAPH] == NULL
                 or self.wanted[GRAPH][0 if self.table.is_default(rows.g[row]) else rows.g[row]])
        )

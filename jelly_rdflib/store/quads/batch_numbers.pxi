"""The numbers that the terms of a batch have in a store."""

@cython.nonecheck(True)
@cython.final
cdef class BatchNumbers:
    """Adds the terms of batches to a store, one batch after another, each term once.

    If the batch's reader normalizes literals, each literal gets the normal form of its value, as if
    rdflib had made the literal.
    """

    def __cinit__(self, QuadStore store not None):
        self.store = store
        self.recognized = store.terms.types.recognized_datatypes

    def __dealloc__(self):
        PyMem_RawFree(self.numbers)

    cdef int turn_to(self, Batch batch) except -1:
        """Prepare for the terms of a batch."""
        cdef uint32_t count = batch.terms.columns.count
        cdef uint32_t i
        if self.batch is batch and self.terms is self.store.terms:
            return 0
        if count > self.capacity:
            grow(<void**>&self.numbers, <size_t>count * sizeof(uint32_t))
            self.capacity = count
        memset(self.numbers, 0, count * sizeof(uint32_t))
        if self.spellings is None or self.spellings:
            self.spellings = {}
        self.batch = batch
        self.terms = self.store.terms
        self.terms.prefetch_terms(batch.terms.columns.hashes + 1, count - 1)
        return 0

    cdef uint32_t find(self, uint32_t term, bint is_added) except? 0:
        """Return a term's number, or 0 if the store lacks the term and ``is_added`` is False."""
        cdef const TermColumns* columns = &self.batch.terms.columns
        cdef Dictionary terms = self.terms
        cdef int64_t number
        cdef object node = None
        if columns.kinds[term] == TermKind.TYPED_LITERAL:
            node = self.normal_form(term)
        if node is not None:
            number = terms.number_of_node(node, is_added)
        else:
            number = terms.number_of_term(columns, term, is_added)
        # Don't remember the number after a deletion in another spelling: a later addition of this
        # term must look it up again, since it adds the spelling to the store.
        if is_added or is_spelled_as(terms, <uint32_t>number, columns, term):
            self.numbers[term] = <uint32_t>number
        if terms.spelling != 0:
            self.spellings[term] = terms.spelling
        return <uint32_t>number

    cdef object normal_form(self, uint32_t term):
        """Return a literal's node if it may have another normal form, or None for other terms."""
        cdef TermTable table = self.batch.terms
        cdef NodeFactory factory = table.factory
        cdef Span text = text_of(&table.columns, term)
        cdef uint32_t datatype = table.columns.extras[term]
        if not factory.normalize or is_canonical(
            factory.types.literal_rules, text, text_of(&table.columns, datatype)
        ):
            return None
        iri = factory.make_node(TermKind.IRI, text_of(&table.columns, datatype), None)
        return table.make_node(term) if iri in self.recognized else None

"""A term of a batch, as its number, where a stream remembers nodes."""

cimport cython
from libc.stdint cimport int64_t, uint8_t

from jelly_rdflib.core.failure cimport Failure
from jelly_rdflib.core.terms cimport TermColumns, terms_copy, terms_free, terms_init


cdef NumberedTerm numbered_term(TermTable table, uint32_t number, NodeFactory factory):
    """Return what stands for the node of a term, which ``factory`` makes if it is asked for."""
    cdef NumberedTerm term = NumberedTerm.__new__(NumberedTerm)
    term.table = table
    term.number = number
    term.factory = factory
    return term


@cython.final
cdef class NumberedTerm:
    """A term as its number in a table, which stands for its node."""

    cdef object node(self):
        """Make the node, with the lexical form to the letter."""
        cdef TermColumns copies
        cdef Failure failure
        cdef int64_t copied
        # A table may have very many terms, and this one is wanted alone.
        if terms_init(&copies, 4, 64, self.table.columns.max_text) < 0:
            raise MemoryError
        try:
            copied = terms_copy(
                &copies, &self.table.columns, self.number, <const uint8_t*>b"", &failure
            )
            if copied < 0:
                # Its text is no longer than the table may have.
                raise MemoryError
            return self.factory.make_nodes(&copies)[copied]
        finally:
            terms_free(&copies)

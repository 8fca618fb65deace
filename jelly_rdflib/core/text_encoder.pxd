"""Encodes operations as RDF Patch text."""

from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.output cimport Output
from jelly_rdflib.core.terms cimport TermColumns
from jelly_rdflib.core.write_buffer cimport WriteBuffer


ctypedef struct WrittenTerm:
    # Where a term of a batch stands in `written`, with a space behind it; size 0: nowhere yet.
    size_t start
    size_t size


cdef int put_escaped(
    WriteBuffer* out, const uint8_t* text, size_t size, bint is_string
) except -1
cdef int put_quoted(WriteBuffer* out, const uint8_t* text, size_t size) except -1


cdef class TextPatchEncoder(Output):
    cdef NodeTypes types
    cdef bytes default_graph
    cdef WriteBuffer out  # whole rows, and the one that is being written
    cdef size_t row_start
    cdef int depth  # of quoted triples in the current row
    cdef readonly bint in_transaction
    cdef bint is_end_due  # a patch ended, but its Z is not written: that depends on what follows
    cdef bint has_end  # a Z was written
    cdef bint patch_is_empty  # no row since the last Z, or the start
    # The batch that is being written, and its terms as they are written.
    cdef const TermColumns* terms
    cdef WrittenTerm* places
    cdef WriteBuffer written
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    cdef int start_row(self) except -1
    cdef int put_end(self) except -1
    cdef int drop_row(self) except -1
    cdef int end_row(self) except -1
    cdef int emit(self) except -1
    cdef int put(self, const char* text, size_t size) except -1

    cdef int put_mark(self, int op) except -1
    cdef int put_statement(self, int op, object s, object p, object o, object g) except -1
    cdef int put_prefix(self, int op, object name, object iri, object graph) except -1
    cdef int put_node(self, object node) except -1
    cdef int refuse_literal(self, object graph) except -1
    cdef int put_graph(self, object graph) except -1
    cdef bint is_default_node(self, object graph) except -1
    cdef int put_literal(self, object node) except -1
    cdef int put_triple(self, object node) except -1
    cdef int check_depth(self) except -1

    cdef int put_row(self, Batch batch, size_t row) except -1
    cdef int put_batch_term(self, uint32_t term) except -1
    cdef int put_batch_graph(self, uint32_t term) except -1
    cdef int put_batch_string(self, uint32_t term) except -1
    cdef int put_batch_triple(self, uint32_t term) except -1
    cdef int write_term(self, uint32_t term) except -1
    cdef bint is_default_graph(self, uint32_t term) noexcept

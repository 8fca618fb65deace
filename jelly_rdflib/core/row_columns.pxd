"""Turns batches into the buffers of Arrow columns."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.term_texts cimport TermTexts
from jelly_rdflib.core.operation_place cimport OperationPlace
from jelly_rdflib.core.row_filter cimport RowFilter
from jelly_rdflib.core.write_buffer cimport WriteBuffer


ctypedef struct TextColumn:
    # An Arrow column of strings.
    WriteBuffer data
    WriteBuffer offsets  # int32
    WriteBuffer valid  # a byte for each row
    int64_t nulls


ctypedef struct TermColumn:
    # The column of a position: texts, or what a term is made of.
    TextColumn text
    TextColumn kind
    TextColumn datatype
    TextColumn language


cdef class RowColumnsBuilder:
    cdef bint is_struct
    cdef bint counts_frames
    cdef bint[5] wants  # s, p, o, g, name
    cdef bint wants_op
    cdef bint wants_patch
    cdef bint wants_transaction
    cdef bint wants_seq
    cdef size_t max_rows
    cdef size_t max_bytes
    cdef OperationPlace at
    cdef RowFilter filter
    cdef TermTexts texts
    cdef size_t count
    cdef size_t size  # bytes of text in the columns
    cdef TextColumn op
    cdef TextColumn name
    cdef TermColumn[4] terms
    cdef WriteBuffer patch
    cdef WriteBuffer transaction
    cdef WriteBuffer transaction_valid
    cdef int64_t transaction_nulls
    cdef WriteBuffer seq

    cdef int append_row(
        self, Batch batch, size_t row, int64_t patch, int64_t transaction, int64_t seq
    ) except -1
    cdef int append_term(self, Batch batch, TermColumn* column, uint32_t term) except -1
    cdef int append_parts(self, Batch batch, TermColumn* column, uint32_t term) except -1
    cdef int append_text(self, TextColumn* column, const uint8_t* text, size_t size) except -1
    cdef int append_null(self, TextColumn* column) except -1
    cdef int append_padded(self, TextColumn* column, const uint8_t* text, size_t size) except -1

"""Decodes the frames of a Jelly-Patch stream to batches."""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from jelly_rdflib.core.batch cimport Batch, RowColumns
from jelly_rdflib.core.nodes cimport NodeFactory
from jelly_rdflib.core.term_decoder cimport TermDecoder
from jelly_rdflib.core.wire cimport Span


ctypedef struct PatchStreamOptions:
    # RdfPatchOptions, with the names of its fields.
    uint32_t statement_type
    uint32_t stream_type
    bint generalized_statements
    bint rdf_star
    uint32_t max_name_table_size
    uint32_t max_prefix_table_size
    uint32_t max_datatype_table_size
    uint32_t version


@cython.final
cdef class PatchFrameDecoder:
    cdef TermDecoder terms
    cdef NodeFactory factory
    cdef PatchStreamOptions stream_options
    cdef bint has_options
    cdef bint has_graphs
    cdef bint in_transaction
    cdef bint patch_is_open  # operations came since the last end of a patch
    cdef bint is_broken
    cdef bint is_finished
    cdef bint is_busy  # some thread is in there, without the GIL
    cdef uint32_t max_names
    cdef uint32_t max_prefixes
    cdef uint32_t max_datatypes
    cdef size_t max_frame_size
    # Where the decoder is, for errors.
    cdef uint64_t frame
    cdef uint64_t row
    cdef bint is_in_row
    # The frame being decoded.
    cdef RowColumns rows
    cdef size_t row_hint
    cdef uint32_t term_hint
    cdef size_t text_hint

    cdef Batch decode(self, const uint8_t* start, size_t size, uint64_t offset)
    cdef Batch end(self, uint64_t offset)
    cdef int check_usable(self) except -1
    cdef object raise_failure(self, const uint8_t* start, size_t size, uint64_t offset)
    cdef int start_rows(self, size_t size) noexcept nogil
    cdef Batch take_batch(self)
    cdef int decode_frame_rows(self, Span frame) noexcept nogil
    cdef int decode_row(self, Span row) noexcept nogil
    cdef int decode_content(self, uint32_t field, Span content) noexcept nogil
    cdef int read_options(self, Span message, PatchStreamOptions* options) noexcept nogil
    cdef int use_options(self, Span message) noexcept nogil
    cdef int check_options(self, PatchStreamOptions* options, const uint8_t* at) noexcept nogil
    cdef int decode_namespace(self, uint8_t op, Span message) noexcept nogil
    cdef int decode_header(self, Span message) noexcept nogil
    cdef int decode_transaction(self, uint8_t op, Span message) noexcept nogil
    cdef int decode_punctuation(self, Span message) noexcept nogil
    cdef int append(
        self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil

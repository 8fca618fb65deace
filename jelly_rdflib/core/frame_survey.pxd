"""Counts what the frames of a stream are made of, on the wire."""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from jelly_rdflib.core.batch_reader cimport BatchReader
from jelly_rdflib.core.frame_decoder cimport FrameDecoder
from jelly_rdflib.core.odd_fields cimport OddFields
from jelly_rdflib.core.schema cimport MAX_FIELD
from jelly_rdflib.core.term_decoder cimport EncodedTerm, TermDecoder
from jelly_rdflib.core.wire cimport Span

cdef enum:
    TERM_KINDS = 8  # those of `terms.TermKind` but STRING, which is no term


ctypedef struct Tally:
    uint64_t count
    uint64_t size  # in bytes


ctypedef struct LookupSurvey:
    uint8_t* slots  # a `SlotState` for each id
    uint32_t size
    uint32_t last_set
    uint32_t highest_id
    uint64_t entries
    uint64_t replaced  # entries whose slot another entry took
    uint64_t unused  # entries that nothing has referred to so far
    uint64_t references
    uint64_t text_size


@cython.final
cdef class FrameSurvey:
    cdef BatchReader batches
    cdef FrameDecoder decoder
    cdef TermDecoder terms  # of the decoder
    cdef uint64_t frames
    # Of the last frame.
    cdef Span frame
    cdef uint64_t frame_offset
    cdef uint64_t frame_size
    cdef uint64_t frame_rows
    cdef uint64_t frame_entries
    cdef OddFields* odd  # NULL: nobody wants to know
    # Of all frames.
    cdef Tally[MAX_FIELD + 1] row_tallies  # by the rows' fields; 0: rows of no kind
    cdef Tally metadata
    cdef uint64_t[TERM_KINDS] term_counts
    cdef uint64_t[4] repeated  # by position: terms that are not written
    cdef bint has_graph  # a graph has been written
    cdef LookupSurvey[3] lookup_surveys  # of names, prefixes and datatypes
    cdef uint32_t last_name
    cdef uint32_t last_prefix

    cdef int check_frame(self) except -1
    cdef int hold_frame(self) except -1
    cdef int let_go(self) except -1
    cdef int next_operation(
        self, const uint8_t** at, const uint8_t** row_at, uint64_t* number
    ) noexcept nogil
    cdef int start_lookups(self) except -1
    cdef int count_frame(self) noexcept nogil
    cdef int count_row(self, uint32_t field, Span content) noexcept nogil
    cdef int count_statement(self, Span content, bint is_quad) noexcept nogil
    cdef int count_graph(self, EncodedTerm* graph) noexcept nogil
    cdef int count_entry(self, LookupSurvey* lookup, Span entry) noexcept nogil
    cdef int count_term(self, EncodedTerm* term, int depth) noexcept nogil
    cdef int count_iri(self, Span message) noexcept nogil
    cdef int count_reference(
        self, LookupSurvey* lookup, uint32_t id, const uint8_t* at
    ) noexcept nogil
    cdef bint is_operation(self, uint32_t field) noexcept nogil
    cdef uint64_t last_number(self) noexcept
    cdef int raise_failure(self) except -1

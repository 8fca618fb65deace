"""Finds fields that protobuf reads without complaint, but that no stream should have."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from jelly_rdflib.core.failure cimport Failure
from jelly_rdflib.core.schema cimport MESSAGES
from jelly_rdflib.core.wire cimport Span

cpdef enum OddKind:
    UNKNOWN_FIELD  # which the schema does not have
    SECOND_FIELD  # a field that stands twice, or two members of a oneof
    GRAPH_FIELD  # a graph in a stream of triples
    ODD_KINDS


ctypedef struct OddField:
    OddKind kind
    int message
    uint32_t field
    uint64_t row
    const uint8_t* at


cdef enum:
    # For each message each of its fields may be odd in each of these ways, once in a stream.
    MAX_FOUND = 32 * MESSAGES * ODD_KINDS


ctypedef struct OddFields:
    # Those of this frame that were not found in an earlier one.
    OddField[MAX_FOUND] found
    uint32_t count
    # Bits of the fields that were found, by kind and message.
    uint32_t[ODD_KINDS][MESSAGES] seen
    uint64_t row
    bint has_graphs  # which rows of quads may have


cdef int find_odd_fields(
    OddFields* odd, Span frame, int row_message, int max_depth, Failure* failure
) noexcept nogil

"""Tells Jelly-RDF from Jelly-Patch by a stream's first frame."""

from jelly_rdflib.core.wire cimport Span

cdef enum StreamKind:
    UNKNOWN_STREAM  # the frame is damaged, or does not start with options
    NO_ROWS  # the frame says nothing of it
    PATCH_STREAM
    STATEMENT_STREAM


cdef StreamKind find_stream_kind(Span frame) noexcept nogil

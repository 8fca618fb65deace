# Decodes the frames of a Jelly-RDF stream to batches.

cdef enum:
    # The field of RdfStreamFrame that is no row.
    METADATA = 15


@cython.final
cdef class StatementFrameDecoder(FrameDecoder):
    cdef bint is_strict
    cdef bint is_quiet  # not strict, and no warning either
    cdef bint is_in_graph  # in a GRAPHS stream
    cdef bytes description  # of the types, for an error
    cdef bytes stream_name
    cdef const char* name_start  # of `stream_name`, for code without the GIL
    cdef size_t name_size

    cdef const char* describe_types(self, const uint32_t* options) noexcept with gil
    cdef int decode_triple_row(self, Span message) noexcept nogil
    cdef int decode_quad_row(self, Span message) noexcept nogil
    cdef int read_graph_start(self, Span message, EncodedTerm* graph) noexcept nogil
    cdef int decode_graph_start(self, Span message) noexcept nogil
    cdef int decode_graph_end(self, Span message) noexcept nogil
    cdef int decode_namespace(self, Span message) noexcept nogil
    cdef int decode_metadata(self, Span entry) noexcept nogil
    cdef int put_metadata(self, Span key, Span value) noexcept with gil
    cdef int put_name(self, Span name) noexcept with gil
    cdef int refuse_row(self, Span message, const char* row) noexcept nogil

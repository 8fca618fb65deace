# The state of a decoder as bytes: writing it down, and taking it back from a stranger.

ctypedef struct Checkpoint:
    # What is left to be read of a saved state.
    const uint8_t* at
    const uint8_t* end


cdef int put_saved_number(WriteBuffer* out, uint64_t number) except -1
cdef int put_saved_text(WriteBuffer* out, const uint8_t* text, size_t size) except -1
cdef int save_lookup(WriteBuffer* out, const Lookup* lookup) except -1
cdef int save_terms(WriteBuffer* out, const TermColumns* terms) except -1

cdef uint64_t take_saved_number(Checkpoint* state, uint64_t most) except? 0xFFFFFFFFFFFFFFFF
cdef bint take_saved_flag(Checkpoint* state) except -1
cdef bytes take_saved_text(Checkpoint* state, size_t max_size)
cdef int restore_lookup(
    Checkpoint* state, Lookup* lookup, uint64_t* serial, const TextLimits* limits, size_t* held
) except -1
cdef int restore_terms(
    Checkpoint* state, TermColumns* terms, uint64_t seed, const TextLimits* limits, int max_depth
) except -1

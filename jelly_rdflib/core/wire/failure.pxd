# Code without the GIL can't raise exceptions, so it fills in a Failure, which is raised later.

ctypedef struct Failure:
    const char* rule  # the value of a `jelly_rdflib.Rule`
    const char* message  # may contain the fields {number}, {bound} and {what}
    const uint8_t* at
    uint64_t number
    uint64_t bound
    const char* what
    const char* limit  # the name of the field of `Limits` that was exceeded; may contain {what}


cdef inline int fail(
    Failure* failure, const uint8_t* at, const char* rule, const char* message
) noexcept nogil:
    failure.rule = rule
    failure.message = message
    failure.at = at
    return -1


cdef inline int fail_number(
    Failure* failure, const uint8_t* at, const char* rule, const char* message, uint64_t number,
    uint64_t bound
) noexcept nogil:
    failure.number = number
    failure.bound = bound
    return fail(failure, at, rule, message)


cdef inline int fail_limit(
    Failure* failure, const uint8_t* at, const char* limit, const char* message, uint64_t asked,
    uint64_t bound
) noexcept nogil:
    # ``asked`` is 0 if the input does not state the size that it needs.
    failure.limit = limit
    return fail_number(failure, at, b"limit", message, asked, bound)


cdef inline int fail_memory(Failure* failure, const uint8_t* at) noexcept nogil:
    # A failure without a message is raised as a MemoryError.
    return fail(failure, at, NULL, NULL)


cdef object failure_to_error(
    Failure* failure, object offset, object frame, object row, object line=*, object column=*
)

# How code that runs without the GIL says what is wrong: a message and a place, no exception.

ctypedef struct Failure:
    const char* message  # may have the fields {number}, {bound} and {what}
    const uint8_t* at
    uint64_t number
    uint64_t bound
    const char* what
    bint is_limit


cdef inline int fail(Failure* failure, const uint8_t* at, const char* message) noexcept nogil:
    failure.message = message
    failure.at = at
    return -1


cdef inline int fail_number(
    Failure* failure, const uint8_t* at, const char* message, uint64_t number, uint64_t bound
) noexcept nogil:
    failure.number = number
    failure.bound = bound
    return fail(failure, at, message)


cdef inline int fail_limit(
    Failure* failure, const uint8_t* at, const char* message, uint64_t number, uint64_t bound
) noexcept nogil:
    failure.is_limit = True
    return fail_number(failure, at, message, number, bound)


cdef inline int fail_memory(Failure* failure, const uint8_t* at) noexcept nogil:
    # No message: what raises the failure turns it into a MemoryError.
    return fail(failure, at, NULL)


cdef object failure_to_error(
    Failure* failure, object offset, object frame, object row, object line=*, object column=*
)

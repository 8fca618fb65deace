# The base class of encoders, which passes bytes to a sink and keeps track of its state.

cdef enum OutputState:
    NOT_INITIALIZED  # `Output.__init__` was not called
    OPEN
    IN_FLIGHT  # a call is encoding a row, or passing bytes to the sink
    BROKEN  # some output was lost
    FINISHED  # nothing may follow


cdef class Output:
    cdef OutputState state
    cdef object sink
    cdef readonly object options  # the stream's options; None for a format without options
    cdef readonly bint in_transaction

    cdef int put_batch(self, Batch batch) except -1
    cdef int end_batch(self) except -1
    cdef int check_namespaces(self, object prefix) except -1
    cdef int check_mark(self, int op) except -1
    cdef int check_new(self) except -1
    cdef int check_claimed(self) except -1
    cdef int refuse(self) except -1
    cdef int send(self, bytes piece) except -1


# Cython counts references if a subclass is passed as an `Output`. So the hot paths of encoders
# check `state` themselves.

cdef inline int check_usable(Output output) except -1:
    """Check that writing may begin; raise an error if another call is writing."""
    if output.state != OPEN:
        return output.refuse()
    return 0


cdef inline void set_state(Output output, OutputState state) noexcept:
    """Set the state, which other threads may be reading."""
    with cython.critical_section(output):
        output.state = state


cdef inline int claim_output(Output output) except -1:
    """Refuse all other calls until `free_output`."""
    with cython.critical_section(output):
        if output.state != OPEN:
            return output.refuse()
        output.state = IN_FLIGHT
    return 0


cdef inline void free_output(Output output) noexcept:
    """Allow other calls again, unless output was lost."""
    with cython.critical_section(output):
        if output.state == IN_FLIGHT:
            output.state = OPEN

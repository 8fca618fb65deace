"""The base class of encoders, which passes bytes to a sink and keeps track of its state.

A sink may take a long time and run any code. In that time another thread, or the sink itself, may
try to write. Such a call is refused, but leaves the stream intact; only a failing sink breaks it.
"""

@cython.nonecheck(True)
cdef class Output:
    """Base class of encoders, which pass bytes to ``sink`` when the bytes are ready.

    The encoder of each format defines `put_batch` and ``finish``.
    """

    def __init__(self, sink):
        self.check_new()
        self.sink = sink
        self.state = OPEN

    @property
    @cython.critical_section
    def is_over(self):
        """Return whether no more output can follow, since the output has ended or is broken."""
        if self.state == NOT_INITIALIZED or self.state == IN_FLIGHT:
            self.refuse()
        return self.state != OPEN

    def hand_on(self, bytes piece not None):
        """Pass bytes to the sink; call `claim_output` first."""
        self.check_claimed()
        self.send(piece)

    def lose(self):
        """Mark the output as broken, since output was lost; call `claim_output` first."""
        self.check_claimed()
        set_state(self, BROKEN)

    def end(self):
        """Mark the output as finished; call `claim_output` first."""
        self.check_claimed()
        set_state(self, FINISHED)

    def write_batch(self, Batch batch not None):
        """Write the rows of a batch with unchanged lexical forms, without making Python objects.

        A row that can't be encoded raises an `EncodeError`: the rows before it are written, and the
        row leaves no trace in the stream. A batch that is still being filled may be passed many
        times, each time with only the rows that are to be written.
        """
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        batch.terms.check_made()
        self.put_batch(batch)

    cdef int put_batch(self, Batch batch) except -1:
        """Write the rows of a batch, which was checked; see `write_batch`."""
        raise NotImplementedError

    cdef int end_batch(self) except -1:
        """Forget the batch that is still being filled, since its terms will be removed."""
        return 0

    cdef int check_namespaces(self, object prefix) except -1:
        """Raise an EncodeError if the options do not allow namespaces."""
        return 0

    cdef int check_mark(self, int op) except -1:
        """Check that a transaction may start or end here (TX, TC, TA), or the patch end (END)."""
        if transaction_fault(self.in_transaction, op) == NULL:
            return 0
        raise EncodeError(
            "a transaction starts inside a transaction" if op == TX
            else "the patch ends inside a transaction: commit() or abort() it" if op == END
            else "there is no transaction to end: begin() one first",
            rule=Rule(transaction_rule(op).decode()),
        )

    cdef int check_new(self) except -1:
        if self.state != NOT_INITIALIZED:
            raise RuntimeError("the encoder is already initialized")
        return 0

    cdef int check_claimed(self) except -1:
        if self.state != IN_FLIGHT:
            raise RuntimeError("no call is writing: nothing can be passed on or lost")
        return 0

    cdef int refuse(self) except -1:
        """Raise an error that says why nothing can be written."""
        if self.state == NOT_INITIALIZED:
            raise RuntimeError("the encoder was not initialized: __init__ was not called")
        if self.state == IN_FLIGHT:
            raise InUseError(
                "another call is writing already: either in another thread, or the call that led"
                " to this one"
            )
        if self.state == BROKEN:
            raise EncodeError(
                "an earlier part could not be written: nothing can be written after that"
            )
        raise EncodeError(
            "the output has ended (a flat stream or a bare frame ends with its patch): nothing"
            " can be written after that"
        )

    cdef int send(self, bytes piece) except -1:
        """Pass bytes to the sink, whatever the state."""
        # If the sink fails, the bytes can't be passed again: it may have processed some of them.
        cdef OutputState before = self.state
        set_state(self, IN_FLIGHT)
        try:
            self.sink(piece)
        except BaseException:
            set_state(self, BROKEN)
            raise
        set_state(self, before)
        return 0

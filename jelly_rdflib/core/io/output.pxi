"""Where an encoder hands on what it has made, and whether it may.

A sink may take its time, and run any code: other threads write meanwhile, or the sink itself does.
They are refused, and not told that anything is wrong with the stream; only a sink that fails breaks
it.
"""

@cython.nonecheck(True)
cdef class Output:
    """Base of encoders, which call ``sink`` with bytes as they are ready.

    The encoder of a format has a `put_batch` and a ``finish`` of its own.
    """

    def __init__(self, sink):
        self.check_new()
        self.sink = sink
        self.state = OPEN

    @property
    def is_over(self):
        """Is there nothing more to be handed on, since the output has ended or is broken?"""
        if self.state == NOT_INITIALIZED or self.state == IN_FLIGHT:
            self.refuse()
        return self.state != OPEN

    def hand_on(self, bytes piece not None):
        """Hand on what is ready; `claim_output` comes first."""
        self.check_claimed()
        self.send(piece)

    def lose(self):
        """Say that something was lost; `claim_output` comes first."""
        self.check_claimed()
        self.state = BROKEN

    def end(self):
        """Say that nothing follows; `claim_output` comes first."""
        self.check_claimed()
        self.state = FINISHED

    def write_batch(self, Batch batch not None):
        """Write the rows of a batch, lexical forms to the letter, without making objects of them.

        If a row can't be encoded, it raises `EncodeError`: the rows before it are written, and the
        stream is as if that row had not been tried. A batch that is still being filled may come
        again and again; it has the rows that are to be written each time.
        """
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        batch.terms.check_made()
        self.put_batch(batch)

    cdef int put_batch(self, Batch batch) except -1:
        """Do what `write_batch` does with a batch that has terms."""
        raise NotImplementedError

    cdef int end_batch(self) except -1:
        """Let go of the batch that is still being filled: its terms are about to go."""
        return 0

    cdef int check_namespaces(self, object prefix) except -1:
        """See that a namespace may be declared; where there is no place for it, it is left out."""
        return 0

    cdef int check_mark(self, int op) except -1:
        """See that a transaction may start or end here (TX, TC, TA), or the patch (END)."""
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
            raise RuntimeError("the encoder is initialized already")
        return 0

    cdef int check_claimed(self) except -1:
        if self.state != IN_FLIGHT:
            raise RuntimeError("no call is writing: nothing can be handed on or lost")
        return 0

    cdef int refuse(self) except -1:
        """Say why nothing can be written."""
        if self.state == NOT_INITIALIZED:
            raise RuntimeError("the encoder was not initialized: __init__ was not called")
        if self.state == IN_FLIGHT:
            raise InUseError(
                "another call is writing at this moment: one of another thread, or the one that"
                " called this"
            )
        if self.state == BROKEN:
            raise EncodeError(
                "an earlier part could not be written: nothing can be written after that"
            )
        raise EncodeError(
            "the output has ended, as a flat stream and a bare frame do with their patch: nothing"
            " can be written after that"
        )

    cdef int send(self, bytes piece) except -1:
        """Give the sink something, whatever the state was."""
        # Bytes that a sink failed to take can't be given again: it may have taken a part of them.
        cdef OutputState before = self.state
        self.state = IN_FLIGHT
        try:
            self.sink(piece)
        except BaseException:
            self.state = BROKEN
            raise
        self.state = before
        return 0

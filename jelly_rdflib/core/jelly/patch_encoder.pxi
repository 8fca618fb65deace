"""Encodes operations to the frames of a Jelly-Patch stream."""

cdef TermFields NAMESPACE_FIELDS = TermFields(2, 0, 0, 0, 0)
cdef TermFields NAMESPACE_GRAPH_FIELDS = TermFields(3, 4, 6, 0, 5)
cdef TermFields HEADER_VALUE_FIELDS = TermFields(2, 3, 4, 5, 0)

# The field of the row for each operation code.
cdef uint32_t[CODES] ROW_FIELDS = [
    0, HEADER, TRANSACTION_START, TRANSACTION_COMMIT, TRANSACTION_ABORT, NAMESPACE_ADD,
    NAMESPACE_DELETE, STATEMENT_ADD, STATEMENT_DELETE, PUNCTUATION,
]


@cython.final
cdef class PatchFrameEncoder(FrameEncoder):
    """Encodes operations with `jelly_rdflib.PatchOptions`; see `FrameEncoder`."""

    cdef int stream_type
    cdef bint patch_is_open  # operations were written since the last end of a patch

    def __init__(self, types not None, options, sink=None):
        if not isinstance(options, PatchOptions):
            raise TypeError(f"options must be PatchOptions, not {type(options).__name__}")
        super().__init__(types, options, sink, (PATCH_NAME, PATCH_PREFIX, PATCH_DATATYPE))
        self.stream_type = options.stream_type
        self.has_graphs = options.statement_type == QUADS
        self.is_cut = self.is_delimited and self.stream_type != FRAME
        self.put_options(PATCH_OPTION_FIELDS, b"")

    @cython.critical_section
    def restart(self):
        """Start another stream with the same options. Rows of an unfinished frame are lost.

        A restart is faster than a new encoder, since the lookups keep their memory.
        """
        if self.state == NOT_INITIALIZED or self.state == IN_FLIGHT:
            self.refuse()
        # Refuse a call from a finalizer, which may run in the middle of a row.
        if self.is_in_batch or self.is_in_frame:
            raise InUseError("another call is using this encoder: it can't start a stream now")
        self.terms.restart()
        self.frames = 0
        self.in_transaction = self.patch_is_open = False
        self.state = OPEN
        self.put_options(PATCH_OPTION_FIELDS, b"")

    def encode_frame(self, write not None):
        """Return a frame, without its length, with the operations that ``write()`` writes."""
        self.begin_frame("write() operations")
        try:
            write()
            if self.stream_type == FRAME:
                if self.in_transaction:
                    raise EncodeError(
                        "the frame of a FRAME stream ends inside a transaction",
                        rule=Rule.TRANSACTION_FRAME,
                    )
                self.state = OPEN
                self.patch_is_open = False
            return self.take_frame()
        finally:
            with cython.critical_section(self):
                self.is_in_frame = False

    @cython.critical_section
    def finish(self):
        """End the stream: end an open patch, and pass the last frame to the sink.

        An open transaction is aborted.
        """
        if self.state == BROKEN:
            return
        if self.state != FINISHED:
            check_usable(self)
        if self.in_transaction:
            self.put_transaction(TA)
        if self.patch_is_open:
            self.end_patch()
        # Rows without an open patch are only lookup entries that no row uses; in a FRAME stream a
        # frame of them would be a patch.
        if self.frames == 0 or (self.terms.rows > 0 and self.stream_type != FRAME):
            self.emit()
        self.state = FINISHED

    @cython.critical_section
    def flush(self):
        """Write the buffered rows as a frame, except in a FRAME stream and in a bare frame."""
        if self.is_cut and self.terms.rows > 0:
            self.emit()

    cdef int start_operation(self) except -1:
        if self.state == FINISHED and self.stream_type == FRAME:
            raise EncodeError("the frame already has its patch: the next patch needs a new frame")
        return self.refuse() if self.state != OPEN else 0

    cdef int end_operation(self) except -1:
        self.patch_is_open = True
        return close_full_frame(self)

    cdef int put_transaction(self, int op) except -1:
        """Write the row that starts or ends a transaction."""
        self.start_operation()
        self.check_mark(op)
        self.put_mark(ROW_FIELDS[op])
        self.in_transaction = op == TX
        return self.end_operation()

    cdef int end_patch(self) except -1:
        self.start_operation()
        self.check_mark(END)
        if self.stream_type == PUNCTUATED:
            self.put_mark(PUNCTUATION)
        self.patch_is_open = False
        if self.stream_type == FLAT or (self.stream_type == FRAME and not self.is_delimited):
            # Nothing may follow: a FLAT stream is one patch, and a bare FRAME stream is one frame
            # with one patch.
            self.state = FINISHED
        elif self.is_delimited:
            # End the frame, so that readers see a complete patch at once.
            self.emit()
        return 0

    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1:
        if op == TX or op == TC or op == TA:
            return self.put_transaction(op)
        if op == END:
            return self.end_patch()
        if self.state != OPEN:
            self.start_operation()
        if op == A or op == D:
            numbers[GRAPH] = checked_graph(self, numbers[GRAPH])
            put_row(self, ROW_FIELDS[op], numbers)
            self.terms.set_last(numbers, self.has_graphs)
        elif op == PA or op == PD:
            self.terms.table.check_prefix(numbers[SUBJECT], numbers[OBJECT], op == PA)
            numbers[GRAPH] = checked_graph(self, numbers[GRAPH])
            put_row(self, ROW_FIELDS[op], numbers)
            if self.has_graphs:
                self.terms.last_numbers[GRAPH] = numbers[GRAPH]
        else:
            self.terms.table.check_name(numbers[SUBJECT], "header key")
            put_row(self, HEADER, numbers)
        return self.end_operation()

    cdef int put_terms(self, uint32_t field, const uint32_t* numbers) except -1:
        cdef TermEncoder terms
        if field == STATEMENT_ADD or field == STATEMENT_DELETE:
            return self.terms.put_statement(numbers, 4 if self.has_graphs else 3)
        terms = self.terms
        if field == HEADER:
            terms.put_string_term(1, numbers[SUBJECT])
            return terms.put_term(numbers[OBJECT], &HEADER_VALUE_FIELDS, OBJECT)
        terms.put_string_term(1, numbers[SUBJECT])
        if numbers[OBJECT] != 0:
            terms.put_term(numbers[OBJECT], &NAMESPACE_FIELDS, OBJECT)
        if not self.has_graphs or terms.is_last(numbers[GRAPH], GRAPH):
            return 0
        return terms.put_term(numbers[GRAPH], &NAMESPACE_GRAPH_FIELDS, GRAPH)

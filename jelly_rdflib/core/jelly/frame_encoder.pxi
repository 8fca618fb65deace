"""Encodes rows to frames: the part that the encoders of Jelly-RDF and Jelly-Patch share."""

cdef inline int close_full_frame(FrameEncoder encoder) except -1:
    if encoder.is_cut and (
        encoder.terms.rows >= encoder.frame_rows
        or encoder.terms.frame.size >= encoder.frame_bytes
    ):
        encoder.emit()
    return 0

cdef inline uint32_t checked_graph(FrameEncoder self, uint32_t number) except? 0xFFFFFFFE:
    """Return a graph's number, as `graph_number` does, or 0 in a stream of triples."""
    cdef uint32_t graph = graph_number(self.terms, number)
    if self.has_graphs:
        return graph
    if graph != DEFAULT_NUMBER:
        raise EncodeError(
            f"graph {self.terms.table.show(number)} in a stream of triples", needs="graphs"
        )
    return 0

cdef inline int put_row(FrameEncoder self, uint32_t field, const uint32_t* numbers) except -1:
    """Write a row with four terms, given by number in the order of `Batch`.

    If a term can't be encoded, the row is not written, and its ids must not count.
    """
    try_row(self, field, numbers)
    if self.terms.is_out_of_prefixes:
        self.terms.is_without_prefixes = True
        try:
            try_row(self, field, numbers)
        finally:
            self.terms.is_without_prefixes = False
    return 0

cdef int try_row(FrameEncoder self, uint32_t field, const uint32_t* numbers) except -1:
    """Write a row, unless its terms need more prefixes than the lookup can hold."""
    cdef LastIri last_iri = self.terms.last_iri
    cdef bint is_put = False
    begin_row(self.terms)
    try:
        self.put_terms(field, numbers)
        if not self.terms.is_out_of_prefixes:
            self.terms.end_row(field)
            is_put = True
    finally:
        if not is_put:
            self.terms.last_iri = last_iri
    return 0

cdef enum:
    # The maximum number of bytes of a field's tag and number.
    MAX_NUMBER_SIZE = 16
    MAX_LENGTH_SIZE = 10
    # The id before 0: in 32 bits its successor is 0, which is not a valid id.
    ID_BEFORE_NONE = 0xFFFFFFFF


cdef class FrameEncoder(Output):
    """Encodes rows, one after another. Subclasses encode a format's rows.

    A row that can't be encoded raises `EncodeError` and is left out. The stream can continue.

    Args:
        types: The classes of nodes; only the node of the default graph is used.
        options: The stream's options.
        sink: Called with the bytes of each frame when the frame is closed. They start with the
            frame's length if ``options.delimited`` is set, but see `leave_lengths_out`. None: bare
            frames are returned instead.
        entry_fields: The fields of rows with entries of names, prefixes and datatypes.
    """

    cdef TermEncoder terms
    cdef bint has_graphs
    cdef size_t frame_rows
    cdef size_t frame_bytes
    cdef bint is_delimited  # each frame is preceded by its length
    cdef bint has_lengths
    cdef bint is_cut  # frames are closed when they are full
    cdef size_t frames
    cdef bint is_in_frame  # a frame to return to the caller is being made
    cdef bint is_in_batch  # the rows of a batch are being written

    def __init__(self, types not None, options, sink, entry_fields):
        self.check_new()
        self.options = options
        self.terms = TermEncoder(types, options, entry_fields)
        self.frame_rows = options.frame_rows
        self.frame_bytes = options.frame_bytes
        self.is_delimited = self.has_lengths = options.delimited and sink is not None
        # Set all attributes first, since Output.__init__ opens the encoder for use.
        Output.__init__(self, sink)

    cdef int put_options(self, dict fields, bytes name) except -1:
        """Write the first row of the stream, with its name and the numeric options."""
        cdef Text text = Text(<const uint8_t*>PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name))
        begin_row(self.terms)
        self.terms.put_string(1, &text)
        for option, field in sorted(fields.items(), key=itemgetter(1)):
            number = getattr(self.options, option)
            if number:
                buffer_reserve(&self.terms.content, MAX_NUMBER_SIZE)
                put_number(&self.terms.content, field, number)
        return self.terms.end_row(OPTIONS_ROW)

    def leave_lengths_out(self):
        """Pass bare frames to the sink, for queues and tables, which separate frames themselves.

        Call this before the first frame is closed.
        """
        self.has_lengths = False

    def keep_directions(self):
        """Write ``ar--rtl`` as a language tag, for a reader of this package that expects it."""
        self.terms.keeps_directions = True

    @cython.critical_section
    def write_first_ids(self):
        """Write the first ids in full, even if they could be left out at the start of a stream.

        The stream then means the same to a reader that still has the lookups and the last terms of
        an earlier stream with the same options. Call this before the first row.
        """
        check_usable(self)
        self.terms.last_iri.name = ID_BEFORE_NONE
        for lookup in (self.terms.names, self.terms.prefixes, self.terms.datatypes):
            (<LookupEncoder>lookup).last_set = ID_BEFORE_NONE

    @cython.critical_section
    cdef int begin_frame(self, str instead) except -1:
        """Begin a frame that is returned to the caller, who resets ``is_in_frame`` at its end.

        If the stream's frames have a destination, the error for this call ends with ``instead``.
        """
        if self.state != FINISHED:
            check_usable(self)
        if self.is_in_frame:
            raise InUseError("another thread is using this encoder to make a frame")
        if self.sink is not None:
            raise EncodeError(f"frames of this stream go to its destination: {instead}")
        self.is_in_frame = True
        return 0

    cdef int put_mark(self, uint32_t field) except -1:
        """Write a row without content."""
        begin_row(self.terms)
        return self.terms.end_row(field)

    cdef int put_terms(self, uint32_t field, const uint32_t* numbers) except -1:
        """Write the terms of a row that is stored in the given field."""
        return 0

    @cython.critical_section
    cdef int put_batch(self, Batch batch) except -1:
        cdef uint32_t[4] numbers
        cdef size_t row = 0
        if self.state != FINISHED:
            check_usable(self)
        self.terms.start_batch(batch.terms)
        self.is_in_batch = True
        try:
            for row in range(batch.rows.count):
                numbers[SUBJECT] = batch.rows.s[row]
                numbers[PREDICATE] = batch.rows.p[row]
                numbers[OBJECT] = batch.rows.o[row]
                numbers[GRAPH] = batch.rows.g[row]
                self.put_batch_row(batch.rows.ops[row], numbers)
        except EncodeError as error:
            error.batch_row = row
            raise
        finally:
            self.is_in_batch = False
            # Keep a batch that is still being filled, since it will be passed again.
            if not batch.terms.is_open:
                self.terms.end_batch()
        return 0

    @cython.critical_section
    cdef int end_batch(self) except -1:
        return self.terms.end_batch()

    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1:
        """Write a row of a batch, whose terms have the given numbers."""
        return 0

    cdef bytes take_frame(self):
        """Return the frame, after its length if it is delimited, and start a new one."""
        cdef uint8_t[MAX_LENGTH_SIZE] room
        cdef WriteBuffer length
        cdef bytes frame
        length.data = room
        length.size = 0
        length.capacity = MAX_LENGTH_SIZE
        if self.has_lengths:
            put_varint(&length, self.terms.frame.size)
        frame = PyBytes_FromStringAndSize(NULL, length.size + self.terms.frame.size)
        memcpy(PyBytes_AS_STRING(frame), room, length.size)
        memcpy(
            PyBytes_AS_STRING(frame) + length.size, self.terms.frame.data, self.terms.frame.size
        )
        self.terms.frame.size = 0
        self.terms.rows = 0
        self.frames += 1
        return frame

    cdef int emit(self) except -1:
        """Send the frame to the sink in one piece, so that no frame is half written.

        Later frames need its lookup entries, so an error in the sink ends the stream.
        """
        if self.state != FINISHED:
            check_usable(self)
        return self.send(self.take_frame())

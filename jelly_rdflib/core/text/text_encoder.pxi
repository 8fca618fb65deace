"""Base class of the text writers: buffers the text, and keeps the texts of a batch's terms."""

# In effect no limit on the texts of one batch's terms.
cdef size_t ANY_SIZE = <size_t>1 << 40


@cython.nonecheck(True)
cdef class TextEncoder(Output):
    """Base class of the text encoders.

    Subclasses define `put_row` and `put_part`, and must call `set_up` first. The public methods
    below are called while the output is claimed, and may be overridden.
    """

    cdef bytes default_graph
    cdef WriteBuffer out  # text that the sink does not have yet
    cdef size_t piece_size  # how many bytes the sink gets at once; pieces may be somewhat larger
    cdef size_t row_start  # where the current row starts in `out`
    cdef TermTexts texts
    # The batch that is being written.
    cdef const TermColumns* terms
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    def __dealloc__(self):
        buffer_free(&self.out)

    cdef int set_up(self, types, bint is_patch, size_t piece_size) except -1:
        self.check_new()
        self.default_graph = str(types.default_graph).encode()
        self.texts = TermTexts(ANY_SIZE, is_patch=is_patch, default_graph=self.default_graph)
        self.piece_size = piece_size
        self.last_graph_is_default = True
        return 0

    def flush(self):
        """Pass the finished rows to the sink, for a reader that waits for them."""
        claim_output(self)
        try:
            self.put_lines()
        finally:
            free_output(self)

    def finish(self):
        """End the text, and pass the rest to the sink."""
        if self.is_over:
            return
        claim_output(self)
        try:
            self.put_lines()
            self.put_end()
            self.end()
        finally:
            free_output(self)

    def put_lines(self):
        """Pass the buffered lines to the sink."""
        self.check_claimed()
        if self.out.size > 0:
            self.send(self.take_text())

    def put_end(self):
        """Pass the end of the document to the sink."""

    cdef bytes take_text(self):
        """Return the buffered text, and empty the buffer."""
        cdef bytes text = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
        self.drop(0)
        return text

    cdef int drop(self, size_t start) except -1:
        """Drop the text from ``start`` on, unless the sink already has it."""
        self.out.size = min(self.out.size, start)
        self.texts.buffer += 1
        return 0

    cdef inline int put(self, const char* text, size_t size) except -1:
        buffer_reserve(&self.out, size)
        put_bytes(&self.out, <const uint8_t*>text, size)
        return 0

    cdef inline bint is_default(self, uint32_t graph) except -1:
        if graph != self.last_graph:
            self.last_graph = graph
            self.last_graph_is_default = is_default_graph(self.terms, graph, self.default_graph)
        return self.last_graph_is_default

    cdef int put_triple(self, uint32_t term, int depth) except -1:
        """Write a quoted triple that is nested in ``depth`` others, and a space."""
        cdef uint32_t[3] parts
        cdef int position
        if depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        # Limit the text: a few triples that share quoted triples may expand to very long text.
        if self.out.size - self.row_start > MAX_LENGTH:
            raise EncodeError("the row would be longer than 2 GiB")
        memcpy(parts, self.terms.data + self.terms.offsets[term], sizeof(parts))
        self.put(b"<<( ", 4)
        for position in range(3):
            self.put_part(parts[position], position, depth + 1)
        return self.put(b")>> ", 4)

    cdef int put_batch(self, Batch batch) except -1:
        cdef size_t row
        # Claim the output, since subclasses' Python code and other threads may run in between.
        claim_output(self)
        self.row_start = self.out.size
        try:
            if batch.terms is not self.texts.table:
                self.last_graph = 0
                self.last_graph_is_default = True
            self.texts.start(batch.terms)
            self.terms = self.texts.terms
            for row in range(batch.rows.count):
                self.row_start = self.out.size
                self.put_row(batch, row)
                if self.out.size >= self.piece_size:
                    self.put_lines()
        except BaseException:
            self.drop(self.row_start)
            raise
        finally:
            free_output(self)
            # Keep a batch that is still being filled, since it will be passed again.
            if not batch.terms.is_open:
                self.end_batch()
        return 0

    cdef int put_row(self, Batch batch, size_t row) except -1:
        raise NotImplementedError

    cdef int put_part(self, uint32_t term, int position, int depth) except -1:
        """Write the term in a position of a statement or quoted triple, and a space."""
        raise NotImplementedError

    cdef int end_batch(self) except -1:
        return self.texts.end()

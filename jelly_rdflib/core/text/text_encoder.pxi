"""Base class of the text writers: the text that waits, and the spelling of a batch's terms."""

# The texts of the terms of one batch have no limit of their own.
cdef size_t ANY_SIZE = <size_t>1 << 40


cdef class TextEncoder(Output):
    """Base of the encoders of text. Subclasses have `put_row`, and call `set_up` first of all."""

    cdef bytes default_graph
    cdef WriteBuffer out  # text that is not handed on yet
    cdef TermTexts texts
    # The batch that is being written.
    cdef const TermColumns* terms
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    def __dealloc__(self):
        buffer_free(&self.out)

    cdef int set_up(self, types, bint is_patch) except -1:
        self.check_new()
        self.default_graph = str(types.default_graph).encode()
        self.texts = TermTexts(ANY_SIZE, is_patch=is_patch, default_graph=self.default_graph)
        self.last_graph_is_default = True
        return 0

    cdef bytes take_text(self):
        """Return the text that waits, and empty the buffer."""
        cdef bytes text = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
        self.drop(0)
        return text

    cdef int drop(self, size_t start) except -1:
        """Drop the text from ``start`` on."""
        self.out.size = start
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

    cdef int put_rows(self, Batch batch) except -1:
        cdef size_t row
        if batch.terms is not self.texts.table:
            self.last_graph = 0
            self.last_graph_is_default = True
        self.texts.start(batch.terms)
        self.terms = self.texts.terms
        try:
            for row in range(batch.rows.count):
                self.put_row(batch, row)
        finally:
            # A batch that is still being filled comes again.
            if not batch.terms.is_open:
                self.end_batch()
        return 0

    cdef int put_row(self, Batch batch, size_t row) except -1:
        raise NotImplementedError

    cdef int end_batch(self) except -1:
        return self.texts.end()

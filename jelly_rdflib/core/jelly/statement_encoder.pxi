"""Encodes statements to the frames of a Jelly-RDF stream."""

cdef enum:
    MAX_METADATA = 1 << 30

cdef TermFields RDF_NAMESPACE_FIELDS = TermFields(2, 0, 0, 0, 0)
cdef TermFields GRAPH_START_FIELDS = TermFields(1, 2, 4, 0, 3)


@cython.final
cdef class StatementFrameEncoder(FrameEncoder):
    """Encodes statements with `jelly_rdflib.StreamOptions`; see `FrameEncoder`."""

    cdef int physical_type
    cdef bint is_grouped  # each frame is a graph or dataset
    cdef readonly bint has_namespaces
    cdef bint has_content  # the frame has a row other than lookup entries
    # The state at the start of the frame, so that the rows of a failed graph can be removed.
    cdef list start_last
    cdef LastIri start_iri
    cdef bint graph_is_open  # in a GRAPHS stream: the last statement's graph has not ended

    def __init__(self, types not None, options, sink=None):
        if not isinstance(options, StreamOptions):
            raise TypeError(f"options must be StreamOptions, not {type(options).__name__}")
        if options.version >= 3:
            raise ValueError(
                "Jelly-RDF 1.2 is a draft, and is not written: use options of version 2, such as"
                " dataclasses.replace(options, version=2)"
            )
        super().__init__(types, options, sink, (RDF_NAME, RDF_PREFIX, RDF_DATATYPE))
        self.physical_type = options.physical_type
        self.has_graphs = self.physical_type != TRIPLES
        self.is_grouped = options.is_grouped
        self.is_cut = self.is_delimited and not self.is_grouped
        self.has_namespaces = options.namespace_declarations
        self.put_options(STREAM_OPTION_FIELDS, options.stream_name.encode())

    @cython.critical_section
    def end_frame(self, metadata=None):
        """End the frame, with the given metadata; later rows are in the next frame."""
        cdef list entries
        check_usable(self)
        if self.sink is None:
            raise EncodeError("frames of this stream are returned by encode_frame()")
        entries = encoded_metadata(metadata)
        # Check again, since the code of the caller's mapping may have written, too.
        check_usable(self)
        self.put_end_of_frame(entries)
        self.has_content = False
        self.emit()
        # End the output after a bare frame, since a reader couldn't separate two.
        if not self.is_delimited:
            self.state = FINISHED

    def encode_frame(self, write not None, metadata=None):
        """Return a bare frame with the rows that ``write()`` writes, and with the metadata."""
        self.begin_frame("use end_frame()")
        try:
            self.start_last = self.terms.last_terms()
            self.start_iri = self.terms.last_iri
            try:
                write()
                self.put_end_of_frame(encoded_metadata(metadata))
            except BaseException:
                if self.is_grouped:
                    self.take_back()
                raise
            return self.take_frame()
        finally:
            self.start_last = None
            with cython.critical_section(self):
                self.is_in_frame = False

    @cython.critical_section
    def finish(self):
        """End the stream, and pass the last frame to the sink if it has content."""
        if self.is_over:
            return
        self.close_graph()
        # In a grouped stream, a frame with only unused lookup entries would be a graph.
        if self.frames == 0 or (self.has_content if self.is_grouped else self.terms.rows > 0):
            self.emit()
        self.state = FINISHED

    @cython.critical_section
    def abandon(self):
        """End the stream because of an error, and drop an open frame of a grouped stream.

        A reader would take that frame for a whole graph or dataset.
        """
        if self.is_grouped:
            if not self.is_over:
                self.state = FINISHED
        else:
            self.finish()

    cdef int check_namespaces(self, object prefix) except -1:
        if not self.has_namespaces:
            raise EncodeError(
                f"namespace {prefix!r} in a stream without namespaces: options need"
                " namespace_declarations=True"
            )
        return 0

    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1:
        """Write a statement or a namespace; namespaces are left out if the options exclude them."""
        cdef TermEncoder terms = self.terms
        if op != A and op != PA:
            raise EncodeError(f"Jelly-RDF is for statements: it can't express {Op(op).name}")
        if self.state != OPEN:
            self.refuse()
        if op == A:
            numbers[GRAPH] = checked_graph(self, numbers[GRAPH])
            self.put_statement(numbers)
            terms.set_last(numbers, self.has_graphs)
        elif self.has_namespaces:
            terms.table.check_prefix(numbers[SUBJECT], numbers[OBJECT], True)
            put_row(self, NAMESPACE, numbers)
        else:
            return 0
        return self.end_content()

    cdef int end_content(self) except -1:
        self.has_content = True
        return close_full_frame(self)

    cdef int put_statement(self, const uint32_t* numbers) except -1:
        if self.physical_type == GRAPHS:
            return self.put_in_graph(numbers)
        return put_row(self, QUAD if self.has_graphs else TRIPLE, numbers)

    cdef int put_in_graph(self, const uint32_t* numbers) except -1:
        """Write a triple in its graph, and start that graph if it is not the open one.

        If this fails, the rows that ended one graph and started the other are removed; the lookup
        entries between and after them are kept, since the lookups contain them.
        """
        cdef LastIri last_iri = self.terms.last_iri
        cdef bint was_open = self.graph_is_open
        cdef size_t end_row = self.terms.frame.size
        cdef size_t after_end_row
        cdef size_t start_row = 0
        cdef size_t after_start_row = 0
        if was_open and self.terms.is_last(numbers[GRAPH], GRAPH):
            return put_row(self, TRIPLE, numbers)
        self.close_graph()
        after_end_row = self.terms.frame.size
        try:
            put_row(self, GRAPH_START, numbers)
            self.graph_is_open = True
            after_start_row = self.terms.frame.size
            start_row = after_start_row - self.terms.row_size
            put_row(self, TRIPLE, numbers)
        except BaseException:
            self.terms.last_iri = last_iri
            self.graph_is_open = was_open
            self.remove(start_row, after_start_row)
            self.remove(end_row, after_end_row)
            raise
        return 0

    cdef int close_graph(self) except -1:
        if self.graph_is_open:
            self.put_mark(GRAPH_END)
            self.graph_is_open = False
        return 0

    cdef int take_back(self) except -1:
        """Remove all rows but the options and the lookup entries, which the lookups contain.

        Otherwise the rows of a failed graph would become part of the next graph.
        """
        cdef WriteBuffer* frame = &self.terms.frame
        cdef const uint8_t* at = frame.data
        cdef const uint8_t* end = frame.data + frame.size
        cdef const uint8_t* row
        cdef size_t kept = 0
        cdef size_t rows = 0
        cdef uint32_t field, wire_type
        cdef Span content
        cdef Failure ignored
        while at < end:
            row = at
            if (
                read_tag(&at, end, &field, &wire_type, &ignored) < 0
                or read_span(&at, end, &content, &ignored) < 0
                or read_tag(&content.start, content.end, &field, &wire_type, &ignored) < 0
            ):
                raise AssertionError("the frame is not what was put into it")
            if field == OPTIONS_ROW or RDF_NAME <= field <= RDF_DATATYPE:
                memmove(frame.data + kept, row, at - row)
                kept += at - row
                rows += 1
        frame.size = kept
        self.terms.rows = rows
        self.terms.set_last_terms(self.start_last)
        self.terms.last_iri = self.start_iri
        self.graph_is_open = False
        return 0

    cdef int remove(self, size_t start, size_t end) except -1:
        """Remove the row from ``start`` to ``end`` from the frame, if the range is not empty."""
        cdef WriteBuffer* frame = &self.terms.frame
        if end > start:
            memmove(frame.data + start, frame.data + end, frame.size - end)
            frame.size -= end - start
            self.terms.rows -= 1
        return 0

    cdef int put_terms(self, uint32_t field, const uint32_t* numbers) except -1:
        if field == NAMESPACE:
            self.terms.put_string_term(1, numbers[SUBJECT])
            return self.terms.put_term(numbers[OBJECT], &RDF_NAMESPACE_FIELDS, OBJECT)
        if field == GRAPH_START:
            return self.terms.put_term(numbers[GRAPH], &GRAPH_START_FIELDS, GRAPH)
        return self.terms.put_statement(numbers, 4 if field == QUAD else 3)

    cdef int put_end_of_frame(self, list entries) except -1:
        """Write the open graph's end, and the metadata; write nothing if these are too large.

        Only a frame that is closed because it is full leaves its graph open.
        """
        cdef WriteBuffer* frame = &self.terms.frame
        cdef bytes key, value
        cdef size_t size
        if frame.size + sum(len(key) + len(value) for key, value in entries) > MAX_METADATA:
            raise EncodeError("the frame would be larger than 1 GiB with its metadata")
        self.close_graph()
        for key, value in entries:
            size = field_size(len(key)) + field_size(len(value))
            buffer_reserve(frame, size + FIELD_HEAD)
            put_head(frame, METADATA, size)
            put_head(frame, 1, len(key))
            put_bytes(frame, key, len(key))
            put_head(frame, 2, len(value))
            put_bytes(frame, value, len(value))
        return 0


cdef list encoded_metadata(object metadata):
    """Return a mapping of str to bytes as pairs of bytes."""
    cdef list entries = []
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f"metadata is {type(metadata).__name__}, not a dict of str to bytes")
    for name, content in ({} if metadata is None else metadata).items():
        if not isinstance(name, str):
            raise EncodeError(f"metadata key {name!r} is not a str")
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise EncodeError(f"metadata of {name!r} is {type(content).__name__}, not bytes")
        try:
            entries.append((str.encode(name, "utf-8"), bytes(content)))
        except UnicodeEncodeError as error:
            raise EncodeError(f"text has no UTF-8 form: {error}") from error
    return entries

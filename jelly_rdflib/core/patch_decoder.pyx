"""Decodes the frames of a Jelly-Patch stream to batches."""

from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memset

from jelly_rdflib.core.batch cimport rows_append, rows_free, rows_init
from jelly_rdflib.core.failure cimport (
    fail,
    fail_limit,
    fail_memory,
    fail_number,
    failure_to_error,
)
from jelly_rdflib.core.schema cimport EMPTY_MESSAGE, PATCH_ROW, field_kind
from jelly_rdflib.core.term_decoder cimport (
    IS_BLANK_NODE,
    IS_DEFAULT_GRAPH,
    IS_IRI,
    IS_LITERAL,
    OBJECT,
    UNSET,
    EncodedTerm,
    StatementRow,
)
from jelly_rdflib.core.term_table cimport TermTable
from jelly_rdflib.core.wire cimport (
    LENGTH_DELIMITED,
    VARINT,
    expect_wire_type,
    read_span,
    read_tag,
    read_uint32,
    read_varint,
    skip_field,
)

from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.operations import Op
from jelly_rdflib.options import PatchOptions

cdef enum:
    # The oneof of RdfPatchRow.
    OPTIONS = 1
    STATEMENT_ADD = 2
    STATEMENT_DELETE = 3
    NAMESPACE_ADD = 4
    NAMESPACE_DELETE = 5
    TRANSACTION_START = 6
    TRANSACTION_COMMIT = 7
    TRANSACTION_ABORT = 8
    NAME = 11
    PREFIX = 12
    DATATYPE = 13
    HEADER = 14
    PUNCTUATION = 15

cdef enum:
    FRAME = 1
    FLAT = 2
    PUNCTUATED = 3

cdef enum:
    TRIPLES = 1
    QUADS = 2

cdef enum:
    VERSION = 1
    MIN_NAME_TABLE_SIZE = 8

# The members of the graph oneof of RdfPatchNamespace, fields 3 to 6. (Those of the value oneof of
# RdfPatchHeader, fields 2 to 5, are in the order of those numbers.)
cdef int[4] NAMESPACE_GRAPH_KINDS = [IS_IRI, IS_BLANK_NODE, IS_DEFAULT_GRAPH, IS_LITERAL]

cdef uint8_t H = Op.H
cdef uint8_t TX = Op.TX
cdef uint8_t TC = Op.TC
cdef uint8_t TA = Op.TA
cdef uint8_t PA = Op.PA
cdef uint8_t PD = Op.PD
cdef uint8_t A = Op.A
cdef uint8_t D = Op.D
cdef uint8_t END = Op.END

cdef StatementRow ADD_ROW = StatementRow(STATEMENT_ADD << 3 | LENGTH_DELIMITED, A)
cdef StatementRow DELETE_ROW = StatementRow(STATEMENT_DELETE << 3 | LENGTH_DELIMITED, D)


cdef class PatchFrameDecoder:
    """Decodes frames, one after another, each to a `Batch`.

    Args:
        factory: Makes the nodes of the batches.
        limits: A `jelly_rdflib.Limits`.
    """

    def __cinit__(self, NodeFactory factory not None, limits):
        self.factory = factory
        self.terms = TermDecoder.__new__(TermDecoder)
        self.terms.limits.string_size = limits.max_string_size
        self.terms.limits.text_size = limits.max_text_size
        self.terms.max_nesting_depth = limits.max_nesting_depth
        self.max_names = limits.max_name_table_size
        self.max_prefixes = limits.max_prefix_table_size
        self.max_datatypes = limits.max_datatype_table_size
        self.max_frame_size = limits.max_frame_size
        self.row_hint = 64
        self.term_hint = 64
        self.text_hint = 2048

    def __dealloc__(self):
        rows_free(&self.rows)

    def decode_frame(self, const uint8_t[::1] data not None, *, uint64_t offset=0):
        """Decode one frame, without a length before it.

        Args:
            data: The bytes of an RdfPatchFrame.
            offset: Position of the frame in its stream, for errors.

        Returns:
            The frame's operations.

        Raises:
            DecodeError: The frame breaks a rule. The decoder can't go on after that.
        """
        if data.shape[0] == 0:
            return self.decode(NULL, 0, offset)
        return self.decode(&data[0], data.shape[0], offset)

    def finish(self):
        """End the stream.

        Returns:
            A batch with the `Op.END` of the patch that the end of input ends: that of a FLAT
            stream, or the last one of a PUNCTUATED stream that has no mark behind it. Else an
            empty batch.

        Raises:
            DecodeError: A transaction is open, or there was no frame at all.
        """
        return self.end(0)

    @property
    def options(self):
        """The stream's options, a `jelly_rdflib.PatchOptions`; None before they were read."""
        if not self.has_options:
            return None
        return PatchOptions(**self.stream_options)

    cdef int check_usable(self) except -1:
        if self.is_busy:
            raise RuntimeError("the decoder is decoding a frame already, in another thread")
        if self.is_broken:
            raise DecodeError("the decoder has failed on an earlier frame and can't go on")
        if self.is_finished:
            raise DecodeError("the stream has ended: finish() was called")
        return 0

    cdef Batch decode(self, const uint8_t* start, size_t size, uint64_t offset):
        cdef Span frame
        cdef int result
        self.check_usable()
        if size > self.max_frame_size:
            self.is_broken = True
            raise LimitError(
                f"frame of {size} bytes (limit max_frame_size: {self.max_frame_size})",
                offset=offset, frame=self.frame,
            )
        frame.start = start
        frame.end = start + size
        self.is_busy = True
        with nogil:
            result = self.start_rows(size)
            if result >= 0:
                result = self.decode_frame_rows(frame)
        self.is_busy = False
        if result < 0:
            self.raise_failure(start, size, offset)
        self.frame += 1
        return self.take_batch()

    cdef Batch end(self, uint64_t offset):
        cdef int result = 0
        self.check_usable()
        # Whatever comes of it, there is nothing after the end.
        self.is_finished = True
        if not self.has_options:
            raise DecodeError("no frame with options: the input is empty", offset=offset, frame=0)
        if self.in_transaction:
            raise DecodeError(
                "the input ends inside a transaction", offset=offset, frame=self.frame
            )
        if self.start_rows(0) < 0 or (
            (self.stream_options.stream_type == FLAT or self.patch_is_open)
            and self.append(END, 0, 0, 0, 0) < 0
        ):
            raise MemoryError
        return self.take_batch()

    cdef object raise_failure(self, const uint8_t* start, size_t size, uint64_t offset):
        cdef const uint8_t* at = self.terms.failure.at
        self.is_broken = True
        if start <= at <= start + size and at != NULL:
            offset += at - start
        raise failure_to_error(
            &self.terms.failure, offset, self.frame, self.row if self.is_in_row else None
        )

    cdef int start_rows(self, size_t size) noexcept nogil:
        rows_free(&self.rows)
        if rows_init(&self.rows, self.row_hint) < 0:
            return fail_memory(&self.terms.failure, NULL)
        return self.terms.begin_frame(size, self.term_hint, self.text_hint)

    cdef Batch take_batch(self):
        cdef Batch batch = Batch.__new__(Batch)
        cdef TermTable table = TermTable.__new__(TermTable)
        # The columns change hands; what is left here must not free them.
        batch.rows = self.rows
        memset(&self.rows, 0, sizeof(self.rows))
        table.columns = self.terms.terms
        memset(&self.terms.terms, 0, sizeof(self.terms.terms))
        # Nothing is looked for in the table any more.
        PyMem_RawFree(table.columns.slots)
        table.columns.slots = NULL
        table.factory = self.factory
        batch.terms = table
        # The next frame is likely to be about as large as this one.
        self.row_hint = batch.rows.count + 8
        self.term_hint = table.columns.count + table.columns.count // 4 + 8
        self.text_hint = table.columns.offsets[table.columns.count]
        self.text_hint += self.text_hint // 4 + 64
        return batch

    cdef int decode_frame_rows(self, Span frame) noexcept nogil:
        """Decode an RdfPatchFrame (Jelly-Patch, "Patch frames")."""
        cdef const uint8_t* at = frame.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef size_t rows
        cdef Span row
        self.is_in_row = False
        self.row = 0
        while at < frame.end:
            if self.has_options:
                rows = self.rows.count
                at = self.terms.decode_regular_rows(
                    at, frame.end, &self.rows, &ADD_ROW, &DELETE_ROW, self.has_graphs
                )
                self.row += self.rows.count - rows
                self.patch_is_open |= self.rows.count > rows
                if at == frame.end:
                    break
            tag_at = at
            if read_tag(&at, frame.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field != 1:
                if skip_field(&at, frame.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure
                ) < 0
                or read_span(&at, frame.end, &row, &self.terms.failure) < 0
                or self.decode_row(row) < 0
            ):
                self.is_in_row = True
                return -1
            self.row += 1
        if not self.has_options:
            # A frame without rows, before the first row of the stream.
            return 0
        if self.stream_options.stream_type == FRAME:
            if self.in_transaction:
                return fail(
                    &self.terms.failure, at,
                    b"a transaction of a FRAME stream does not end with its frame",
                )
            if self.append(END, 0, 0, 0, 0) < 0:
                return -1
            self.patch_is_open = False
        return self.terms.end_frame()

    cdef int decode_row(self, Span row) noexcept nogil:
        """Decode an RdfPatchRow, of whose oneof the last field counts."""
        cdef const uint8_t* at = row.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint32_t set_field = 0
        cdef Span span
        cdef Span content = row
        while at < row.end:
            tag_at = at
            if read_tag(&at, row.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field > 15 or field == 9 or field == 10:
                if skip_field(&at, row.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure
                ) < 0
                or read_span(&at, row.end, &span, &self.terms.failure) < 0
            ):
                return -1
            if field == set_field:
                if self.terms.merge(&content, span) < 0:
                    return -1
            else:
                if set_field != 0 and self.terms.check_message(
                    field_kind(PATCH_ROW, set_field), content
                ) < 0:
                    return -1
                set_field = field
                content = span
        return self.decode_content(set_field, content)

    cdef int decode_content(self, uint32_t field, Span content) noexcept nogil:
        cdef uint32_t[4] quad
        if not self.has_options and field != OPTIONS:
            return fail(
                &self.terms.failure, content.start, b"the stream does not start with its options"
            )
        if field == STATEMENT_ADD or field == STATEMENT_DELETE:
            if self.terms.decode_statement(
                content, quad, self.has_graphs
            ) < 0:
                return -1
            return self.append(
                A if field == STATEMENT_ADD else D, quad[0], quad[1], quad[2], quad[3]
            )
        if field == NAME:
            return self.terms.set_entry(&self.terms.names, content)
        if field == PREFIX:
            return self.terms.set_entry(&self.terms.prefixes, content)
        if field == DATATYPE:
            return self.terms.set_entry(&self.terms.datatypes, content)
        if field == OPTIONS:
            return self.use_options(content)
        if field == NAMESPACE_ADD:
            return self.decode_namespace(PA, content)
        if field == NAMESPACE_DELETE:
            return self.decode_namespace(PD, content)
        if field == HEADER:
            return self.decode_header(content)
        if field == PUNCTUATION:
            return self.decode_punctuation(content)
        if field == TRANSACTION_START:
            return self.decode_transaction(TX, content)
        if field == TRANSACTION_COMMIT:
            return self.decode_transaction(TC, content)
        if field == TRANSACTION_ABORT:
            return self.decode_transaction(TA, content)
        return fail(&self.terms.failure, content.start, b"row of no kind that is known")

    cdef int append(
        self, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
    ) noexcept nogil:
        self.patch_is_open = True
        if rows_append(&self.rows, op, s, p, o, g) < 0:
            return fail_memory(&self.terms.failure, NULL)
        return 0

    cdef int read_options(self, Span message, PatchStreamOptions* options) noexcept nogil:
        """Read an RdfPatchOptions: numbers only, so that a loop over fields does it."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint64_t flag
        cdef uint32_t* number
        memset(options, 0, sizeof(PatchStreamOptions))
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field > 15 or field == 12 or field == 13 or field == 14 or 5 <= field <= 8:
                if skip_field(&at, message.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if expect_wire_type(VARINT, field, wire_type, tag_at, &self.terms.failure) < 0:
                return -1
            if field == 3 or field == 4:
                if read_varint(&at, message.end, &flag, &self.terms.failure) < 0:
                    return -1
                if field == 3:
                    options.generalized_statements = flag != 0
                else:
                    options.rdf_star = flag != 0
                continue
            if field == 1:
                number = &options.statement_type
            elif field == 2:
                number = &options.stream_type
            elif field == 9:
                number = &options.max_name_table_size
            elif field == 10:
                number = &options.max_prefix_table_size
            elif field == 11:
                number = &options.max_datatype_table_size
            else:
                number = &options.version
            if read_uint32(&at, message.end, number, &self.terms.failure) < 0:
                return -1
        return 0

    cdef int use_options(self, Span message) noexcept nogil:
        """Take the stream's options (Jelly-Patch, "Patch stream options")."""
        cdef PatchStreamOptions options
        if self.read_options(message, &options) < 0:
            return -1
        if self.has_options:
            if memcmp(&options, &self.stream_options, sizeof(options)) != 0:
                return fail(
                    &self.terms.failure, message.start,
                    b"options that differ from the first options of the stream",
                )
            return 0
        if self.check_options(&options, message.start) < 0:
            return -1
        self.stream_options = options
        self.has_graphs = options.statement_type == QUADS
        self.terms.generalized = options.generalized_statements
        self.terms.rdf_star = options.rdf_star
        if self.terms.set_lookups(
            options.max_name_table_size, options.max_prefix_table_size,
            options.max_datatype_table_size,
        ) < 0:
            return -1
        self.has_options = True
        return 0

    cdef int check_options(self, PatchStreamOptions* options, const uint8_t* at) noexcept nogil:
        if options.version == 0:
            return fail(&self.terms.failure, at, b"options without a version")
        if options.version > VERSION:
            return fail_number(
                &self.terms.failure, at,
                b"version {number} of Jelly-Patch: this library reads up to version {bound}",
                options.version, VERSION,
            )
        if options.stream_type < FRAME or options.stream_type > PUNCTUATED:
            return fail_number(
                &self.terms.failure, at, b"{number} is no stream type", options.stream_type, 0
            )
        if options.statement_type < TRIPLES or options.statement_type > QUADS:
            return fail_number(
                &self.terms.failure, at, b"{number} is no statement type",
                options.statement_type, 0,
            )
        if options.max_name_table_size < MIN_NAME_TABLE_SIZE:
            return fail_number(
                &self.terms.failure, at, b"name lookup of {number} entries: the least is {bound}",
                options.max_name_table_size, MIN_NAME_TABLE_SIZE,
            )
        if options.max_name_table_size > self.max_names:
            return fail_limit(
                &self.terms.failure, at,
                b"name lookup of {number} entries (limit max_name_table_size: {bound})",
                options.max_name_table_size, self.max_names,
            )
        if options.max_prefix_table_size > self.max_prefixes:
            return fail_limit(
                &self.terms.failure, at,
                b"prefix lookup of {number} entries (limit max_prefix_table_size: {bound})",
                options.max_prefix_table_size, self.max_prefixes,
            )
        if options.max_datatype_table_size > self.max_datatypes:
            return fail_limit(
                &self.terms.failure, at,
                b"datatype lookup of {number} entries (limit max_datatype_table_size: {bound})",
                options.max_datatype_table_size, self.max_datatypes,
            )
        return 0

    cdef int decode_namespace(self, uint8_t op, Span message) noexcept nogil:
        """Decode an RdfPatchNamespace (Jelly-Patch, "Namespaces")."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef uint32_t graph_number = 0
        cdef EncodedTerm value, graph
        cdef Span name, span
        cdef int64_t name_number
        cdef int64_t value_number = 0
        cdef int kind
        memset(&value, 0, sizeof(value))
        memset(&graph, 0, sizeof(graph))
        name.start = name.end = message.end
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field > 6:
                if skip_field(&at, message.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure
                ) < 0
                or read_span(&at, message.end, &span, &self.terms.failure) < 0
            ):
                return -1
            if field == 1:
                name = span
                if self.terms.check_text(name) < 0:
                    return -1
            elif self.terms.keep(
                IS_IRI if field == 2 else NAMESPACE_GRAPH_KINDS[field - 3],
                &value if field == 2 else &graph, span,
            ) < 0:
                return -1
        name_number = self.terms.intern_string(name)
        if name_number < 0:
            return -1
        if value.kind != UNSET:
            value_number = self.terms.decode_iri(value.span)
            if value_number < 0:
                return -1
        elif op == PA:
            return fail(
                &self.terms.failure, message.start, b"namespace is added, but has no value"
            )
        if self.has_graphs:
            if self.terms.decode_graph(&graph, message.start, &graph_number) < 0:
                return -1
        elif self.terms.check_unused(&graph) < 0:
            return -1
        return self.append(
            op, <uint32_t>name_number, 0, <uint32_t>value_number, graph_number
        )

    cdef int decode_header(self, Span message) noexcept nogil:
        """Decode an RdfPatchHeader (Jelly-Patch, "Headers")."""
        cdef const uint8_t* at = message.start
        cdef const uint8_t* tag_at
        cdef uint32_t field, wire_type
        cdef EncodedTerm value
        cdef Span key, span
        cdef int64_t key_number, value_number
        memset(&value, 0, sizeof(value))
        key.start = key.end = message.end
        while at < message.end:
            tag_at = at
            if read_tag(&at, message.end, &field, &wire_type, &self.terms.failure) < 0:
                return -1
            if field > 5:
                if skip_field(&at, message.end, field, wire_type, &self.terms.failure) < 0:
                    return -1
                continue
            if (
                expect_wire_type(
                    LENGTH_DELIMITED, field, wire_type, tag_at, &self.terms.failure
                ) < 0
                or read_span(&at, message.end, &span, &self.terms.failure) < 0
            ):
                return -1
            if field == 1:
                key = span
                if self.terms.check_text(key) < 0:
                    return -1
            elif self.terms.keep(field - 1, &value, span) < 0:
                return -1
        if value.kind == UNSET:
            return fail(&self.terms.failure, message.start, b"header has no value")
        key_number = self.terms.intern_string(key)
        if key_number < 0:
            return -1
        # As an object: any term may stand there.
        value_number = self.terms.decode_term(&value, OBJECT, 0)
        if value_number < 0:
            return -1
        return self.append(H, <uint32_t>key_number, 0, <uint32_t>value_number, 0)

    cdef int decode_transaction(self, uint8_t op, Span message) noexcept nogil:
        """Decode a transaction's start, commit or abort (Jelly-Patch, "Transactions")."""
        if self.terms.check_message(EMPTY_MESSAGE, message) < 0:
            return -1
        if op == TX and self.in_transaction:
            return fail(
                &self.terms.failure, message.start,
                b"transaction starts inside a transaction",
            )
        if op != TX and not self.in_transaction:
            return fail(
                &self.terms.failure, message.start,
                b"transaction ends, but none was started",
            )
        self.in_transaction = op == TX
        return self.append(op, 0, 0, 0, 0)

    cdef int decode_punctuation(self, Span message) noexcept nogil:
        """Decode a punctuation mark, which ends a patch wherever it stands in a frame."""
        if self.terms.check_message(EMPTY_MESSAGE, message) < 0:
            return -1
        if self.stream_options.stream_type != PUNCTUATED:
            return fail(
                &self.terms.failure, message.start,
                b"punctuation mark in a stream that is not PUNCTUATED",
            )
        if self.in_transaction:
            return fail(
                &self.terms.failure, message.start, b"punctuation mark inside a transaction"
            )
        if self.append(END, 0, 0, 0, 0) < 0:
            return -1
        self.patch_is_open = False
        return 0

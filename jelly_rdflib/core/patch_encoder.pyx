# cython: nonecheck=False
# An output that is open has all its parts, and none is ever replaced by None.
"""Encodes operations to the frames of a Jelly-Patch stream."""

cimport cython
from libc.stdint cimport uint8_t, uint32_t

from jelly_rdflib.core.batch_terms cimport BatchTerms
from jelly_rdflib.core.frame_encoder cimport FrameEncoder, close_full_frame
from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.operation_codes cimport operation_code
from jelly_rdflib.core.output cimport BROKEN, FINISHED, OPEN, check_usable
from jelly_rdflib.core.term_encoder cimport (
    GRAPH,
    OBJECT,
    PREDICATE,
    STATEMENT_FIELDS,
    SUBJECT,
    TermFields,
)
from jelly_rdflib.core.terms cimport TermKind

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.operations import Op
from jelly_rdflib.options import PatchOptions

cdef enum:
    # The oneof of RdfPatchRow, without the options.
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
    # Stream types.
    FRAME = 1
    FLAT = 2
    PUNCTUATED = 3

cdef enum:
    QUADS = 2

cdef TermFields NAMESPACE_FIELDS = TermFields(2, 0, 0, 0, 0)
cdef TermFields NAMESPACE_GRAPH_FIELDS = TermFields(3, 4, 6, 0, 5)
cdef TermFields HEADER_VALUE_FIELDS = TermFields(2, 3, 4, 5, 0)

cdef int H = Op.H
cdef int TX = Op.TX
cdef int TC = Op.TC
cdef int TA = Op.TA
cdef int PA = Op.PA
cdef int PD = Op.PD
cdef int A = Op.A
cdef int D = Op.D


@cython.final
cdef class PatchFrameEncoder(FrameEncoder):
    """Encodes operations, one after another.

    An operation that can't be encoded raises `EncodeError` and leaves the stream as if it had
    not been tried.

    Args:
        types: The classes of nodes.
        options: A `jelly_rdflib.PatchOptions`.
        sink: Called with the bytes of each frame when it is closed, its length before it if the
            options say ``delimited``. None: `encode_frame` returns bare frames instead.
    """

    def __init__(self, NodeTypes types not None, options, sink=None):
        if not isinstance(options, PatchOptions):
            raise TypeError(f"options must be PatchOptions, not {type(options).__name__}")
        super().__init__(types, options, sink, (NAME, PREFIX, DATATYPE))
        self.stream_type = options.stream_type
        self.has_graphs = options.statement_type == QUADS
        self.is_cut = self.is_delimited and self.stream_type != FRAME
        self.put_options([], [
            (1, options.statement_type),
            (2, options.stream_type),
            (3, options.generalized_statements),
            (4, options.rdf_star),
            (9, options.max_name_table_size),
            (10, options.max_prefix_table_size),
            (11, options.max_datatype_table_size),
            (15, options.version),
        ])

    def header(self, key, value):
        """Write a header.

        Args:
            key: A str, such as ``"id"`` or ``"prev"``.
            value: A term.
        """
        self.start_operation()
        check_key(key)
        self.put_row(HEADER, key, None, value, None)
        self.end_operation()

    def begin(self):
        """Start a transaction."""
        self.start_operation()
        if self.in_transaction:
            raise EncodeError("a transaction starts inside a transaction")
        self.put_mark(TRANSACTION_START)
        self.in_transaction = True
        self.end_operation()

    def commit(self):
        """Commit the transaction."""
        self.end_transaction(TRANSACTION_COMMIT)

    def abort(self):
        """Abort the transaction: what was written since `begin` has no effect."""
        self.end_transaction(TRANSACTION_ABORT)

    def add(self, s, p, o, g=None):
        """Write that a statement is added.

        Args:
            s, p, o: Terms.
            g: The graph's name; None in a stream of triples, and for the default graph.
        """
        self.put_statement(STATEMENT_ADD, s, p, o, g)

    def delete(self, s, p, o, g=None):
        """Write that a statement is deleted; arguments as for `add`."""
        self.put_statement(STATEMENT_DELETE, s, p, o, g)

    def add_prefix(self, prefix, iri, graph=None):
        """Write that a prefix is bound.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
            graph: As ``g`` of `add`.
        """
        if iri is None:
            refuse_prefix(prefix)
        self.put_prefix(NAMESPACE_ADD, prefix, iri, graph)

    def delete_prefix(self, prefix, iri=None, graph=None):
        """Write that a prefix is no longer bound; arguments as for `add_prefix`."""
        self.put_prefix(NAMESPACE_DELETE, prefix, iri, graph)

    def end_patch(self):
        """End the patch: what follows belongs to the next one.

        A FLAT stream is one patch, so nothing may follow.
        """
        self.start_operation()
        if self.in_transaction:
            raise EncodeError("the patch ends inside a transaction: commit() or abort() it")
        if self.stream_type == PUNCTUATED:
            self.put_mark(PUNCTUATION)
        self.patch_is_open = False
        if self.stream_type == FLAT or (self.stream_type == FRAME and not self.is_delimited):
            # A bare FRAME stream is one frame, which is one patch.
            self.state = FINISHED
        elif self.is_delimited:
            # A frame's end makes a patch that is whole visible at once.
            self.emit()

    def write(self, operation):
        """Write an operation that is given as a tuple (see `jelly_rdflib.Op`)."""
        cdef int op = operation_code(operation)
        cdef tuple items = <tuple>operation
        if op == A:
            self.put_statement(STATEMENT_ADD, items[1], items[2], items[3], items[4])
        elif op == D:
            self.put_statement(STATEMENT_DELETE, items[1], items[2], items[3], items[4])
        elif op == PA:
            self.add_prefix(items[1], items[2], items[3])
        elif op == PD:
            self.delete_prefix(items[1], items[2], items[3])
        elif op == H:
            self.header(items[1], items[2])
        else:
            self.write_bare(op)

    def encode_frame(self, operations):
        """Encode operations to one frame, without its length.

        Args:
            operations: An iterable of tuples, or a `Batch`.

        Returns:
            The frame's bytes.
        """
        self.begin_frame()
        try:
            if self.sink is not None:
                raise EncodeError("frames of this stream go to its destination: write() operations")
            self.write_all(operations)
            if self.stream_type == FRAME:
                if self.in_transaction:
                    raise EncodeError("the frame of a FRAME stream ends inside a transaction")
                self.state = OPEN
                self.patch_is_open = False
            return self.take_frame()
        finally:
            self.is_in_frame = False

    def finish(self):
        """End the stream: end an open patch and hand the last frame over.

        An open transaction is aborted.
        """
        if self.state == BROKEN:
            return
        if self.state != FINISHED:
            check_usable(self)
        if self.in_transaction:
            self.abort()
        if self.patch_is_open:
            self.end_patch()
        # Rows without an open patch are lookup entries that nothing came to use: in a FRAME stream
        # a frame of them would be a patch.
        if self.frames == 0 or (self.terms.rows > 0 and self.stream_type != FRAME):
            self.emit()
        self.state = FINISHED

    cdef int start_operation(self) except -1:
        if self.state == FINISHED and self.stream_type == FRAME:
            raise EncodeError("the frame has its patch: the next one needs a frame of its own")
        return self.refuse() if self.state != OPEN else 0

    cdef int end_operation(self) except -1:
        self.patch_is_open = True
        return close_full_frame(self)

    cdef int end_transaction(self, uint32_t field) except -1:
        self.start_operation()
        if not self.in_transaction:
            raise EncodeError("there is no transaction to end: begin() one first")
        self.put_mark(field)
        self.in_transaction = False
        return self.end_operation()

    cdef int put_statement(self, uint32_t field, object s, object p, object o, object g) except -1:
        self.start_operation()
        g = self.checked_graph(g)
        self.put_row(field, s, p, o, g)
        self.last[SUBJECT] = s
        self.last[PREDICATE] = p
        self.last[OBJECT] = o
        if self.has_graphs:
            self.last[GRAPH] = g
        return self.end_operation()

    cdef int put_prefix(self, uint32_t field, object name, object iri, object graph) except -1:
        self.start_operation()
        graph = self.checked_graph(graph)
        self.put_namespace(field, name, iri, graph)
        if self.has_graphs:
            self.last[GRAPH] = graph
        return self.end_operation()

    cdef int write_bare(self, int op) except -1:
        """Write an operation that is its code alone."""
        if op == TX:
            self.begin()
        elif op == TC:
            self.commit()
        elif op == TA:
            self.abort()
        else:
            self.end_patch()
        return 0

    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1:
        cdef BatchTerms terms = self.batch_terms
        if op == A or op == D:
            self.start_operation()
            numbers[GRAPH] = self.checked_graph_number(numbers[GRAPH])
            self.put_row(
                STATEMENT_ADD if op == A else STATEMENT_DELETE, None, None, None, None, numbers
            )
            terms.last_numbers[SUBJECT] = numbers[SUBJECT]
            terms.last_numbers[PREDICATE] = numbers[PREDICATE]
            terms.last_numbers[OBJECT] = numbers[OBJECT]
            if self.has_graphs:
                terms.last_numbers[GRAPH] = numbers[GRAPH]
        elif op == PA or op == PD:
            if op == PA and numbers[OBJECT] == 0:
                refuse_prefix(terms.node(numbers[SUBJECT]))
            self.start_operation()
            numbers[GRAPH] = self.checked_graph_number(numbers[GRAPH])
            self.put_batch_namespace(NAMESPACE_ADD if op == PA else NAMESPACE_DELETE, numbers)
            if self.has_graphs:
                terms.last_numbers[GRAPH] = numbers[GRAPH]
        elif op == H:
            self.start_operation()
            if terms.terms.kinds[numbers[SUBJECT]] != TermKind.STRING:
                check_key(terms.node(numbers[SUBJECT]))
            self.put_row(HEADER, None, None, None, None, numbers)
        else:
            return self.write_bare(op)
        return self.end_operation()

    cdef int put_numbers(self, uint32_t field, const uint32_t* numbers) except -1:
        if field == HEADER:
            self.batch_terms.put_string(1, numbers[SUBJECT])
            return self.batch_terms.put_term(numbers[OBJECT], &HEADER_VALUE_FIELDS, OBJECT)
        if field == NAMESPACE_ADD or field == NAMESPACE_DELETE:
            self.batch_terms.put_string(1, numbers[SUBJECT])
            if numbers[OBJECT] != 0:
                self.batch_terms.put_term(numbers[OBJECT], &NAMESPACE_FIELDS, OBJECT)
            if not self.has_graphs or self.batch_terms.is_last(numbers[GRAPH], GRAPH):
                return 0
            return self.batch_terms.put_term(numbers[GRAPH], &NAMESPACE_GRAPH_FIELDS, GRAPH)
        return self.batch_terms.put_statement(numbers, 4 if self.has_graphs else 3)

    cdef int put_content(self, uint32_t field, object s, object p, object o, object g) except -1:
        if field == HEADER:
            self.terms.put_string(1, s)
            return self.terms.put_term(o, &HEADER_VALUE_FIELDS, OBJECT)
        if field == NAMESPACE_ADD or field == NAMESPACE_DELETE:
            self.terms.put_string(1, s)
            if o is not None:
                self.terms.put_iri(2, o)
            return self.put_graph(g, &NAMESPACE_GRAPH_FIELDS)
        self.put_new_term(s, SUBJECT)
        self.put_new_term(p, PREDICATE)
        self.put_new_term(o, OBJECT)
        return self.put_graph(g, &STATEMENT_FIELDS[GRAPH])

    cdef int put_graph(self, object graph, const TermFields* fields) except -1:
        if not self.has_graphs or self.terms.is_same_node(graph, self.last[GRAPH]):
            return 0
        return self.terms.put_term(graph, fields, GRAPH)


cdef int check_key(object key) except -1:
    if not isinstance(key, str):
        raise EncodeError(f"header key {key!r} is no str")
    return 0


cdef int refuse_prefix(object prefix) except -1:
    raise EncodeError(f"prefix {prefix!r} is added, but has no IRI")

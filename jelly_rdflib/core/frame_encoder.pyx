# cython: nonecheck=False
# An output that is open has all its parts, and none is ever replaced by None.
"""Encodes rows to frames of either format: what Jelly-RDF and Jelly-Patch share of a stream."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t
from libc.string cimport memcpy

from jelly_rdflib.core.batch_terms cimport graph_number
from jelly_rdflib.core.node_types cimport is_of
from jelly_rdflib.core.output cimport FINISHED, IN_FLIGHT, OPEN, Output, check_usable
from jelly_rdflib.core.term_encoder cimport (
    GRAPH,
    OBJECT,
    PREDICATE,
    STATEMENT_FIELDS,
    SUBJECT,
    LastIri,
    begin_row,
)
from jelly_rdflib.core.terms cimport TermKind
from jelly_rdflib.core.wire cimport VARINT
from jelly_rdflib.core.write_buffer cimport (
    WriteBuffer,
    buffer_reserve,
    put_tag,
    put_varint,
)

from jelly_rdflib.core.term_encoder import PrefixesInUse
from jelly_rdflib.errors import EncodeError, InUseError

cdef enum:
    # Tag and number of a field, at the most.
    MAX_NUMBER_SIZE = 16
    MAX_LENGTH_SIZE = 10


cdef class FrameEncoder(Output):
    """Encodes rows, one after another. Subclasses know the rows of a format.

    What can't be encoded raises `EncodeError` and leaves the stream as if it had not been tried.

    Args:
        types: The classes of nodes.
        options: The stream's options.
        sink: Called with the bytes of each frame when it is closed, its length before it if the
            options say ``delimited``. None: bare frames are returned instead.
        entry_fields: The rows of names, prefixes and datatypes.
    """

    def __init__(self, NodeTypes types not None, options, sink, entry_fields):
        self.check_new()
        self.options = options
        self.types = types
        self.terms = TermEncoder(types, options, entry_fields)
        self.frame_rows = options.frame_rows
        self.frame_bytes = options.frame_bytes
        self.is_delimited = options.delimited and sink is not None
        self.last = [None, None, None, None]
        self.batch_terms = BatchTerms(types, self.terms)
        # Output.__init__ opens the encoder for use: all attributes are set before.
        Output.__init__(self, sink)

    def write(self, item):
        """Write what is given as a tuple."""
        raise NotImplementedError

    def write_all(self, items):
        """Write each tuple of an iterable; those of a `Batch` without making them."""
        if type(items) is Batch:
            self.write_batch(items)
            return
        for item in items:
            self.write(item)

    def write_batch(self, Batch batch not None):
        """Write what a batch has, lexical forms to the letter, without making objects of it.

        If something can't be encoded, what comes before it is written.
        """
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        if self.state != FINISHED:
            check_usable(self)
        self.check_free()
        self.batch_terms.start(batch.terms, self.last)
        try:
            self.put_batch(batch)
        finally:
            self.batch_terms.end()

    cdef int put_options(self, list texts, list numbers) except -1:
        """Put the options, the first row of the stream: pairs of a field and what it has."""
        cdef WriteBuffer* content = &self.terms.content
        begin_row(self.terms)
        for field, text in texts:
            self.terms.put_string(field, text)
        for field, number in numbers:
            if number:
                buffer_reserve(content, MAX_NUMBER_SIZE)
                put_tag(content, field, VARINT)
                put_varint(content, number)
        return self.terms.end_row(OPTIONS_ROW)

    cdef int check_free(self) except -1:
        if self.batch_terms.table is not None:
            raise InUseError("another thread is using this encoder: it writes a batch")
        return 0

    cdef int begin_frame(self) except -1:
        """Begin a frame for a caller who takes it; ``is_in_frame`` is to be unset at its end."""
        if self.state != FINISHED:
            check_usable(self)
        if self.is_in_frame:
            raise InUseError("another thread is using this encoder: it makes a frame")
        self.is_in_frame = True
        return 0

    cdef int put_mark(self, uint32_t field) except -1:
        """Put a row without content."""
        begin_row(self.terms)
        return self.terms.end_row(field)

    cdef object checked_graph(self, object graph):
        if not self.has_graphs:
            if graph is not None:
                raise EncodeError(
                    f"graph {graph!r} in a stream of triples: options need a type with graphs,"
                    " such as QUADS"
                )
            return None
        return self.types.default_graph if graph is None else graph

    cdef int check_namespace(self, object name, object iri) except -1:
        if not isinstance(name, str):
            raise EncodeError(f"prefix {name!r} is no str")
        if iri is not None and not is_of(iri, self.types.iri):
            raise EncodeError(f"prefix {name!r} can't stand for {iri!r}: it is no URIRef")
        return 0

    cdef int put_namespace(self, uint32_t field, object name, object iri, object graph) except -1:
        self.check_namespace(name, iri)
        return self.put_row(field, name, None, iri, graph)

    cdef int put_row(
        self, uint32_t field, object s, object p, object o, object g,
        const uint32_t* numbers=NULL
    ) except -1:
        """Put a row with terms, which stand where they stand in a `Batch`.

        The row is not written if that fails, so the ids it would have had must not count.

        Args:
            field: The row's member of the oneof.
            s, p, o, g: Nodes.
            numbers: The numbers of four terms of the batch that is being written, instead.
        """
        cdef LastIri last_iri = self.terms.last_iri
        if numbers == NULL:
            self.check_free()
        # A node may be of a class that runs any code.
        if self.state != OPEN:
            self.refuse()
        self.state = IN_FLIGHT
        try:
            begin_row(self.terms)
            put_terms(self, field, s, p, o, g, numbers)
        except PrefixesInUse:
            self.terms.last_iri = last_iri
            self.terms.is_without_prefixes = True
            try:
                begin_row(self.terms)
                put_terms(self, field, s, p, o, g, numbers)
            except BaseException:
                self.terms.last_iri = last_iri
                self.state = OPEN
                raise
            finally:
                self.terms.is_without_prefixes = False
        except BaseException:
            self.terms.last_iri = last_iri
            self.state = OPEN
            raise
        self.state = OPEN
        return self.terms.end_row(field)

    cdef int put_content(self, uint32_t field, object s, object p, object o, object g) except -1:
        """Put the terms of a row that is of this field."""
        return 0

    cdef int put_numbers(self, uint32_t field, const uint32_t* numbers) except -1:
        """Put the terms of a row that is of this field: what `put_content` puts of nodes."""
        return 0

    cdef int put_new_term(self, object term, int position) except -1:
        """Put a term, unless it is the last one of its position again ("Repeated terms")."""
        if self.terms.is_same_node(term, self.last[position]):
            return 0
        return self.terms.put_term(term, &STATEMENT_FIELDS[position], position)

    cdef int put_batch(self, Batch batch) except -1:
        cdef uint32_t[4] numbers
        cdef size_t row
        for row in range(batch.rows.count):
            numbers[SUBJECT] = batch.rows.s[row]
            numbers[PREDICATE] = batch.rows.p[row]
            numbers[OBJECT] = batch.rows.o[row]
            numbers[GRAPH] = batch.rows.g[row]
            self.put_batch_row(batch.rows.ops[row], numbers)
        return 0

    cdef int put_batch_row(self, uint8_t op, uint32_t* numbers) except -1:
        """Put a row of a batch, whose terms have these numbers."""
        return 0

    cdef int put_batch_namespace(self, uint32_t field, uint32_t* numbers) except -1:
        cdef const uint8_t* kinds = self.batch_terms.terms.kinds
        if kinds[numbers[SUBJECT]] != TermKind.STRING or kinds[numbers[OBJECT]] > TermKind.IRI:
            # Of no reader, and mostly an error.
            self.check_namespace(
                self.batch_terms.node(numbers[SUBJECT]), self.batch_terms.node(numbers[OBJECT])
            )
        return self.put_row(field, None, None, None, None, numbers)

    cdef uint32_t checked_graph_number(self, uint32_t number) except? 0xFFFFFFFE:
        """Return what `checked_graph` says of the graph, as a number."""
        if self.has_graphs:
            return graph_number(self.batch_terms, number)
        if number != 0:
            self.checked_graph(self.batch_terms.node(number))
        return 0

    cdef bytes take_frame(self):
        """Return the frame, with its length before it in a delimited stream, and start anew."""
        cdef uint8_t[MAX_LENGTH_SIZE] room
        cdef WriteBuffer length
        cdef bytes frame
        length.data = room
        length.size = 0
        length.capacity = MAX_LENGTH_SIZE
        if self.is_delimited:
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
        """Hand on the frame in one piece, so that none is half written; maybe the last one.

        A frame that is lost takes with it entries that later ones need.
        """
        if self.state != FINISHED:
            check_usable(self)
        return self.send(self.take_frame())


cdef inline int put_terms(
    FrameEncoder encoder, uint32_t field, object s, object p, object o, object g,
    const uint32_t* numbers
) except -1:
    if numbers == NULL:
        return encoder.put_content(field, s, p, o, g)
    return encoder.put_numbers(field, numbers)

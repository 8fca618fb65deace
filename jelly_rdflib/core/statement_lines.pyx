# cython: nonecheck=False
# `__cinit__` sets all that is used, or `add_batch` before any row is put.
"""Writes statements as lines of N-Quads: those of batches, and of nodes."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport uint8_t, uint32_t, uintptr_t
from libc.string cimport memcmp

from jelly_rdflib.core.batch cimport Batch
from jelly_rdflib.core.node_types cimport NodeTypes, get_slot, is_of
from jelly_rdflib.core.ntriples cimport TermTexts
from jelly_rdflib.core.output cimport Output, check_usable, claim_output, free_output
from jelly_rdflib.core.term_encoder cimport Text, get_text
from jelly_rdflib.core.terms cimport TermColumns, TermKind
from jelly_rdflib.core.text_encoder cimport WrittenTerm, put_quoted
from jelly_rdflib.core.write_buffer cimport (
    WriteBuffer,
    buffer_free,
    buffer_reserve,
    put_byte,
    put_bytes,
)

from jelly_rdflib.errors import InUseError
from jelly_rdflib.operations import Op

cdef enum:
    # Of texts that are known to be good, since they come again and again.
    MAX_KNOWN = 1 << 14
    MAX_KNOWN_SIZE = 256
    # Of nodes that are known to be good.
    RECENT = 1 << 12

# No text of a batch is so long.
cdef size_t ANY_SIZE = <size_t>1 << 40

cdef enum Check:
    # Whether a term of a batch can be written.
    NOT_YET
    GOOD
    BAD

cdef int A = Op.A


@cython.final
cdef class StatementLines:
    """Writes statements as lines of N-Quads, and holds them until they are taken.

    It writes those that are plain to say: not those with quoted triples, generalized ones, or what
    can't be written at all. Those it leaves to its caller, who may add their lines.

    Args:
        types: The classes of nodes.
        is_good: Called with the `TermKind` and the text of an IRI, a blank node or a language tag
            (which is a ``STRING``), in UTF-8; or with the kind of a typed literal, and its
            datatype. Returns whether N-Quads can have it.
        output: Says whether lines may be added now.
        has_graphs: Whether statements may be in named graphs.
        piece: How many bytes are to be taken at once, or somewhat more.
    """

    cdef Output output
    cdef NodeTypes types
    cdef object is_good
    cdef bytes default_graph
    cdef bint has_graphs
    cdef size_t piece
    cdef list known  # by kind: a set of texts that are good
    cdef list recent  # nodes that are good: IRIs and blank nodes
    cdef TermTexts texts
    cdef WriteBuffer out
    # Of the batch that is being written.
    cdef const TermColumns* terms
    cdef uint8_t* checks
    cdef uint32_t last_graph
    cdef bint last_graph_is_default

    def __cinit__(
        self, NodeTypes types not None, is_good not None, Output output not None, *,
        bint has_graphs, size_t piece
    ):
        self.output = output
        self.types = types
        self.is_good = is_good
        self.default_graph = str(types.default_graph).encode()
        self.has_graphs = has_graphs
        self.piece = piece
        self.known = [set() for _ in range(TermKind.STRING + 1)]
        self.recent = [None] * RECENT
        self.texts = TermTexts(ANY_SIZE)

    def __dealloc__(self):
        buffer_free(&self.out)
        PyMem_RawFree(self.checks)

    @property
    def size(self):
        """How many bytes there are to take."""
        return self.out.size

    def take(self):
        """Return the lines, and start anew."""
        cdef bytes lines = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
        self.out.size = 0
        return lines

    def add_line(self, bytes line not None):
        """Add a line that the caller has written."""
        check_usable(self.output)
        buffer_reserve(&self.out, PyBytes_GET_SIZE(line))
        put_bytes(&self.out, <const uint8_t*>PyBytes_AS_STRING(line), PyBytes_GET_SIZE(line))

    def add(self, s, p, o, g):
        """Add the line of a statement of nodes.

        Args:
            s, p, o: Terms.
            g: The graph's name; None for the default graph.

        Returns:
            False, and nothing is added, if it is not plain to say.
        """
        return self.put_statement(s, p, o, g)

    def add_all(self, statements, add_other not None, hand_on not None):
        """Add the lines of statements of nodes.

        Args:
            statements: An iterable of tuples of three or four terms.
            add_other: Called with a statement that is not plain to say, in its turn, or with what
                is no such tuple.
            hand_on: Called when there is enough to take.
        """
        cdef tuple items
        cdef Py_ssize_t size
        for statement in statements:
            size = len(<tuple>statement) if isinstance(statement, tuple) else 0
            items = <tuple>statement if size == 3 or size == 4 else None
            if items is None or not self.put_statement(
                items[0], items[1], items[2], items[3] if size == 4 else None
            ):
                add_other(statement)
            if self.out.size >= self.piece:
                hand_on()

    def add_batch(self, Batch batch not None, add_row not None, hand_on not None):
        """Add the lines of a batch's statements.

        Args:
            batch: The batch.
            add_row: Called with the number of a row that is not plain to say, in its turn.
            hand_on: Called when there is enough to take.
        """
        cdef size_t row
        cdef bint is_said
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        if self.terms != NULL:
            raise InUseError("another batch is being written")
        check_usable(self.output)
        self.texts.start(batch.terms)
        self.checks = <uint8_t*>PyMem_RawCalloc(batch.terms.columns.count, 1)
        if self.checks == NULL:
            raise MemoryError
        self.terms = &batch.terms.columns
        self.last_graph = 0
        self.last_graph_is_default = True
        try:
            for row in range(batch.rows.count):
                claim_output(self.output)
                try:
                    is_said = self.put_row(batch, row)
                finally:
                    free_output(self.output)
                if not is_said:
                    add_row(row)
                if self.out.size >= self.piece:
                    hand_on()
        finally:
            self.terms = NULL
            PyMem_RawFree(self.checks)
            self.checks = NULL

    # Statements of nodes.

    cdef bint put_statement(self, object s, object p, object o, object g) except -1:
        cdef size_t start = self.out.size
        cdef bint is_said = False
        # What says whether a text is good is Python code, between which other threads run.
        claim_output(self.output)
        try:
            is_said = (
                self.put_node(s, False) and self.put_node(p, True) and self.put_object(o)
                and self.put_graph(g)
            )
            if is_said:
                buffer_reserve(&self.out, 2)
                put_bytes(&self.out, b".\n", 2)
        finally:
            if not is_said:
                self.out.size = start
            free_output(self.output)
        return is_said

    cdef bint put_node(self, object node, bint is_predicate) except -1:
        """Put an IRI or a blank node and a space, if it is one and good."""
        cdef Text text
        cdef bint is_iri = is_of(node, self.types.iri)
        if not is_iri and (is_predicate or not is_of(node, self.types.blank_node)):
            return False
        owner = get_text(node, &text)
        if not self.is_good_node(node, is_iri, &text):
            return False
        buffer_reserve(&self.out, text.size + 3)
        if is_iri:
            put_byte(&self.out, b"<")
            put_bytes(&self.out, text.start, text.size)
            put_byte(&self.out, b">")
        else:
            put_bytes(&self.out, b"_:", 2)
            put_bytes(&self.out, text.start, text.size)
        put_byte(&self.out, b" ")
        return True

    cdef bint is_good_node(self, object node, bint is_iri, Text* text) except -1:
        # A node is a str, and so stays good.
        cdef size_t place = (<uintptr_t><void*>node >> 4) & (RECENT - 1)
        if self.recent[place] is node:
            return True
        if not self.is_good_text(
            TermKind.IRI if is_iri else TermKind.BLANK_NODE, text.start, text.size
        ):
            return False
        self.recent[place] = node
        return True

    cdef bint put_object(self, object node) except -1:
        cdef Text text
        cdef object language, datatype
        if not is_of(node, self.types.literal):
            return self.put_node(node, False)
        language = get_slot(node, self.types.language_offset)
        datatype = get_slot(node, self.types.datatype_offset)
        owner = get_text(node, &text)
        put_quoted(&self.out, text.start, text.size)
        if language is not None:
            owner = get_text(language, &text)
            if not self.is_good_text(TermKind.STRING, text.start, text.size):
                return False
            buffer_reserve(&self.out, text.size + 2)
            put_byte(&self.out, b"@")
            put_bytes(&self.out, text.start, text.size)
        elif datatype is not None:
            owner = get_text(datatype, &text)
            if not self.is_good_text(TermKind.TYPED_LITERAL, text.start, text.size):
                return False
            buffer_reserve(&self.out, 2)
            put_bytes(&self.out, b"^^", 2)
            return self.put_node(datatype, True)
        else:
            buffer_reserve(&self.out, 1)
        put_byte(&self.out, b" ")
        return True

    cdef bint put_graph(self, object graph) except -1:
        cdef size_t start = self.out.size
        if graph is None or graph is self.types.default_graph:
            return True
        if not self.put_node(graph, False):
            return False
        # Between "<" and "> ".
        if (
            self.out.size - start == <size_t>PyBytes_GET_SIZE(self.default_graph) + 3
            and memcmp(
                self.out.data + start + 1, PyBytes_AS_STRING(self.default_graph),
                PyBytes_GET_SIZE(self.default_graph),
            ) == 0
        ):
            self.out.size = start
            return True
        return self.has_graphs

    # Statements of a batch.

    cdef bint put_row(self, Batch batch, size_t row) except -1:
        """Put a row's line, if it is plain to say."""
        cdef uint32_t s = batch.rows.s[row]
        cdef uint32_t p = batch.rows.p[row]
        cdef uint32_t o = batch.rows.o[row]
        cdef uint32_t g = batch.rows.g[row]
        if (
            batch.rows.ops[row] != A
            or not self.is_node(s) or not self.is_good_term(s)
            or self.terms.kinds[p] != TermKind.IRI or not self.is_good_term(p)
            or not self.is_good_term(o)
        ):
            return False
        if g != self.last_graph:
            self.last_graph_is_default = self.is_default_graph(g)
            self.last_graph = g
        if not self.last_graph_is_default and not (
            self.has_graphs and self.is_node(g) and self.is_good_term(g)
        ):
            return False
        self.put_term(s)
        self.put_term(p)
        self.put_term(o)
        if not self.last_graph_is_default:
            self.put_term(g)
        buffer_reserve(&self.out, 2)
        put_bytes(&self.out, b".\n", 2)
        return True

    cdef int put_term(self, uint32_t term) except -1:
        """Put a term and a space."""
        cdef WrittenTerm* place = self.texts.find(term)
        buffer_reserve(&self.out, place.size + 1)
        put_bytes(&self.out, self.texts.out.data + place.start, place.size)
        put_byte(&self.out, b" ")
        return 0

    cdef inline bint is_node(self, uint32_t term) noexcept:
        cdef int kind = self.terms.kinds[term]
        return kind == TermKind.IRI or kind == TermKind.BLANK_NODE

    cdef inline bint is_good_term(self, uint32_t term) except -1:
        if self.checks[term] == NOT_YET:
            self.checks[term] = GOOD if self.check(term) else BAD
        return self.checks[term] == GOOD

    cdef bint check(self, uint32_t term) except -1:
        cdef int kind = self.terms.kinds[term]
        cdef uint32_t extra = self.terms.extras[term]
        if kind == TermKind.IRI or kind == TermKind.BLANK_NODE:
            return self.check_text(kind, term)
        if kind == TermKind.SIMPLE_LITERAL:
            return True
        if kind == TermKind.LANGUAGE_LITERAL:
            return self.check_text(TermKind.STRING, extra)
        if kind == TermKind.TYPED_LITERAL:
            return self.is_good_term(extra) and self.check_text(kind, extra)
        return False

    cdef bint check_text(self, int kind, uint32_t term) except -1:
        return self.is_good_text(
            kind, self.terms.data + self.terms.offsets[term],
            self.terms.offsets[term + 1] - self.terms.offsets[term],
        )

    cdef bint is_good_text(self, int kind, const uint8_t* start, size_t size) except -1:
        cdef bytes text = PyBytes_FromStringAndSize(<const char*>start, size)
        cdef set known = self.known[kind]
        if text in known:
            return True
        if not self.is_good(kind, text):
            return False
        if size <= MAX_KNOWN_SIZE:
            if len(known) >= MAX_KNOWN:
                known.clear()
            known.add(text)
        return True

    cdef bint is_default_graph(self, uint32_t term) noexcept:
        cdef size_t size = self.terms.offsets[term + 1] - self.terms.offsets[term]
        cdef int kind = self.terms.kinds[term]
        return kind == TermKind.NONE or kind == TermKind.DEFAULT_GRAPH or (
            kind == TermKind.IRI and size == <size_t>PyBytes_GET_SIZE(self.default_graph)
            and memcmp(
                self.terms.data + self.terms.offsets[term], PyBytes_AS_STRING(self.default_graph),
                size,
            ) == 0
        )

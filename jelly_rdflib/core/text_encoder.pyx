# cython: nonecheck=False
# An output that is open has all its parts, and none is ever replaced by None.
"""Encodes operations as RDF Patch text.

The style is the one that the specification prefers: a row to a line, single spaces, blank nodes as
``<_:label>``, prefixes and their IRIs quoted, and literals in full.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.unicode cimport PyUnicode_Compare
from libc.string cimport memcmp, memcpy

from jelly_rdflib.core.hashing cimport BLOCK
from jelly_rdflib.core.language_tag cimport is_language_tag
from jelly_rdflib.core.node_types cimport get_slot, is_of
from jelly_rdflib.core.operation_codes cimport operation_code
from jelly_rdflib.core.output cimport (
    FINISHED,
    Output,
    check_usable,
    claim_output,
    free_output,
)
from jelly_rdflib.core.scanning cimport (
    find_iri_escape,
    find_string_escape,
    is_ascii_name_part,
    is_letter,
)
from jelly_rdflib.core.term_encoder cimport Text, get_text
from jelly_rdflib.core.terms cimport TermKind
from jelly_rdflib.core.wire cimport MAX_LENGTH, Span
from jelly_rdflib.core.write_buffer cimport buffer_free, buffer_reserve, put_byte, put_bytes

from jelly_rdflib.errors import EncodeError, InUseError
from jelly_rdflib.operations import Op

cdef enum:
    # How much is handed on at once, or somewhat more.
    PIECE = 1 << 16
    MAX_NESTING_DEPTH = 1000
    # Bytes of an escape.
    ESCAPE_SIZE = 6

cdef int H = Op.H
cdef int TX = Op.TX
cdef int TC = Op.TC
cdef int TA = Op.TA
cdef int PA = Op.PA
cdef int PD = Op.PD
cdef int A = Op.A
cdef int D = Op.D
cdef int END = Op.END

cdef const char* HEX = b"0123456789ABCDEF"

# What a byte is written as: itself, or an escape. U+FFFE and U+FFFF start with EF.
cdef enum:
    AS_IT_IS = 0
    IN_HEX = 1
    PERHAPS_NO_CHARACTER = 2

cdef uint8_t[256] STRING_ESCAPES
cdef uint8_t[256] IRI_ESCAPES
for byte in range(256):
    STRING_ESCAPES[byte] = IN_HEX if byte < 0x20 or byte == 0x7F else AS_IT_IS
    IRI_ESCAPES[byte] = IN_HEX if byte <= 0x20 or byte in b'<>"{}|^`\\' else AS_IT_IS
for byte, letter in zip(b'\b\t\n\f\r"\\', b'btnfr"\\'):
    STRING_ESCAPES[byte] = letter
STRING_ESCAPES[0xEF] = PERHAPS_NO_CHARACTER


cdef int put_escaped(
    WriteBuffer* out, const uint8_t* text, size_t size, bint is_string
) except -1:
    """Put a text as it stands between quotes, or between < and >."""
    cdef uint8_t* target
    cdef const uint8_t* stop
    # Behind the copy there is room for blocks to be read.
    buffer_reserve(out, size + BLOCK)
    target = out.data + out.size
    memcpy(target, text, size)
    if is_string:
        stop = find_string_escape(target, target + size)
    else:
        stop = find_iri_escape(target, target + size)
    if stop >= target + size:
        out.size += size
        return 0
    out.size += stop - target
    return put_escapes(out, text + (stop - target), text + size, is_string)


cdef int put_escapes(
    WriteBuffer* out, const uint8_t* at, const uint8_t* end, bint is_string
) except -1:
    cdef const uint8_t* start = at
    cdef uint8_t escape
    while at < end:
        escape = STRING_ESCAPES[at[0]] if is_string else IRI_ESCAPES[at[0]]
        if escape == AS_IT_IS:
            at += 1
            continue
        if escape == PERHAPS_NO_CHARACTER and not (at[1] == 0xBF and at[2] >= 0xBE):
            at += 1
            continue
        buffer_reserve(out, at - start + ESCAPE_SIZE)
        put_bytes(out, start, at - start)
        put_byte(out, b"\\")
        if escape == PERHAPS_NO_CHARACTER:
            put_bytes(out, b"uFFFE" if at[2] == 0xBE else b"uFFFF", 5)
            at += 2
        elif escape == IN_HEX:
            put_bytes(out, b"u00", 3)
            put_byte(out, HEX[at[0] >> 4])
            put_byte(out, HEX[at[0] & 0xF])
        else:
            put_byte(out, escape)
        at += 1
        start = at
    buffer_reserve(out, at - start)
    put_bytes(out, start, at - start)
    return 0


cdef int put_quoted(WriteBuffer* out, const uint8_t* text, size_t size) except -1:
    buffer_reserve(out, 1)
    put_byte(out, b'"')
    put_escaped(out, text, size, True)
    buffer_reserve(out, 1)
    put_byte(out, b'"')
    return 0


cdef int put_iri(WriteBuffer* out, const uint8_t* text, size_t size) except -1:
    if size >= 2 and text[0] == b"_" and text[1] == b":":
        raise EncodeError(
            f"RDF Patch text can't have the IRI {str(text[:size], 'utf-8')!r}: between < and > it"
            " would be a blank node"
        )
    buffer_reserve(out, 1)
    put_byte(out, b"<")
    put_escaped(out, text, size, False)
    buffer_reserve(out, 1)
    put_byte(out, b">")
    return 0


cdef int put_blank_node(WriteBuffer* out, const uint8_t* label, size_t size) except -1:
    buffer_reserve(out, 3)
    put_bytes(out, b"<_:", 3)
    put_escaped(out, label, size, False)
    buffer_reserve(out, 1)
    put_byte(out, b">")
    return 0


cdef int put_tag(WriteBuffer* out, const uint8_t* text, size_t size) except -1:
    cdef Span tag
    tag.start = text
    tag.end = text + size
    if not is_language_tag(tag):
        raise EncodeError(
            f"RDF Patch text can't have {str(text[:size], 'utf-8')!r} as a language tag: it is none"
        )
    buffer_reserve(out, size + 1)
    put_byte(out, b"@")
    put_bytes(out, text, size)
    return 0


cdef int put_datatype(WriteBuffer* out, const uint8_t* text, size_t size) except -1:
    buffer_reserve(out, 2)
    put_bytes(out, b"^^", 2)
    return put_iri(out, text, size)


cdef int put_key(WriteBuffer* out, const uint8_t* text, size_t size) except -1:
    """Put a header's key: as it is where it is a word, else quoted."""
    cdef bint is_word = size > 0 and is_letter(text[0]) and text[size - 1] != b"."
    cdef size_t i
    for i in range(size):
        is_word &= is_ascii_name_part(text[i]) or text[i] == b"."
    if not is_word:
        return put_quoted(out, text, size)
    buffer_reserve(out, size)
    put_bytes(out, text, size)
    return 0


cdef inline bint is_literal(int kind) noexcept:
    return (
        kind == TermKind.SIMPLE_LITERAL or kind == TermKind.LANGUAGE_LITERAL
        or kind == TermKind.TYPED_LITERAL
    )


cdef class TextPatchEncoder(Output):
    """Encodes operations, one after another, or whole batches.

    An operation that can't be encoded raises `EncodeError` and leaves the text as if it had not
    been tried. What the text can't say: an IRI that starts with ``_:``, a literal whose language
    tag is none, and the deletion of a prefix from a graph that is a literal. What it does not tell: the default graph from no graph at all, and the
    IRI of a prefix that is deleted.

    A patch's end is written, as ``Z .``, where something follows it; the last one is the text's
    own end. So the text of a single patch has no ``Z``.

    Args:
        types: The classes of nodes.
        sink: Called with pieces of the text as they are ready: bytes, in whole rows.
    """

    def __init__(self, NodeTypes types not None, sink):
        self.check_new()
        self.types = types
        self.default_graph = str(types.default_graph).encode()
        self.patch_is_empty = True
        # Output.__init__ opens the encoder for use: all attributes are set before.
        Output.__init__(self, sink)

    def __dealloc__(self):
        buffer_free(&self.out)
        buffer_free(&self.written)
        PyMem_RawFree(self.places)

    def header(self, key, value):
        """Write a header.

        Args:
            key: A str, such as ``"id"`` or ``"prev"``.
            value: A term.
        """
        cdef Text text
        if not isinstance(key, str):
            raise EncodeError(f"header key {key!r} is no str")
        self.start_row()
        try:
            self.put(b"H ", 2)
            owner = get_text(key, &text)
            put_key(&self.out, text.start, text.size)
            self.put(b" ", 1)
            self.put_node(value)
            self.put(b" .\n", 3)
        except BaseException:
            self.drop_row()
            raise
        self.end_row()

    def begin(self):
        """Start a transaction."""
        self.put_mark(TX)

    def commit(self):
        """Commit the transaction."""
        self.put_mark(TC)

    def abort(self):
        """Abort the transaction: what was written since `begin` has no effect."""
        self.put_mark(TA)

    def add(self, s, p, o, g=None):
        """Write that a statement is added.

        Args:
            s, p, o: Terms.
            g: The graph's name; None for the default graph.
        """
        self.put_statement(A, s, p, o, g)

    def delete(self, s, p, o, g=None):
        """Write that a statement is deleted; arguments as for `add`."""
        self.put_statement(D, s, p, o, g)

    def add_prefix(self, prefix, iri, graph=None):
        """Write that a prefix is bound.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
            graph: As ``g`` of `add`.
        """
        if iri is None:
            raise EncodeError(f"prefix {prefix!r} is added, but has no IRI")
        self.put_prefix(PA, prefix, iri, graph)

    def delete_prefix(self, prefix, iri=None, graph=None):
        """Write that a prefix is no longer bound; arguments as for `add_prefix`.

        The IRI is not written: RDF Patch as text has no place for it.
        """
        self.put_prefix(PD, prefix, iri, graph)

    def end_patch(self):
        """End the patch: what follows belongs to the next one. What is written is handed on."""
        check_usable(self)
        if self.in_transaction:
            raise EncodeError("the patch ends inside a transaction: commit() or abort() it")
        if self.is_end_due:
            # This patch is empty.
            self.start_row()
            self.end_row()
            self.patch_is_empty = True
        self.is_end_due = True
        self.emit()

    def write(self, operation):
        """Write an operation that is given as a tuple (see `jelly_rdflib.Op`)."""
        cdef int op = operation_code(operation)
        cdef tuple items = <tuple>operation
        if op == A or op == D:
            self.put_statement(op, items[1], items[2], items[3], items[4])
        elif op == PA:
            self.add_prefix(items[1], items[2], items[3])
        elif op == PD:
            self.delete_prefix(items[1], items[2], items[3])
        elif op == H:
            self.header(items[1], items[2])
        elif op == END:
            self.end_patch()
        else:
            self.put_mark(op)

    def write_all(self, operations):
        """Write each operation of an iterable."""
        for operation in operations:
            self.write(operation)

    def write_batch(self, Batch batch not None):
        """Write the operations of a batch, without making objects of them.

        If one of them can't be encoded, those before it are written.
        """
        cdef size_t row
        if self.terms != NULL:
            raise InUseError("another thread is using this encoder: it writes a batch")
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        batch.terms.check_made()
        check_usable(self)
        self.places = <WrittenTerm*>PyMem_RawCalloc(batch.terms.columns.count, sizeof(WrittenTerm))
        if self.places == NULL:
            raise MemoryError
        self.terms = &batch.terms.columns
        self.written.size = 0
        self.last_graph = 0
        self.last_graph_is_default = True
        try:
            for row in range(batch.rows.count):
                self.put_row(batch, row)
        finally:
            self.terms = NULL
            PyMem_RawFree(self.places)
            self.places = NULL

    def flush(self):
        """Hand on the rows that are ready, where a reader may wait for them."""
        check_usable(self)
        self.emit()

    def finish(self):
        """End the text and hand on what is left. An open transaction is aborted."""
        if self.is_over:
            return
        if self.in_transaction:
            self.abort()
        if self.is_end_due and self.has_end and self.patch_is_empty:
            # Without its Z an empty patch behind another would be none.
            self.start_row()
            self.end_row()
        self.emit()
        self.state = FINISHED

    cdef int start_row(self) except -1:
        """Start a row, to be ended or dropped: a node may be of a class that runs any code."""
        claim_output(self)
        self.row_start = self.out.size
        self.depth = 0
        return self.put_end() if self.is_end_due else 0

    cdef int put_end(self) except -1:
        try:
            return self.put(b"Z .\n", 4)
        except BaseException:
            self.drop_row()
            raise

    cdef int drop_row(self) except -1:
        """Take back what is written of the row."""
        self.out.size = self.row_start
        free_output(self)
        return 0

    cdef int end_row(self) except -1:
        free_output(self)
        if self.is_end_due:
            self.is_end_due = False
            self.has_end = True
        self.patch_is_empty = False
        if self.out.size >= PIECE:
            self.emit()
        return 0

    cdef int emit(self) except -1:
        cdef bytes piece
        if self.out.size == 0:
            return 0
        check_usable(self)
        piece = PyBytes_FromStringAndSize(<char*>self.out.data, self.out.size)
        self.out.size = 0
        return self.send(piece)

    cdef inline int put(self, const char* text, size_t size) except -1:
        buffer_reserve(&self.out, size)
        put_bytes(&self.out, <const uint8_t*>text, size)
        return 0

    cdef int put_mark(self, int op) except -1:
        """Put a row of a transaction."""
        check_usable(self)
        if op == TX:
            if self.in_transaction:
                raise EncodeError("a transaction starts inside a transaction")
        elif not self.in_transaction:
            raise EncodeError("there is no transaction to end: begin() one first")
        self.start_row()
        try:
            self.put(b"TX .\n" if op == TX else b"TC .\n" if op == TC else b"TA .\n", 5)
        except BaseException:
            self.drop_row()
            raise
        self.in_transaction = op == TX
        return self.end_row()

    # Operations as tuples.

    cdef int put_statement(self, int op, object s, object p, object o, object g) except -1:
        self.start_row()
        try:
            self.put(b"A " if op == A else b"D ", 2)
            self.put_node(s)
            self.put(b" ", 1)
            self.put_node(p)
            self.put(b" ", 1)
            self.put_node(o)
            self.put_graph(g)
        except BaseException:
            self.drop_row()
            raise
        return self.end_row()

    cdef int put_prefix(self, int op, object name, object iri, object graph) except -1:
        cdef Text text
        check_usable(self)
        if not isinstance(name, str):
            raise EncodeError(f"prefix {name!r} is no str")
        if iri is not None and not is_of(iri, self.types.iri):
            raise EncodeError(f"prefix {name!r} can't stand for {iri!r}: it is no URIRef")
        self.start_row()
        try:
            self.put(b"PA " if op == PA else b"PD ", 3)
            owner = get_text(name, &text)
            put_quoted(&self.out, text.start, text.size)
            if op == PA:
                self.put(b" ", 1)
                owner = get_text(iri, &text)
                put_quoted(&self.out, text.start, text.size)
            elif is_of(graph, self.types.literal):
                self.refuse_literal(graph)
            self.put_graph(graph)
        except BaseException:
            self.drop_row()
            raise
        return self.end_row()

    cdef int refuse_literal(self, object graph) except -1:
        raise EncodeError(
            f"RDF Patch text can't delete a prefix from {graph!r}: a literal would be read as the"
            " prefix's IRI"
        )

    cdef int put_graph(self, object graph) except -1:
        """Put the graph, unless it is the default graph, and the end of the row."""
        if graph is not None and not self.is_default_node(graph):
            if type(graph) is not self.types.iri and isinstance(graph, self.types.triple_term):
                raise EncodeError(f"a quoted triple can't be a graph: {graph!r}")
            self.put(b" ", 1)
            self.put_node(graph)
        return self.put(b" .\n", 3)

    cdef bint is_default_node(self, object graph) except -1:
        cdef object default = self.types.default_graph
        return graph is default or (
            isinstance(graph, str) and PyUnicode_Compare(graph, default) == 0
            and is_of(graph, self.types.iri)
        )

    cdef int put_node(self, object node) except -1:
        cdef NodeTypes types = self.types
        cdef object cls = type(node)
        cdef Text text
        # The classes themselves come first: to ask rdflib's for subclasses takes long.
        if cls is types.iri or (cls is not types.literal and is_of(node, types.iri)):
            owner = get_text(node, &text)
            return put_iri(&self.out, text.start, text.size)
        if cls is types.literal or (
            cls is not types.blank_node and is_of(node, types.literal)
        ):
            return self.put_literal(node)
        if is_of(node, types.blank_node):
            owner = get_text(node, &text)
            return put_blank_node(&self.out, text.start, text.size)
        if isinstance(node, types.triple_term):
            return self.put_triple(node)
        raise EncodeError(
            f"{node!r} of type {type(node).__name__} is no term: give rdflib's URIRef, BNode or"
            " Literal, or a TripleTerm; of a Graph, its identifier"
        )

    cdef int put_literal(self, object node) except -1:
        cdef Text text
        cdef object language = get_slot(node, self.types.language_offset)
        cdef object datatype = get_slot(node, self.types.datatype_offset)
        owner = get_text(node, &text)
        put_quoted(&self.out, text.start, text.size)
        if language is not None:
            owner = get_text(language, &text)
            put_tag(&self.out, text.start, text.size)
        elif datatype is not None:
            owner = get_text(datatype, &text)
            put_datatype(&self.out, text.start, text.size)
        return 0

    cdef int put_triple(self, object node) except -1:
        self.check_depth()
        self.depth += 1
        self.put(b"<<( ", 4)
        self.put_node(node.s)
        self.put(b" ", 1)
        self.put_node(node.p)
        self.put(b" ", 1)
        self.put_node(node.o)
        self.put(b" )>>", 4)
        self.depth -= 1
        return 0

    cdef int check_depth(self) except -1:
        if self.depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        # Triples that share triples may be few and yet endless to write down.
        if self.out.size - self.row_start > MAX_LENGTH:
            raise EncodeError("the row would be longer than 2 GiB")
        return 0

    # Operations of a batch.

    cdef int put_row(self, Batch batch, size_t row) except -1:
        cdef int op = batch.rows.ops[row]
        if op == TX or op == TC or op == TA:
            return self.put_mark(op)
        if op == END:
            self.end_patch()
            return 0
        self.start_row()
        try:
            if op == A or op == D:
                self.put(b"A " if op == A else b"D ", 2)
                self.put_batch_term(batch.rows.s[row])
                self.put_batch_term(batch.rows.p[row])
                self.put_batch_term(batch.rows.o[row])
                self.put_batch_graph(batch.rows.g[row])
            elif op == H:
                self.put(b"H ", 2)
                put_key(
                    &self.out, self.terms.data + self.terms.offsets[batch.rows.s[row]],
                    self.terms.offsets[batch.rows.s[row] + 1]
                    - self.terms.offsets[batch.rows.s[row]],
                )
                self.put(b" ", 1)
                self.put_batch_term(batch.rows.o[row])
            else:
                self.put(b"PA " if op == PA else b"PD ", 3)
                self.put_batch_string(batch.rows.s[row])
                if op == PA:
                    self.put_batch_string(batch.rows.o[row])
                elif is_literal(self.terms.kinds[batch.rows.g[row]]):
                    self.refuse_literal(batch.terms[batch.rows.g[row]])
                self.put_batch_graph(batch.rows.g[row])
            self.put(b".\n", 2)
        except BaseException:
            self.drop_row()
            raise
        return self.end_row()

    cdef inline int put_batch_term(self, uint32_t term) except -1:
        """Put a term and a space."""
        cdef WrittenTerm* place = &self.places[term]
        cdef uint8_t* target
        cdef const uint8_t* text
        if place.size == 0:
            if self.terms.kinds[term] == TermKind.TRIPLE_TERM:
                return self.put_batch_triple(term)
            self.write_term(term)
        buffer_reserve(&self.out, place.size + BLOCK)
        target = self.out.data + self.out.size
        text = self.written.data + place.start
        # Most are short, and there is room for a block behind both.
        memcpy(target, text, BLOCK)
        if place.size > BLOCK:
            memcpy(target + BLOCK, text + BLOCK, BLOCK)
            if place.size > 2 * BLOCK:
                memcpy(target + 2 * BLOCK, text + 2 * BLOCK, place.size - 2 * BLOCK)
        self.out.size += place.size
        return 0

    cdef int write_term(self, uint32_t term) except -1:
        """Write a term down, with a space behind it, where rows copy it from."""
        cdef WriteBuffer* out = &self.written
        cdef size_t start = out.size
        cdef const uint8_t* text = self.terms.data + self.terms.offsets[term]
        cdef size_t size = self.terms.offsets[term + 1] - self.terms.offsets[term]
        cdef int kind = self.terms.kinds[term]
        cdef uint32_t extra = self.terms.extras[term]
        cdef const uint8_t* extra_text = self.terms.data + self.terms.offsets[extra]
        cdef size_t extra_size = self.terms.offsets[extra + 1] - self.terms.offsets[extra]
        if kind == TermKind.IRI:
            put_iri(out, text, size)
        elif kind == TermKind.BLANK_NODE:
            put_blank_node(out, text, size)
        elif kind == TermKind.DEFAULT_GRAPH:
            put_iri(
                out, <const uint8_t*>PyBytes_AS_STRING(self.default_graph),
                PyBytes_GET_SIZE(self.default_graph),
            )
        else:
            put_quoted(out, text, size)
            if kind == TermKind.LANGUAGE_LITERAL:
                put_tag(out, extra_text, extra_size)
            elif kind == TermKind.TYPED_LITERAL:
                put_datatype(out, extra_text, extra_size)
        buffer_reserve(out, 1 + BLOCK)
        put_byte(out, b" ")
        self.places[term].start = start
        self.places[term].size = out.size - start
        return 0

    cdef int put_batch_triple(self, uint32_t term) except -1:
        cdef uint32_t[3] numbers
        cdef int position
        self.check_depth()
        self.depth += 1
        memcpy(numbers, self.terms.data + self.terms.offsets[term], sizeof(numbers))
        self.put(b"<<( ", 4)
        for position in range(3):
            self.put_batch_term(numbers[position])
        self.put(b")>> ", 4)
        self.depth -= 1
        return 0

    cdef inline int put_batch_graph(self, uint32_t term) except -1:
        """Put the graph, unless it is the default graph, and a space."""
        if term != self.last_graph:
            self.last_graph = term
            self.last_graph_is_default = self.is_default_graph(term)
        return 0 if self.last_graph_is_default else self.put_batch_term(term)

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

    cdef int put_batch_string(self, uint32_t term) except -1:
        """Put the text of a term, quoted, and a space."""
        put_quoted(
            &self.out, self.terms.data + self.terms.offsets[term],
            self.terms.offsets[term + 1] - self.terms.offsets[term],
        )
        return self.put(b" ", 1)

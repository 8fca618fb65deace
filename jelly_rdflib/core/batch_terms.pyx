# cython: nonecheck=False
# `__cinit__` or `start` sets every attribute before a term is put, so none is None here.
"""The terms of a batch, put into rows by their numbers.

What comes out is what `TermEncoder` makes of their nodes, but none is made: a term's entries in the
stream's lookups are remembered by its number. What can't be encoded is left to `TermEncoder`, whose
errors show nodes.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.string cimport memcmp, memcpy, memset

from jelly_rdflib.core.lookup_encoder cimport EncoderEntry, touch
from jelly_rdflib.core.numbered_term cimport NumberedTerm, numbered_term
from jelly_rdflib.core.term_encoder cimport (
    FIELD_HEAD,
    MAX_NESTING_DEPTH,
    MAX_TEXT,
    OBJECT,
    PREDICATE,
    STATEMENT_FIELDS,
    SUBJECT,
    get_text,
    is_current,
    put_found_iri,
    refuse_long_text,
    touch_iri,
)
from jelly_rdflib.core.terms cimport TermKind, terms_same
from jelly_rdflib.core.wire cimport LENGTH_DELIMITED
from jelly_rdflib.core.write_buffer cimport buffer_reserve, close_message, put_tag


@cython.final
cdef class BatchTerms:
    """Puts terms of one batch after another, by their numbers.

    Args:
        types: The classes of nodes.
        encoder: Has the stream's lookups and the row.
    """

    def __cinit__(self, NodeTypes types not None, TermEncoder encoder not None):
        self.types = types
        self.encoder = encoder

    def __dealloc__(self):
        PyMem_RawFree(self.found)

    cdef int start(self, TermTable table, list last) except -1:
        """Take a batch's terms.

        Args:
            table: The terms.
            last: The stream's last s, p, o and g.
        """
        cdef void* grown
        cdef int position
        table.check_made()
        if table.columns.count > self.capacity:
            grown = PyMem_RawRealloc(self.found, table.columns.count * sizeof(FoundTerm))
            if grown == NULL:
                raise MemoryError
            self.found = <FoundTerm*>grown
            self.capacity = table.columns.count
        memset(self.found, 0, table.columns.count * sizeof(FoundTerm))
        for position in range(4):
            self.last_numbers[position] = BEFORE
        self.any_graph, self.graph = 0, DEFAULT_NUMBER
        self.last = last
        self.terms = &table.columns
        self.table = table
        return 0

    cdef int end(self) except -1:
        """Let go of the batch, and put into ``last`` what are its last s, p, o and g."""
        cdef int position
        cdef uint32_t number
        for position in range(4):
            number = self.last_numbers[position]
            if number == DEFAULT_NUMBER:
                self.last[position] = self.types.default_graph
            elif number != BEFORE:
                self.last[position] = self.numbered(number)
        self.terms = NULL
        self.table = None
        self.last = None
        return 0

    cdef NumberedTerm numbered(self, uint32_t number):
        if self.factory is None:
            self.factory = NodeFactory(self.types, normalize=False)
        return numbered_term(self.table, number, self.factory)

    cdef object node(self, uint32_t number):
        """Make a term's node; None for no term."""
        return None if number == 0 else self.numbered(number).node()

    cdef bint is_default_graph(self, uint32_t number) except -1:
        """Is this the default graph, where a graph is meant?"""
        cdef int kind = self.terms.kinds[number]
        cdef Text text, default
        if kind != TermKind.IRI:
            return kind == TermKind.NONE or kind == TermKind.DEFAULT_GRAPH
        self.text_of(number, &text)
        owner = get_text(self.types.default_graph, &default)
        return text.size == default.size and memcmp(text.start, default.start, text.size) == 0

    cdef bint is_last_before(self, uint32_t number, int position) except -1:
        """Is a term the stream's last one of its position, which is from before the batch?"""
        cdef object before = self.last[position]
        cdef NumberedTerm numbered
        if before is None or number == 0:
            return False
        if number == DEFAULT_NUMBER:
            return self.encoder.is_same_node(self.types.default_graph, before)
        if type(before) is NumberedTerm:
            numbered = <NumberedTerm>before
            return terms_same(&numbered.table.columns, numbered.number, self.terms, number)
        return self.encoder.is_same_node(self.node(number), before)

    cdef int text_of(self, uint32_t number, Text* text) except -1:
        """Point ``text`` to a term's text, which lives as long as the batch."""
        cdef const uint32_t* offsets = self.terms.offsets
        text.start = self.terms.data + offsets[number]
        text.size = offsets[number + 1] - offsets[number]
        if text.size > MAX_TEXT:
            refuse_long_text(text.size)
        return 0

    cdef inline bint is_last(self, uint32_t number, int position) except -1:
        """Is a term the last one of its position again ("Repeated terms")?"""
        cdef uint32_t last = self.last_numbers[position]
        return number == last or (last == BEFORE and self.is_last_before(number, position))

    cdef int put_statement(self, const uint32_t* numbers, int positions) except -1:
        """Put the terms of a statement, three or four, that are not repeated."""
        cdef int position
        for position in range(positions):
            if not self.is_last(numbers[position], position):
                self.put_term(numbers[position], &STATEMENT_FIELDS[position], position)
        return 0

    cdef int put_term(self, uint32_t number, const TermFields* fields, int position) except -1:
        """Put a term into the row's content, as a member of a oneof with these fields."""
        if number == DEFAULT_NUMBER:
            return self.encoder.put_empty(fields.default_graph)
        if self.terms.kinds[number] == TermKind.IRI:
            return self.put_iri(fields.iri, number)
        return self.put_other(number, fields, position)

    cdef inline int put_iri(self, uint32_t field, uint32_t number) except -1:
        cdef EncoderEntry* names = self.encoder.names.entries
        cdef EncoderEntry* prefixes = self.encoder.prefixes.entries
        cdef FoundIri* found = &self.found[number].iri
        cdef FoundIri without_prefix
        cdef Text text
        if is_current(found, names, prefixes) and not self.encoder.is_without_prefixes:
            touch_iri(found, names, prefixes, self.encoder.row)
        else:
            if self.encoder.is_without_prefixes:
                # Other rows find it elsewhere.
                found = &without_prefix
            self.text_of(number, &text)
            self.encoder.find_iri(text.start, text.size, self.terms.hashes[number], found)
        return put_found_iri(&self.encoder.content, field, found, &self.encoder.last_iri)

    cdef int put_other(self, uint32_t number, const TermFields* fields, int position) except -1:
        """Put a term that is no IRI."""
        cdef int kind = self.terms.kinds[number]
        cdef bint is_anywhere = position == OBJECT or self.encoder.generalized
        cdef Text text
        if kind == TermKind.BLANK_NODE and (is_anywhere or position != PREDICATE):
            self.text_of(number, &text)
            return self.encoder.put_text(fields.blank_node, &text)
        if is_anywhere and (
            kind == TermKind.SIMPLE_LITERAL or kind == TermKind.LANGUAGE_LITERAL
            or (kind == TermKind.TYPED_LITERAL and self.encoder.datatypes.size > 0)
        ):
            return self.put_literal(fields.literal, number)
        if (
            kind == TermKind.TRIPLE_TERM and (is_anywhere or position == SUBJECT)
            and fields.triple_term != 0 and self.encoder.rdf_star
            and self.encoder.depth < MAX_NESTING_DEPTH
        ):
            return self.put_triple_term(fields.triple_term, number)
        return self.encoder.put_term(self.node(number), fields, position)

    cdef int put_literal(self, uint32_t field, uint32_t number) except -1:
        cdef int kind = self.terms.kinds[number]
        cdef uint32_t extra = self.terms.extras[number]
        cdef Text lexical, language
        self.text_of(number, &lexical)
        if kind == TermKind.LANGUAGE_LITERAL:
            self.text_of(extra, &language)
            return self.encoder.put_literal_parts(field, &lexical, &language, 0)
        return self.encoder.put_literal_parts(
            field, &lexical, NULL, self.find_datatype(extra) if extra != 0 else 0
        )

    cdef uint32_t find_datatype(self, uint32_t number) except 0:
        cdef TermEncoder encoder = self.encoder
        cdef FoundTerm* found = &self.found[number]
        cdef EncoderEntry* entries = encoder.datatypes.entries
        cdef Text text
        if found.datatype != 0 and entries[found.datatype].serial == found.datatype_serial:
            touch(entries, found.datatype, encoder.row)
            return found.datatype
        self.text_of(number, &text)
        found.datatype = encoder.find_entry(
            encoder.datatypes, encoder.entry_fields.datatype, text.start, text.size
        )
        found.datatype_serial = entries[found.datatype].serial
        return found.datatype

    cdef int put_triple_term(self, uint32_t field, uint32_t number) except -1:
        """Put an RdfTriple that is a term (Jelly-RDF, "Quoted triples")."""
        cdef TermEncoder encoder = self.encoder
        cdef uint32_t[3] numbers
        cdef size_t start
        cdef int position
        memcpy(numbers, self.terms.data + self.terms.offsets[number], sizeof(numbers))
        buffer_reserve(&encoder.content, FIELD_HEAD)
        put_tag(&encoder.content, field, LENGTH_DELIMITED)
        start = encoder.content.size
        encoder.depth += 1
        for position in range(3):
            self.put_term(numbers[position], &STATEMENT_FIELDS[position], position)
        encoder.depth -= 1
        return close_message(&encoder.content, start)

    cdef int put_string(self, uint32_t field, uint32_t number) except -1:
        """Put a string field, which is left out where it is empty."""
        cdef Text text
        self.text_of(number, &text)
        return self.encoder.put_text(field, &text) if text.size > 0 else 0

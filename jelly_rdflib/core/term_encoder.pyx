# cython: nonecheck=False
# `__cinit__` sets all that is used, and nothing sets it to None later.
"""Encodes terms: what Jelly-RDF and Jelly-Patch share of the wire format."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.unicode cimport PyUnicode_Compare
from libc.string cimport memchr, memcmp, memcpy

from jelly_rdflib.core.hashing cimport BLOCK, hash_text
from jelly_rdflib.core.lookup_encoder cimport EncoderEntry, LookupResult
from jelly_rdflib.core.node_types cimport get_slot, is_of
from jelly_rdflib.core.numbered_term cimport NumberedTerm
from jelly_rdflib.core.terms cimport TermKind, hash_seed, term_hash
from jelly_rdflib.core.wire cimport LENGTH_DELIMITED, MAX_LENGTH, VARINT
from jelly_rdflib.core.write_buffer cimport (
    buffer_free,
    buffer_reserve,
    close_message,
    put_byte,
    put_bytes,
    put_tag,
    put_varint,
    varint_size,
)

from jelly_rdflib.errors import EncodeError

cdef str XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    void* PyUnicode_DATA(object text)

cdef enum:
    CACHE_SIZE = 1 << 13
    ROWS_FIELD = 1
    # Of "https://".
    SCHEME_SIZE = 8

# The oneofs of RdfQuad; RdfTriple has the first three of them.
STATEMENT_FIELDS[SUBJECT] = TermFields(1, 2, 3, 4, 0)
STATEMENT_FIELDS[PREDICATE] = TermFields(5, 6, 7, 8, 0)
STATEMENT_FIELDS[OBJECT] = TermFields(9, 10, 11, 12, 0)
STATEMENT_FIELDS[GRAPH] = TermFields(13, 14, 16, 0, 15)


class PrefixesInUse(Exception):
    """The row needs more prefixes than the lookup has; it can be written without prefixes."""


cdef inline object get_text(object node, Text* text):
    """Point ``text`` to a str's UTF-8, which lives as long as the returned object."""
    cdef bytes encoded
    if not isinstance(node, str):
        refuse_text(node)
    if PyUnicode_IS_ASCII(node):
        text.start = <const uint8_t*>PyUnicode_DATA(node)
        text.size = PyUnicode_GET_LENGTH(node)
        owner = node
    else:
        try:
            encoded = str.encode(node, "utf-8")
        except UnicodeEncodeError as error:
            raise EncodeError(f"text has no UTF-8 form: {error}") from error
        text.start = <const uint8_t*>PyBytes_AS_STRING(encoded)
        text.size = PyBytes_GET_SIZE(encoded)
        owner = encoded
    if text.size > MAX_TEXT:
        refuse_long_text(text.size)
    return owner


cdef int refuse_text(object node) except -1:
    raise EncodeError(f"{node!r} of type {type(node).__name__} is no text")


cdef int refuse_long_text(size_t size) except -1:
    raise EncodeError(f"text of {size} bytes is too long for a protobuf message")


cdef inline bint is_same_text(object one, object other) except -1:
    if one is other:
        return True
    return one is not None and other is not None and PyUnicode_Compare(one, other) == 0


cdef inline size_t prefix_size(const uint8_t* text, size_t size) noexcept:
    """Where the name starts: after the first '#', else after the last '/', else at once.

    As Jelly-JVM has it, so that neither's files are larger: a '#' among the first bytes, where a
    real IRI has its scheme, does not count.
    """
    cdef const uint8_t* fragment = NULL
    cdef size_t i = size
    if size > SCHEME_SIZE:
        fragment = <const uint8_t*>memchr(text + SCHEME_SIZE, b"#", size - SCHEME_SIZE)
    if fragment != NULL:
        return fragment - text + 1
    while i > 0 and text[i - 1] != b"/":
        i -= 1
    return i


@cython.final
cdef class TermEncoder:
    """The state that terms are encoded with, and the frame they are put into.

    Args:
        types: The classes of nodes.
        options: Has ``max_name_table_size`` and so on, as `jelly_rdflib.PatchOptions` has.
        entry_fields: Fields of the row's name, prefix and datatype entries.
    """

    def __cinit__(self, NodeTypes types not None, options, entry_fields):
        self.types = types
        self.names = LookupEncoder("name", options.max_name_table_size)
        self.prefixes = LookupEncoder("prefix", options.max_prefix_table_size)
        self.datatypes = LookupEncoder("datatype", options.max_datatype_table_size)
        self.generalized = options.generalized_statements
        self.rdf_star = options.rdf_star
        self.entry_fields.name, self.entry_fields.prefix, self.entry_fields.datatype = entry_fields
        self.cache = <CachedIri*>PyMem_RawCalloc(CACHE_SIZE, sizeof(CachedIri))
        if self.cache == NULL:
            raise MemoryError

    def __dealloc__(self):
        buffer_free(&self.frame)
        buffer_free(&self.content)
        PyMem_RawFree(self.cache)

    cdef bint is_same_node(self, object one, object other) except -1:
        """Are two nodes the same term, to the letter? (rdflib's == is Python code, and slow.)"""
        cdef NodeTypes types = self.types
        cdef object cls = type(one)
        if one is other:
            # None is no term: that it comes twice does not make it a repeated one.
            return one is not None
        if cls is not type(other):
            return type(other) is NumberedTerm and self.is_same_node(
                one, (<NumberedTerm>other).node()
            )
        if cls is types.literal:
            return (
                PyUnicode_Compare(one, other) == 0
                and is_same_text(
                    get_slot(one, types.language_offset), get_slot(other, types.language_offset)
                )
                and is_same_text(
                    get_slot(one, types.datatype_offset), get_slot(other, types.datatype_offset)
                )
            )
        if isinstance(one, str):
            return PyUnicode_Compare(one, other) == 0
        if cls is types.triple_term:
            return (
                self.is_same_node(one.s, other.s) and self.is_same_node(one.p, other.p)
                and self.is_same_node(one.o, other.o)
            )
        return False

    cdef int end_row(self, uint32_t field) except -1:
        """Put the row, whose oneof has ``content`` in that field, into the frame."""
        cdef size_t size = self.content.size
        cdef size_t row_size = 1 + varint_size(size) + size
        cdef size_t start = self.frame.size
        cdef uint8_t* target
        if row_size + self.frame.size > MAX_LENGTH - FIELD_HEAD:
            raise EncodeError("the frame would be larger than 2 GiB")
        # Most are short, and there is room for a block behind both.
        buffer_reserve(&self.content, BLOCK)
        buffer_reserve(&self.frame, row_size + FIELD_HEAD + BLOCK)
        put_tag(&self.frame, ROWS_FIELD, LENGTH_DELIMITED)
        put_varint(&self.frame, row_size)
        put_tag(&self.frame, field, LENGTH_DELIMITED)
        put_varint(&self.frame, size)
        target = self.frame.data + self.frame.size
        memcpy(target, self.content.data, BLOCK)
        if size > BLOCK:
            memcpy(target + BLOCK, self.content.data + BLOCK, size - BLOCK)
        self.frame.size += size
        self.rows += 1
        self.row_size = self.frame.size - start
        return 0

    cdef int put_term(self, object node, const TermFields* fields, int position) except -1:
        """Put a term into the row's content, as a member of a oneof with these fields."""
        cdef NodeTypes types = self.types
        cdef object cls = type(node)
        if fields.default_graph != 0 and (
            node is types.default_graph or self.is_same_node(node, types.default_graph)
        ):
            return self.put_empty(fields.default_graph)
        if cls is types.iri:
            return self.put_iri(fields.iri, node)
        if cls is types.literal:
            if position != OBJECT and not self.generalized:
                raise EncodeError(
                    f"literal {node!r} is not an object: options need generalized_statements=True"
                )
            return self.put_literal(fields.literal, node)
        if is_of(node, types.iri):
            return self.put_iri(fields.iri, node)
        if position == PREDICATE and not self.generalized and (
            is_of(node, types.blank_node) or isinstance(node, types.triple_term)
        ):
            raise EncodeError(
                f"predicate {node!r} is no IRI: options need generalized_statements=True"
            )
        if is_of(node, types.blank_node):
            return self.put_blank_node(fields.blank_node, node)
        if isinstance(node, types.triple_term):
            if fields.triple_term == 0:
                raise EncodeError(f"a quoted triple can't be a graph: {node!r}")
            return self.put_triple_term(fields.triple_term, node)
        raise EncodeError(
            f"{node!r} of type {cls.__name__} is no term: give rdflib's URIRef, BNode or Literal,"
            " or a TripleTerm; of a Graph, its identifier"
        )

    cdef int put_iri(self, uint32_t field, object node) except -1:
        cdef Text text
        cdef FoundIri found
        owner = get_text(node, &text)
        self.find_iri(
            text.start, text.size,
            term_hash(TermKind.IRI, hash_text(text.start, text.size, hash_seed()), 0), &found,
        )
        return put_found_iri(&self.content, field, &found, &self.last_iri)

    cdef int find_iri(
        self, const uint8_t* text, size_t size, uint64_t hash, FoundIri* found
    ) except -1:
        """Find the entries for an IRI, or write what sets them.

        Args:
            text, size: The IRI.
            hash: Its hash in a table of terms.
            found: Is filled in.
        """
        cdef CachedIri* cached = &self.cache[hash & (CACHE_SIZE - 1)]
        cdef size_t split = 0
        if (
            cached.hash == hash and not self.is_without_prefixes
            and is_current(&cached.found, self.names.entries, self.prefixes.entries)
            and self.has_text(&cached.found, text, size)
        ):
            found[0] = cached.found
            touch_iri(found, self.names.entries, self.prefixes.entries, self.row)
            return 0
        found.prefix = 0
        if self.prefixes.size > 0:
            if not self.is_without_prefixes:
                split = prefix_size(text, size)
            found.prefix = self.find_entry(self.prefixes, self.entry_fields.prefix, text, split)
        found.name = self.find_entry(
            self.names, self.entry_fields.name, text + split, size - split
        )
        found.prefix_serial = self.prefixes.entries[found.prefix].serial
        found.name_serial = self.names.entries[found.name].serial
        # Only what each row would find is remembered: what is written depends on no cache.
        if not self.is_without_prefixes:
            cached.hash = hash
            cached.found = found[0]
        return 0

    cdef bint has_text(self, const FoundIri* found, const uint8_t* text, size_t size) noexcept:
        """Are the entries, one after the other, this text?"""
        cdef EncoderEntry* prefix = &self.prefixes.entries[found.prefix]
        cdef EncoderEntry* name = &self.names.entries[found.name]
        return (
            <size_t>prefix.size + name.size == size
            and (prefix.size == 0 or memcmp(prefix.text, text, prefix.size) == 0)
            and memcmp(name.text, text + prefix.size, name.size) == 0
        )

    cdef uint32_t find_entry(
        self, LookupEncoder lookup, uint32_t field, const uint8_t* text, size_t size
    ) except 0:
        cdef uint32_t id = 0
        cdef LookupResult result = lookup.find_or_add(
            text, size, hash_text(text, size, hash_seed()), self.row, &id
        )
        if result == LookupResult.ADDED:
            self.put_entry(lookup, field, id, text, size)
        elif result == LookupResult.ALL_IN_USE:
            if lookup is self.prefixes and not self.is_without_prefixes:
                raise PrefixesInUse
            raise EncodeError(
                f"one row needs more than the {lookup.size} entries of the {lookup.name} lookup:"
                f" options need a larger max_{lookup.name}_table_size"
            )
        return id

    cdef int put_entry(
        self, LookupEncoder lookup, uint32_t field, uint32_t id, const uint8_t* text, size_t size
    ) except -1:
        """Put an entry row into the frame, before the row that refers to it."""
        cdef uint32_t written = lookup.id_to_write(id)
        cdef size_t entry_size = size
        cdef size_t row_size
        if written != 0:
            entry_size += 1 + varint_size(written)
        if size > 0:
            entry_size += 1 + varint_size(size)
        row_size = 1 + varint_size(entry_size) + entry_size
        buffer_reserve(&self.frame, row_size + FIELD_HEAD)
        put_tag(&self.frame, ROWS_FIELD, LENGTH_DELIMITED)
        put_varint(&self.frame, row_size)
        put_tag(&self.frame, field, LENGTH_DELIMITED)
        put_varint(&self.frame, entry_size)
        if written != 0:
            put_tag(&self.frame, 1, VARINT)
            put_varint(&self.frame, written)
        if size > 0:
            put_tag(&self.frame, 2, LENGTH_DELIMITED)
            put_varint(&self.frame, size)
            put_bytes(&self.frame, text, size)
        self.rows += 1
        return 0

    cdef int put_text(self, uint32_t field, const Text* text) except -1:
        buffer_reserve(&self.content, FIELD_HEAD + text.size)
        put_tag(&self.content, field, LENGTH_DELIMITED)
        put_varint(&self.content, text.size)
        put_bytes(&self.content, text.start, text.size)
        return 0

    cdef int put_string(self, uint32_t field, object text) except -1:
        """Put a string field, which is left out where it is empty."""
        cdef Text value
        owner = get_text(text, &value)
        if value.size > 0:
            self.put_text(field, &value)
        return 0

    cdef int put_blank_node(self, uint32_t field, object node) except -1:
        cdef Text label
        owner = get_text(node, &label)
        return self.put_text(field, &label)

    cdef int put_empty(self, uint32_t field) except -1:
        buffer_reserve(&self.content, FIELD_HEAD)
        put_tag(&self.content, field, LENGTH_DELIMITED)
        put_byte(&self.content, 0)
        return 0

    cdef int put_literal(self, uint32_t field, object node) except -1:
        cdef Text lexical, kind
        cdef uint32_t id = 0
        cdef object language = get_slot(node, self.types.language_offset)
        cdef object datatype = get_slot(node, self.types.datatype_offset)
        owner = get_text(node, &lexical)
        if language is not None:
            kind_owner = get_text(language, &kind)
            return self.put_literal_parts(field, &lexical, &kind, 0)
        if datatype is not None and self.datatypes.size > 0:
            kind_owner = get_text(datatype, &kind)
            id = self.find_entry(
                self.datatypes, self.entry_fields.datatype, kind.start, kind.size
            )
        elif datatype is not None and PyUnicode_Compare(datatype, XSD_STRING) != 0:
            # xsd:string is the simple literal in RDF 1.1, and all that can be written here.
            raise EncodeError(
                f"{node!r} has a datatype: options need max_datatype_table_size above 0"
            )
        return self.put_literal_parts(field, &lexical, NULL, id)

    cdef int put_literal_parts(
        self, uint32_t field, const Text* lexical, const Text* language, uint32_t datatype
    ) except -1:
        """Put an RdfLiteral (Jelly-RDF, "Literals"); without a language it is NULL."""
        cdef size_t size = 0
        if lexical.size > 0:
            size += 1 + varint_size(lexical.size) + lexical.size
        if language != NULL:
            size += 1 + varint_size(language.size) + language.size
        elif datatype != 0:
            size += 1 + varint_size(datatype)
        buffer_reserve(&self.content, size + FIELD_HEAD)
        put_tag(&self.content, field, LENGTH_DELIMITED)
        put_varint(&self.content, size)
        if lexical.size > 0:
            self.put_text(1, lexical)
        if language != NULL:
            self.put_text(2, language)
        elif datatype != 0:
            buffer_reserve(&self.content, FIELD_HEAD)
            put_tag(&self.content, 3, VARINT)
            put_varint(&self.content, datatype)
        return 0

    cdef int put_triple_term(self, uint32_t field, object node) except -1:
        """Put an RdfTriple that is a term (Jelly-RDF, "Quoted triples")."""
        cdef size_t start
        if not self.rdf_star:
            raise EncodeError(f"quoted triple {node!r}: options need rdf_star=True")
        if self.depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        buffer_reserve(&self.content, FIELD_HEAD)
        put_tag(&self.content, field, LENGTH_DELIMITED)
        start = self.content.size
        self.depth += 1
        self.put_term(node.s, &STATEMENT_FIELDS[SUBJECT], SUBJECT)
        self.put_term(node.p, &STATEMENT_FIELDS[PREDICATE], PREDICATE)
        self.put_term(node.o, &STATEMENT_FIELDS[OBJECT], OBJECT)
        self.depth -= 1
        return close_message(&self.content, start)

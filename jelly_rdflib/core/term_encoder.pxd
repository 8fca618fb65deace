"""Encodes terms of batches: what Jelly-RDF and Jelly-Patch share of the wire format."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from jelly_rdflib.core.default_graph cimport is_default_graph
from jelly_rdflib.core.lookup_encoder cimport EncoderEntry, LookupEncoder, touch
from jelly_rdflib.core.term_table cimport TermTable
from jelly_rdflib.core.terms cimport TermColumns
from jelly_rdflib.core.wire cimport LENGTH_DELIMITED, MAX_LENGTH, VARINT
from jelly_rdflib.core.write_buffer cimport WriteBuffer, buffer_reserve, store_varint

cdef enum:
    # Positions of terms in a statement.
    SUBJECT = 0
    PREDICATE = 1
    OBJECT = 2
    GRAPH = 3

cdef enum:
    MAX_TEXT = MAX_LENGTH // 2
    # Tag and length of a field, at the most.
    FIELD_HEAD = 15

cdef enum:
    # Stands for the default graph, whether the batch has a term, an IRI or nothing for it.
    DEFAULT_NUMBER = 0xFFFFFFFF
    # Stands for a last term that is from before the batch.
    BEFORE = 0xFFFFFFFE


ctypedef struct TermFields:
    # The field of each member of a oneof of terms; 0 where the oneof does not have it.
    uint32_t iri
    uint32_t blank_node
    uint32_t literal
    uint32_t triple_term
    uint32_t default_graph


ctypedef struct EntryFields:
    # The fields of the lookup entries in a row.
    uint32_t name
    uint32_t prefix
    uint32_t datatype


ctypedef struct FoundIri:
    # Where an IRI was found last; it is there still if the serials are those of the entries.
    uint64_t name_serial
    uint64_t prefix_serial
    uint32_t name  # 0: nowhere yet
    uint32_t prefix


ctypedef struct FoundTerm:
    # Where a term of the batch was found last in the stream's lookups.
    FoundIri iri
    uint64_t datatype_serial
    uint32_t datatype  # 0: nowhere yet


ctypedef struct LastIri:
    # The ids that an IRI need not have ("IRIs": of the prefix the same, of the name the next).
    uint32_t prefix
    uint32_t name


ctypedef struct CachedIri:
    uint64_t hash
    FoundIri found


ctypedef struct Text:
    const uint8_t* start
    size_t size


cdef TermFields[4] STATEMENT_FIELDS



cdef class TermEncoder:
    cdef bytes default_graph
    cdef LookupEncoder names
    cdef LookupEncoder prefixes
    cdef LookupEncoder datatypes
    cdef bint generalized
    cdef bint rdf_star
    cdef EntryFields entry_fields
    cdef WriteBuffer frame  # whole rows
    cdef size_t rows  # how many are in `frame`
    cdef size_t row_size  # bytes of the last row, with its tag and length; not of an entry
    cdef WriteBuffer content  # what the current row has so far
    cdef int depth  # of quoted triples in the current row
    cdef uint64_t row  # number of the current row in the stream
    cdef bint is_without_prefixes
    cdef LastIri last_iri
    cdef CachedIri* cache
    # The batch that is being encoded.
    cdef TermTable table
    cdef const TermColumns* terms  # of the table
    cdef FoundTerm* found
    cdef size_t found_count  # of terms that `found` is about
    cdef size_t capacity  # of `found`
    # The stream's last s, p, o and g: before the batch, as numbers of a table of their own, ...
    cdef TermTable last_table
    cdef uint32_t[4] last_before  # 0: there was none
    cdef uint32_t[4] last_numbers  # ... and in the batch; or `BEFORE`
    cdef uint32_t any_graph  # the number that `graph` stands for
    cdef uint32_t graph

    cdef int start_batch(self, TermTable table) except -1
    cdef int end_batch(self) except -1
    cdef list last_terms(self)
    cdef int set_last_terms(self, list terms) except -1
    cdef bint is_last(self, uint32_t number, int position) except -1
    cdef bint is_last_before(self, uint32_t number, int position) except -1
    cdef int text_of(self, uint32_t number, Text* text) except -1

    cdef int end_row(self, uint32_t field) except -1
    cdef int put_statement(self, const uint32_t* numbers, int positions) except -1
    cdef int put_term(self, uint32_t number, const TermFields* fields, int position) except -1
    cdef int put_iri(self, uint32_t field, uint32_t number) except -1
    cdef int put_other(self, uint32_t number, const TermFields* fields, int position) except -1
    cdef int put_default_iri(self, uint32_t field, uint32_t number) except -1
    cdef int put_literal(self, uint32_t field, uint32_t number) except -1
    cdef int put_triple_term(self, uint32_t field, uint32_t number) except -1
    cdef int put_text(self, uint32_t field, const Text* text) except -1
    cdef int put_string(self, uint32_t field, const Text* text) except -1
    cdef int put_string_term(self, uint32_t field, uint32_t number) except -1
    cdef int put_empty(self, uint32_t field) except -1
    cdef int find_iri(self, const Text* text, uint64_t hash, FoundIri* found) except -1
    cdef bint has_text(self, const FoundIri* found, const Text* text) noexcept
    cdef uint32_t find_datatype(self, uint32_t literal) except? 0
    cdef uint32_t find_entry(
        self, LookupEncoder lookup, uint32_t field, const uint8_t* text, size_t size
    ) except 0
    cdef int put_entry(
        self, LookupEncoder lookup, uint32_t field, uint32_t id, const uint8_t* text, size_t size
    ) except -1


cdef inline uint32_t graph_number(TermEncoder terms, uint32_t number) noexcept:
    """Return the one number of a graph, whatever the batch has for the default graph."""
    cdef bint is_default
    if number != terms.any_graph:
        is_default = is_default_graph(terms.terms, number, terms.default_graph)
        terms.graph = DEFAULT_NUMBER if is_default else number
        terms.any_graph = number
    return terms.graph


cdef inline bint is_current(
    const FoundIri* found, const EncoderEntry* names, const EncoderEntry* prefixes
) noexcept:
    """Are the entries for an IRI still where they were found?"""
    return (
        found.name != 0
        and names[found.name].serial == found.name_serial
        and prefixes[found.prefix].serial == found.prefix_serial
    )


cdef inline void touch_iri(
    const FoundIri* found, EncoderEntry* names, EncoderEntry* prefixes, uint64_t row
) noexcept:
    touch(names, found.name, row)
    if found.prefix != 0:
        touch(prefixes, found.prefix, row)


cdef inline int put_found_iri(
    WriteBuffer* content, uint32_t field, const FoundIri* found, LastIri* last
) except -1:
    """Put an RdfIri (Jelly-RDF, "IRIs")."""
    cdef uint8_t* length
    cdef uint8_t* at
    buffer_reserve(content, 2 * FIELD_HEAD)
    at = content.data + content.size
    length = store_varint(at, field << 3 | LENGTH_DELIMITED)
    # Two numbers of 32 bits: the length is one byte.
    at = length + 1
    if found.prefix != last.prefix:
        at = store_varint(at, 1 << 3 | VARINT)
        at = store_varint(at, found.prefix)
        last.prefix = found.prefix
    if found.name != last.name + 1:
        at = store_varint(at, 2 << 3 | VARINT)
        at = store_varint(at, found.name)
    last.name = found.name
    length[0] = <uint8_t>(at - length - 1)
    content.size = at - content.data
    return 0


cdef inline void begin_row(TermEncoder encoder) noexcept:
    encoder.content.size = 0
    encoder.depth = 0
    encoder.row += 1

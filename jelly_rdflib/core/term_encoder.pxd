"""Encodes terms: what Jelly-RDF and Jelly-Patch share of the wire format."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from jelly_rdflib.core.lookup_encoder cimport LookupEncoder
from jelly_rdflib.core.node_types cimport NodeTypes
from jelly_rdflib.core.write_buffer cimport WriteBuffer


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


ctypedef struct CachedIri:
    # Where an IRI was found last; it is there still if the serials are those of the entries.
    uint64_t hash
    uint64_t name_serial
    uint64_t prefix_serial
    uint32_t name
    uint32_t prefix


ctypedef struct Text:
    const uint8_t* start
    size_t size


cdef TermFields[4] STATEMENT_FIELDS

cdef object get_text(object node, Text* text)


cdef class TermEncoder:
    cdef NodeTypes types
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
    cdef uint32_t last_prefix
    cdef uint32_t last_name
    cdef CachedIri* cache

    cdef void begin_row(self) noexcept
    cdef bint is_same_node(self, object one, object other) except -1
    cdef bint is_cached(self, CachedIri* cached, const uint8_t* text, size_t size) noexcept
    cdef int end_row(self, uint32_t field) except -1
    cdef int put_term(self, object node, const TermFields* fields, int position) except -1
    cdef int put_iri(self, uint32_t field, object node) except -1
    cdef int put_blank_node(self, uint32_t field, object node) except -1
    cdef int put_literal(self, uint32_t field, object node) except -1
    cdef int put_triple_term(self, uint32_t field, object node) except -1
    cdef int put_text(self, uint32_t field, const Text* text) except -1
    cdef int put_string(self, uint32_t field, object text) except -1
    cdef int put_empty(self, uint32_t field) except -1
    cdef int find_iri(
        self, const uint8_t* text, size_t size, uint32_t* prefix, uint32_t* name
    ) except -1
    cdef uint32_t find_entry(
        self, LookupEncoder lookup, uint32_t field, const uint8_t* text, size_t size
    ) except 0
    cdef int put_entry(
        self, LookupEncoder lookup, uint32_t field, uint32_t id, const uint8_t* text, size_t size
    ) except -1

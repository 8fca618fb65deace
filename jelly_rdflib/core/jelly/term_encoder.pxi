"""Encodes terms of batches: what Jelly-RDF and Jelly-Patch share of the wire format.

For each term number of the batch, the encoder remembers the term's entries in the lookups.
"""

cdef enum:
    MAX_TEXT = MAX_LENGTH // 2
    # The maximum number of bytes of a field's tag and length.
    FIELD_HEAD = 15

cdef enum:
    # Stands for the default graph, whatever its form in the batch: a term, an IRI or nothing.
    DEFAULT_NUMBER = 0xFFFFFFFF
    # Stands for a last term from before the batch.
    BEFORE = 0xFFFFFFFE

cdef tuple POSITIONS = ("subject", "predicate", "object", "graph")

ctypedef struct TermFields:
    # The field of each member of a oneof of terms; 0 if the oneof lacks it.
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
    # The entries that the last look-up of an IRI found; valid while they have these serials.
    uint64_t name_serial
    uint64_t prefix_serial
    uint32_t name  # 0: not found yet
    uint32_t prefix

ctypedef struct FoundTerm:
    # The lookup entries that the last look-up of a term of the batch found.
    FoundIri iri
    uint64_t datatype_serial
    uint32_t datatype  # 0: not found yet

ctypedef struct LastIri:
    # The last ids: an IRI omits a prefix id that is the same, and a name id that is the next one
    # (Jelly-RDF, "IRIs").
    uint32_t prefix
    uint32_t name

ctypedef struct CachedIri:
    uint64_t hash
    FoundIri found

ctypedef struct Text:
    const uint8_t* start
    size_t size

cdef TermFields[4] STATEMENT_FIELDS

cdef inline size_t field_size(size_t size) noexcept:
    """Return the encoded size of a field with ``size`` bytes, whose number is below 16."""
    return 1 + varint_size(size) + size

cdef inline void put_head(WriteBuffer* buffer, uint32_t field, size_t size) noexcept:
    """Write the tag and the length of a field; call `buffer_reserve` first."""
    put_tag(buffer, field, LENGTH_DELIMITED)
    put_varint(buffer, size)

cdef inline void put_number(WriteBuffer* buffer, uint32_t field, uint64_t number) noexcept:
    put_tag(buffer, field, VARINT)
    put_varint(buffer, number)

cdef inline uint32_t graph_number(TermEncoder terms, uint32_t number) noexcept:
    """Return the number of a graph: `DEFAULT_NUMBER` for each form of the default graph."""
    cdef bint is_default
    if number != terms.any_graph:
        is_default = is_default_graph(terms.terms, number, terms.default_graph)
        terms.graph = DEFAULT_NUMBER if is_default else number
        terms.any_graph = number
    return terms.graph

cdef inline bint is_current(
    const FoundIri* found, const EntryMark* names, const EntryMark* prefixes
) noexcept:
    """Return whether the remembered entries of an IRI are still valid."""
    return (
        found.name != 0
        and names[found.name].serial == found.name_serial
        and prefixes[found.prefix].serial == found.prefix_serial
    )

cdef inline void touch_iri(
    const FoundIri* found, EntryMark* names, EntryMark* prefixes, uint64_t use
) noexcept:
    names[found.name].use = use
    prefixes[found.prefix].use = use

cdef inline int put_found_iri(
    WriteBuffer* content, uint32_t field, const FoundIri* found, LastIri* last
) except -1:
    """Write an RdfIri (Jelly-RDF, "IRIs")."""
    cdef uint8_t* length
    cdef uint8_t* at
    buffer_reserve(content, 2 * FIELD_HEAD)
    at = content.data + content.size
    length = store_varint(at, field << 3 | LENGTH_DELIMITED)
    # The length takes one byte, since the message has only two numbers of 32 bits.
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
    encoder.is_out_of_prefixes = False
    encoder.first_use = encoder.use + 1

cdef enum:
    CACHE_SIZE = 1 << 11
    # The length of "https://".
    SCHEME_SIZE = 8
    # The maximum amount of memory that an encoder keeps for the next stream, in bytes.
    KEPT_BYTES = 1 << 20
    KEPT_TERMS = 1 << 15
    # The initial capacity of the table of last terms: four, with their datatypes or languages.
    LAST_TERMS = 8
    LAST_TEXT = 256

# The oneofs of RdfQuad; RdfTriple has the first three.
STATEMENT_FIELDS[SUBJECT] = TermFields(1, 2, 3, 4, 0)
STATEMENT_FIELDS[PREDICATE] = TermFields(5, 6, 7, 8, 0)
STATEMENT_FIELDS[OBJECT] = TermFields(9, 10, 11, 12, 0)
STATEMENT_FIELDS[GRAPH] = TermFields(13, 14, 16, 0, 15)


cdef inline size_t prefix_size(const uint8_t* text, size_t size) noexcept:
    """Return where the name starts: after the first '#', else after the last '/', else at 0.

    This is the rule of Jelly-JVM, so that files have the size that its files have. A '#' among
    the first bytes, where a real IRI has its scheme, does not count.
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
    """The state for encoding terms, and the frame that is being written."""

    cdef bytes default_graph
    cdef LookupEncoder names
    cdef LookupEncoder prefixes
    cdef LookupEncoder datatypes
    cdef bint generalized
    cdef bint rdf_star
    cdef bint keeps_directions
    cdef EntryFields entry_fields
    cdef WriteBuffer frame  # whole rows
    cdef size_t rows  # the number of rows in `frame`
    cdef size_t row_size  # the size of the last row other than an entry, with its tag and length
    cdef WriteBuffer content  # the content of the current row so far
    cdef int depth  # the depth of quoted triples in the current row
    cdef uint64_t use  # the number of the last use of an entry
    cdef uint64_t first_use  # the number of the current row's first use
    # The current row needs more prefixes than the lookup has. Its content is dropped, and the row
    # is written again without prefixes. This is a flag, since raising an exception needs memory.
    cdef bint is_out_of_prefixes
    cdef bint is_without_prefixes
    cdef LastIri last_iri
    cdef CachedIri* cache
    # The batch that is being encoded.
    cdef TermTable table
    cdef const TermColumns* terms  # of the table
    cdef FoundTerm* found
    cdef size_t found_count  # the number of terms in `found`
    cdef size_t capacity  # the capacity of `found`
    # The stream's last s, p, o and g before the batch, as numbers in a separate table, ...
    cdef TermTable last_table
    cdef uint32_t[4] last_before  # 0: no term yet
    cdef uint32_t[4] last_numbers  # ... and in the batch; or `BEFORE`
    cdef uint32_t any_graph  # the last number that `graph_number` has turned into `graph`
    cdef uint32_t graph

    def __cinit__(self, types not None, options, entry_fields):
        cdef int position
        self.default_graph = str(types.default_graph).encode()
        self.names = LookupEncoder("name", options.max_name_table_size)
        self.prefixes = LookupEncoder("prefix", options.max_prefix_table_size)
        self.datatypes = LookupEncoder("datatype", options.max_datatype_table_size)
        self.generalized = options.generalized_statements
        self.rdf_star = options.rdf_star
        self.entry_fields.name, self.entry_fields.prefix, self.entry_fields.datatype = entry_fields
        self.last_table = TermTable.__new__(TermTable)
        for position in range(4):
            self.last_numbers[position] = BEFORE
        self.cache = <CachedIri*>PyMem_RawCalloc(CACHE_SIZE, sizeof(CachedIri))
        if self.cache == NULL:
            raise MemoryError

    def __dealloc__(self):
        buffer_free(&self.frame)
        buffer_free(&self.content)
        PyMem_RawFree(self.cache)
        PyMem_RawFree(self.found)

    cdef int restart(self) except -1:
        """Forget the stream, and the content of the frame."""
        cdef int position
        self.last_table = TermTable.__new__(TermTable)
        for position in range(4):
            self.last_before[position] = 0
            self.last_numbers[position] = BEFORE
        # Clearing the lookups makes all remembered entries in `found` invalid.
        self.names.clear()
        self.prefixes.clear()
        self.datatypes.clear()
        self.last_iri = LastIri(0, 0)
        self.frame.size = self.rows = 0
        if self.frame.capacity > KEPT_BYTES:
            buffer_free(&self.frame)
        if self.content.capacity > KEPT_BYTES:
            buffer_free(&self.content)
        if self.capacity > KEPT_TERMS:
            PyMem_RawFree(self.found)
            self.found = NULL
            self.capacity = self.found_count = 0
        return 0

    # The batch.

    cdef int start_batch(self, TermTable table) except -1:
        """Prepare to encode a table's terms; if it is still the same table, keep what was found."""
        cdef size_t count = table.columns.count
        cdef size_t capacity
        cdef void* grown
        if table is not self.table:
            self.end_batch()
            self.found_count = 0
        if count > self.capacity:
            # A table that is still being filled grows by a few terms at a time.
            capacity = max(count, 2 * self.capacity)
            grown = PyMem_RawRealloc(self.found, capacity * sizeof(FoundTerm))
            if grown == NULL:
                raise MemoryError
            self.found = <FoundTerm*>grown
            self.capacity = capacity
        if count > self.found_count:
            memset(self.found + self.found_count, 0, (count - self.found_count) * sizeof(FoundTerm))
            self.found_count = count
        if table is not self.table:
            self.any_graph, self.graph = 0, DEFAULT_NUMBER
            self.terms = &table.columns
            self.table = table
        return 0

    cdef int end_batch(self) except -1:
        """Forget the batch, but keep copies of the last terms."""
        if self.table is not None:
            self.set_last_terms(self.last_terms())
            self.terms = NULL
            self.table = None
        return 0

    cdef list last_terms(self):
        """Return the stream's last s, p, o and g, as a table of copies and their numbers."""
        cdef TermTable copies = TermTable.__new__(TermTable)
        cdef list last = [copies]
        cdef const TermColumns* source
        cdef Failure failure
        cdef int64_t number
        cdef int position
        if terms_init(&copies.columns, LAST_TERMS, LAST_TEXT, MAX_TABLE_TEXT) < 0:
            raise MemoryError
        for position in range(4):
            source = self.terms
            number = self.last_numbers[position]
            if number == BEFORE:
                source = &self.last_table.columns
                number = self.last_before[position]
            if number != 0 and number != DEFAULT_NUMBER:
                number = terms_copy(
                    &copies.columns, source, <uint32_t>number, <const uint8_t*>b"", &failure
                )
                if number < 0:
                    raise MemoryError
            last.append(number)
        return last

    cdef int set_last_terms(self, list terms) except -1:
        """Restore the last terms that `last_terms` returned."""
        cdef int position
        self.last_table = terms[0]
        for position in range(4):
            self.last_before[position] = terms[1 + position]
            self.last_numbers[position] = BEFORE
        return 0

    cdef inline void set_last(self, const uint32_t* numbers, bint has_graph) noexcept:
        """Remember the terms of a statement that was written."""
        memcpy(self.last_numbers, numbers, 3 * sizeof(uint32_t))
        if has_graph:
            self.last_numbers[GRAPH] = numbers[GRAPH]

    cdef inline bint is_last(self, uint32_t number, int position) except -1:
        """Return whether a term repeats the last one of its position ("Repeated terms")."""
        cdef uint32_t last = self.last_numbers[position]
        return number == last or (last == BEFORE and self.is_last_before(number, position))

    cdef bint is_last_before(self, uint32_t number, int position) except -1:
        """Return whether a term repeats its position's last one, which came before the batch."""
        cdef uint32_t before = self.last_before[position]
        if before == 0 or number == 0 or before == DEFAULT_NUMBER or number == DEFAULT_NUMBER:
            return before == DEFAULT_NUMBER and number == DEFAULT_NUMBER
        return terms_same(&self.last_table.columns, before, self.terms, number, False)

    cdef int text_of(self, uint32_t number, Text* text) except -1:
        """Point ``text`` to a term's text, which lives as long as the batch."""
        cdef const uint32_t* offsets = self.terms.offsets
        text.start = self.terms.data + offsets[number]
        text.size = offsets[number + 1] - offsets[number]
        if text.size > MAX_TEXT:
            raise EncodeError(f"text of {text.size} bytes is too long for a protobuf message")
        return 0

    # Rows and their terms.

    cdef int end_row(self, uint32_t field) except -1:
        """Write a row to the frame, with ``content`` in the given field of the row's oneof."""
        cdef size_t size = self.content.size
        cdef size_t row_size = field_size(size)
        cdef size_t start = self.frame.size
        cdef uint8_t* target
        if row_size + self.frame.size > MAX_LENGTH - FIELD_HEAD:
            raise EncodeError("the frame would be larger than 2 GiB")
        # Most rows are short, and are copied as a block; both buffers have room for that.
        buffer_reserve(&self.content, BLOCK)
        buffer_reserve(&self.frame, row_size + FIELD_HEAD + BLOCK)
        put_head(&self.frame, ROWS_FIELD, row_size)
        put_head(&self.frame, field, size)
        target = self.frame.data + self.frame.size
        memcpy(target, self.content.data, BLOCK)
        if size > BLOCK:
            memcpy(target + BLOCK, self.content.data + BLOCK, size - BLOCK)
        self.frame.size += size
        self.rows += 1
        self.row_size = self.frame.size - start
        return 0

    cdef int put_statement(self, const uint32_t* numbers, int positions) except -1:
        """Write the first three or four terms of a statement, except for repeated terms."""
        cdef int position
        for position in range(positions):
            if not self.is_last(numbers[position], position):
                self.put_term(numbers[position], &STATEMENT_FIELDS[position], position)
        return 0

    cdef int put_term(self, uint32_t number, const TermFields* fields, int position) except -1:
        """Write a term to the row's content, as a member of a oneof with the given fields."""
        if self.is_out_of_prefixes:
            return 0
        if number == DEFAULT_NUMBER:
            return self.put_empty(fields.default_graph)
        if self.terms.kinds[number] == TermKind.IRI:
            return self.put_iri(fields.iri, number)
        return self.put_other(number, fields, position)

    cdef inline int put_iri(self, uint32_t field, uint32_t number) except -1:
        cdef EntryMark* names = self.names.marks
        cdef EntryMark* prefixes = self.prefixes.marks
        cdef FoundIri* found = &self.found[number].iri
        cdef FoundIri without_prefix
        cdef Text text
        if is_current(found, names, prefixes) and not self.is_without_prefixes:
            self.use += 1
            touch_iri(found, names, prefixes, self.use)
        else:
            if self.is_without_prefixes:
                # Don't overwrite the remembered entries, which other rows use.
                found = &without_prefix
            self.text_of(number, &text)
            self.find_iri(&text, self.terms.hashes[number], found)
            if self.is_out_of_prefixes:
                return 0
        return put_found_iri(&self.content, field, found, &self.last_iri)

    cdef int put_other(self, uint32_t number, const TermFields* fields, int position) except -1:
        """Write a term other than an IRI."""
        cdef int kind = self.terms.kinds[number]
        cdef bint is_anywhere = position == OBJECT or self.generalized
        cdef Text text
        if (
            kind == TermKind.SIMPLE_LITERAL or kind == TermKind.LANGUAGE_LITERAL
            or kind == TermKind.TYPED_LITERAL
        ):
            if not is_anywhere:
                raise EncodeError(
                    f"the literal {self.table.show(number)} is the {POSITIONS[position]}, but only"
                    " an object may be a literal",
                    needs="generalized_statements",
                )
            return self.put_literal(fields.literal, number)
        if kind == TermKind.DEFAULT_GRAPH:
            return self.put_default_iri(fields.iri, number)
        if kind != TermKind.BLANK_NODE and kind != TermKind.TRIPLE_TERM:
            refuse_node(self.table.make_node(number))
        if position == PREDICATE and not is_anywhere:
            raise EncodeError(
                f"the predicate {self.table.show(number)} is not an IRI",
                needs="generalized_statements",
            )
        if kind == TermKind.TRIPLE_TERM:
            if fields.triple_term == 0:
                raise EncodeError(
                    f"a quoted triple can't be a graph: {self.table.show(number)}"
                )
            return self.put_triple_term(fields.triple_term, number)
        self.text_of(number, &text)
        return self.put_text(fields.blank_node, &text)

    cdef int put_default_iri(self, uint32_t field, uint32_t number) except -1:
        """Write the IRI of the default graph in a position other than the graph."""
        cdef FoundIri found
        cdef Text text
        text.start = <const uint8_t*>PyBytes_AS_STRING(self.default_graph)
        text.size = PyBytes_GET_SIZE(self.default_graph)
        self.find_iri(&text, self.terms.hashes[number], &found)
        if self.is_out_of_prefixes:
            return 0
        return put_found_iri(&self.content, field, &found, &self.last_iri)

    cdef int put_literal(self, uint32_t field, uint32_t number) except -1:
        """Write an RdfLiteral (Jelly-RDF, "Literals")."""
        cdef int kind = self.terms.kinds[number]
        cdef uint32_t extra = self.terms.extras[number]
        cdef uint32_t datatype = 0
        cdef Text lexical
        cdef Text language = Text(NULL, 0)
        cdef size_t size = 0
        self.text_of(number, &lexical)
        if lexical.size > 0:
            size += field_size(lexical.size)
        if kind == TermKind.LANGUAGE_LITERAL:
            self.text_of(extra, &language)
            if not self.keeps_directions:
                refuse_direction(
                    text_of(self.terms, number), text_of(self.terms, extra),
                    "Jelly-RDF 1.1 and Jelly-Patch have", EncodeError,
                )
            size += field_size(language.size)
        elif kind == TermKind.TYPED_LITERAL:
            datatype = self.find_datatype(number)
            size += 1 + varint_size(datatype) if datatype != 0 else 0
        buffer_reserve(&self.content, size + FIELD_HEAD)
        put_head(&self.content, field, size)
        self.put_string(1, &lexical)
        if kind == TermKind.LANGUAGE_LITERAL:
            self.put_text(2, &language)
        elif datatype != 0:
            buffer_reserve(&self.content, FIELD_HEAD)
            put_number(&self.content, 3, datatype)
        return 0

    cdef int put_triple_term(self, uint32_t field, uint32_t number) except -1:
        """Write an RdfTriple that is a term (Jelly-RDF, "Quoted triples")."""
        cdef uint32_t[3] numbers
        cdef size_t start
        cdef int position
        if not self.rdf_star:
            raise EncodeError(
                f"quoted triple {self.table.show(number)}", needs="rdf_star"
            )
        if self.depth >= MAX_NESTING_DEPTH:
            raise EncodeError(f"quoted triples nest deeper than {MAX_NESTING_DEPTH}")
        memcpy(numbers, self.terms.data + self.terms.offsets[number], sizeof(numbers))
        buffer_reserve(&self.content, FIELD_HEAD)
        put_tag(&self.content, field, LENGTH_DELIMITED)
        start = self.content.size
        self.depth += 1
        for position in range(3):
            self.put_term(numbers[position], &STATEMENT_FIELDS[position], position)
        self.depth -= 1
        return close_message(&self.content, start)

    cdef int put_text(self, uint32_t field, const Text* text) except -1:
        buffer_reserve(&self.content, FIELD_HEAD + text.size)
        put_head(&self.content, field, text.size)
        put_bytes(&self.content, text.start, text.size)
        return 0

    cdef int put_string(self, uint32_t field, const Text* text) except -1:
        """Write a string field, which is left out if it is empty."""
        return self.put_text(field, text) if text.size > 0 else 0

    cdef int put_string_term(self, uint32_t field, uint32_t number) except -1:
        cdef Text text
        self.text_of(number, &text)
        return self.put_string(field, &text)

    cdef int put_empty(self, uint32_t field) except -1:
        buffer_reserve(&self.content, FIELD_HEAD)
        put_head(&self.content, field, 0)
        return 0

    # Entries of the lookups.

    cdef int find_iri(self, const Text* text, uint64_t hash, FoundIri* found) except -1:
        """Find the entries for an IRI, or write new ones; ``hash`` is the hash of its term."""
        cdef CachedIri* cached = &self.cache[hash & (CACHE_SIZE - 1)]
        cdef size_t split = 0
        if (
            cached.hash == hash and not self.is_without_prefixes
            and is_current(&cached.found, self.names.marks, self.prefixes.marks)
            and self.has_text(&cached.found, text)
        ):
            found[0] = cached.found
            self.use += 1
            touch_iri(found, self.names.marks, self.prefixes.marks, self.use)
            return 0
        found.prefix = 0
        if self.prefixes.size > 0:
            if not self.is_without_prefixes:
                split = prefix_size(text.start, text.size)
            found.prefix = self.find_entry(
                self.prefixes, self.entry_fields.prefix, text.start, split
            )
            if self.is_out_of_prefixes:
                return 0
        found.name = self.find_entry(
            self.names, self.entry_fields.name, text.start + split, text.size - split
        )
        found.prefix_serial = self.prefixes.marks[found.prefix].serial
        found.name_serial = self.names.marks[found.name].serial
        # Remember only entries that any row would find: output must not depend on this cache.
        if not self.is_without_prefixes:
            cached.hash = hash
            cached.found = found[0]
        return 0

    cdef bint has_text(self, const FoundIri* found, const Text* text) noexcept:
        """Return whether the texts of the entries, joined, are the given text."""
        cdef EncoderEntry* prefix = &self.prefixes.entries[found.prefix]
        cdef EncoderEntry* name = &self.names.entries[found.name]
        return (
            <size_t>prefix.size + name.size == text.size
            and (prefix.size == 0 or memcmp(prefix.text, text.start, prefix.size) == 0)
            and memcmp(name.text, text.start + prefix.size, name.size) == 0
        )

    cdef uint32_t find_datatype(self, uint32_t literal) except? 0:
        """Return the id of a literal's datatype, or 0 if it need not be written."""
        cdef uint32_t number = self.terms.extras[literal]
        cdef FoundTerm* found = &self.found[number]
        cdef EntryMark* marks = self.datatypes.marks
        cdef Text text
        if found.datatype != 0 and marks[found.datatype].serial == found.datatype_serial:
            self.use += 1
            marks[found.datatype].use = self.use
            return found.datatype
        if self.datatypes.size == 0:
            # Write a literal of type xsd:string as a simple literal, which is the same in RDF 1.1.
            if identity_kind(self.terms, literal) != TermKind.SIMPLE_LITERAL:
                raise EncodeError(
                    f"{self.table.show(literal)} has a datatype: options need"
                    " max_datatype_table_size above 0"
                )
            return 0
        self.text_of(number, &text)
        found.datatype = self.find_entry(
            self.datatypes, self.entry_fields.datatype, text.start, text.size
        )
        found.datatype_serial = marks[found.datatype].serial
        return found.datatype

    cdef uint32_t find_entry(
        self, LookupEncoder lookup, uint32_t field, const uint8_t* text, size_t size
    ) except? 0:
        """Return the id of a text, and add it if it is new; 0 if the row uses all prefixes."""
        cdef uint32_t id = 0
        cdef LookupResult result
        # Reserve memory first, since an entry in the lookup must also be in the stream.
        buffer_reserve(&self.frame, size + 4 * FIELD_HEAD)
        self.use += 1
        result = lookup.find_or_add(
            text, size, hash_text(text, size, hash_seed()), self.use, self.first_use, &id
        )
        if result == LookupResult.ADDED:
            self.put_entry(lookup, field, id, text, size)
        elif result == LookupResult.ALL_IN_USE:
            if lookup is self.prefixes and not self.is_without_prefixes:
                self.is_out_of_prefixes = True
                return 0
            raise EncodeError(
                f"one row needs more than the {lookup.size} entries of the {lookup.name} lookup:"
                f" options need a larger max_{lookup.name}_table_size"
            )
        return id

    cdef void put_entry(
        self, LookupEncoder lookup, uint32_t field, uint32_t id, const uint8_t* text, size_t size
    ) noexcept:
        """Write an entry row to the frame, which has room, before the row that refers to it."""
        cdef uint32_t written = lookup.id_to_write(id)
        cdef size_t entry_size = field_size(size) if size > 0 else 0
        if written != 0:
            entry_size += 1 + varint_size(written)
        put_head(&self.frame, ROWS_FIELD, field_size(entry_size))
        put_head(&self.frame, field, entry_size)
        if written != 0:
            put_number(&self.frame, 1, written)
        if size > 0:
            put_head(&self.frame, 2, size)
            put_bytes(&self.frame, text, size)
        self.rows += 1

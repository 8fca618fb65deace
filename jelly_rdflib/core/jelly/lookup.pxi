"""The lookups of a decoder: numbered strings that the stream sets and refers to."""

cdef enum:
    # Serials: each definition of an entry has one of its own, from FIRST_SERIAL on.
    NOT_SET = 0
    EMPTY_PREFIX = 1  # the prefix that a stream has until it names one
    FIRST_SERIAL = 2

ctypedef struct LookupEntry:
    uint8_t* text
    uint32_t size
    uint32_t capacity
    # Of the IRI that a name makes with the prefix whose serial is `hashed_prefix`.
    uint64_t hash
    uint64_t hashed_prefix

ctypedef struct TextLimits:
    size_t string_size
    size_t text_size
    uint64_t expansion

ctypedef struct LookupUse:
    # The term that an entry had when it was last used, valid as long as `key` is the same. It is kept
    # apart from the entries, since most IRIs need nothing else.
    uint32_t key
    uint32_t term

ctypedef struct Lookup:
    const char* name
    LookupEntry* entries  # numbered from 1: entry 0 is not used
    uint64_t* serials  # of the entries' definitions; entry 0 stands for the empty prefix
    LookupUse* uses
    uint32_t size
    uint32_t last_set

cdef inline LookupEntry* lookup_find(
    Lookup* lookup, uint32_t id, const uint8_t* at, Failure* failure
) noexcept nogil:
    """Return the entry with that number, or NULL: each id of the stream goes through here."""
    if id == 0 or id > lookup.size:
        failure.what = lookup.name
        fail_number(
            failure, at, b"{what} id {number} is out of range: the lookup has {bound} entries",
            id, lookup.size,
        )
        return NULL
    if lookup.serials[id] == NOT_SET:
        failure.what = lookup.name
        fail_number(failure, at, b"{what} id {number} was never set", id, 0)
        return NULL
    return &lookup.entries[id]


cdef int lookup_init(Lookup* lookup, const char* name, uint32_t size) noexcept nogil:
    """Make an empty lookup, of zeros or of a lookup that was used.

    The caller has checked ``size`` against its limit.
    """
    cdef size_t id
    if lookup.entries != NULL and lookup.size == size:
        # A message may be a stream: it is not to pay for all that a lookup may hold. Uses are of
        # an earlier frame, so none of them is good.
        for id in range(1, <size_t>size + 1):
            if lookup.serials[id] != NOT_SET:
                PyMem_RawFree(lookup.entries[id].text)
                memset(&lookup.entries[id], 0, sizeof(LookupEntry))
                lookup.serials[id] = NOT_SET
        lookup.last_set = 0
        return 0
    lookup_free(lookup)
    lookup.name = name
    lookup.size = size
    lookup.entries = <LookupEntry*>PyMem_RawCalloc(<size_t>size + 1, sizeof(LookupEntry))
    lookup.uses = <LookupUse*>PyMem_RawCalloc(<size_t>size + 1, sizeof(LookupUse))
    lookup.serials = <uint64_t*>PyMem_RawCalloc(<size_t>size + 1, sizeof(uint64_t))
    if lookup.entries == NULL or lookup.uses == NULL or lookup.serials == NULL:
        return -1
    lookup.serials[0] = EMPTY_PREFIX
    return 0


cdef void lookup_free(Lookup* lookup) noexcept nogil:
    cdef size_t id
    if lookup.entries != NULL:
        for id in range(1, <size_t>lookup.size + 1):
            PyMem_RawFree(lookup.entries[id].text)
    PyMem_RawFree(lookup.entries)
    PyMem_RawFree(lookup.uses)
    PyMem_RawFree(lookup.serials)
    memset(lookup, 0, sizeof(Lookup))


cdef void lookup_forget_uses(Lookup* lookup) noexcept nogil:
    if lookup.uses != NULL:
        memset(lookup.uses, 0, (<size_t>lookup.size + 1) * sizeof(LookupUse))


cdef int set_text(LookupEntry* entry, Span text) noexcept nogil:
    cdef uint32_t size = <uint32_t>(text.end - text.start)
    cdef uint8_t* copy
    # The entry keeps its memory from one definition to the next, unless that would keep a giant
    # for a dwarf.
    if size > entry.capacity or entry.capacity > 256 + 2 * <uint64_t>size or entry.text == NULL:
        # Room behind the text, so that it can be copied in whole blocks.
        copy = <uint8_t*>PyMem_RawMalloc(size + 8 + BLOCK)
        if copy == NULL:
            return -1
        PyMem_RawFree(entry.text)
        entry.text = copy
        entry.capacity = size + 8
    memcpy(entry.text, text.start, size)
    entry.size = size
    return 0


cdef int lookup_set_text(
    Lookup* lookup, uint32_t id, Span text, uint64_t serial, size_t* held
) noexcept nogil:
    """Set an entry whose number and text have been checked; -1 if there is no memory."""
    cdef LookupEntry* slot = &lookup.entries[id]
    held[0] -= slot.capacity
    if set_text(slot, text) < 0:
        return -1
    held[0] += slot.capacity
    lookup.serials[id] = serial
    lookup.uses[id].key = 0
    slot.hashed_prefix = NOT_SET
    return 0


cdef int read_entry(
    Span entry, const char* name, uint32_t* id, Span* text, Failure* failure
) noexcept nogil:
    """Read an RdfNameEntry, RdfPrefixEntry or RdfDatatypeEntry of the lookup of that name."""
    cdef const uint8_t* at = entry.start
    cdef const uint8_t* tag_at
    cdef uint32_t field, wire_type
    id[0] = 0
    text.start = text.end = entry.end
    while at < entry.end:
        tag_at = at
        if read_tag(&at, entry.end, &field, &wire_type, failure) < 0:
            return -1
        if field == 1:
            if (
                expect_wire_type(VARINT, field, wire_type, tag_at, failure) < 0
                or read_uint32(&at, entry.end, id, failure) < 0
            ):
                return -1
        elif field == 2:
            if (
                expect_wire_type(LENGTH_DELIMITED, field, wire_type, tag_at, failure) < 0
                or read_span(&at, entry.end, text, failure) < 0
            ):
                return -1
            if not is_utf8(text.start, text.end):
                failure.what = name
                return fail(failure, text.start, b"{what} entry is not UTF-8")
        elif skip_field(&at, entry.end, field, wire_type, failure) < 0:
            return -1
    return 0


cdef int lookup_set(
    Lookup* lookup, Span entry, uint64_t serial, const TextLimits* limits, size_t* held,
    Failure* failure
) noexcept nogil:
    """Set the entry that a row defines (Jelly-RDF, "Prefix, name, and datatype lookup entries").

    ``held`` counts the bytes that all lookups of the stream keep.
    """
    cdef uint32_t id
    cdef Span text
    cdef size_t size
    if read_entry(entry, lookup.name, &id, &text, failure) < 0:
        return -1
    if id == 0 and lookup.last_set < 0xFFFFFFFFU:
        id = lookup.last_set + 1
    if id > lookup.size:
        failure.what = lookup.name
        return fail_number(
            failure, entry.start,
            b"{what} entry {number} is out of range: the lookup has {bound} entries",
            id, lookup.size,
        )
    size = text.end - text.start
    if size > limits.string_size:
        return fail_limit(
            failure, text.start, b"string of {number} bytes (limit max_string_size: {bound})",
            size, limits.string_size,
        )
    if held[0] - lookup.entries[id].capacity + size > limits.text_size:
        return fail_limit(
            failure, text.start,
            b"the lookups have more than {number} bytes of text (limit max_text_size)",
            limits.text_size, 0,
        )
    if lookup_set_text(lookup, id, text, serial, held) < 0:
        return fail_memory(failure, entry.start)
    lookup.last_set = id
    return 0

"""The lookups of a decoder: numbered strings that the stream sets and refers to."""

cdef enum:
    # The lookups, in the order of their entries' fields in a row and of their sizes in the options.
    NAMES = 0
    PREFIXES = 1
    DATATYPES = 2
    LOOKUPS = 3

ctypedef const char* LookupName

cdef LookupName[LOOKUPS] LOOKUP_NAMES = [b"name", b"prefix", b"datatype"]

cdef enum:
    # Serials: each definition of an entry gets a new one, from FIRST_SERIAL on.
    NOT_SET = 0
    EMPTY_PREFIX = 1  # the serial of the prefix before a stream has used any
    FIRST_SERIAL = 2

cdef enum:
    # An entry of at most this many bytes keeps its memory for the next stream, if the lookup has at
    # most `KEPT_ENTRIES` entries.
    KEPT_TEXT = 256
    KEPT_ENTRIES = 1 << 14

ctypedef struct LookupEntry:
    uint8_t* text
    uint32_t size
    uint32_t capacity
    uint32_t counted  # the capacity that the entry would have in a new decoder
    # The hash of the IRI of this name with the prefix that has the serial `hashed_prefix`; invalid
    # if this serial is NOT_SET.
    uint64_t hash
    uint64_t hashed_prefix
    bint is_unused  # no term has referred to it; used only while frames are inspected

ctypedef struct TextLimits:
    size_t string_size
    size_t text_size
    uint64_t expansion

ctypedef struct LookupUse:
    # The term made from an entry at its last use, valid as long as `key` is the same. Uses are
    # kept apart from the entries, since most IRIs are decoded from the use alone.
    uint32_t key
    uint32_t term

ctypedef struct LookupCounts:
    # All but the first are for `FrameStatistics`, and complete only if frames are inspected.
    uint32_t highest_id
    uint64_t entries
    uint64_t replaced  # entries that another entry replaced
    uint64_t unused  # entries to which no term has referred
    uint64_t references
    uint64_t text_size

ctypedef struct Lookup:
    const char* name
    LookupEntry* entries  # numbered from 1; entries above the highest id are uninitialized
    uint64_t* serials  # the serial of each entry's definition; entry 0 is the empty prefix
    LookupUse* uses
    uint32_t size
    uint32_t last_set
    LookupCounts counts

cdef inline const char* range_rule(const Lookup* lookup, uint32_t id) noexcept nogil:
    """Return the rule that an out-of-range id breaks."""
    if lookup.size == 0:
        return b"no-lookup"
    return b"datatype-id" if id == 0 else b"lookup-size"


cdef inline LookupEntry* lookup_find(
    Lookup* lookup, uint32_t id, const uint8_t* at, Failure* failure
) noexcept nogil:
    """Return the entry with the given id; if it doesn't exist, set a failure and return NULL."""
    if id == 0 or id > lookup.size:
        failure.what = lookup.name
        fail_number(
            failure, at, range_rule(lookup, id),
            b"{what} id {number} is out of range: the lookup has {bound} entries", id, lookup.size,
        )
        return NULL
    if lookup.serials[id] == NOT_SET:
        failure.what = lookup.name
        fail_number(failure, at, b"lookup-reference", b"{what} id {number} was never set", id, 0)
        return NULL
    return &lookup.entries[id]


cdef inline size_t counted_bytes(const Lookup* lookup, uint32_t id) noexcept nogil:
    """Return the bytes of an entry that count towards the limit of the lookups' text.

    Memory that an earlier stream allocated does not count, so a restarted decoder accepts the same
    streams as a new one.
    """
    return lookup.entries[id].counted if lookup.serials[id] != NOT_SET else 0


cdef int lookup_init(Lookup* lookup, const char* name, uint32_t size) noexcept nogil:
    """Make an empty lookup from zeroed memory, or from a used lookup.

    The caller has checked ``size`` against its limit.
    """
    cdef size_t id
    if lookup.entries != NULL and lookup.size == size:
        # Entries keep their memory: each message of a queue may be a stream, and allocating a
        # whole lookup for each would take a long time. The uses need no reset, since they belong to
        # an earlier epoch.
        for id in range(1, <size_t>lookup.counts.highest_id + 1):
            if lookup.serials[id] == NOT_SET:
                continue
            lookup.serials[id] = NOT_SET
            lookup.entries[id].is_unused = False
            if lookup.entries[id].capacity > KEPT_TEXT or size > KEPT_ENTRIES:
                PyMem_RawFree(lookup.entries[id].text)
                memset(&lookup.entries[id], 0, sizeof(LookupEntry))
        lookup.last_set = 0
        return 0
    lookup_free(lookup)
    lookup.name = name
    lookup.size = size
    # An entry is initialized when a stream sets it, so that short streams initialize few entries.
    lookup.entries = <LookupEntry*>PyMem_RawMalloc((<size_t>size + 1) * sizeof(LookupEntry))
    lookup.uses = <LookupUse*>PyMem_RawCalloc(<size_t>size + 1, sizeof(LookupUse))
    lookup.serials = <uint64_t*>PyMem_RawCalloc(<size_t>size + 1, sizeof(uint64_t))
    if lookup.entries == NULL or lookup.uses == NULL or lookup.serials == NULL:
        return -1
    memset(lookup.entries, 0, sizeof(LookupEntry))
    lookup.serials[0] = EMPTY_PREFIX
    return 0


cdef void lookup_free(Lookup* lookup) noexcept nogil:
    cdef size_t id
    if lookup.entries != NULL:
        for id in range(1, <size_t>lookup.counts.highest_id + 1):
            PyMem_RawFree(lookup.entries[id].text)
    PyMem_RawFree(lookup.entries)
    PyMem_RawFree(lookup.uses)
    PyMem_RawFree(lookup.serials)
    memset(lookup, 0, sizeof(Lookup))


cdef void lookup_forget_uses(Lookup* lookup) noexcept nogil:
    if lookup.uses != NULL:
        memset(lookup.uses, 0, (<size_t>lookup.size + 1) * sizeof(LookupUse))


cdef inline int lookup_make_room(
    Lookup* lookup, uint32_t id, uint32_t size, size_t* held
) noexcept nogil:
    """Make room for the text of an entry, after all checks; return -1 if memory runs out.

    ``held`` counts the bytes that all lookups of the stream hold.
    """
    cdef const LookupEntry* entry = &lookup.entries[id]
    cdef size_t most = KEPT_TEXT + 2 * <size_t>size
    # Usually the memory of the entry's last definition can be reused.
    if (
        lookup.serials[id] != NOT_SET and size <= entry.capacity and size <= entry.counted
        and entry.capacity <= most and entry.counted <= most
    ):
        return 0
    return lookup_grow(lookup, id, size, held)


cdef int lookup_grow(Lookup* lookup, uint32_t id, uint32_t size, size_t* held) noexcept nogil:
    cdef LookupEntry* entry = &lookup.entries[id]
    cdef uint32_t highest = lookup.counts.highest_id
    cdef size_t before = counted_bytes(lookup, id)
    cdef uint8_t* text
    if id > highest:
        memset(&lookup.entries[highest + 1], 0, (id - highest) * sizeof(LookupEntry))
        lookup.counts.highest_id = id
    # Don't keep a large block of memory for a small text.
    if (
        size > entry.capacity or entry.text == NULL
        or entry.capacity > KEPT_TEXT + 2 * <uint64_t>size
    ):
        # Add room after the text, so that it can be copied in whole blocks.
        text = <uint8_t*>PyMem_RawMalloc(size + 8 + BLOCK)
        if text == NULL:
            return -1
        PyMem_RawFree(entry.text)
        entry.text = text
        entry.capacity = size + 8
    if before == 0 or size > before or before > KEPT_TEXT + 2 * <uint64_t>size:
        entry.counted = size + 8
    held[0] += entry.counted - before
    return 0


cdef inline void lookup_define(
    Lookup* lookup, uint32_t id, uint32_t size, uint64_t serial
) noexcept nogil:
    """Define an entry, whose text is already in its memory."""
    lookup.entries[id].size = size
    lookup.entries[id].hashed_prefix = NOT_SET
    lookup.serials[id] = serial
    lookup.uses[id].key = 0
    lookup.last_set = id


cdef int lookup_set_text(
    Lookup* lookup, uint32_t id, const uint8_t* text, uint32_t size, uint64_t serial, size_t* held
) noexcept nogil:
    """Set an entry whose number and text have been checked; return -1 if memory runs out."""
    if lookup_make_room(lookup, id, size, held) < 0:
        return -1
    lookup.counts.entries += 1
    lookup.counts.replaced += lookup.serials[id] != NOT_SET
    lookup.counts.unused += 1
    lookup.counts.text_size += size
    lookup.entries[id].is_unused = True
    memcpy(lookup.entries[id].text, text, size)
    lookup_define(lookup, id, size, serial)
    return 0


cdef inline void count_reference(Lookup* lookup, uint32_t id) noexcept nogil:
    """Count a reference to the entry with the given id, which may be out of range."""
    lookup.counts.references += 1
    if id <= lookup.counts.highest_id:
        lookup.counts.unused -= lookup.entries[id].is_unused
        lookup.entries[id].is_unused = False

# The lookups of a decoder: numbered strings that the stream sets and refers to.

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
    # What an entry stood for when it was last used: `term`, as long as `key` is the same. Apart
    # from the entries, as this is all that most IRIs need.
    uint32_t key
    uint32_t term


ctypedef struct Lookup:
    const char* name
    LookupEntry* entries  # numbered from 1: entry 0 is not used
    uint64_t* serials  # of the entries' definitions; entry 0 stands for the empty prefix
    LookupUse* uses
    uint32_t size
    uint32_t last_set


cdef int lookup_init(Lookup* lookup, const char* name, uint32_t size) noexcept nogil
cdef void lookup_free(Lookup* lookup) noexcept nogil
cdef void lookup_forget_uses(Lookup* lookup) noexcept nogil
cdef int lookup_set_text(
    Lookup* lookup, uint32_t id, Span text, uint64_t serial, size_t* held
) noexcept nogil
cdef int lookup_set(
    Lookup* lookup, Span entry, uint64_t serial, const TextLimits* limits, size_t* held,
    Failure* failure
) noexcept nogil


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

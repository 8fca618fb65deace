"""The lookups of an encoder: which strings the stream has numbers for, least recently used out."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t


ctypedef struct EncoderEntry:
    uint8_t* text
    uint32_t size
    uint32_t capacity
    uint64_t hash
    uint64_t serial  # of this definition; another one gets another serial
    uint64_t row  # the row that used the entry last
    # Neighbours in the order of use; entry 0 is the list's both ends.
    uint32_t newer
    uint32_t older


cdef enum LookupResult:
    FOUND = 0
    ADDED = 1  # the stream needs an entry row before the row that refers to it
    ALL_IN_USE = 2  # every entry is used by the current row already


cdef class LookupEncoder:
    cdef readonly str name
    cdef EncoderEntry* entries
    cdef uint32_t size
    cdef uint32_t used
    cdef uint32_t last_set
    cdef uint64_t next_serial
    # Open addressing over the hashes of texts; 0 is a free slot.
    cdef uint32_t* slots
    cdef uint32_t slot_mask

    cdef LookupResult find_or_add(
        self, const uint8_t* text, size_t size, uint64_t hash, uint64_t row, uint32_t* id
    ) except *
    cdef uint32_t id_to_write(self, uint32_t id) noexcept
    cdef int add(
        self, uint32_t id, const uint8_t* text, size_t size, uint64_t hash, uint64_t row
    ) except -1
    cdef void remove(self, uint32_t id) noexcept


cdef inline void unlink(EncoderEntry* entries, uint32_t id) noexcept:
    entries[entries[id].newer].older = entries[id].older
    entries[entries[id].older].newer = entries[id].newer


cdef inline void link_newest(EncoderEntry* entries, uint32_t id) noexcept:
    cdef uint32_t newest = entries[0].older
    entries[id].newer = 0
    entries[id].older = newest
    entries[newest].newer = id
    entries[0].older = id


cdef inline void touch(EncoderEntry* entries, uint32_t id, uint64_t row) noexcept:
    """Make an entry the most recently used."""
    entries[id].row = row
    if entries[0].older != id:
        unlink(entries, id)
        link_newest(entries, id)

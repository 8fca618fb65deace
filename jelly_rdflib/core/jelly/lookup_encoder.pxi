"""The lookups of an encoder: which strings the stream has numbers for, least recently used out."""

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

@cython.nonecheck(True)
@cython.final
cdef class LookupEncoder:
    """A lookup of at most ``size`` strings.

    Entries are numbered from 1. The order of use is a list through the entries: from entry 0,
    ``older`` leads to the most recently used one and ``newer`` to the least.
    """

    cdef readonly str name
    cdef EncoderEntry* entries
    cdef uint32_t size
    cdef uint32_t used
    cdef uint32_t last_set
    cdef uint64_t next_serial
    # Open addressing over the hashes of texts; 0 is a free slot.
    cdef uint32_t* slots
    cdef uint32_t slot_mask

    def __cinit__(self, str name, uint32_t size):
        cdef uint32_t slots = 16
        while slots < 2 * <uint64_t>size:
            slots *= 2
        self.name = name
        self.size = size
        self.next_serial = 1
        self.slot_mask = slots - 1
        # An entry is set up when it is used first: a small stream must not take long to start.
        self.entries = <EncoderEntry*>PyMem_RawMalloc((<size_t>size + 1) * sizeof(EncoderEntry))
        self.slots = <uint32_t*>PyMem_RawCalloc(slots, sizeof(uint32_t))
        if self.entries == NULL or self.slots == NULL:
            raise MemoryError
        memset(self.entries, 0, sizeof(EncoderEntry))

    def __dealloc__(self):
        cdef uint32_t id
        if self.entries != NULL:
            for id in range(1, self.used + 1):
                PyMem_RawFree(self.entries[id].text)
        PyMem_RawFree(self.entries)
        PyMem_RawFree(self.slots)

    cdef LookupResult find_or_add(
        self, const uint8_t* text, size_t size, uint64_t hash, uint64_t row, uint32_t* id
    ) except *:
        """Find the entry with this text, or give it the least recently used one.

        An entry that the current row refers to is never taken: what defines an entry is written
        before the row, so the row would then read the new text in both places.
        """
        cdef uint32_t slot = <uint32_t>hash & self.slot_mask
        cdef EncoderEntry* entry
        while self.slots[slot] != 0:
            entry = &self.entries[self.slots[slot]]
            if (
                entry.hash == hash and entry.size == size
                and memcmp(entry.text, text, size) == 0
            ):
                id[0] = self.slots[slot]
                touch(self.entries, id[0], row)
                return LookupResult.FOUND
            slot = (slot + 1) & self.slot_mask
        if self.used < self.size:
            memset(&self.entries[self.used + 1], 0, sizeof(EncoderEntry))
            self.add(self.used + 1, text, size, hash, row)
            self.used += 1
            id[0] = self.used
            return LookupResult.ADDED
        id[0] = self.entries[0].newer
        if self.size == 0 or self.entries[id[0]].row == row:
            return LookupResult.ALL_IN_USE
        self.remove(id[0])
        self.add(id[0], text, size, hash, row)
        return LookupResult.ADDED

    cdef uint32_t id_to_write(self, uint32_t id) noexcept:
        """Return how the row that defines an entry names it: 0 for the one after the last."""
        cdef uint32_t written = 0 if id == self.last_set + 1 else id
        self.last_set = id
        return written

    cdef int add(
        self, uint32_t id, const uint8_t* text, size_t size, uint64_t hash, uint64_t row
    ) except -1:
        cdef EncoderEntry* entry = &self.entries[id]
        cdef uint32_t slot = <uint32_t>hash & self.slot_mask
        cdef uint8_t* copy
        if size > entry.capacity or entry.text == NULL:
            copy = <uint8_t*>PyMem_RawMalloc(size + 8)
            if copy == NULL:
                raise MemoryError
            PyMem_RawFree(entry.text)
            entry.text = copy
            entry.capacity = <uint32_t>size + 8
        memcpy(entry.text, text, size)
        entry.size = <uint32_t>size
        entry.hash = hash
        entry.serial = self.next_serial
        entry.row = row
        self.next_serial += 1
        while self.slots[slot] != 0:
            slot = (slot + 1) & self.slot_mask
        self.slots[slot] = id
        link_newest(self.entries, id)
        return 0

    cdef void remove(self, uint32_t id) noexcept:
        cdef uint32_t slot = <uint32_t>self.entries[id].hash & self.slot_mask
        cdef uint32_t next_slot, home
        unlink(self.entries, id)
        while self.slots[slot] != id:
            slot = (slot + 1) & self.slot_mask
        # Close the gap, so that a search never stops before what it looks for.
        next_slot = slot
        while True:
            next_slot = (next_slot + 1) & self.slot_mask
            if self.slots[next_slot] == 0:
                break
            home = <uint32_t>self.entries[self.slots[next_slot]].hash & self.slot_mask
            if ((next_slot - home) & self.slot_mask) >= ((next_slot - slot) & self.slot_mask):
                self.slots[slot] = self.slots[next_slot]
                slot = next_slot
        self.slots[slot] = 0

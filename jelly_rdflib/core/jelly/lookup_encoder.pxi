"""The lookups of an encoder: least-recently-used caches of numbered strings."""

ctypedef struct EncoderEntry:
    uint8_t* text
    uint32_t size
    uint32_t capacity
    uint64_t hash

ctypedef struct EntryMark:
    # The part of an entry that most terms need, kept apart from the rest, so that more of it fits
    # into the processor's cache.
    uint64_t serial  # unique for each definition of an entry; 0: not defined
    uint64_t use  # the number of its last use; all uses in the stream are counted

cdef enum:
    # An entry with more bytes than this releases them before the next stream.
    KEPT_TEXT = 256

cdef enum LookupResult:
    FOUND = 0
    ADDED = 1  # the stream needs an entry row before the row that refers to it
    ALL_IN_USE = 2  # every entry is already used by the current row

@cython.nonecheck(True)
@cython.final
cdef class LookupEncoder:
    """A lookup of at most ``size`` strings.

    Entries are numbered from 1; entry 0 stands for no prefix. A use of an entry is only recorded.
    When a full lookup needs room, all entries are sorted by their last use. Entries are then
    replaced from the oldest on, except for entries that were used since the sorting.
    """

    cdef readonly str name
    cdef EncoderEntry* entries
    cdef EntryMark* marks
    cdef uint32_t size
    cdef uint32_t used
    cdef uint32_t made  # how many entries were initialized, by this stream or an earlier one
    cdef uint32_t last_set
    cdef uint64_t next_serial
    # A hash table of texts with open addressing; 0 marks a free slot.
    cdef uint32_t* slots
    cdef uint32_t slot_mask
    # The entries, sorted by their last uses at the time of sorting, and memory for sorting.
    cdef SortItem* oldest
    cdef uint32_t next_oldest
    cdef uint32_t oldest_count

    def __cinit__(self, str name, uint32_t size):
        cdef uint32_t slots = 16
        while slots < 2 * <uint64_t>size:
            slots *= 2
        self.name = name
        self.size = size
        self.next_serial = 1
        self.slot_mask = slots - 1
        # Entries are initialized at their first use, so that a small stream starts fast.
        self.entries = <EncoderEntry*>PyMem_RawMalloc((<size_t>size + 1) * sizeof(EncoderEntry))
        self.marks = <EntryMark*>PyMem_RawMalloc((<size_t>size + 1) * sizeof(EntryMark))
        self.slots = <uint32_t*>PyMem_RawCalloc(slots, sizeof(uint32_t))
        if self.entries == NULL or self.marks == NULL or self.slots == NULL:
            raise MemoryError
        memset(self.entries, 0, sizeof(EncoderEntry))
        memset(self.marks, 0, sizeof(EntryMark))

    def __dealloc__(self):
        cdef uint32_t id
        if self.entries != NULL:
            for id in range(1, self.made + 1):
                PyMem_RawFree(self.entries[id].text)
        PyMem_RawFree(self.entries)
        PyMem_RawFree(self.marks)
        PyMem_RawFree(self.slots)
        PyMem_RawFree(self.oldest)

    cdef void clear(self) noexcept:
        """Remove all entries. Small entries keep their memory, since short streams clear often."""
        cdef uint32_t id, slot
        cdef EncoderEntry* entry
        for id in range(1, self.used + 1):
            entry = &self.entries[id]
            self.marks[id].serial = 0
            # Clear all slots from the entry's first one on, since all entries are removed.
            slot = <uint32_t>entry.hash & self.slot_mask
            while self.slots[slot] != 0:
                self.slots[slot] = 0
                slot = (slot + 1) & self.slot_mask
            if entry.capacity > KEPT_TEXT:
                PyMem_RawFree(entry.text)
                entry.text = NULL
                entry.capacity = 0
        self.used = self.last_set = 0
        self.next_oldest = self.oldest_count = 0

    cdef LookupResult find_or_add(
        self, const uint8_t* text, size_t size, uint64_t hash, uint64_t use, uint64_t first_use,
        uint32_t* id,
    ) except *:
        """Find the entry with a text, or reuse the least recently used entry for it.

        ``use`` is the number of this use, and ``first_use`` the number of the row's first use. An
        entry that the current row refers to is never reused: its new definition would be written
        before the row, so both references in the row would mean the new text.
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
                self.marks[id[0]].use = use
                return LookupResult.FOUND
            slot = (slot + 1) & self.slot_mask
        if self.used < self.size:
            if self.used == self.made:
                self.made += 1
                memset(&self.entries[self.made], 0, sizeof(EncoderEntry))
            self.reserve(self.used + 1, size)
            self.used += 1
            self.add(self.used, text, size, hash, use)
            id[0] = self.used
            return LookupResult.ADDED
        id[0] = self.take_oldest(first_use)
        if id[0] == 0:
            return LookupResult.ALL_IN_USE
        self.reserve(id[0], size)
        self.remove(id[0])
        self.add(id[0], text, size, hash, use)
        return LookupResult.ADDED

    cdef uint32_t take_oldest(self, uint64_t first_use) except? 0:
        """Return the least recently used entry, or 0 if the row has used them all."""
        cdef SortItem* item
        while True:
            while self.next_oldest < self.oldest_count:
                item = &self.oldest[self.next_oldest]
                if item.key >= first_use:
                    return 0
                self.next_oldest += 1
                # An entry that was used since the sorting is skipped.
                if self.marks[item.number].use == item.key:
                    return item.number
            if self.size == 0:
                return 0
            self.sort_entries()

    cdef int sort_entries(self) except -1:
        cdef uint32_t id
        if self.oldest == NULL:
            self.oldest = <SortItem*>PyMem_RawMalloc(2 * <size_t>self.size * sizeof(SortItem))
            if self.oldest == NULL:
                raise MemoryError
        for id in range(1, self.size + 1):
            self.oldest[id - 1] = SortItem(self.marks[id].use, id)
        sort_items(self.oldest, self.oldest + self.size, self.size)
        self.next_oldest, self.oldest_count = 0, self.size
        return 0

    cdef uint32_t id_to_write(self, uint32_t id) noexcept:
        """Return the id to write in an entry's row: 0 if ``id`` follows the last one set."""
        cdef uint32_t written = 0 if id == self.last_set + 1 else id
        self.last_set = id
        return written

    cdef int reserve(self, uint32_t id, size_t size) except -1:
        """Allocate memory for an entry's next text, so that no later step can fail."""
        cdef EncoderEntry* entry = &self.entries[id]
        cdef uint8_t* text
        if size > entry.capacity or entry.text == NULL:
            text = <uint8_t*>PyMem_RawMalloc(size + 8)
            if text == NULL:
                raise MemoryError
            PyMem_RawFree(entry.text)
            entry.text = text
            entry.capacity = <uint32_t>size + 8
        return 0

    cdef void add(
        self, uint32_t id, const uint8_t* text, size_t size, uint64_t hash, uint64_t use
    ) noexcept:
        cdef EncoderEntry* entry = &self.entries[id]
        cdef uint32_t slot = <uint32_t>hash & self.slot_mask
        memcpy(entry.text, text, size)
        entry.size = <uint32_t>size
        entry.hash = hash
        self.marks[id] = EntryMark(self.next_serial, use)
        self.next_serial += 1
        while self.slots[slot] != 0:
            slot = (slot + 1) & self.slot_mask
        self.slots[slot] = id

    cdef void remove(self, uint32_t id) noexcept:
        cdef uint32_t slot = <uint32_t>self.entries[id].hash & self.slot_mask
        cdef uint32_t next_slot, home
        while self.slots[slot] != id:
            slot = (slot + 1) & self.slot_mask
        # Close the gap, so that no search stops too early.
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

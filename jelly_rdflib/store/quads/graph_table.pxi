"""The graphs of a store: how many quads each has, and which are listed."""

cdef uint64_t* slot_of_graph(const GraphTable* table, uint32_t name, uint64_t* hash) noexcept:
    """Return the slot of a graph, or the free slot for it; and the hash of its name."""
    cdef uint64_t* slot
    hash[0] = fold(name ^ hash_seed(), MIX_B)
    slot = first_slot(&table.slots, hash[0])
    while slot[0] != 0 and table.entries[<uint32_t>slot[0] - 1].name != name:
        slot = next_slot(&table.slots, hash[0], slot)
    return slot


cdef GraphEntry* find_graph(GraphTable* table, uint32_t name) noexcept:
    """Return the entry of a graph, or NULL if it has none; a new entry may move the others."""
    cdef uint32_t entry
    cdef uint64_t hash
    if table.count == 0:
        return NULL
    if table.entries[table.last].name != name:
        entry = <uint32_t>slot_of_graph(table, name, &hash)[0]
        if entry == 0:
            return NULL
        table.last = entry - 1
    return &table.entries[table.last]


cdef GraphEntry* need_graph(GraphTable* table, uint32_t name) except NULL:
    """Return the entry of a graph; make it if it is missing."""
    cdef GraphEntry* entry = find_graph(table, name)
    cdef uint64_t* slot
    cdef uint64_t hash
    if entry != NULL:
        return entry
    make_room(<void**>&table.entries, table.count, &table.capacity, sizeof(GraphEntry))
    slots_reserve(&table.slots)
    table.last = table.count
    table.count += 1
    slot = slot_of_graph(table, name, &hash)
    fill_slot(&table.slots, slot, hash, table.count)
    entry = &table.entries[table.last]
    entry.name = name
    entry.count = 0
    entry.is_listed = False
    return entry


cdef bint cut_graphs(GraphTable* table, uint32_t count) noexcept:
    """Keep the first ``count`` graphs if all others are empty and unlisted; return False if not."""
    cdef GraphEntry* entry
    cdef uint64_t hash
    cdef uint32_t i
    for i in range(count, table.count):
        entry = &table.entries[i]
        if entry.count > 0 or entry.is_listed:
            return False
    while table.count > count:
        slots_remove(
            &table.slots, slot_of_graph(table, table.entries[table.count - 1].name, &hash)
        )
        table.count -= 1
    table.last = 0
    return True


cdef void free_graphs(GraphTable* table) noexcept:
    PyMem_RawFree(table.entries)
    PyMem_RawFree(table.slots.slots)
    memset(table, 0, sizeof(GraphTable))

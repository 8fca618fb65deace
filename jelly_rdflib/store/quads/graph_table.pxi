"""The graphs of a store: how many quads each has, and which are listed."""

cdef inline uint64_t hash_name(uint32_t name) noexcept:
    return fold(name ^ hash_seed(), MIX_B)


cdef uint64_t* slot_of_graph(const GraphTable* table, uint32_t name) noexcept:
    cdef uint32_t slot = <uint32_t>hash_name(name) & table.slots.mask
    cdef const uint64_t* slots = table.slots.slots
    while slots[slot] != 0 and table.entries[<uint32_t>slots[slot] - 1].name != name:
        slot = (slot + 1) & table.slots.mask
    return &table.slots.slots[slot]


cdef GraphEntry* find_graph(GraphTable* table, uint32_t name) noexcept:
    """Return the entry of a graph, good until another is made; NULL if there is none."""
    cdef uint32_t entry
    if table.count == 0:
        return NULL
    if table.entries[table.last].name == name:
        return &table.entries[table.last]
    entry = <uint32_t>slot_of_graph(table, name)[0]
    if entry == 0:
        return NULL
    table.last = entry - 1
    return &table.entries[entry - 1]


cdef GraphEntry* need_graph(GraphTable* table, uint32_t name) except NULL:
    """Return the entry of a graph, which is made if there is none."""
    cdef GraphEntry* entry = find_graph(table, name)
    cdef uint32_t i
    if entry != NULL:
        return entry
    if table.count == table.capacity:
        i = 2 * table.capacity + 8
        grow(<void**>&table.entries, i * sizeof(GraphEntry))
        table.capacity = i
    if table.slots.slots == NULL:
        slots_resize(&table.slots, FIRST_SLOTS)
    elif 2 * (<uint64_t>table.count + 1) > table.slots.mask:
        slots_resize(&table.slots, 2 * (<uint64_t>table.slots.mask + 1))
    entry = &table.entries[table.count]
    entry.name = name
    entry.count = 0
    entry.is_listed = False
    slot_of_graph(table, name)[0] = make_slot(hash_name(name), table.count + 1)
    table.last = table.count
    table.count += 1
    return entry


cdef void free_graphs(GraphTable* table) noexcept:
    PyMem_RawFree(table.entries)
    PyMem_RawFree(table.slots.slots)
    memset(table, 0, sizeof(GraphTable))

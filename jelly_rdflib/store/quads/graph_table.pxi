"""The graphs of a store: how many quads each has, and which are listed."""

cdef inline uint64_t hash_name(uint32_t name) noexcept:
    return fold(name ^ hash_seed(), MIX_B)


cdef uint32_t* slot_of_graph(const GraphTable* table, uint32_t name) noexcept:
    cdef uint32_t slot = <uint32_t>hash_name(name) & table.mask
    while table.slots[slot] != 0 and table.entries[table.slots[slot] - 1].name != name:
        slot = (slot + 1) & table.mask
    return &table.slots[slot]


cdef GraphEntry* find_graph(GraphTable* table, uint32_t name) noexcept:
    """Return the entry of a graph, good until another is made; NULL if there is none."""
    cdef uint32_t entry
    if table.count == 0:
        return NULL
    if table.entries[table.last].name == name:
        return &table.entries[table.last]
    entry = slot_of_graph(table, name)[0]
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
    if 2 * (<uint64_t>table.count + 1) > table.mask:
        rehash_graphs(table)
    entry = &table.entries[table.count]
    entry.name = name
    entry.count = 0
    entry.is_listed = False
    slot_of_graph(table, name)[0] = table.count + 1
    table.last = table.count
    table.count += 1
    return entry


cdef int rehash_graphs(GraphTable* table) except -1:
    cdef uint64_t count = 2 * (<uint64_t>table.mask + 1) if table.slots != NULL else FIRST_SLOTS
    cdef uint32_t* slots = <uint32_t*>PyMem_RawCalloc(count, sizeof(uint32_t))
    cdef uint32_t entry
    if slots == NULL:
        raise MemoryError
    PyMem_RawFree(table.slots)
    table.slots = slots
    table.mask = <uint32_t>(count - 1)
    for entry in range(table.count):
        slot_of_graph(table, table.entries[entry].name)[0] = entry + 1
    return 0


cdef void free_graphs(GraphTable* table) noexcept:
    PyMem_RawFree(table.entries)
    PyMem_RawFree(table.slots)
    memset(table, 0, sizeof(GraphTable))

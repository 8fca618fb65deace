"""Makes a store smaller: replaces its contents with a copy without dead rows."""

cdef int vacuum(QuadStore store) except -1:
    """Copy live rows, and rows that a rollback would revive. Readers keep the old rows."""
    cdef QuadStore fresh = QuadStore(store.terms.types, store.make_graph)
    cdef uint32_t* numbers
    # From here on, make no object that Python's collector tracks: it may run any code.
    numbers = <uint32_t*>PyMem_RawCalloc(<size_t>store.terms.count + 1, sizeof(uint32_t))
    if numbers == NULL:
        raise MemoryError
    try:
        copy_contents(fresh, store, numbers)
    finally:
        PyMem_RawFree(numbers)
    swap_contents(store, fresh)
    return 0


cdef int copy_contents(QuadStore fresh, QuadStore store, uint32_t* numbers) except -1:
    """Copy a store into an empty one.

    Args:
        numbers: Zeros, which are replaced by the terms' numbers in the copy.
    """
    cdef uint32_t i, death, name
    cdef uint32_t committed_rows = 0
    cdef Row row
    cdef GraphEntry* graph
    for i in range(store.listing_count):
        make_room(
            <void**>&fresh.listings, fresh.listing_count, &fresh.listing_capacity, sizeof(uint32_t)
        )
        name = copy_term(fresh.terms, store.terms, store.listings[i] & ~WAS_LISTED, numbers)
        fresh.listings[i] = name | (store.listings[i] & WAS_LISTED)
        fresh.listing_count += 1
    for i in range(store.rows.count):
        death = death_of(store.rows, i)
        if death != 0 and not may_return(&store.times.committed, i, death):
            continue
        copy_row(&row, row_at(store.rows, i), fresh.terms, store.terms, numbers)
        fresh.add_row(
            &row, copy_term(fresh.terms, store.terms, spelling_of(store.rows, i), numbers)
        )
        fresh.times.committed.rows = fresh.rows.count
        if i < store.times.committed.rows:
            committed_rows = fresh.rows.count
        if death != 0:
            # The row died after the commit; the copy must record this, too.
            fresh.remove_at(fresh.find_row(&row))
    for i in range(store.graphs.count):
        graph = &store.graphs.entries[i]
        if graph.is_listed or numbers[graph.name] != 0:
            name = copy_term(fresh.terms, store.terms, graph.name, numbers)
            need_graph(&fresh.graphs, name).is_listed = graph.is_listed
            if graph.name in store.graph_objects:
                fresh.graph_objects[name] = store.graph_objects[graph.name]
    fresh.times.committed.rows = committed_rows
    return 0


cdef void swap_contents(QuadStore store, QuadStore fresh) noexcept:
    """Take over the contents of a copy, in one step."""
    store.terms, fresh.terms = fresh.terms, store.terms
    store.rows, fresh.rows = fresh.rows, store.rows
    store.index, fresh.index = fresh.index, store.index
    store.graphs, fresh.graphs = fresh.graphs, store.graphs
    store.deaths, fresh.deaths = fresh.deaths, store.deaths
    store.death_count, store.death_capacity = fresh.death_count, fresh.death_capacity
    store.listings, fresh.listings = fresh.listings, store.listings
    # Don't take over the copy's count of listings: making the copy has added one for each graph
    # with rows.
    store.listing_capacity = fresh.listing_capacity
    # The copy takes the old objects, so that they are not released yet: the destructor of a user's
    # graph may run any code.
    store.graph_objects, fresh.graph_objects = fresh.graph_objects, store.graph_objects
    store.runs, fresh.runs = fresh.runs, store.runs
    store.sealed = 0
    store.has_new_deaths = store.death_count > 0
    memset(&store.times, 0, sizeof(Times))
    store.told = store.here()
    store.times.committed.rows = store.times.marked.rows = fresh.times.committed.rows
    # Pending quads may use the terms and graphs, which are kept even if the quads are undone.
    store.times.committed.terms = store.times.marked.terms = store.told.terms
    store.times.committed.graphs = store.times.marked.graphs = store.told.graphs
    store.loose_text = 0
    # Existing readers use the old rows, which no longer change.
    store.newest_reader = 0


# --- terms and rows of one store in another -------------------------------------------------------

cdef uint32_t copy_term(
    Dictionary target, Dictionary source, uint32_t number, uint32_t* copies
) except? 0:
    """Return the number of a term's copy."""
    cdef TermKey key
    if number == 0 or copies[number] != 0:
        return copies[number]
    key = key_of(source, number)
    key.extra = copy_term(target, source, key.extra, copies)
    copies[number] = <uint32_t>target.number_of_key(&key, True)
    if source.ill_typed and number in source.ill_typed:
        target.ill_typed.add(copies[number])
    if target.spelling != 0:
        copies[number] = target.spelling
    return copies[number]


cdef int copy_row(
    Row* copy, const Row* row, Dictionary target, Dictionary source, uint32_t* copies
) except -1:
    cdef int i
    for i in range(<int>COLUMNS):
        copy.terms[i] = copy_term(target, source, row.terms[i], copies)
    return 0


cdef inline uint32_t spelling_of(Rows rows, uint32_t row) except? 0:
    return rows.spellings.get(row, 0) if rows.spellings else 0

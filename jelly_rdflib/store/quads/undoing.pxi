"""Undoes all changes since a mark: the last commit, or a point of the transaction."""

cdef int undo(QuadStore store, const Mark* mark, uint32_t graph) except -1:
    """Undo all changes since a mark, in ``graph`` or, if that is 0, in all. May be called again."""
    cdef uint32_t number
    cdef uint64_t* slot
    cdef Row* row
    cdef uint64_t loose_text = store.loose_text
    cdef Dictionary terms = store.terms
    cdef Dictionary emptied = None
    cdef uint32_t kept = mark.terms
    cdef dict spellings = None
    cdef dict graph_objects = None
    if graph == 0 and terms.count > kept:
        try:
            # Make these objects first, since making an object may run any code.
            emptied = Dictionary(terms.types)
            spellings = terms.spellings_before(kept)
            graph_objects = {
                name: each for name, each in store.graph_objects.items() if name < kept
            }
        except MemoryError:
            # The terms are kept until the store is made smaller.
            emptied = None
    cdef bint is_dropped = graph == 0 and store.rows.readers == 0 and store.sealed <= mark.rows
    # If a reader may have seen that rows are dead, it must not see them alive again.
    cdef bint is_clean = store.rows.readers == 0 or store.newest_reader <= mark.clock
    if store.is_recorded and mark == &store.times.marked:
        # A recording must see either no trace of undone changes, or all of the undoing.
        is_clean = (
            is_dropped and store.told.rows <= mark.rows and store.told.deaths <= mark.deaths
        )
    for number in range(store.rows.count, mark.rows, -1):
        row = row_at(store.rows, number - 1)
        if graph != 0 and row.terms[G] != graph:
            continue
        slot = store.find_row(row)
        if <uint32_t>slot[0] == number:
            store.remove_at(slot)
    bring_back(store, mark, graph, is_clean)
    list_again(store, mark, graph)
    if is_clean and is_dropped:
        drop_rows(store.rows, mark.rows)
        store.death_count = mark.deaths
        if (
            cut_graphs(&store.graphs, mark.graphs)
            and emptied is not None and terms is store.terms and kept == mark.terms
        ):
            terms.cut(kept, spellings)
            terms.move_to(emptied)
            store.terms = emptied
            # The destructor of a user's graph may run any code: call it at the very end.
            store.graph_objects, graph_objects = graph_objects, store.graph_objects
    if store.terms.count > mark.terms:
        loose_text += text_size(store.terms, store.terms.count)
        loose_text -= text_size(store.terms, mark.terms)
    store.loose_text = loose_text
    # Fewer rows may exist now, so these marks may be past the end.
    clamp(store, &store.told)
    clamp(store, &store.times.marked)
    return 0


cdef int bring_back(
    QuadStore store, const Mark* mark, uint32_t graph, bint is_clean
) except -1:
    """Bring back the rows that died since a mark, as new rows unless ``is_clean``."""
    cdef uint32_t number, i
    cdef uint64_t* slot
    cdef Row row
    for i in range(mark.deaths, store.death_count):
        number = store.deaths[i].row
        row = row_at(store.rows, number)[0]
        if number >= mark.rows or (graph != 0 and row.terms[G] != graph):
            continue
        if not is_clean:
            store.add_row(&row, spelling_of(store.rows, number))
            continue
        slots_reserve(&store.index)
        slot = store.find_row(&row)
        if slot[0] == 0:
            fill_slot(&store.index, slot, hash_row(&row), number + 1)
            set_death(store.rows, number, 0)
            count_quad(&store.graphs, find_graph(&store.graphs, row.terms[G]), 1)
            note_change(store, &row, 1)
    return 0


cdef void list_again(QuadStore store, const Mark* mark, uint32_t graph) noexcept:
    """Restore the list of graphs as of a mark."""
    cdef uint32_t i, name
    for i in range(store.listing_count, mark.listings, -1):
        name = store.listings[i - 1] & ~WAS_LISTED
        if graph == 0 or graph == name:
            find_graph(&store.graphs, name).is_listed = store.listings[i - 1] & WAS_LISTED != 0
    if graph == 0:
        store.listing_count = mark.listings


cdef void drop_rows(Rows rows, uint32_t count) noexcept:
    """Drop all rows from number ``count`` on; they are dead, and no reader sees them."""
    cdef uint32_t number
    for number in range(count, rows.count):
        if rows.blocks[number >> BLOCK_BITS].deaths != NULL:
            set_death(rows, number, 0)
    rows.count = count


cdef void clamp(QuadStore store, Mark* mark) noexcept:
    """Move a mark back to the store's current end if the mark is past it."""
    mark.rows = min(mark.rows, store.rows.count)
    mark.deaths = min(mark.deaths, store.death_count)
    mark.listings = min(mark.listings, store.listing_count)
    mark.terms = min(mark.terms, store.terms.count)
    mark.graphs = min(mark.graphs, store.graphs.count)

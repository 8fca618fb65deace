"""The difference of two stores, by numbers.

Both mostly have the same terms and quads in the same order: so what follows the last one that was
found is tried first, which takes no look-up.
"""

# What precedes the first row.
cdef uint32_t NO_ROW = 0xFFFFFFFF


cdef list missing_quads(
    QuadStore store, object default_graph, bint only_default,
    QuadStore other, object other_default, bint other_only_default,
):
    """Return the quads that another store lacks; see `QuadStore.missing`."""
    cdef Snapshot snapshot = open_snapshot(store)
    cdef Rows rows = snapshot.rows
    cdef Dictionary terms = snapshot.terms
    cdef Dictionary other_terms = other.terms
    cdef uint32_t name = <uint32_t>find_number(store, default_graph)
    cdef uint32_t other_name = <uint32_t>find_number(other, other_default)
    cdef Scan scan = open_graph_scan(snapshot, name, only_default)
    cdef list missing = []
    # The numbers of the store's terms in the other one.
    cdef uint32_t* copies = <uint32_t*>PyMem_RawCalloc(<size_t>terms.count + 1, sizeof(uint32_t))
    cdef int64_t number
    cdef uint32_t found = 0  # the row of the other store that is tried first
    cdef const Row* row
    cdef Row copy
    cdef int i
    if copies == NULL:
        raise MemoryError
    try:
        while scan is not None:
            number = scan.read_row()
            if number < 0:
                break
            row = row_at(rows, <uint32_t>number)
            for i in range(<int>COLUMNS):
                if copies[row.terms[i]] == 0:
                    find_copy(other_terms, terms, row.terms[i], copies)
                copy.terms[i] = copies[row.terms[i]]
            if row.terms[G] == name:
                copy.terms[G] = other_name
            elif other_only_default or copy.terms[G] == other_name:
                # There is no named graph of this name.
                copy.terms[G] = MISSING
            # What is missing is in no row.
            if not (
                found < other.rows.count
                and is_row(row_at(other.rows, found), &copy)
                and death_of(other.rows, found) == 0
            ):
                found = <uint32_t>other.find_row(&copy)[0] - 1
            if found == NO_ROW:
                missing.append(number)
            found += 1
    finally:
        PyMem_RawFree(copies)
    return [make_quad(snapshot, number, name) for number in missing]


cdef int find_copy(
    Dictionary target, Dictionary source, uint32_t number, uint32_t* copies
) except -1:
    """Set the number of a term's copy; `MISSING` if there is none."""
    cdef int kind = stored_kind(source, number)
    cdef uint32_t extra = source.terms[number].extra
    cdef uint32_t next = copies[number - 1] + 1
    cdef Span text, other_text
    # The spelling of a literal with a language tag may be numbered, which is no copy.
    if next < target.count and kind != TermKind.LANGUAGE_LITERAL and (
        source.terms[number].hash == target.terms[next].hash
        and stored_kind(target, next) == kind
        and (extra == 0 or copies[extra] == target.terms[next].extra)
    ):
        text = stored_text(source, number)
        other_text = stored_text(target, next)
        if has_bytes(text, other_text.start, other_text.end - other_text.start):
            copies[number] = next
            return 0
    copy_term(target, source, number, copies, is_added=False)
    return 0


cdef tuple make_quad(Snapshot snapshot, uint32_t number, uint32_t default_name):
    """Return the nodes of a row; for the default graph's name None."""
    cdef const Row* row = row_at(snapshot.rows, number)
    cdef Dictionary terms = snapshot.terms
    return (
        node_of(terms, row.terms[S]), node_of(terms, row.terms[P]),
        node_of(terms, object_of(snapshot.rows, number)),
        None if row.terms[G] == default_name else node_of(terms, row.terms[G]),
    )

# The quads of a store: adding, deleting, transactions, and what readers see.

@cython.final
cdef class QuadStore:
    cdef Dictionary terms
    cdef Rows rows
    cdef SlotTable index  # the live rows; a slot holds the row's number + 1
    cdef GraphTable graphs
    cdef list runs  # the runs of the rows before `sealed`; the list is replaced, never changed
    cdef uint32_t sealed

    cdef Times times
    cdef bint has_new_deaths  # whether a row has died since the clock last advanced
    cdef uint32_t newest_reader  # the time that the latest reader sees

    # The journal of changes since the last commit. `deaths` has the rows that died: those from
    # before the commit, or any rows if the journal is recorded or has a mark. `listings` has the
    # graphs that were put on the list or taken off it.
    cdef Death* deaths
    cdef uint32_t death_count, death_capacity
    cdef uint32_t* listings  # the number of the graph's name, and the flag `WAS_LISTED`
    cdef uint32_t listing_count, listing_capacity
    cdef bint is_marked, is_recorded
    cdef Mark told  # how far a recording has read the journal

    # The number of bytes of terms that may have become unused since the last vacuum; and a minimum
    # for the next one: twice the number at the last one, if most of those bytes were still in use.
    cdef uint64_t loose_text, least_loose

    cdef dict graph_objects
    cdef object make_graph
    cdef uint64_t changes  # counts all changes to quads
    cdef uint32_t triple_count  # distinct triples of all graphs; valid while patience > 0
    cdef int64_t patience  # how many more look-ups may be spent on updating the count

    cdef bint add_row(self, const Row* row, uint32_t spelling) except -1
    cdef bint delete_row(self, const Row* row) except -1
    cdef uint64_t* find_row(self, const Row* row) noexcept
    cdef int insert(self, const Row* row, uint32_t spelling, uint64_t* slot) except -1
    cdef void prefetch_slot(self, const Row* row) noexcept
    cdef void prefetch_row(self, const Row* row) noexcept
    cdef int remove_at(self, uint64_t* slot) except -1
    cdef int set_listed(self, uint32_t name, bint is_listed) except -1
    cdef int tick(self) except -1
    cdef int seal(self) except -1
    cdef int remove_matches(self, object pattern, object graph) except -1
    cpdef commit(self)
    cdef int commit_all(self) except -1
    cdef Mark here(self) noexcept
    cdef int set_mark(self) except -1
    cdef int undo_marked(self) except -1
    cdef void drop_mark(self) noexcept
    cdef int commit_told(self) except -1
    cdef bint has_untold(self) noexcept
    cdef bint is_free(self) noexcept
    cdef int tidy(self) except -1
    cdef object graph_object(self, uint32_t name)
    cdef int keep_graph(self, uint32_t name, object graph) except -1

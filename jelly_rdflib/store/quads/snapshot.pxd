# A reader's view: the quads as of its start, regardless of later changes.

@cython.final
@cython.no_gc_clear
cdef class Snapshot:
    cdef QuadStore store
    cdef Dictionary terms
    cdef Rows rows
    cdef list runs
    cdef uint32_t sealed, count, at
    cdef bint has_many_graphs
    cdef dict permutations  # by run and order, for runs whose own permutations may lack rows

    cdef int sort(self) except -1
    cdef list names_of(self, const Row* row)
    cdef object graph_object(self, uint32_t name)


ctypedef struct Source:
    # The sorted rows that are left to read, from a run or from the rows in no run.
    const uint32_t* rows
    uint32_t at, end
    uint64_t* wasted  # counts the dead rows that were skipped


@cython.final
cdef class Scan:
    cdef Snapshot snapshot
    cdef Row pattern  # 0 stands for any term
    cdef bint has_graph
    cdef int order
    cdef list permutations
    cdef Source* sources
    cdef uint32_t source_count, source
    cdef uint32_t* tail  # rows that are in no run, sorted
    cdef uint64_t wasted
    cdef uint32_t next_row, last_row  # the range of rows that are read one by one
    cdef uint32_t row  # the last row read, or the oldest row of the last triple read

    cdef int open_sources(self, int order, int length, bint is_merged) except -1
    cdef int sort_tail(self) except -1
    cdef int64_t read_row(self) noexcept
    cdef bint read_triple(self, Row* triple, list names) except -1


cdef Snapshot open_snapshot(QuadStore store)
cdef Scan scan_graph(Snapshot snapshot, uint32_t name, bint is_one)

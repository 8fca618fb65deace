# A batch: the operations of one frame as columns, with the table of their terms.

ctypedef struct RowColumns:
    size_t count
    size_t capacity
    size_t max_count  # the maximum capacity
    # The columns, in one block of memory, which starts with `s`.
    uint32_t* s
    uint32_t* p
    uint32_t* o
    uint32_t* g
    uint8_t* ops


cdef int rows_init(RowColumns* rows, size_t capacity) noexcept nogil
cdef int rows_grow(RowColumns* rows) noexcept nogil
cdef int rows_reserve(RowColumns* rows, size_t more) noexcept nogil
cdef void rows_free(RowColumns* rows) noexcept nogil


cdef inline int rows_append(
    RowColumns* rows, uint8_t op, uint32_t s, uint32_t p, uint32_t o, uint32_t g
) noexcept nogil:
    cdef size_t row = rows.count
    if row == rows.capacity and rows_grow(rows) < 0:
        return -1
    rows.ops[row] = op
    rows.s[row] = s
    rows.p[row] = p
    rows.o[row] = o
    rows.g[row] = g
    rows.count = row + 1
    return 0


cdef inline int rows_copy(
    RowColumns* target, const RowColumns* rows, size_t row, uint8_t op
) except -1:
    """Append a copy of a row, but with another operation code."""
    if rows_append(target, op, rows.s[row], rows.p[row], rows.o[row], rows.g[row]) < 0:
        raise MemoryError
    return 0


cdef Batch make_batch(
    RowColumns* rows, TermColumns* terms, NodeMaker factory, bint has_graphs, dict metadata
)

cdef Batch batch_of_rows(Batch source, RowColumns* rows)

cdef Batch make_open_batch(TermTable table)


cdef class Tabular:
    pass


cdef class Batch(Tabular):
    cdef RowColumns rows
    cdef readonly TermTable terms
    cdef readonly dict metadata
    cdef readonly tuple message_ends
    cdef bint has_graphs
    cdef tuple operation(self, size_t row, list nodes)
    cdef tuple statement(self, size_t row, list nodes)


cdef class RowIterator(Tabular):
    cdef Batch batch
    cdef list nodes  # the nodes of the batch's terms; None until they are needed
    cdef bint are_leaves  # no node can be part of a reference cycle
    cdef tuple spare  # the last item, if its nodes are leaves; reused unless the caller kept it
    cdef size_t row  # number of the next row in the batch
    cdef size_t stop  # the end of the current rows
    cdef bint only_statements
    cdef bint is_reading  # whether the next piece is being read
    cdef bint fill_spare(self, Batch batch, size_t row, list nodes) except -1
    cdef object next_slice(self)
    cdef bint next_row(self) except -1
    cdef bint next_piece(self) except -1
    cdef int start_piece(self, Batch batch, size_t start, size_t stop) except -1
    cdef list need_nodes(self)
    cdef list make_nodes(self, Batch batch)


cdef class BatchSlice:
    cdef readonly Batch batch
    cdef readonly size_t start
    cdef readonly size_t stop


cdef class SliceIterator(RowIterator):
    cdef object slices

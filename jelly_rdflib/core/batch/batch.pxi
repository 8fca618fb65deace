"""A batch: the operations of one frame as columns, with the table of their terms."""

cdef extern from "Python.h":
    bint PyObject_GC_IsTracked(object node) noexcept
    void PyObject_GC_UnTrack(object item) noexcept
    Py_ssize_t Py_SIZE(PyObject* item) noexcept


cdef extern from *:
    """
    /* Whether nothing else refers to an item. Without the GIL other threads may, so this is 0. */
    #ifdef Py_GIL_DISABLED
    #define jelly_is_alone(item) 0
    #else
    #define jelly_is_alone(item) (Py_REFCNT(item) == 1)
    #endif

    /* Replace an item of a tuple that nothing else refers to. */
    static CYTHON_INLINE void jelly_fill(PyObject *tuple, Py_ssize_t place, PyObject *item) {
        PyObject *old = PyTuple_GET_ITEM(tuple, place);
    #if PY_VERSION_HEX >= 0x030E0000
        ((PyTupleObject *)tuple)->ob_hash = -1;
    #endif
        Py_INCREF(item);
        PyTuple_SET_ITEM(tuple, place, item);
        Py_DECREF(old);
    }
    """
    bint is_alone "jelly_is_alone"(PyObject* item) noexcept
    void fill "jelly_fill"(PyObject* tuple, Py_ssize_t place, object item) noexcept


cdef list OPS = [None, *sorted(Op)]
# One shared tuple for each operation without terms.
cdef dict BARE = {int(op): (op,) for op in (Op.TX, Op.TC, Op.TA, Op.END)}


cdef int rows_init(RowColumns* rows, size_t capacity) noexcept nogil:
    memset(rows, 0, sizeof(RowColumns))
    rows.max_count = <size_t>-1
    return rows_resize(rows, capacity)


cdef int rows_grow(RowColumns* rows) noexcept nogil:
    cdef size_t capacity = min(rows.capacity * 2 + 16, rows.max_count)
    return rows_resize(rows, capacity) if capacity > rows.capacity else -1


cdef int rows_reserve(RowColumns* rows, size_t more) noexcept nogil:
    """Make room for ``more`` rows."""
    return 0 if more <= rows.capacity - rows.count else rows_resize(rows, rows.count + more)


cdef int rows_resize(RowColumns* rows, size_t capacity) noexcept nogil:
    """Move the columns to memory with room for more rows; on failure they stay unchanged.

    The columns share one block of memory: most frames are short, and allocating five blocks for
    each frame would take longer.
    """
    cdef RowColumns old = rows[0]
    cdef size_t size = old.count * sizeof(uint32_t)
    cdef uint32_t* memory = <uint32_t*>PyMem_RawMalloc(capacity * (4 * sizeof(uint32_t) + 1))
    if memory == NULL:
        return -1
    rows.capacity = capacity
    rows.s = memory
    rows.p = rows.s + capacity
    rows.o = rows.p + capacity
    rows.g = rows.o + capacity
    rows.ops = <uint8_t*>(rows.g + capacity)
    if old.s != NULL:
        memcpy(rows.s, old.s, size)
        memcpy(rows.p, old.p, size)
        memcpy(rows.o, old.o, size)
        memcpy(rows.g, old.g, size)
        memcpy(rows.ops, old.ops, old.count)
        PyMem_RawFree(old.s)
    return 0


cdef void rows_free(RowColumns* rows) noexcept nogil:
    PyMem_RawFree(rows.s)
    memset(rows, 0, sizeof(RowColumns))


cdef Batch make_batch(
    RowColumns* rows, TermColumns* terms, NodeMaker factory, bint has_graphs, dict metadata
):
    """Make a batch from columns, which are empty afterwards."""
    cdef Batch batch = Batch.__new__(Batch)
    cdef TermTable table = TermTable.__new__(TermTable)
    batch.rows = rows[0]
    memset(rows, 0, sizeof(RowColumns))
    table.columns = terms[0]
    memset(terms, 0, sizeof(TermColumns))
    # Free the hash table, since no more terms will be looked up.
    PyMem_RawFree(table.columns.slots)
    table.columns.slots = NULL
    table.factory = factory
    batch.terms = table
    batch.has_graphs = has_graphs
    batch.metadata = metadata
    return batch


cdef Batch batch_of_rows(Batch source, RowColumns* rows):
    """Make a batch from rows and the terms of another batch; ``rows`` is empty afterwards."""
    cdef Batch batch = Batch.__new__(Batch)
    batch.rows = rows[0]
    memset(rows, 0, sizeof(RowColumns))
    batch.terms = source.terms
    batch.has_graphs = source.has_graphs
    batch.metadata = source.metadata
    return batch


cdef Batch make_open_batch(TermTable table):
    """Make a reusable batch: its rows are replaced many times, and terms are added to its table."""
    cdef Batch batch = Batch.__new__(Batch)
    if rows_init(&batch.rows, 1) < 0:
        raise MemoryError
    batch.terms = table
    batch.has_graphs = True
    batch.metadata = {}
    return batch


@cython.final
cdef class Batch(Tabular):
    """The operations of one frame, as columns; iterating over a batch yields tuples.

    The columns ``ops``, ``s``, ``p``, ``o`` and ``g`` have an entry for each operation. ``ops``
    holds `Op` codes; the others hold numbers of terms in ``terms``, 0 for no term. Statements use
    all four; a header has its key in ``s`` and its value in ``o``; a prefix operation has the
    prefix's name in ``s``, its IRI in ``o`` and its graph in ``g``.

    A Jelly-RDF frame becomes a batch, too, with `Op.A` for each statement and `Op.PA` for each
    namespace declaration. ``metadata`` is a dict of str to bytes: the metadata of the frame.
    ``message_ends`` is a tuple with the end of each message, as the number of the operation after
    it, in a stream of messages (Jelly-RDF 1.2, a draft); None in any other stream.

    Columns are memoryviews of the batch's own memory: ``numpy.asarray(batch.s)`` or
    ``pyarrow.py_buffer(batch.s)`` copy nothing. For libraries that support Arrow, a batch is also a
    table with terms as text: ``pyarrow.record_batch(batch)``.
    """

    def __init__(self):
        raise TypeError("batches are made by readers: see jelly_rdflib.read_batches")

    def __dealloc__(self):
        rows_free(&self.rows)

    def __len__(self):
        return self.rows.count

    def __iter__(self):
        return self.operations()

    def operations(self, size_t start=0, stop=None):
        """Iterate over the operations from number ``start`` up to number ``stop``, exclusive."""
        return iter(BatchSlice(self, start, self.rows.count if stop is None else stop))

    def statements(self):
        """Iterate over the statements that are added, as ``(s, p, o)`` or ``(s, p, o, g)``.

        A stream of triples has no ``g``.
        """
        return SliceIterator([BatchSlice(self, 0, self.rows.count)], only_statements=True)

    def __arrow_c_array__(self, requested_schema=None):
        """Return the batch as a record batch, in Arrow PyCapsules."""
        return importers.import_arrow().to_record_batch(self).__arrow_c_array__(requested_schema)

    def _slices(self):
        return (BatchSlice(self, 0, self.rows.count),)

    def __repr__(self):
        cdef size_t terms = 0 if self.terms is None else len(self.terms)
        return f"<Batch: {words.count(self.rows.count, 'operation')}, {words.count(terms, 'term')}>"

    def _repr_html_(self):
        """Return the operations as a table, for notebooks, or None if no reader made the batch."""
        if self.terms is None or self.terms.factory is None:
            return None
        return self.terms.factory.show_batch(self)

    cdef tuple operation(self, size_t row, list nodes):
        """Return the operation of a row; if it has no terms, ``nodes`` may be None."""
        cdef const RowColumns* rows = &self.rows
        cdef int op = rows.ops[row]
        if nodes is None:
            return BARE[op]
        if len(nodes) < self.terms.columns.count:
            raise RuntimeError("another thread is using this iterator")
        g = None if self.terms.is_default(rows.g[row]) else nodes[rows.g[row]]
        if op == A or op == D:
            return (OPS[op], nodes[rows.s[row]], nodes[rows.p[row]], nodes[rows.o[row]], g)
        if op == H:
            return (OPS[op], nodes[rows.s[row]], nodes[rows.o[row]])
        if op == PA or op == PD:
            return (OPS[op], nodes[rows.s[row]], nodes[rows.o[row]], g)
        return BARE[op]

    cdef tuple statement(self, size_t row, list nodes):
        """Return the statement that a row adds, or None for any other row."""
        cdef const RowColumns* rows = &self.rows
        if rows.ops[row] != A:
            return None
        if len(nodes) < self.terms.columns.count:
            raise RuntimeError("another thread is using this iterator")
        if self.has_graphs:
            return (nodes[rows.s[row]], nodes[rows.p[row]], nodes[rows.o[row]], nodes[rows.g[row]])
        return (nodes[rows.s[row]], nodes[rows.p[row]], nodes[rows.o[row]])

    @property
    def ops(self):
        """Column: the operations' `Op` codes, uint8."""
        return export_column(self, self.rows.ops, self.rows.count, sizeof(uint8_t))

    @property
    def s(self):
        """Column: numbers of the subjects, uint32."""
        return export_column(self, self.rows.s, self.rows.count, sizeof(uint32_t))

    @property
    def p(self):
        """Column: numbers of the predicates, uint32."""
        return export_column(self, self.rows.p, self.rows.count, sizeof(uint32_t))

    @property
    def o(self):
        """Column: numbers of the objects, uint32."""
        return export_column(self, self.rows.o, self.rows.count, sizeof(uint32_t))

    @property
    def g(self):
        """Column: numbers of the graphs, uint32; 0 throughout in a stream of triples."""
        return export_column(self, self.rows.g, self.rows.count, sizeof(uint32_t))


cdef class RowIterator(Tabular):
    """Iterates over rows of batches as tuples; code that needs no tuples uses ``next_row``."""

    def _slices(self):
        while (found := self.next_slice()) is not None:
            yield found

    @cython.critical_section
    cdef object next_slice(self):
        """Return the rest of the current rows, or the next rows, as a slice; None at the end."""
        cdef Batch batch
        cdef size_t start, stop
        while self.next_row():
            # Start at the row to which `next_row` has just moved.
            batch, start, stop = self.batch, self.row - 1, self.stop
            if self.only_statements:
                stop = start
                while stop < self.stop and batch.rows.ops[stop] == A:
                    stop += 1
                if stop == start:
                    continue
            self.row = stop
            return BatchSlice(batch, start, stop)
        return None

    def __iter__(self):
        return self

    @cython.critical_section
    def __next__(self):
        cdef tuple item = None
        cdef Batch batch
        cdef list nodes
        cdef size_t row
        cdef bint are_leaves = False
        while item is None:
            if not self.next_row():
                raise StopIteration
            # Take local copies: while nodes are made, rdflib's code and other threads run, which
            # may advance or close the iterator.
            batch, row = self.batch, self.row - 1
            nodes = self.need_nodes()
            are_leaves = self.nodes is nodes and self.are_leaves
            if are_leaves and self.fill_spare(batch, row, nodes):
                return self.spare
            if self.only_statements:
                item = batch.statement(row, nodes)
            else:
                item = batch.operation(row, nodes)
        if are_leaves and len(item) > 1:
            # Hide the tuple from the garbage collector, which would visit all kept tuples again
            # and again.
            PyObject_GC_UnTrack(item)
            self.spare = item
        return item

    cdef bint fill_spare(self, Batch batch, size_t row, list nodes) except -1:
        """As `zip` does, reuse the last tuple for another statement if nobody has kept it.

        Its old and new nodes are all leaves, which run no code when they are released.
        """
        cdef const RowColumns* rows = &batch.rows
        cdef PyObject* spare = <PyObject*>self.spare
        cdef int op = rows.ops[row]
        cdef bint is_operation = not self.only_statements
        if (
            not is_alone(spare) or (op != A and (op != D or not is_operation))
            or Py_SIZE(spare) != 3 + 2 * is_operation + (batch.has_graphs and not is_operation)
            or len(nodes) < batch.terms.columns.count
        ):
            return False
        if is_operation:
            fill(spare, 0, OPS[op])
        fill(spare, is_operation, nodes[rows.s[row]])
        fill(spare, is_operation + 1, nodes[rows.p[row]])
        fill(spare, is_operation + 2, nodes[rows.o[row]])
        if is_operation and batch.terms.is_default(rows.g[row]):
            fill(spare, 4, None)
        elif is_operation or batch.has_graphs:
            fill(spare, is_operation + 3, nodes[rows.g[row]])
        return True

    cdef bint next_row(self) except -1:
        """Move to the next row, whose number is then ``row - 1``; return False at the end."""
        while self.row >= self.stop:
            if self.is_reading:
                # Another thread is reading, or the source's read() called this iterator.
                raise ValueError("the reader is already reading")
            self.is_reading = True
            try:
                if not self.next_piece():
                    return False
            finally:
                self.is_reading = False
        self.row += 1
        return True

    cdef bint next_piece(self) except -1:
        """Move to the next rows with `start_piece`; return False at the end."""
        raise NotImplementedError

    cdef int start_piece(self, Batch batch, size_t start, size_t stop) except -1:
        # Keep the old nodes until the end, since their destructors may run any code.
        cdef tuple old = (self.batch, self.nodes)
        self.batch, self.nodes, self.row, self.stop = batch, None, start, stop
        return 0

    cdef list need_nodes(self):
        """Return the nodes of the current batch, and make them if necessary."""
        cdef Batch batch = self.batch
        cdef list nodes = self.nodes
        if nodes is None:
            nodes = self.make_nodes(batch)
            if self.batch is batch:
                self.nodes = nodes
                self.are_leaves = not any_tracked(nodes)
        return nodes

    cdef list make_nodes(self, Batch batch):
        return batch.terms.make_nodes()


cdef bint any_tracked(list nodes) noexcept:
    for node in nodes:
        if PyObject_GC_IsTracked(node):
            return True
    return False


cdef enum:
    # The nodes of up to this many headers are made one by one.
    FEW_HEADERS = 4

# Maps the code of each operation to the code of the operation that undoes it.
cdef bytes INVERSE = bytes.maketrans(
    bytes((Op.A, Op.D, Op.PA, Op.PD, Op.TX, Op.TC)), bytes((Op.D, Op.A, Op.PD, Op.PA, Op.TC, Op.TX))
)

@cython.final
cdef class BatchSlice:
    """An iterable of the operations of a batch from number ``start`` up to ``stop``, exclusive."""

    def __cinit__(self, Batch batch not None, size_t start, size_t stop):
        if batch.terms is None:
            raise TypeError("this batch was not made by a reader")
        self.batch = batch
        self.stop = min(stop, batch.rows.count)
        self.start = min(start, self.stop)

    def __len__(self):
        return self.stop - self.start

    def __iter__(self):
        return SliceIterator((self,))

    def as_batch(self, bytes kept=None):
        """Return the operations as a batch with the same table of terms.

        ``kept`` has a byte for each operation; operations whose byte is 0 are left out.
        """
        cdef const uint8_t* keeps = NULL
        cdef RowColumns rows
        cdef size_t row
        if kept is not None:
            if len(kept) != len(self):
                raise ValueError(f"there are {len(self)} operations, but {len(kept)} bytes")
            keeps = kept
        elif len(self) == len(self.batch):
            return self.batch
        if rows_init(&rows, self.stop - self.start) < 0:
            raise MemoryError
        # No copy can fail, since the columns have room for all rows.
        for row in range(self.start, self.stop):
            if keeps == NULL or keeps[row - self.start] != 0:
                rows_copy(&rows, &self.batch.rows, row, self.batch.rows.ops[row])
        return batch_of_rows(self.batch, &rows)

    def inverse(self):
        """Return the operations that undo these, in reverse order, as a batch without headers.

        TC becomes TX, and vice versa; `Op.TA` and `Op.END` stay unchanged.
        """
        cdef const uint8_t* inverse = INVERSE
        cdef RowColumns rows
        cdef size_t row
        if rows_init(&rows, self.stop - self.start) < 0:
            raise MemoryError
        for row in range(self.stop, self.start, -1):
            if self.batch.rows.ops[row - 1] != H:
                rows_copy(&rows, &self.batch.rows, row - 1, inverse[self.batch.rows.ops[row - 1]])
        return batch_of_rows(self.batch, &rows)

    def headers(self):
        """Return the headers among the operations as a list, which is usually empty."""
        cdef Batch batch = self.batch
        cdef TermTable terms = batch.terms
        cdef const RowColumns* rows = &batch.rows
        cdef list found = []
        cdef size_t row
        for row in range(self.start, self.stop):
            if rows.ops[row] == H:
                if len(found) == FEW_HEADERS:
                    return [operation for operation in self if operation[0] == H]
                # Make only these nodes, since making those of all terms would take far longer.
                terms.check_made()
                found.append((OPS[H], terms.make_node(rows.s[row]), terms.make_node(rows.o[row])))
        return found


@cython.final
cdef class SliceIterator(RowIterator):
    """Iterates over the rows of slices, as operations or as the statements that are added."""

    def __init__(self, slices, *, bint only_statements=False):
        self.slices = iter(slices)
        self.only_statements = only_statements

    def __repr__(self):
        return f"<SliceIterator of {'statements' if self.only_statements else 'operations'}>"

    cdef bint next_piece(self) except -1:
        cdef BatchSlice piece = next(self.slices, None)
        if piece is None:
            return False
        self.start_piece(piece.batch, piece.start, piece.stop)
        return True

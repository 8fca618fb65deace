"""Statements of nodes as batches."""

cdef enum:
    BATCH_ROWS = 1 << 10


@cython.nonecheck(True)
@cython.final
cdef class NodeBatches(BatchSource):
    """Iterates over statements that are added or deleted, as rows of batches.

    Args:
        types: The classes of nodes.
        operations: An iterable of ``(op, s, p, o, g)``, in which ``g`` may be None.
        has_graphs: Whether the statements are quads.
    """

    cdef NodeTypes types
    cdef object operations
    cdef bint has_graphs

    def __cinit__(self, NodeTypes types not None, operations, *, bint has_graphs=True):
        self.types = types
        self.operations = iter(operations)
        self.has_graphs = has_graphs

    cdef Batch read_batch(self):
        cdef NodeInterner interner = NodeInterner(self.types)
        cdef RowColumns rows
        cdef uint32_t s = 0, g = 0
        if rows_init(&rows, BATCH_ROWS) < 0:
            raise MemoryError
        try:
            for op, subject, predicate, object, graph in self.operations:
                s = term_number(interner, subject, s)
                g = 0 if graph is None else term_number(interner, graph, g)
                # There is room for all rows of a batch.
                rows_append(
                    &rows, op, s, term_number(interner, predicate), term_number(interner, object), g
                )
                if rows.count == BATCH_ROWS or interner.is_full():
                    break
        except BaseException:
            rows_free(&rows)
            raise
        if rows.count == 0:
            rows_free(&rows)
            return None
        return make_batch(
            &rows, &interner.table.columns, interner.factory, self.has_graphs, {}
        )

    cdef int close_source(self) except -1:
        self.operations = iter(())
        return 0

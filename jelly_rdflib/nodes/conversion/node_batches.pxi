"""Turns operations with nodes into rows of batches."""

cdef enum:
    BATCH_ROWS = 1 << 10


cdef inline uint32_t find_number(NodeInterner interner, object node, uint32_t last=0) except? 0:
    """Return the number of a node, 0 for None; ``last`` is a term that is tried first."""
    return 0 if node is None else term_number(interner, node, last)


cdef object plain_name(object name, str what):
    """Return a prefix's name or a header's key as a plain str; it may be of a subclass of str."""
    if type(name) is not str:
        if not isinstance(name, str):
            raise EncodeError(f"{what} {show(name)} is not a str")
        name = str.__str__(name)
    return name


cdef int check_prefix_iri(NodeTypes types, object prefix, object iri) except -1:
    """Check that the IRI of a prefix is a URIRef, or None."""
    if iri is not None and not is_of(iri, types.iri):
        raise EncodeError(f"prefix {prefix!r} can't stand for {show(iri)}: it is not a URIRef")
    return 0


cdef int fill_row(
    NodeInterner interner, RowColumns* rows, int op, object s, object p, object o, object g
) except -1:
    """Append a row; None means a missing term."""
    # Try the last row's subject and graph first, since they are often repeated. Before the first
    # row, `start_rows` has set them to 0.
    cdef size_t last = rows.count - 1 if rows.count > 0 else 0
    cdef uint32_t s_number = find_number(interner, s, rows.s[last])
    cdef uint32_t p_number = find_number(interner, p)
    cdef uint32_t o_number = find_number(interner, o)
    cdef uint32_t g_number = find_number(interner, g, rows.g[last])
    if rows_append(rows, op, s_number, p_number, o_number, g_number) < 0:
        raise MemoryError
    return 0


cdef int fill_prefix(
    NodeInterner interner, RowColumns* rows, int op, object prefix, object iri, object graph
) except -1:
    """Append the row that adds or deletes a prefix."""
    prefix = plain_name(prefix, "prefix")
    check_prefix_iri(interner.types, prefix, iri)
    return fill_row(interner, rows, op, prefix, None, iri, graph)


cdef int fill_operation(NodeInterner interner, RowColumns* rows, object operation) except -1:
    """Append the row of an operation that is given as a tuple."""
    cdef int op = operation_code(operation)
    cdef tuple items = <tuple>operation
    if op == A or op == D:
        # The items stay valid, since the caller holds the tuple.
        return fill_row(
            interner, rows, op, <object>PyTuple_GET_ITEM(items, 1),
            <object>PyTuple_GET_ITEM(items, 2), <object>PyTuple_GET_ITEM(items, 3),
            <object>PyTuple_GET_ITEM(items, 4),
        )
    if op == PA or op == PD:
        return fill_prefix(interner, rows, op, items[1], items[2], items[3])
    if op == H:
        return fill_row(
            interner, rows, H, plain_name(items[1], "header key"), None, items[2], None
        )
    return fill_row(interner, rows, op, None, None, None, None)


cdef int check_last_row(const RowColumns* rows) except -1:
    """Check that a statement has all its terms, and a header its value, as encoders do."""
    cdef size_t row = rows.count - 1
    cdef int op = rows.ops[row]
    if op == A or op == D:
        if rows.s[row] == 0 or rows.p[row] == 0 or rows.o[row] == 0:
            refuse_node(None)
    elif op == H and rows.o[row] == 0:
        refuse_node(None)
    return 0


cdef inline void start_rows(RowColumns* rows) noexcept:
    """Forget the last row's terms, since their table was emptied."""
    rows.count = 0
    rows.s[0] = rows.g[0] = 0


@cython.nonecheck(True)
@cython.final
cdef class NodeBatches(BatchSource):
    """Iterates over batches with the rows of operations.

    Args:
        types: The classes of nodes.
        operations: An iterable of operations as tuples.
        has_graphs: Whether the statements are quads.
    """

    cdef NodeTypes types
    cdef NodeFactory factory
    cdef object operations
    cdef bint has_graphs

    def __cinit__(self, NodeTypes types not None, operations, *, bint has_graphs=True):
        self.types = types
        self.factory = NodeFactory(types, normalize=False)
        self.operations = iter(operations)
        self.has_graphs = has_graphs

    cdef Batch read_batch(self):
        cdef NodeInterner interner = NodeInterner(self.types, self.factory)
        cdef RowColumns rows
        if rows_init(&rows, BATCH_ROWS) < 0:
            raise MemoryError
        start_rows(&rows)
        interner.nodes = [None]
        try:
            for operation in self.operations:
                fill_operation(interner, &rows, operation)
                check_last_row(&rows)
                if rows.count == BATCH_ROWS or interner.is_full():
                    break
            else:
                self.is_finished = True
        except BaseException:
            rows_free(&rows)
            raise
        if rows.count == 0:
            rows_free(&rows)
            return None
        return interner.make_batch(&rows, self.has_graphs)

    cdef int close_source(self) except -1:
        self.operations = iter(())
        return 0

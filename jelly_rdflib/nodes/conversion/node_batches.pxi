"""Operations of nodes as batches."""

cdef enum:
    BATCH_ROWS = 1 << 10


cdef inline uint32_t find_number(NodeInterner interner, object node, uint32_t last=0) except? 0:
    """Return the number of a node, or 0 for None; perhaps it is the term ``last``."""
    return 0 if node is None else term_number(interner, node, last)


cdef object plain_name(object name, str what):
    """Return a prefix's name or a header's key, which may be a str of any class, as a str."""
    if type(name) is not str:
        if not isinstance(name, str):
            raise EncodeError(f"{what} {show(name)} is no str")
        name = str.__str__(name)
    return name


cdef int check_prefix_iri(NodeTypes types, object prefix, object iri) except -1:
    """See that what a prefix stands for is an IRI, or None."""
    if iri is not None and not is_of(iri, types.iri):
        raise EncodeError(f"prefix {prefix!r} can't stand for {show(iri)}: it is no URIRef")
    return 0


@cython.nonecheck(True)
@cython.final
cdef class NodeBatches(BatchSource):
    """Iterates over operations as rows of batches.

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
        cdef uint32_t s = 0, p, o, g = 0
        cdef tuple items
        cdef int op
        if rows_init(&rows, BATCH_ROWS) < 0:
            raise MemoryError
        interner.nodes = [None]
        try:
            for operation in self.operations:
                op = operation_code(operation)
                items = <tuple>operation
                p = o = 0
                if op == A or op == D:
                    s = term_number(interner, items[1], s)
                    p = term_number(interner, items[2])
                    o = term_number(interner, items[3])
                    g = find_number(interner, items[4], g)
                elif op == PA or op == PD:
                    check_prefix_iri(self.types, items[1], items[2])
                    s = term_number(interner, plain_name(items[1], "prefix"))
                    o = find_number(interner, items[2])
                    g = find_number(interner, items[3], g)
                else:
                    s = g = 0
                    if op == H:
                        s = term_number(interner, plain_name(items[1], "header key"))
                        o = term_number(interner, items[2])
                # There is room for all rows of a batch.
                rows_append(&rows, op, s, p, o, g)
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

"""Passes operations and statements of nodes to an encoder, as rows of a batch.

Each call encodes its own row, and raises the errors of that row. The batch has only this row; its
table keeps the terms, since the next rows have most of them again.
"""

@cython.nonecheck(True)
cdef class NodeSink:
    """Hands rows of nodes to an encoder."""

    cdef readonly Output encoder
    cdef NodeInterner interner
    cdef Batch batch
    cdef bint is_busy

    def __init__(self, NodeTypes types not None, Output encoder not None):
        if self.encoder is not None:
            raise RuntimeError("it is initialized already")
        self.interner = NodeInterner(types)
        self.batch = make_open_batch(self.interner.table)
        self.encoder = encoder

    def write(self, item):
        """Write what is given as a tuple."""
        self.put_tuple(item)

    def write_all(self, items):
        """Write each tuple of an iterable; those of a `Batch` without making them."""
        if type(items) is Batch:
            self.check_free()
            # The encoder hands pieces to the sink. A call from there must not touch the encoder.
            self.is_busy = True
            try:
                self.encoder.write_batch(items)
            finally:
                self.is_busy = False
            return
        for item in items:
            self.put_tuple(item)

    cdef int put_tuple(self, object item) except -1:
        raise NotImplementedError

    cdef int check_free(self) except -1:
        if self.encoder is None:
            raise RuntimeError("the writer was not initialized: __init__ was not called")
        if self.is_busy:
            raise InUseError(
                "another call is writing at this moment: one of another thread, or the one that"
                " called this"
            )
        return 0

    cdef int put(self, uint8_t op, object s, object p, object o, object g) except -1:
        """Write a row; None where there is no term."""
        cdef Batch batch
        # The class of a node may run any code, and so may the sink.
        self.check_free()
        self.is_busy = True
        try:
            if self.interner.is_full():
                self.encoder.end_batch()
                self.interner.start_table()
                self.batch.rows.s[0] = self.batch.rows.g[0] = 0
            batch = self.batch
            batch.rows.ops[0] = op
            # The last row's subject and graph often come again.
            batch.rows.s[0] = find_number(self.interner, s, batch.rows.s[0])
            batch.rows.p[0] = find_number(self.interner, p)
            batch.rows.o[0] = find_number(self.interner, o)
            batch.rows.g[0] = find_number(self.interner, g, batch.rows.g[0])
            self.encoder.put_batch(batch)
        finally:
            self.is_busy = False
        return 0

    cdef int put_prefix(self, uint8_t op, object prefix, object iri, object graph) except -1:
        prefix = plain_name(prefix, "prefix")
        self.check_free()
        check_prefix_iri(self.interner.types, prefix, iri)
        return self.put(op, prefix, None, iri, graph)


@cython.nonecheck(True)
cdef class OperationSink(NodeSink):
    """Hands operations to an encoder of changes; arguments as for `NodeSink`."""

    @property
    def in_transaction(self):
        """Is a transaction open?"""
        return self.encoder is not None and self.encoder.in_transaction

    def header(self, key, value):
        """Write a header.

        Args:
            key: A str, such as ``"id"`` or ``"prev"``.
            value: A term.
        """
        self.put(H, plain_name(key, "header key"), None, value, None)

    def begin(self):
        """Start a transaction."""
        self.put(TX, None, None, None, None)

    def commit(self):
        """Commit the transaction."""
        self.put(TC, None, None, None, None)

    def abort(self):
        """Abort the transaction: what was written since `begin` has no effect."""
        self.put(TA, None, None, None, None)

    def add(self, s, p, o, g=None):
        """Write that a statement is added.

        Args:
            s, p, o: Terms.
            g: The graph's name; None in a stream of triples, and for the default graph.
        """
        self.put(A, s, p, o, g)

    def delete(self, s, p, o, g=None):
        """Write that a statement is deleted; arguments as for `add`."""
        self.put(D, s, p, o, g)

    def add_prefix(self, prefix, iri, graph=None):
        """Write that a prefix is bound.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
            graph: The graph whose prefix it is; None in a stream of triples, and for the default
                graph.
        """
        self.put_prefix(PA, prefix, iri, graph)

    def delete_prefix(self, prefix, iri=None, graph=None):
        """Write that a prefix is no longer bound; arguments as for `add_prefix`."""
        self.put_prefix(PD, prefix, iri, graph)

    def end_patch(self):
        """End the patch: what follows belongs to the next one.

        A FLAT stream is one patch, so nothing may follow.
        """
        self.put(END, None, None, None, None)

    cdef int put_tuple(self, object item) except -1:
        cdef int op = operation_code(item)
        cdef tuple items = <tuple>item
        if op == A or op == D:
            return self.put(op, items[1], items[2], items[3], items[4])
        if op == PA or op == PD:
            return self.put_prefix(op, items[1], items[2], items[3])
        if op == H:
            return self.put(H, plain_name(items[1], "header key"), None, items[2], None)
        return self.put(op, None, None, None, None)


@cython.nonecheck(True)
cdef class StatementSink(NodeSink):
    """Hands statements to an encoder of statements; arguments as for `NodeSink`."""

    def add(self, s, p, o, g=None):
        """Write a statement.

        Args:
            s, p, o: Terms.
            g: The graph's name; None in a stream of triples, and for the default graph.
        """
        self.put(A, s, p, o, g)

    def add_namespace(self, prefix, iri):
        """Declare a namespace, for people to read.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
        """
        self.check_free()
        self.encoder.check_namespaces(prefix)
        self.put_prefix(PA, prefix, iri, None)

    cdef int put_tuple(self, object item) except -1:
        cdef tuple items = <tuple>item if isinstance(item, tuple) else ()
        if len(items) == 4:
            return self.put(A, items[0], items[1], items[2], items[3])
        if len(items) == 3:
            return self.put(A, items[0], items[1], items[2], None)
        raise EncodeError(f"{show(item)} is no statement: give a tuple of 3 or 4 terms")

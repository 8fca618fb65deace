"""Passes operations and statements with nodes to an encoder, as rows of a batch.

The encoder gets the rows of a list up to 64 at a time, and other rows one by one, so that an error
in a row is raised by the call that wrote the row. The batch has only the buffered rows, but its
table keeps the terms of earlier rows, since the next rows use most of them again.
"""

cdef enum:
    SINK_ROWS = 64


@cython.nonecheck(True)
cdef class NodeSink:
    """Passes rows with nodes to an encoder."""

    cdef readonly Output encoder
    cdef NodeInterner interner
    cdef Batch batch
    cdef RowColumns* rows  # the rows of the batch
    cdef bint is_busy

    def __init__(self, NodeTypes types not None, Output encoder not None):
        if self.encoder is not None:
            raise RuntimeError("it is initialized already")
        self.interner = NodeInterner(types)
        self.batch = make_open_batch(self.interner.table)
        self.rows = &self.batch.rows
        start_rows(self.rows)
        self.encoder = encoder

    def write(self, item):
        """Write an operation or statement, given as a tuple."""
        self.put_tuple(item)

    @cython.critical_section
    def write_all(self, items):
        """Write each tuple of an iterable; a `Batch` is written without making tuples.

        If a tuple can't be written, the tuples before it are still written.
        """
        if type(items) is not Batch and type(items) is not list and type(items) is not tuple:
            # A generator may read the output between two items, so write each item immediately.
            for item in items:
                self.put_tuple(item)
            return
        # The encoder passes bytes to a sink, and the sink's code must not call this writer.
        self.claim()
        try:
            if type(items) is Batch:
                self.encoder.write_batch(items)
            else:
                self.put_all(items)
        finally:
            self.is_busy = False

    @cython.critical_section
    cdef int put_tuple(self, object item) except -1:
        self.claim()
        try:
            self.make_room()
            self.fill(item)
            self.hand_on()
        finally:
            self.is_busy = False
        return 0

    cdef int put_all(self, object items) except -1:
        """Write the tuples of a list or tuple."""
        cdef NodeInterner interner = self.interner
        cdef object error = None
        try:
            for item in items:
                if self.rows.count == SINK_ROWS or interner.is_full():
                    self.make_room()
                self.fill(item)
        except BaseException as raised:
            error = raised
        # If the encoder refuses an earlier row, raise its error instead, unless `error` is an
        # interrupt.
        try:
            self.hand_on()
        except Exception:
            if error is None or isinstance(error, Exception):
                raise
        if error is not None:
            raise error
        return 0

    cdef int fill(self, object item) except -1:
        """Append the row of a tuple."""
        raise NotImplementedError

    cdef int claim(self) except -1:
        """Refuse other calls, until the caller resets ``is_busy``."""
        # The classes of nodes and the sink may run any code, even code that calls this writer.
        if self.encoder is None:
            raise RuntimeError("the writer was not initialized: __init__ was not called")
        if self.is_busy:
            raise InUseError(
                "another call is writing: either in another thread, or the call that led to this"
                " one"
            )
        self.is_busy = True
        return 0

    cdef int make_room(self) except -1:
        """Pass the rows to the encoder if the batch or its table is full."""
        if self.interner.is_full():
            self.hand_on()
            self.encoder.end_batch()
            self.interner.start_table()
            start_rows(self.rows)
        elif self.rows.count == SINK_ROWS:
            self.hand_on()
        return 0

    cdef int hand_on(self) except -1:
        """Pass all buffered rows to the encoder."""
        if self.rows.count > 0:
            try:
                self.encoder.put_batch(self.batch)
            finally:
                self.rows.count = 0
        return 0

    @cython.critical_section
    cdef int put(self, int op, object s, object p, object o, object g) except -1:
        """Write a row; None means a missing term."""
        self.claim()
        try:
            self.make_room()
            fill_row(self.interner, self.rows, op, s, p, o, g)
            self.hand_on()
        finally:
            self.is_busy = False
        return 0

    @cython.critical_section
    cdef int put_prefix(self, int op, object prefix, object iri, object graph) except -1:
        self.claim()
        try:
            self.make_room()
            fill_prefix(self.interner, self.rows, op, prefix, iri, graph)
            self.hand_on()
        finally:
            self.is_busy = False
        return 0


@cython.nonecheck(True)
cdef class OperationSink(NodeSink):
    """Passes operations to an encoder of changes; its arguments are those of `NodeSink`."""

    @property
    def in_transaction(self):
        """Return whether a transaction is open."""
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
        """Abort the transaction, so that the operations since `begin` have no effect."""
        self.put(TA, None, None, None, None)

    def add(self, s, p, o, g=None):
        """Write the addition of a statement.

        Args:
            s, p, o: Terms.
            g: The graph's name; None in a stream of triples, and for the default graph.
        """
        self.put(A, s, p, o, g)

    def delete(self, s, p, o, g=None):
        """Write the deletion of a statement; arguments as for `add`."""
        self.put(D, s, p, o, g)

    def add_prefix(self, prefix, iri, graph=None):
        """Write the binding of a prefix.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
            graph: The graph whose prefix it is; None in a stream of triples, and for the default
                graph.
        """
        self.put_prefix(PA, prefix, iri, graph)

    def delete_prefix(self, prefix, iri=None, graph=None):
        """Write the unbinding of a prefix; arguments as for `add_prefix`."""
        self.put_prefix(PD, prefix, iri, graph)

    def end_patch(self):
        """End the patch; later operations belong to the next patch.

        A FLAT stream is one patch, so nothing may follow.
        """
        self.put(END, None, None, None, None)

    cdef int fill(self, object item) except -1:
        return fill_operation(self.interner, self.rows, item)


@cython.nonecheck(True)
cdef class StatementSink(NodeSink):
    """Passes statements to an encoder of statements; its arguments are those of `NodeSink`."""

    def add(self, s, p, o, g=None):
        """Write a statement.

        Args:
            s, p, o: Terms.
            g: The graph's name; None in a stream of triples, and for the default graph.
        """
        self.put(A, s, p, o, g)

    def add_namespace(self, prefix, iri):
        """Declare a namespace, which only makes the data easier for people to read.

        Args:
            prefix: The prefix without its colon.
            iri: A URIRef.
        """
        self.claim()
        try:
            self.encoder.check_namespaces(prefix)
        finally:
            self.is_busy = False
        self.put_prefix(PA, prefix, iri, None)

    cdef int fill(self, object item) except -1:
        cdef tuple items = <tuple>item if isinstance(item, tuple) else ()
        if len(items) != 3 and len(items) != 4:
            raise EncodeError(f"{show(item)} is not a statement: give a tuple of 3 or 4 terms")
        return fill_row(
            self.interner, self.rows, A, items[0], items[1], items[2],
            items[3] if len(items) == 4 else None,
        )

"""Recording the changes to an rdflib graph or dataset."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from rdflib.term import Node

from jelly_rdflib.algebra.headers import header_rows
from jelly_rdflib.core.source import is_address
from jelly_rdflib.core.warning import warn
from jelly_rdflib.display.words import count
from jelly_rdflib.errors import LogWarning, RecordError
from jelly_rdflib.formats import choose_format
from jelly_rdflib.graph.stores.native import Block, find_tap, open_tap
from jelly_rdflib.graph.stores.target import check_target
from jelly_rdflib.options import PatchOptions, PatchStatementType
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.recording.follower import Follower
from jelly_rdflib.recording.sinks import PatchSink, Sink, TakesPatches
from jelly_rdflib.recording.transactions import Transactions
from jelly_rdflib.store.jelly_store import JellyStore
from jelly_rdflib.streams.writing import PatchWriter
from jelly_rdflib.types import ChangeFormat, JellyPatchFormat, Writable

if TYPE_CHECKING:
    from typing_extensions import Self

_STARTING = threading.Lock()


@overload
def record(
    target: Graph, writer: PatchWriter | None = None, *, atomic: bool = True
) -> Recorder: ...
@overload
def record(
    target: Graph,
    writer: TakesPatches,
    *,
    atomic: bool = True,
    header: Mapping[str, Node | str] | None = None,
) -> Recorder: ...
@overload
def record(
    target: Graph,
    writer: Writable,
    *,
    atomic: bool = True,
    options: PatchOptions | None = None,
    format: JellyPatchFormat | None = None,
) -> Recorder: ...
@overload
def record(
    target: Graph,
    writer: Writable,
    *,
    atomic: bool = True,
    options: None = None,
    format: ChangeFormat | None = None,
) -> Recorder: ...
def record(
    target: Graph,
    writer: Any = None,
    *,
    atomic: bool = True,
    header: Mapping[str, Node | str] | None = None,
    options: PatchOptions | None = None,
    format: ChangeFormat | None = None,
) -> Recorder:
    """Record the changes to a graph or dataset during a ``with`` block.

    Every change through rdflib's API is recorded: ``add``, ``addN``, ``+=``, ``set``, ``remove``
    with wildcards, ``-=``, ``parse``, SPARQL Update, ``remove_graph``, ``bind``; and so are changes
    by `jelly_rdflib.apply`. Only operations that take effect are recorded: none for a statement
    that is added again, and one for each statement that a pattern removes. If a ``parse`` or an
    `apply` fails in the block, its additions and their removal may both be recorded. The changes
    may be made through any object with the same store.
    A Graph is recorded without the other graphs of its store; its statements have None as their
    graph, as those of a dataset's default graph do.

    **Transactions.** The block is one transaction; if it changes nothing, nothing is written. Each
    block of `Recorder.transaction` is one transaction, and changes between such blocks make up
    another one. If an exception leaves a block, the transaction's changes are undone, including
    those to prefixes and to the list of graphs, and the recording has an aborted transaction. If a
    change can't be written, or a patch can't express it, the call that makes it raises an error. If
    the store has made this change already, it refuses all further changes, and the transaction is
    rolled back at the end of the block, even if the exception was caught.

    When a deletion is undone, the literal gets the spelling that it had in the store, even if an
    equal literal in another spelling was given to delete it. Undoing needs three references in
    memory for each change. With ``atomic=False`` none are kept, and nothing is undone: changes
    before an exception stay in the store, and are committed in the recording.

    In a store with transactions of its own (``transaction_aware``), pending changes are committed
    when the block starts, and each recorded transaction is committed when it ends. ``commit()``
    and ``rollback()`` of a graph end the recorded transaction, too.

    **Prefixes** are compared before and after each change: binding one to another IRI is recorded
    as an `Op.PD` and an `Op.PA`. Prefixes that were bound before the block, and those that rdflib
    binds by itself, are not recorded: bind yours in the block.

    **A log has only what was recorded.** If the target has statements or prefixes already, append
    them to a new log first: ``log.append(diff(log.checkout(), target))``.

    **Threads.** Any thread may change the store through rdflib's API or `apply`. The threads take
    turns: a turn is one operation, or in `apply` a whole list, bytes object or file on the disk.
    Their changes are part of the open transaction. Readers do not wait.

    **A `JellyStore`** records its changes itself, and the recording reads them there, which is the
    fastest way. The writer gets them as batches, when the transaction is committed and before a
    prefix is bound. So if a change can't be recorded, only the end of the transaction raises the
    error; until then no change is refused. A transaction that is undone before the writer gets it
    leaves no trace in the recording, not even an abort, but ``recorder.aborted`` counts it. Undoing
    needs eight bytes in memory for each deletion. Recording can't start while a patch is being
    applied.

    **A `JellyStore` in a file** always has a recording: its log. A second recording gets the same
    transactions as the log: each one that is committed, and those of `apply` one by one. Committing
    and undoing apply to all graphs of the file. If the writer refuses a transaction, it is not
    committed. Otherwise the log gets it, and then the writer commits it. If that fails, a
    RecordError at the end of the block reports that the file has more than was recorded.

    **SPARQL Update** follows SPARQL 1.1 while a store is recorded, unless the store runs updates
    itself: ``USING`` names graphs of the dataset, while rdflib would load graphs from the network,
    and a blank node of ``INSERT DATA`` is a new one. ``LOAD`` and ``SERVICE`` still read from
    elsewhere, unless ``rdflib.plugins.sparql.SPARQL_LOAD_GRAPHS`` is off. For a store other than
    `JellyStore` turn off ``SPARQL_DEFAULT_GRAPH_UNION``, too: while it is on, as it is by default,
    updates of the default graph may fail or change other graphs, as without a recording.

    **Other stores.** If a store runs SPARQL Update itself, such as Oxigraph's, its contents before
    and after each update are compared, which takes time and memory; with ``update(...,
    use_store_provided=False)`` rdflib runs the update, and each change is seen as it is made. The
    contents of a SPARQL endpoint can't be compared: there an update is refused unless rdflib runs
    it, the store must have ``autocommit``, and ``addN`` to the default graph is refused, since
    rdflib puts such statements elsewhere. While a `JellyStore` is recorded, it can't be opened,
    closed or destroyed. If a store spells a literal in its own way, that spelling is recorded:
    Oxigraph's store has ``"x"^^xsd:string`` for ``"x"``. Formulas of N3 are refused.

    Args:
        target: A Graph, Dataset or ConjunctiveGraph. Several recordings of a store may run at once,
            unless the store has its own transactions.
        writer: The destination of operations: a `PatchWriter`, which stays open and must be between
            transactions; a path, whose file is replaced, or a binary file, for which a
            `PatchWriter` is made, and closed at the end of the block; anything with a method
            ``append``, such as a `jelly_rdflib.PatchLog` or a list, which gets a `Patch` for each
            transaction when it is committed (an error there undoes the transaction); or None, for
            `Recorder.patch`.
        atomic: Whether transactions can be undone.
        header: Headers for each patch that ``append`` gets, such as ``{"title": "Release 2"}``; a
            str becomes a literal.
        options: For a path or file; by default `PatchOptions()`, with triples for a Graph and quads
            for a Dataset.
        format: For a path or file; see `PatchWriter`.

    Returns:
        A context manager, for one ``with`` block.

    Raises:
        TypeError: ``target`` or ``writer`` has an unsupported type.
        ValueError: ``options`` or ``format`` is given, but ``writer`` is neither a path nor a file;
            ``header`` is given, but ``writer`` has no method ``append``; or the path is a folder or
            an address.
        LookupError: The format of the path is not known, or is a format of statements.
        RecordError: The store is not open, or is read-only. The block raises it if the writer is in
            a transaction, the store can't be recorded, or a transaction could not be recorded or
            undone.
        Exception: The block, and calls in it, also raise the errors of the writer.

    Warns:
        LogWarning: The log has no version yet, and the target has statements.

    See Also:
        - `diff`: compare two datasets afterwards.
        - `PatchLog`: keep each transaction in a log.

    Examples:
        >>> from rdflib import Dataset, Literal, URIRef
        >>> dataset = Dataset()
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> with record(dataset) as recorder:
        ...     _ = dataset.graph(URIRef("urn:g")).add((s, p, Literal("one")))
        ...     _ = dataset.graph(URIRef("urn:g")).add((s, p, Literal("one")))
        ...     dataset.update("INSERT { <urn:s> <urn:p> 'two' } WHERE {}")
        ...     dataset.bind("ex", "http://example.org/")
        >>> for operation in recorder.patch:
        ...     print(operation[0].name, *operation[1:])
        TX
        A urn:s urn:p one urn:g
        A urn:s urn:p two None
        PA ex http://example.org/ None
        TC
    """
    check_target(target, RecordError, is_changed=True)
    if header is not None and not hasattr(writer, "append"):
        raise ValueError("a header is for a PatchLog or a list: a PatchWriter has a method header")
    is_path = isinstance(writer, str | os.PathLike)
    if is_path and (is_address(writer) or os.path.isdir(writer)):
        raise ValueError(f"{os.fspath(writer)} is no file: if it is a patch log, give PatchLog(…)")
    is_writer = isinstance(writer, PatchWriter)
    if is_path or (hasattr(writer, "write") and not is_writer):
        found = choose_format(writer, format, holds_changes=True)
        if options is None and found.options_type is not None:
            is_dataset = isinstance(target, ConjunctiveGraph)
            kind = PatchStatementType.QUADS if is_dataset else PatchStatementType.TRIPLES
            options = PatchOptions(statement_type=kind)
        open_file = partial(PatchWriter, writer, options, format=found.name)
        return Recorder(target, open_file, None, is_atomic=atomic)
    if options is not None or format is not None:
        raise ValueError("options and format are for a path or a binary file")
    if is_writer:
        return Recorder(target, lambda: nullcontext(writer), None, is_atomic=atomic)
    patches: list[Patch] | None = [] if writer is None else None
    take = getattr(writer, "append", None) if patches is None else patches.append
    if take is not None:
        is_local = not isinstance(target.store, SPARQLStore)
        if getattr(writer, "version", None) == 0 and is_local and any(True for _ in target):
            warn(
                "the log is empty, and won't get the statements that the dataset has already:"
                " append them first, log.append(jelly_rdflib.diff(log.checkout(), dataset))",
                LogWarning,
            )
        sink = PatchSink(take, header_rows(header))
        return Recorder(target, lambda: nullcontext(sink), patches, is_atomic=atomic)
    raise TypeError(
        f"can't record to {type(writer).__name__}: give a PatchWriter, a path, a binary file, or "
        "an object with a method append"
    )


class Recorder(Block):
    """Records the changes to a graph or dataset in its block; `record` makes it.

    Args:
        target: The graph or dataset.
        open_sink: Opens the sink.
        patches: The patches that the sink collects; None if a writer is given.
        is_atomic: Whether transactions can be undone.

    Examples:
        >>> from rdflib import Graph, Literal, URIRef
        >>> graph = Graph()
        >>> with record(graph) as recorder:
        ...     _ = graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal(1)))
        >>> recorder
        <Recorder: over, 1 transaction committed, 0 aborted, 1 added, 0 deleted>
        >>> len(recorder.patch)
        3
    """

    _context: AbstractContextManager[Sink]

    def __init__(
        self,
        target: Graph,
        open_sink: Callable[[], AbstractContextManager[Sink]],
        patches: list[Patch] | None,
        *,
        is_atomic: bool,
    ) -> None:
        self._target = target
        self._open_sink = open_sink
        self._patches = patches
        self._is_atomic = is_atomic
        self._transactions: Transactions | Follower | None = None
        self._is_open = False
        self._is_in_transaction = False

    def __repr__(self) -> str:
        state = "open" if self._is_open else "not started" if self._transactions is None else "over"
        return (
            f"<Recorder: {state}, {count(self.committed, 'transaction')} committed,"
            f" {self.aborted:,} aborted, {self.added:,} added, {self.deleted:,} deleted>"
        )

    @property
    def patch(self) -> Patch:
        """All transactions that were committed so far, as one patch, if no writer was given.

        It is empty until the block, or a block of `transaction`, ends.

        Raises:
            AttributeError: A writer was given, so the changes went to the writer.
            RecordError: Nothing was recorded yet: the block has not started.
        """
        if self._patches is None:
            raise AttributeError("the recorded changes go to the writer, and are not kept")
        if self._transactions is None:
            raise RecordError(
                "recording has not started: make the changes in a block, with record(...) as"
                " recorder"
            )
        patch = Patch(chain.from_iterable(self._patches))
        # Ignore errors, such as those of a closed store: prefixes only make output readable.
        with suppress(Exception):
            patch._prefixes = {str(iri): name for name, iri in self._target.namespaces()}
        return patch

    @property
    def committed(self) -> int:
        """The number of transactions that were recorded and committed."""
        return 0 if self._transactions is None else self._transactions.committed

    @property
    def aborted(self) -> int:
        """The number of transactions that were begun and aborted."""
        return 0 if self._transactions is None else self._transactions.aborted

    @property
    def added(self) -> int:
        """The number of statements that committed transactions added."""
        return 0 if self._transactions is None else self._transactions.all_added

    @property
    def deleted(self) -> int:
        """The number of statements that committed transactions deleted."""
        return 0 if self._transactions is None else self._transactions.all_deleted

    def _call_after_commit(self, call: Callable[[], object]) -> None:
        """Call a function after each transaction that is committed from now on."""
        assert isinstance(self._transactions, Transactions)
        self._transactions.after_commit = call

    def transaction(self) -> AbstractContextManager[None]:
        """Make the changes in a block a transaction.

        Changes since the last transaction are committed first, as a separate transaction.

        Raises:
            RecordError: The block is inside another such block, or recording has not started or is
                over; or as for `record`.

        Examples:
            >>> from rdflib import Graph, Literal, URIRef
            >>> graph = Graph()
            >>> s, p = URIRef("urn:s"), URIRef("urn:p")
            >>> with record(graph) as recorder:
            ...     with recorder.transaction():
            ...         _ = graph.add((s, p, Literal("one")))
            ...     try:
            ...         with recorder.transaction():
            ...             _ = graph.add((s, p, Literal("two")))
            ...             raise ValueError("no, not two")
            ...     except ValueError:
            ...         pass
            >>> [str(o) for o in graph.objects()]
            ['one']
            >>> [operation[0].name for operation in recorder.patch]
            ['TX', 'A', 'TC']
        """
        return _TransactionBlock(self)

    def __enter__(self) -> Self:
        if self._transactions is not None:
            raise RecordError("a recorder works only for one block: call record() again")
        self._context = self._open_sink()
        sink = self._context.__enter__()
        try:
            if sink.in_transaction:
                raise RecordError(
                    "the writer has a transaction open, and a recording starts its own: commit() or"
                    " abort() it first"
                )
            # Start one recording at a time: two threads must find the same tap.
            with _STARTING:
                self._start(sink)
        except BaseException as error:
            self._context.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def _start(self, sink: Sink) -> None:
        store = self._target.store
        tap = find_tap(store)
        if tap is None:
            tap = open_tap(self._target)
        elif type(store) is JellyStore and store.is_in_file and store.file.follower is None:
            leader = store.file.recorder._transactions
            with tap.lock:
                self._transactions = Follower(
                    self._target, store.file, tap, leader, sink, is_atomic=self._is_atomic
                )
            self._is_open = True
            return
        elif store.transaction_aware:
            raise RecordError(
                "a store with transactions of its own can't be recorded twice at the same time: "
                "it has one transaction for both"
            )
        transactions = None
        try:
            with tap.lock:
                transactions = Transactions(self._target, tap, sink, is_atomic=self._is_atomic)
                tap.join(transactions)
            self._transactions, self._is_open = transactions, True
        except BaseException:
            if transactions is not None:
                tap.leave(transactions)
            if find_tap(store) is None:
                tap.stop()
            raise

    def _commit_block(self) -> None:
        assert self._transactions is not None
        self._is_open = False
        self._transactions.commit(close=self._context.__exit__)

    def _undo_block(self, has_failed: bool) -> None:
        assert self._transactions is not None
        self._is_open = False
        self._transactions.leave(has_failed=has_failed)

    def _end_block(self, failure: BaseException | None) -> None:
        assert self._transactions is not None
        self._transactions.stop()
        if failure is not None:
            self._context.__exit__(type(failure), failure, failure.__traceback__)


class _TransactionBlock(Block):
    """The context manager that `Recorder.transaction` returns."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __repr__(self) -> str:
        return f"<transaction of {self._recorder!r}>"

    def __enter__(self) -> None:
        recorder, transactions = self._recorder, self._recorder._transactions
        if recorder._is_in_transaction:
            raise RecordError("a transaction starts inside a transaction")
        if transactions is None or not recorder._is_open:
            raise RecordError("a transaction starts, but nothing is being recorded")
        transactions.commit()
        recorder._is_in_transaction = True
        self._transactions = transactions

    def _commit_block(self) -> None:
        self._transactions.commit()

    def _undo_block(self, has_failed: bool) -> None:
        self._transactions.leave(has_failed=has_failed)

    def _end_block(self, failure: BaseException | None) -> None:
        self._recorder._is_in_transaction = False

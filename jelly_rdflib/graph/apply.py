"""Applying patches to rdflib graphs and datasets."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, cast, overload

from rdflib.graph import Graph
from rdflib.term import URIRef

from jelly_rdflib import importers
from jelly_rdflib.core.batch import Batch, OperationReader, check_closed, follow_transaction
from jelly_rdflib.core.source import is_address
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.formats.format import Format
from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.stores.native import UndoLog, choose_changes
from jelly_rdflib.graph.stores.prefix_changes import PrefixChanges
from jelly_rdflib.graph.stores.statements import check_source
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.graph.whole_patches import WholePatches
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Directions, Limits, as_limits
from jelly_rdflib.store.jelly_store import JellyStore
from jelly_rdflib.streams.open_input import closing_reader, open_input, open_read
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.streams.sources import is_at_hand
from jelly_rdflib.types import ChangeFormat, Readable


@dataclass(frozen=True, kw_only=True)
class RemoteResult:
    """The counts that `apply` returns for the address of a server, which reports only these.

    Args:
        patches: Patches that were read to their end.
        operations: Operations of all kinds that were read; the ends of patches don't count.
        committed: Transactions that were committed; a patch without any counts as one.
        aborted: Transactions that the patch itself aborted.

    Examples:
        >>> RemoteResult(patches=1, operations=3, committed=1, aborted=0).committed
        1
    """

    patches: int
    operations: int
    committed: int
    aborted: int


@dataclass(frozen=True, kw_only=True)
class ApplyResult(RemoteResult):
    """The counts that `apply` returns.

    Args:
        patches, operations, committed, aborted: As in `RemoteResult`.
        added: Statements that were missing and were added, in committed transactions.
        deleted: Statements that existed and were deleted, in committed transactions.
        prefixes_added: Prefixes that were bound, and had no IRI or a different one before.
        prefixes_deleted: Prefixes that had an IRI and were unbound.
        ineffective: Operations on statements that changed nothing, in committed transactions:
            additions of statements that existed, and deletions that found nothing.
        missed: The first ten of these operations.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> result = apply([(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(1), None)], Graph())
        >>> result.added, result.deleted, result.committed
        (1, 0, 1)
    """

    added: int
    deleted: int
    prefixes_added: int
    prefixes_deleted: int
    ineffective: int
    missed: tuple[Operation, ...] = ()


@overload
def apply(
    source: Readable | Iterable[Operation],
    target: Graph,
    *,
    atomic: bool = True,
    strict: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> ApplyResult: ...
@overload
def apply(
    source: Readable | Iterable[Operation],
    target: str,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> RemoteResult: ...
def apply(
    source: Readable | Iterable[Operation],
    target: Graph | str,
    *,
    atomic: bool = True,
    strict: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> ApplyResult | RemoteResult:
    """Apply patches to a graph or dataset, transaction by transaction.

    Examples:
        >>> from rdflib import Dataset
        >>> dataset = Dataset()
        >>> result = apply(b'TX . A <urn:ann> <urn:name> "Ann" . TC .', dataset)
        >>> result.added, len(dataset)
        (1, 1)

    A transaction is applied wholly or not at all. If it is aborted, if the input is bad or ends
    within it, or if an exception is raised, the target is restored: its statements, its prefixes,
    and its list of named graphs. Transactions that are already committed stay. Operations
    outside transactions form one transaction per patch, up to the next `TX` or the end.

    `TX`, `TC` and `END` are optional: ``[(Op.A, s, p, o, g), ...]`` is one transaction. `TX` and
    `TC` start and end a transaction. `END` ends a patch; the last patch doesn't need it. It also
    ends an implicit transaction; in a transaction that `TX` started it is an error.

    If a store has transactions of its own (``transaction_aware``), they are used: pending changes
    are committed first, so that a rollback restores the state before the transaction. If the store
    is recorded, the patch is part of the recorded transaction, and is committed with it. A
    `JellyStore` in a file commits each transaction immediately. For every store, the changes are
    logged, so that they can be undone in reverse order. The store decides which statements are
    equal: rdflib's stores ignore the case of language tags, and for Oxigraph 1 and 01 are the same
    integer. In every store ``"x"`` is ``"x"^^xsd:string``, and the case of language tags does not
    matter (RDF 1.1): a change looks for the other spelling, too. A statement that is restored gets
    the store's spelling again. A SPARQL endpoint can't delete a statement with a blank node, so a
    patch with blank nodes is refused there.

    Interrupts don't stop undoing, and a step that fails is retried. If undoing fails for good, a
    `RollbackError` is raised.

    The store is changed in place. Readers in another thread, or in the iterable that yields the
    operations, see unfinished transactions; they see prefixes only when these are committed.
    rdflib's own iterators may then raise RuntimeError, KeyError or AttributeError. Only one `apply`
    at a time can change a store; nothing else should change it meanwhile.

    Blank node labels are kept: ``_:b1`` is ``BNode("b1")``. The default graph, and statements
    without a graph, go to the target's default graph; a plain `Graph` has no other. As a target,
    the default graph of a Dataset stands for the whole dataset, since ``Dataset.parse`` passes on
    only this graph. rdflib keeps prefixes for a whole store, so their graphs are ignored; a
    deleted prefix is unbound whatever its IRI. Headers are ignored.

    The address of a dataset of Apache Jena Fuseki, ``http://localhost:3030/ds/patch``, is a target,
    too. The server then applies each transaction, in one request. It does not report the previous
    state, so nothing is counted as added or deleted.

    Args:
        source: Anything that `read_operations` reads, or an iterable of operations: a list, an
            iterator, a `Patch`, a `Batch`. Several patches or batches must be applied one by one.
        target: An rdflib `Graph`, `Dataset` or `ConjunctiveGraph`, or the address of a server.
        atomic: If False, no log is kept, a store's own transactions are not used, and changes take
            effect immediately: faster, but an error leaves earlier changes in place, and a patch
            can't abort a transaction.
        strict: Refuse a patch with an operation on a statement that changes nothing: an addition
            of an existing statement, or a deletion that finds nothing. Then each patch is applied
            wholly or not at all, whatever transactions it has. Memory holds one transaction.
        limits: The limits for bytes; see `Limits`. They can't be given for operations.
        normalize: Whether the literals of bytes get the normal form of their value; see
            `read_operations`. Literals of operations are left unchanged.
        format: The format of the bytes; see `read_operations`.

    Returns:
        The counts: an `ApplyResult`, or for an address a `RemoteResult`.

    Raises:
        ConnectionError, PermissionError: The server can't be reached, or refuses the request.
        ApplyError: An operation can't be applied to the target (a quoted triple, a literal as
            subject, a named graph for a plain `Graph`, a blank node for a SPARQL endpoint);
            something is not an operation (its code, or the number or kinds of its elements are
            wrong); a transaction starts or ends in the wrong place; the store can't unbind a
            prefix, or does not bind it; the store is not open, or is read-only; a patch aborts a
            transaction, and ``atomic`` is False; changes are being applied to the same store
            already; or with ``strict`` an operation changes nothing: the message names the
            operation and its position.
        RollbackError: A transaction could not be undone: the target has part of it.
        DecodeError: The input breaks a rule of the format; or a literal has a base direction,
            which rdflib's literals can't have.
        LimitError: The input exceeds ``limits``; or rdflib gives more than 200 terms the same hash,
            which would slow down its stores in memory too much.
        TypeError: ``source`` or ``target`` has the wrong type, such as a path for ``target``.
        ValueError: ``limits``, ``normalize`` or ``format`` is given for operations; or ``strict``
            is given for the address of a server, or without ``atomic``.
        LookupError: The format is unknown, or is not a format of changes.
        LogConflict, LogError: From a `JellyStore` in a file: see its ``commit``.
        OSError: The path can't be opened or read.
        Exception: Exceptions of the store, the file or the iterable are passed on.

    See Also:
        - `record`: make a patch of the changes.
        - `PatchLog.replay`: apply the patches of a log.
        - `effective`: keep only operations that change something.
    """
    reading: Any = {"limits": limits, "normalize": normalize, "format": format}
    if isinstance(source, Graph) and not isinstance(target, Graph):
        raise TypeError("the source is a Graph, and the target is not: call apply(source, target)")
    if isinstance(target, str) and not is_address(target):
        raise TypeError(
            "the target must be a Graph or Dataset, or the address of a server, which starts with"
            f" http:// or https://; {reprlib.repr(target)} is neither"
        )
    if isinstance(target, str):
        if not atomic:
            raise ValueError("atomic=False is for graphs: a server applies whole transactions")
        if strict:
            raise ValueError(
                "strict is for graphs: a server does not report what an operation changed"
            )
        return _apply_remotely(source, target, reading)
    if strict and not atomic:
        raise ValueError("strict=True undoes a patch that it refuses: it needs atomic=True")
    place = Target(target)
    if (opened := open_read(source, **reading)) is not None:
        # The limits are only needed if changes are kept to undo a transaction.
        operations = OperationReader(opened, limits=as_limits(limits) if atomic else None)
        is_held = is_at_hand(source)
        return apply_read(
            operations, place, atomic=atomic, strict=strict, is_held=is_held, limits=limits
        )
    check_source(source, **reading)
    # Any other iterable runs the caller's code between operations, and this may read the target.
    is_held = type(source) in (list, tuple, Batch) or isinstance(source, PatchOperations)
    applier = _Applier(place, is_atomic=atomic, is_held=is_held)
    return applier.run(iter(cast("Any", source)), strict=strict)


def _apply_remotely(source: Any, address: str, reading: dict[str, Any]) -> RemoteResult:
    apply_to_fuseki = importers.import_fuseki()
    opened = open_read(source, **reading)
    if opened is None:
        check_source(source, **reading)
        return cast("RemoteResult", apply_to_fuseki(source, address))
    with closing_reader(operations := OperationReader(opened)):
        return cast("RemoteResult", apply_to_fuseki(operations, address))


def apply_statements(
    source: Any,
    target: Graph,
    *,
    atomic: bool = True,
    limits: Limits | None,
    normalize: bool | None = None,
    strict: bool,
    by_grammar: bool = False,
    format: Format = JELLY,
    base: str | None = None,
    directions: Directions = "keep",
    label_prefix: str = "",
    made_label_prefix: str = "",
) -> ApplyResult:
    """Add the statements and namespaces of a source to a graph or dataset, as `apply` does.

    As with rdflib's parsers, a prefix that is bound already keeps its IRI. For ``by_grammar``,
    ``label_prefix`` and ``made_label_prefix`` see `Reading`.
    """
    place = Target(target)
    opened = open_input(
        source,
        holds_changes=False,
        limits=limits,
        normalize=normalize,
        strict=strict,
        by_grammar=by_grammar,
        format=format.name,
        base=base,
        directions=directions,
        label_prefix=label_prefix,
        made_label_prefix=made_label_prefix,
    )
    # A `JellyStore` rolls back by itself. For any other store a log keeps all operations of a
    # transaction, so their number is limited.
    is_buffered = atomic and type(target.store) is not JellyStore
    return apply_read(
        opened.operations(is_held=is_buffered),
        place,
        atomic=atomic,
        is_held=is_at_hand(source),
        limits=limits,
        holds_changes=False,
    )


def apply_read(
    operations: Iterator[Operation],
    place: Target,
    *,
    atomic: bool = True,
    strict: bool = False,
    is_held: bool,
    limits: Limits | None,
    holds_changes: bool = True,
) -> ApplyResult:
    """Apply the operations of a reader, or of a generator that wraps one, and close it.

    No other code may read the target between two operations. For the other arguments see
    `_Applier`.
    """
    # With `strict`, the reader is ahead of the applied operation, and an error already has the
    # position of that operation.
    with closing_reader(operations, is_ahead=strict):
        applier = _Applier(
            place,
            is_atomic=atomic,
            is_held=is_held,
            holds_changes=holds_changes,
            max_prefixes=as_limits(limits).max_prefixes,
        )
        return applier.run(operations, strict=strict, limits=limits)


class _Applier:
    """Follows a stream's transactions. One is always open; `TX` and `TC` show where it ends.

    If all operations are available without waiting (``is_held``), a recorded store is locked until
    they are applied, so that no other thread changes it. For the other arguments see
    `choose_changes` and `PrefixChanges`.
    """

    def __init__(
        self,
        target: Target,
        *,
        is_atomic: bool,
        is_held: bool,
        holds_changes: bool = True,
        max_prefixes: int | None = None,
    ) -> None:
        self._is_atomic = is_atomic
        self._log = UndoLog()
        self._statements = choose_changes(
            target,
            self._log,
            is_atomic=is_atomic,
            is_held=is_held,
            is_committed=holds_changes,
        )
        tap = self._statements.tap
        self._lock = tap.lock if tap is not None and is_held else nullcontext()
        self._prefixes = PrefixChanges(
            target,
            self._log,
            is_atomic=is_atomic,
            is_exact=holds_changes,
            max_prefixes=max_prefixes,
        )
        # Whether a transaction that can be rolled back is open, and whether a TX started it.
        self._is_open = False
        self._is_explicit = False
        # The number of changes at the start of the open transaction, the number of operations at
        # the end of the last patch, and how many operations are neither changes nor an END.
        self._changes_before = 0
        self._operations_before = 0
        self._others = 0
        self._patches = 0
        self._aborted = 0
        self._committed = dict.fromkeys(
            ("committed", "added", "deleted", "prefixes_added", "prefixes_deleted", "ineffective"),
            0,
        )
        self._missed: list[Operation] = []

    def run(
        self, operations: Iterator[Operation], *, strict: bool = False, limits: Limits | None = None
    ) -> ApplyResult:
        """Apply the operations; ``strict`` is as for `apply`."""
        with self._lock:
            if strict:
                self._run_strictly(WholePatches(operations, limits))
            else:
                self._run(operations)
        return ApplyResult(
            patches=self._patches + (self._count_operations() > self._operations_before),
            operations=self._count_operations(),
            aborted=self._aborted,
            missed=tuple(self._missed[:10]),
            **self._committed,
        )

    def _run_strictly(self, patches: WholePatches) -> None:
        self._statements.is_strict = True
        try:
            self._run(iter(patches))
        except ApplyError as error:
            raise ApplyError(f"{patches.place}: {error}") from error
        self._others += patches.left_out
        self._aborted += patches.aborted

    def _run(self, operations: Iterator[Operation]) -> None:
        try:
            self._statements.claim()
            self._begin()
            while (operation := self._statements.statements(operations)) is not None:
                self._take(operation)
            self._end_patch("the input ends")
        except BaseException:
            self._log.undo(self._statements, self._leave, self._end_undoing)
            raise
        finally:
            self._statements.free()
            # The log's steps are methods of objects that hold the log. Clearing it breaks these
            # cycles: otherwise the objects live until Python's collector runs.
            self._log.clear()

    def _take(self, operation: Operation) -> None:
        """Handle an operation that is neither an addition nor a deletion; its form was checked."""
        op = operation[0]
        if operation[0] == Op.PA:
            self._prefixes.set(operation[1], URIRef(operation[2]))
        elif operation[0] == Op.PD:
            self._prefixes.set(operation[1], None)
        elif op == Op.END:
            self._end_patch("a patch ends")
            self._begin()
            self._patches += 1
            self._operations_before = self._count_operations()
        else:
            self._others += 1
            if op != Op.H:
                is_explicit = follow_transaction(op, self._is_explicit)
                if op == Op.TA:
                    self._abort()
                    self._begin()
                # A TX also commits the changes before it, but usually there are none.
                elif op == Op.TC or self._count_changes() > self._changes_before:
                    self._commit()
                    self._begin()
                self._is_explicit = is_explicit

    def _end_patch(self, what_ends: str) -> None:
        check_closed(self._is_explicit, what_ends)
        self._commit()

    def _begin(self) -> None:
        self._is_explicit = False
        self._changes_before = self._count_changes()
        self._log.clear()
        self._statements.begin()
        self._prefixes.begin()
        self._is_open = True

    def _commit(self) -> None:
        self._prefixes.commit()
        self._statements.commit()
        # From here on, an interrupt leaves the changes in place.
        self._is_open = False
        counts = self._committed
        counts["committed"] += self._is_explicit or self._count_changes() > self._changes_before
        counts["added"] += self._statements.added
        counts["deleted"] += self._statements.deleted
        counts["ineffective"] += self._statements.ineffective
        if len(self._missed) < 10:
            self._missed += self._statements.missed
        counts["prefixes_added"] += self._prefixes.added
        counts["prefixes_deleted"] += self._prefixes.deleted

    def _abort(self) -> None:
        if not self._is_atomic:
            raise ApplyError(
                "the patch aborts a transaction (TA), but with atomic=False no change can be undone"
            )
        self._log.undo(self._statements, self._leave, self._end_undoing)
        if self._statements.refusal is not None:
            raise self._statements.refusal
        self._aborted += 1

    def _leave(self) -> None:
        """Prepare for the log to undo the open transaction. May be called more than once."""
        if not self._is_atomic:
            self._prefixes.commit()
        elif self._is_open:
            self._statements.begin_undoing()
        else:
            # The transaction was committed before the interrupt: keep its changes.
            self._log.clear()

    def _end_undoing(self) -> None:
        if self._is_atomic and self._is_open:
            self._statements.end_undoing()
        self._is_open = False

    def _count_changes(self) -> int:
        return self._statements.operations + self._prefixes.operations

    def _count_operations(self) -> int:
        return self._count_changes() + self._others

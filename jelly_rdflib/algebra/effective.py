"""`effective` finds the operations that change something in a graph or dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.term import IdentifiedNode, Node, URIRef

from jelly_rdflib.algebra.sources import (
    check_rows,
    is_held,
    is_plain_statement,
    open_checked,
    open_rows,
)
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.core.batch import BatchSource, check_closed, follow_transaction
from jelly_rdflib.graph.stores.native import Undoer, UndoLog, open_view
from jelly_rdflib.graph.stores.prefixes import PrefixMap
from jelly_rdflib.graph.stores.statements import check_graph, check_statement
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from jelly_rdflib.operations import Change, Op, Operation, PrefixChange
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.open_input import closing_reader
from jelly_rdflib.terms import identity
from jelly_rdflib.types import ChangeFormat, Readable

# At most _MAX_KEPT operations of a transaction are kept as tuples in memory. They are moved to the
# spool earlier if the terms of a batch take _LARGE bytes.
_MAX_KEPT, _LARGE = 1 << 10, 1 << 17
# A quad, with the `identity` of its object in place of the object.
_Quad: TypeAlias = tuple[Node, Node, Any, Node]


def effective(
    source: Readable | Iterable[Operation],
    dataset: Graph,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: ChangeFormat | None = None,
) -> Iterator[Operation]:
    """Iterate over the operations of a patch that change something in a graph or dataset.

    The result has the same effect on the dataset as the patch, and its inverse undoes it. Additions
    of existing statements and deletions of missing ones are left out, and so are aborted and empty
    transactions. Before a prefix is bound to another IRI, it is deleted with its old IRI. The old
    prefix of the new IRI is deleted, too, since in rdflib an IRI has one prefix. Headers and the
    ends of patches stay.

    The dataset is not changed. Operations of an iterator are yielded one by one, but those of a
    transaction only when it is committed: until then a long transaction is kept in a temporary
    file. Memory holds each statement whose presence the patch has changed so far. While the result
    is read, the dataset must not change, except through the yielded operations:
    ``apply(effective(patch, dataset), dataset)`` works.

    Statements are compared as in RDF 1.1, whatever the store: ``"x"`` and ``"x"^^xsd:string`` are
    one literal, and the case of language tags is ignored.

    Args:
        source: Bytes, a path, a binary file, or operations; see `jelly_rdflib.apply`.
        dataset: The target of the patch: a Graph, Dataset or ConjunctiveGraph.
        limits: Limits on the input; by default those of `jelly_rdflib.Limits`.
        normalize: Whether literals get the normal form of their value; see `jelly_rdflib.apply`.
        format: The name of the format, an extension or a media type; see `jelly_rdflib.apply`.

    Returns:
        An iterator of operations. The source is read when the first operation is requested.

    Raises:
        ApplyError: An operation can't be applied to the dataset, an item is not an operation, or a
            transaction starts or ends in the wrong place. (Raised by the iterator, like those
            below.)
        EncodeError: An operation has a term of an unknown class.
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has an unsupported type.
        ValueError: An argument is incompatible with the others; see `jelly_rdflib.apply`.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.

    See Also:
        - `invert`: undo what this returns.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> graph = Graph()
        >>> _ = graph.add((s, p, Literal("there")))
        >>> texts = ("there", "new", "new")
        >>> patch: list[Operation] = [(Op.A, s, p, Literal(text), None) for text in texts]
        >>> for operation in effective(patch, graph):
        ...     print(operation[0].name, *operation[1:4])
        A urn:s urn:p new
    """
    effects = _Effects(Target(dataset))
    opened = open_checked(source, limits=limits, normalize=normalize, format=format)
    return _effective(source, opened, effects)


def _effective(source: Any, opened: BatchSource | None, effects: _Effects) -> Iterator[Operation]:
    is_open = False
    # Changes of the open transaction.
    kept: list[Operation] = []
    with closing_reader(opened), Spool() as spool:
        make_rows = check_rows if is_held(source) else _as_they_come
        for part in open_rows(source, opened, make_rows):
            for operation in part:
                op = operation[0]
                if len(operation) == 4 or len(operation) == 5:
                    changes = effects.take(operation)
                    if is_open:
                        kept += changes
                    else:
                        yield from changes
                    continue
                is_open = follow_transaction(op, is_open)
                if op == Op.TX:
                    effects.begin()
                elif op == Op.TC:
                    effects.commit()
                    if kept or len(spool) > 0:
                        yield (Op.TX,)
                        yield from chain(chain.from_iterable(spool), kept)
                        yield operation
                elif op == Op.TA:
                    effects.abort()
                else:
                    yield operation
                if not is_open:
                    kept = []
                    spool.clear()
            # Kept operations keep their terms, which may be large.
            if is_open and (len(kept) >= _MAX_KEPT or len(part.batch.terms.data) >= _LARGE):
                spool.extend(NodeBatches(NODE_TYPES, kept))
                kept = []
        check_closed(is_open)


def _as_they_come(operations: Iterator[Any]) -> Iterator[Any]:
    """Yield rows of transactions, and other operations one by one, without reading ahead."""
    for operation in operations:
        if operation == (Op.TX,):
            yield from check_rows(_transaction(operation, operations))
        elif is_plain_statement(operation) and operation[4] != DATASET_DEFAULT_GRAPH_ID:
            # Making a batch for each operation would take most of the time.
            yield (operation,)
        else:
            yield from check_rows(iter([operation]))


def _transaction(operation: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield operation
    for other in others:
        yield other
        if other in ((Op.TC,), (Op.TA,)):
            break


class _Effects:
    """The changes that operations would make to a target, transaction by transaction.

    It remembers only statements whose presence differs from that in the store.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._view = open_view(target.store)
        self._contexts: dict[Node | None, Graph] = {}
        # Statements whose presence differs from that in the store, and those whose presence differs
        # from that at the start of the open transaction.
        self._committed: dict[_Quad, bool] = {}
        self._pending: dict[_Quad, bool] | None = None
        # A copy of the store's prefixes, and the log to undo changes of the open transaction.
        self._bound: PrefixMap | None = None
        self._log = UndoLog()

    def begin(self) -> None:
        """Start a transaction."""
        self._pending = {}

    def commit(self) -> None:
        """End the transaction."""
        pending, self._pending = self._pending or {}, None
        for quad, is_there in pending.items():
            _flip(self._committed, quad, is_there)
        self._log.clear()

    def abort(self) -> None:
        """End the transaction, and drop its changes."""
        self._pending = None
        self._log.undo(Undoer())

    def take(self, operation: Change | PrefixChange) -> Sequence[Operation]:
        """Add an operation, and return the operations that make its changes to the target."""
        if len(operation) == 4:
            return self._take_prefix(operation)
        op, s, p, o, g = operation
        check_statement(s, p, o)
        context = self._contexts.get(g)
        if context is None:
            check_graph(g)
            context = self._contexts[g] = self._target.context(cast("IdentifiedNode | None", g))
        quad = (s, p, identity(o), context.identifier)
        is_add: bool = op == Op.A
        if self._has(quad, (s, p, o), context) == is_add:
            return []
        _flip(self._committed if self._pending is None else self._pending, quad, is_add)
        return [operation]

    def _has(self, quad: _Quad, triple: tuple[Node, Node, Node], context: Graph) -> bool:
        for changed in (self._pending, self._committed):
            if changed and quad in changed:
                return changed[quad]
        return self._view.has(triple, context)

    def _take_prefix(self, operation: PrefixChange) -> list[Operation]:
        if self._bound is None:
            # Do this only for a first prefix: on first use a graph makes its namespace manager,
            # which binds rdflib's prefixes. Applying the patch would do so, too.
            manager = self._target.namespace_manager
            iris = {prefix: URIRef(iri) for prefix, iri in manager.namespaces()}
            found = {iri: manager.store.prefix(iri) for iri in iris.values()}
            names = {iri: prefix for iri, prefix in found.items() if prefix is not None}
            self._bound = PrefixMap(iris, names, self._log)
        _, prefix, _, graph = operation
        added: list[Operation] = []
        if operation[0] == Op.PD:
            displaced = self._bound.unbind(prefix)
        else:
            iri = URIRef(operation[2])
            if self._bound.has(prefix, iri):
                return []
            displaced = self._bound.bind(prefix, iri)
            added = [(Op.PA, prefix, iri, graph)]
        if self._pending is None:
            self._log.clear()
        return [*((Op.PD, *each, graph) for each in displaced), *added]


def _flip(changed: dict[_Quad, bool], quad: _Quad, is_there: bool) -> None:
    """Record that the presence of a statement has changed to ``is_there``."""
    # Each entry means that the presence differs, so a second change cancels the first.
    if changed.pop(quad, None) is None:
        changed[quad] = is_there

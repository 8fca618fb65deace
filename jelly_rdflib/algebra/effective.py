"""`effective` finds the operations that change something in a graph or dataset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rdflib.graph import Graph

from jelly_rdflib.algebra.effects import Effects
from jelly_rdflib.algebra.sources import closing_reader, open_operations
from jelly_rdflib.algebra.spool import Spool
from jelly_rdflib.graph.stores.target import Target
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits
from jelly_rdflib.transactions import check_closed, follow_transaction


def effective(
    source: Any,
    dataset: Graph,
    *,
    limits: Limits | None = None,
    normalize: bool | None = None,
    format: str | None = None,
) -> Iterator[Operation]:
    """Iterate over the operations of a patch that change something in a graph or dataset.

    The result has the same effect on the dataset as the patch, and its inverse undoes it. Adding a
    statement that is there and deleting one that is not there is left out, and so are aborted and
    empty transactions. Before a prefix is bound anew, it is deleted with its old IRI, and so is the
    old prefix of the new IRI: in rdflib an IRI has one prefix. Headers and the ends of patches
    stay.

    The dataset is not changed. Operations are yielded as they come, those of a transaction when it
    is committed: until then all but some thousand are kept in a temporary file. The statements that
    are changed at that point are in memory, each once. The dataset must not change meanwhile; but
    it may take the operations itself, as they come: ``apply(effective(patch, dataset), dataset)``.

    Statements are the same if rdflib finds them equal. Some stores, such as Oxigraph's, treat
    ``"x"`` and ``"x"^^xsd:string`` as one literal. A patch that changes a statement in one spelling
    and then in the other is not recognized as changing the same statement.

    Args:
        source: A source as for `jelly_rdflib.apply`: bytes, a path, a binary file, or operations.
        dataset: The target of the patch: a Graph, Dataset or ConjunctiveGraph.
        limits: As for `jelly_rdflib.apply`.
        normalize: As for `jelly_rdflib.apply`.
        format: As for `jelly_rdflib.apply`.

    Returns:
        An iterator of operations. Reading starts with its first operation.

    Raises:
        ApplyError: The dataset can't take an operation, something is no operation, or transactions
            start and end where they must not. (Raised by the iterator, like those below.)
        EncodeError: An operation of a long transaction can't be kept, having a term of an unknown
            class.
        DecodeError, LimitError, TypeError, ValueError, LookupError, OSError: As by
            `jelly_rdflib.apply`.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> s, p = URIRef("urn:s"), URIRef("urn:p")
        >>> graph = Graph()
        >>> _ = graph.add((s, p, Literal("there")))
        >>> patch = [(Op.A, s, p, Literal(text), None) for text in ("there", "new", "new")]
        >>> for operation in effective(patch, graph):
        ...     print(operation[0].name, operation[3])
        A new
    """
    target = Target(dataset)
    operations = open_operations(source, limits=limits, normalize=normalize, format=format)
    return _effective(operations, Effects(target))


def _effective(operations: Iterator[Operation], effects: Effects) -> Iterator[Operation]:
    is_open = False
    with closing_reader(operations), Spool() as spool:
        for operation in operations:
            op = operation[0]
            if op in (Op.A, Op.D):
                changes = [operation] if effects.take_statement(operation) else []
            elif op in (Op.PA, Op.PD):
                changes = effects.take_prefix(operation)
            elif op == Op.H:
                yield operation
                continue
            else:
                is_open = follow_transaction(op, is_open)
                if op == Op.TX:
                    effects.begin()
                elif op == Op.TC:
                    effects.commit()
                    if len(spool) > 0:
                        yield (Op.TX,)
                        yield from spool
                        yield operation
                    spool.truncate(0)
                elif op == Op.TA:
                    effects.abort()
                    spool.truncate(0)
                else:
                    yield operation
                continue
            if is_open:
                for change in changes:
                    spool.append(change)
            else:
                yield from changes
        check_closed(is_open)

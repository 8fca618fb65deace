"""Checks operations, and whether rdflib can hold their statements."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from rdflib.graph import Graph
from rdflib.term import IdentifiedNode, Literal, Node, URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.display.terms import show
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits
from jelly_rdflib.streams.patch_operations import PatchOperations
from jelly_rdflib.terms import identity

# In the order of `Op`: H, TX, TC, TA, PA, PD, A, D, END.
_LENGTHS: dict[int, int] = dict(zip(Op, (3, 1, 1, 1, 4, 4, 5, 5, 1), strict=True))


def check_source(source: object, **reading: Any) -> None:
    """Check that a source can be iterated over, and is no graph; then call `check_reading`."""
    if isinstance(source, Graph):
        name = type(source).__name__
        raise TypeError(f"a {name} has no operations: diff(Graph(), graph) makes a patch of one")
    if not isinstance(source, Iterable):
        advice = "give bytes, a path, a binary file or operations"
        if hasattr(source, "checkout"):
            advice = "log.replay(dataset) applies its patches, log.checkout() makes a dataset"
        raise TypeError(f"{type(source).__name__} has no operations: {advice}")
    check_reading(**reading)


def check_reading(
    limits: Limits | None = None, normalize: bool | None = None, format: str | None = None
) -> None:
    """Check that no options for reading are given with a source of operations."""
    if limits is not None or normalize is not None or format is not None:
        raise ValueError(
            "limits, normalize and format are for bytes, but operations are given: give them to "
            "the function that reads the operations"
        )


def check_operation(operation: Any) -> None:
    """Raise an ApplyError unless an object is an operation: a code, and the items for that code.

    This only counts the terms of a statement; `check_statement` and `check_graph` check each
    distinct term.
    """
    code = operation[0] if isinstance(operation, tuple) and operation else None
    if not isinstance(code, int) or code not in _LENGTHS:
        raise not_an_operation(operation)
    length = _LENGTHS[code]
    if len(operation) != length:
        raise not_an_operation(
            operation, f"{Op(code).name} is a tuple of {length}, not of {len(operation)}"
        )
    if code in (Op.PA, Op.PD):
        _check_prefix(operation)
    elif code == Op.H:
        _, key, value = operation
        if not _is_text(key):
            raise not_an_operation(operation, "a header's key is a str")
        if not isinstance(value, Node):
            raise not_an_operation(operation, "a header's value is a term of rdflib")


def check_statement(s: object, p: object, o: object) -> None:
    """Raise an ApplyError if no rdflib store can hold the triple.

    A blank node as predicate passes: stores keep it like any other node.
    """
    if not isinstance(s, IdentifiedNode):
        raise _error(s, "a subject")
    if not isinstance(p, IdentifiedNode):
        raise _error(p, "a predicate")
    if not isinstance(o, IdentifiedNode | Literal):
        raise _error(o, "an object")


def check_graph(g: object) -> None:
    """Raise an ApplyError if no rdflib store can have a graph with this name; None passes."""
    if g is not None and not isinstance(g, IdentifiedNode):
        raise _error(g, "a graph's name")
    if isinstance(g, str) and str(g) == "":
        # rdflib would invent a name.
        raise ApplyError("rdflib can't have a graph with an empty name")


def same_value(triple: tuple[Any, Any, Any], graph: Graph) -> Literal | None:
    """Return a literal in the graph that differs from the triple's, but has the same value.

    Return None if there is no such literal, or if the triple's object isn't a literal.
    """
    s, p, o = triple
    if not isinstance(o, Literal):
        return None
    own = identity(o)
    for (_, _, found), _ in graph.store.triples((s, p, None), graph):
        if isinstance(found, Literal) and identity(found) != own:
            # rdflib can't compare all values: some decimals raise errors other than TypeError.
            with suppress(TypeError, ValueError, ArithmeticError):
                if o.eq(found):
                    return found
    return None


def not_an_operation(operation: object, reason: str | None = None) -> ApplyError:
    """Return the error for an object that is not an operation."""
    if reason is None:
        reason = "operations are tuples that start with an Op"
        if isinstance(operation, PatchOperations):
            reason = "pass patches one by one: concat(*patches), or patch.apply(target) for each"
        elif isinstance(operation, Batch):
            reason = "apply what the batches were read from, or chain.from_iterable(batches)"
        elif isinstance(operation, Op):
            reason = "put a single operation into a list"
    return ApplyError(f"{show(operation)} is not an operation: {reason}")


def _check_prefix(operation: tuple[Any, ...]) -> None:
    code, prefix, iri, graph = operation
    if not _is_text(prefix):
        raise not_an_operation(operation, "a prefix is a str")
    if not (_is_text(iri) or isinstance(iri, URIRef) or (iri is None and code == Op.PD)):
        raise not_an_operation(operation, "a prefix stands for an IRI")
    if graph is not None and not isinstance(graph, Node):
        raise not_an_operation(operation, "a graph is named by a term of rdflib")


def _is_text(value: object) -> bool:
    # rdflib's terms are subclasses of str.
    return isinstance(value, str) and not isinstance(value, Node)


def _error(term: object, role: str) -> ApplyError:
    if isinstance(term, Graph):
        return ApplyError(
            f"{show(term.identifier)} is given as a Graph: give its identifier as {role}"
        )
    if isinstance(term, Node):
        return ApplyError(
            f"rdflib can't hold {show(term)} as {role}; read_operations or read_statements "
            "can return it"
        )
    return ApplyError(f"{show(term)} can't be {role}: it is not a term of rdflib")

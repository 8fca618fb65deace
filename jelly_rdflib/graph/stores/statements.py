"""What an operation is, and what of a statement rdflib can hold."""

from __future__ import annotations

import reprlib
from typing import Any

from rdflib.graph import Graph
from rdflib.term import IdentifiedNode, Literal, Node, URIRef

from jelly_rdflib.core.batch import Batch
from jelly_rdflib.errors import ApplyError
from jelly_rdflib.operations import Op
from jelly_rdflib.streams.patch_operations import PatchOperations

_LENGTHS = {
    Op.H: 3,
    Op.TX: 1,
    Op.TC: 1,
    Op.TA: 1,
    Op.PA: 4,
    Op.PD: 4,
    Op.A: 5,
    Op.D: 5,
    Op.END: 1,
}

# What is wrong may be of any size, and its own `__repr__` may be what is wrong with it.
_shortener = reprlib.Repr()
_shortener.maxtuple = 5
_shortener.maxstring = _shortener.maxother = 100


def check_operation(operation: object) -> None:
    """Check that something is an operation: a code, and after it what belongs to the code.

    Of a statement only the number of its terms is looked at here: `check_statement` and
    `check_graph` have a look at each distinct term.

    Args:
        operation: What may be one. Its code may be a plain number.

    Raises:
        ApplyError: It is no operation.

    Examples:
        >>> check_operation((Op.TX,))
        >>> check_operation((Op.TX, 5))
        Traceback (most recent call last):
        jelly_rdflib.errors.ApplyError: (<Op.TX: 2>, 5) is not an operation: TX is a tuple of 1, \
not of 2
    """
    if not isinstance(operation, tuple) or not operation:
        raise not_an_operation(operation)
    code = operation[0]
    if not isinstance(code, int) or code not in _LENGTHS:
        raise not_an_operation(operation)
    if len(operation) != _LENGTHS[Op(code)]:
        raise not_an_operation(
            operation,
            f"{Op(code).name} is a tuple of {_LENGTHS[Op(code)]}, not of {len(operation)}",
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
    """Check that a store of rdflib can hold the triple.

    A blank node as predicate is let through: stores keep it like any other.

    Args:
        s, p, o: The subject, the predicate and the object.

    Raises:
        ApplyError: A term is of a kind that can't stand where it stands.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> check_statement(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> check_statement(Literal("s"), URIRef("urn:p"), Literal("o"))
        Traceback (most recent call last):
        jelly_rdflib.errors.ApplyError: rdflib can't hold "s" as a subject; \
read_operations or read_statements can give it to you
    """
    if not isinstance(s, IdentifiedNode):
        raise _error(s, "a subject")
    if not isinstance(p, IdentifiedNode):
        raise _error(p, "a predicate")
    if not isinstance(o, IdentifiedNode | Literal):
        raise _error(o, "an object")


def check_graph(g: object) -> None:
    """Check that a store of rdflib can have a graph of this name.

    Args:
        g: A graph term; None for no graph.

    Raises:
        ApplyError: It is neither an IRI nor a blank node, or is empty.

    Examples:
        >>> check_graph(None)
    """
    if g is not None and not isinstance(g, IdentifiedNode):
        raise _error(g, "a graph's name")
    if isinstance(g, str) and str(g) == "":
        # rdflib takes it for no name, and would make one up.
        raise ApplyError("rdflib can't have a graph with an empty name")


def not_an_operation(operation: object, reason: str | None = None) -> ApplyError:
    """Return the error for what should be an operation and is not.

    Args:
        operation: What came in its place.
        reason: What is wrong with it; by default what kind of thing was to come.

    Examples:
        >>> print(not_an_operation("A"))
        'A' is not an operation: those are tuples that start with an Op
    """
    if reason is None:
        reason = "those are tuples that start with an Op"
        if isinstance(operation, PatchOperations):
            reason = "apply patches one by one: for patch in patches: patch.apply(target)"
        elif isinstance(operation, Batch):
            reason = "apply what the batches were read from, or chain.from_iterable(batches)"
        elif isinstance(operation, Op):
            reason = "put a single operation into a list"
    return ApplyError(f"{_shortener.repr(operation)} is not an operation: {reason}")


def show_term(term: Any) -> str:
    """Return a term as N-Triples have it, or, where rdflib refuses to write it, as Python has it.

    Examples:
        >>> from rdflib import URIRef
        >>> show_term(URIRef("urn:s")), show_term(URIRef("a b"))
        ('<urn:s>', "rdflib.term.URIRef('a b')")
    """
    try:
        text: str = term.n3()
    except Exception:
        # An IRI with a space, for one.
        return _shortener.repr(term)
    return text


def _check_prefix(operation: tuple[Any, ...]) -> None:
    code, prefix, iri, graph = operation
    if not _is_text(prefix):
        raise not_an_operation(operation, "a prefix is a str")
    if not (_is_text(iri) or isinstance(iri, URIRef) or (iri is None and code == Op.PD)):
        raise not_an_operation(operation, "a prefix stands for an IRI")
    if graph is not None and not isinstance(graph, Node):
        raise not_an_operation(operation, "a graph is named by a term of rdflib")


def _is_text(value: object) -> bool:
    # rdflib's terms are str, too.
    return isinstance(value, str) and not isinstance(value, Node)


def _error(term: object, role: str) -> ApplyError:
    if isinstance(term, Graph):
        return ApplyError(
            f"{show_term(term.identifier)} is given as a Graph: give its identifier as {role}"
        )
    if isinstance(term, Node):
        return ApplyError(
            f"rdflib can't hold {show_term(term)} as {role}; read_operations or read_statements "
            "can give it to you"
        )
    return ApplyError(f"{_shortener.repr(term)} can't be {role}: it is not a term of rdflib")

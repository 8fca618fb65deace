"""What of a statement rdflib can hold."""

from __future__ import annotations

from rdflib.graph import Graph
from rdflib.term import IdentifiedNode, Literal, Node

from jelly_rdflib.errors import ApplyError

__all__ = ["check_graph", "check_statement", "not_an_operation"]


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
read_operations can give it to you
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
        ApplyError: It is neither an IRI nor a blank node.

    Examples:
        >>> check_graph(None)
    """
    if g is not None and not isinstance(g, IdentifiedNode):
        raise _error(g, "a graph's name")


def not_an_operation(operation: object) -> ApplyError:
    """Return the error for what should be an operation and is not."""
    return ApplyError(f"{operation!r} is not an operation: those are tuples that start with an Op")


def _error(term: object, role: str) -> ApplyError:
    if isinstance(term, Graph):
        return ApplyError(
            f"{term.identifier.n3()} is given as a Graph: give its identifier as {role}"
        )
    if isinstance(term, Node):
        return ApplyError(
            f"rdflib can't hold {term.n3()} as {role}; read_operations can give it to you"
        )
    return ApplyError(f"{term!r} can't be {role}: it is not a term of rdflib")

"""Terms that rdflib does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rdflib.term import Node

if TYPE_CHECKING:
    from rdflib.namespace import NamespaceManager

__all__ = ["TripleTerm"]


class TripleTerm(Node):
    """A quoted triple of RDF-star, as a term. Immutable and hashable.

    rdflib's stores can't hold it; operations can.

    Args:
        s, p, o: Terms of rdflib, or quoted triples.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> term = TripleTerm(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> term.n3()
        '<< <urn:s> <urn:p> "o" >>'
        >>> term == TripleTerm(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        True
    """

    __slots__ = ("o", "p", "s")

    s: Node
    p: Node
    o: Node

    def __init__(self, s: Node, p: Node, o: Node) -> None:
        object.__setattr__(self, "s", s)
        object.__setattr__(self, "p", p)
        object.__setattr__(self, "o", o)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"TripleTerm is immutable: can't set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"TripleTerm is immutable: can't delete {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripleTerm):
            return NotImplemented
        return self.s == other.s and self.p == other.p and self.o == other.o

    def __hash__(self) -> int:
        return hash((TripleTerm, self.s, self.p, self.o))

    def __reduce__(self) -> tuple[type[TripleTerm], tuple[Node, Node, Node]]:
        return (TripleTerm, (self.s, self.p, self.o))

    def __repr__(self) -> str:
        return f"TripleTerm({self.s!r}, {self.p!r}, {self.o!r})"

    def n3(self, namespace_manager: NamespaceManager | None = None) -> str:
        """Return the term in the syntax of Turtle-star: ``<< s p o >>``."""
        s, p, o = (term.n3(namespace_manager) for term in (self.s, self.p, self.o))
        return f"<< {s} {p} {o} >>"

"""Terms that rdflib does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rdflib.namespace import XSD
from rdflib.term import Literal, Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from rdflib.namespace import NamespaceManager


# Kept as a constant, since each lookup in a namespace is slow.
_STRING = XSD.string


def identity(term: Node) -> Any:
    """Return a key of a term: two terms have equal keys if they are the same by RDF 1.1.

    Literals are the same if their texts, their datatypes and, ignoring case, their language tags
    are equal; ``"x"`` has the datatype ``xsd:string`` (RDF 1.1 Concepts, section 3.3). Values are
    not compared: ``"1"`` and ``"01"`` are two integers. core/batch/identity.pxd does the same for
    the terms of batches.

    The result's hash has a secret seed, against hostile input. rdflib's hash of a literal is the
    hash of its text XOR that of its datatype, so all literals whose text is the IRI of their
    datatype have the same hash. A dict of such literals takes time that grows with the square of
    their number.

    Examples:
        >>> from rdflib import Literal, XSD
        >>> identity(Literal("x")) == identity(Literal("x", datatype=XSD.string))
        True
        >>> identity(Literal("x", lang="en-GB")) == identity(Literal("x", lang="en-gb"))
        True
    """
    if isinstance(term, Literal):
        datatype = term.datatype
        return str(term), (term.language or "").lower(), None if datatype == _STRING else datatype
    return term.plain if isinstance(term, TripleTerm) else term


def plain(term: Node) -> Node:
    """Return a term with ``"x"`` for ``"x"^^xsd:string``, also within quoted triples."""
    if isinstance(term, Literal):
        return Literal(str(term)) if term.datatype == _STRING else term
    return term.plain if isinstance(term, TripleTerm) else term


class TripleTerm(Node):
    """A quoted triple of RDF-star, as a term. Immutable and hashable.

    rdflib's stores can't hold it; operations can. Hash, comparison and text work at any depth of
    nesting, without recursion. Pickling or deep-copying a few hundred levels raises a
    RecursionError.

    Args:
        s, p, o: rdflib terms, or quoted triples.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> term = TripleTerm(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        >>> term.n3()
        '<< <urn:s> <urn:p> "o" >>'
        >>> term == TripleTerm(URIRef("urn:s"), URIRef("urn:p"), Literal("o"))
        True
    """

    __slots__ = ("_hash", "_plain", "o", "p", "s")

    # Both are computed when they are first needed.
    _hash: int
    _plain: TripleTerm
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
        pairs: list[tuple[Node, Node]] = [(self, other)]
        # Compare each pair only once, since a triple may be quoted in many places.
        seen: set[tuple[int, int]] = set()
        while pairs:
            one, two = pairs.pop()
            if one is two:
                continue
            if not (isinstance(one, TripleTerm) and isinstance(two, TripleTerm)):
                if one != two:
                    return False
            elif (id(one), id(two)) not in seen:
                seen.add((id(one), id(two)))
                pairs += ((one.o, two.o), (one.p, two.p), (one.s, two.s))
        return True

    def __hash__(self) -> int:
        # The innermost triples come first, so hashing an outer one finds their hashes ready.
        waiting: list[TripleTerm] = [self]
        while waiting:
            term = waiting.pop()
            inner = [
                node
                for node in (term.s, term.p, term.o)
                if isinstance(node, TripleTerm) and not hasattr(node, "_hash")
            ]
            if inner:
                waiting += (term, *inner)
            elif not hasattr(term, "_hash"):
                value = hash((TripleTerm, *map(identity, (term.s, term.p, term.o))))
                object.__setattr__(term, "_hash", value)
        return self._hash

    @property
    def plain(self) -> TripleTerm:
        """The same quoted triple with plain strings; see `jelly_rdflib.terms.plain`."""
        # The innermost triples come first, so the outer ones find them ready.
        waiting: list[TripleTerm] = [self]
        while waiting:
            term = waiting.pop()
            parts = (term.s, term.p, term.o)
            inner = [
                part
                for part in parts
                if isinstance(part, TripleTerm) and not hasattr(part, "_plain")
            ]
            if inner:
                waiting += (term, *inner)
            elif not hasattr(term, "_plain"):
                made = tuple(map(plain, parts))
                is_plain = all(one is two for one, two in zip(parts, made, strict=True))
                object.__setattr__(term, "_plain", term if is_plain else TripleTerm(*made))
                object.__setattr__(term._plain, "_plain", term._plain)
        return self._plain

    def __reduce__(self) -> tuple[type[TripleTerm], tuple[Node, Node, Node]]:
        return (TripleTerm, (self.s, self.p, self.o))

    def __repr__(self) -> str:
        return self._write("TripleTerm({}, {}, {})", repr)

    def n3(self, namespace_manager: NamespaceManager | None = None) -> str:
        """Return the term in the syntax of Turtle-star: ``<< s p o >>``."""
        return self._write("<< {} {} {} >>", lambda term: term.n3(namespace_manager))

    def _write(self, form: str, write: Callable[[Node], str]) -> str:
        """Return the text of the triple: ``form`` filled with the texts of the terms."""
        start, first_gap, second_gap, end = form.split("{}")
        parts: list[str] = []
        # A stack of the terms, and the texts between them, that remain to be written.
        waiting: list[Any] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, TripleTerm):
                waiting += (end, item.o, second_gap, item.p, first_gap, item.s, start)
            else:
                # A plain str is finished text; a term may be a str, too, but of a subclass.
                parts.append(item if type(item) is str else write(item))
        return "".join(parts)

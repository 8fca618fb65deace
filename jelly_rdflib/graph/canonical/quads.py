"""Statements with blank nodes, and how their terms are told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TypeAlias, TypeGuard

from rdflib.namespace import XSD
from rdflib.term import BNode, Literal, Node, URIRef

Quad: TypeAlias = tuple[Node, Node, Node, Node]
"""Subject, predicate, object and the graph's name."""

Describe: TypeAlias = Callable[[Node], str]
"""Says of a term that is no blank node what it is: equal terms, and only those, get one text."""

# Taken once: a namespace looks each name up in a slow way.
_STRING = XSD.string


class Known(URIRef):
    """Stands for a blank node of which it is known which one it is: its text is the label."""

    __slots__ = ()


_NOT_BLANK = frozenset({URIRef, Literal, Known})


def is_blank(term: object) -> TypeGuard[BNode]:
    """Is the term a blank node?

    Examples:
        >>> is_blank(BNode()), is_blank(URIRef("urn:s"))
        (True, False)
    """
    # rdflib's classes are abstract base classes, for which `isinstance` is slow.
    cls = type(term)
    return cls is BNode or (cls not in _NOT_BLANK and isinstance(term, BNode))


def describer(*, folds_strings: bool) -> Describe:
    """Return what describes terms.

    Args:
        folds_strings: Whether ``"x"`` and ``"x"^^xsd:string`` are the same.

    Examples:
        >>> describe = describer(folds_strings=True)
        >>> describe(Literal("x")) == describe(Literal("x", datatype=_STRING))
        True
        >>> describe(Literal("x", lang="en")) == describe(Literal("x", lang="EN"))
        True
    """

    def describe(term: Node) -> str:
        if isinstance(term, Literal):
            if term.language:
                return f"@{term.language.lower()} {term}"
            if term.datatype is None or (folds_strings and term.datatype == _STRING):
                return f'"{term}'
            return f"^{len(term.datatype)} {term.datatype}{term}"
        return f"={term}" if isinstance(term, Known) else f"<{term}"

    return describe


def join(texts: Iterable[str]) -> str:
    """Join texts so that no others come to the same.

    Examples:
        >>> join(["a", "bc"]) == join(["ab", "c"])
        False
    """
    return "".join(f"{len(text)} {text}" for text in texts)


def digest(texts: Iterable[str]) -> bytes:
    """Return a hash of texts, in which their order does not count."""
    hash = blake2b(digest_size=16)
    hash.update(join(sorted(texts)).encode("utf-8", "surrogatepass"))
    return hash.digest()


def lines_by_node(quads: Iterable[Quad]) -> dict[BNode, list[Quad]]:
    """Return for each blank node the statements it is in.

    Examples:
        >>> b, p = BNode("b"), URIRef("urn:p")
        >>> len(lines_by_node([(b, p, p, p), (b, p, b, p), (p, p, p, p)])[b])
        2
    """
    lines: dict[BNode, list[Quad]] = {}
    for quad in quads:
        for node in {term for term in quad if is_blank(term)}:
            lines.setdefault(node, []).append(quad)
    return lines


def split(quads: Iterable[Quad]) -> list[list[Quad]]:
    """Split statements that all have blank nodes into components: those that share any.

    Examples:
        >>> a, b, c, p = BNode("a"), BNode("b"), BNode("c"), URIRef("urn:p")
        >>> components = split([(a, p, p, p), (b, p, c, p), (p, p, c, p)])
        >>> sorted(map(len, components))
        [1, 2]
    """
    parents: dict[BNode, BNode] = {}

    def find(node: BNode) -> BNode:
        while (parent := parents[node]) is not node:
            # Each look shortens the way by a half.
            parents[node] = node = parents[parent]
        return node

    quads_of: dict[BNode, list[Quad]] = {}
    for quad in quads:
        first, *others = {term for term in quad if is_blank(term)}
        # The very object that is the key, so that a root can be known by that.
        root = find(parents.setdefault(first, first))
        quads_of.setdefault(root, []).append(quad)
        for node in others:
            parents[find(parents.setdefault(node, node))] = root
    components: dict[BNode, list[Quad]] = {}
    for node, some in quads_of.items():
        components.setdefault(find(node), []).extend(some)
    return list(components.values())

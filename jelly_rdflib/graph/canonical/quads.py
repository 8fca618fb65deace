"""Statements with blank nodes, and keys that distinguish their terms."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeAlias, TypeGuard, TypeVar

from rdflib.term import BNode, Literal, Node, URIRef

from jelly_rdflib.terms import identity

Quad: TypeAlias = tuple[Node, Node, Node, Node]
"""Subject, predicate, object and the graph's name."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Known(URIRef):
    """Stands for a blank node that is identified; the text is the node's label."""

    __slots__ = ()


_NOT_BLANK = frozenset({URIRef, Literal, Known})


def is_blank(term: object) -> TypeGuard[BNode]:
    """Return whether a term is a blank node."""
    # rdflib's classes are abstract base classes, for which `isinstance` is slow.
    cls = type(term)
    return cls is BNode or (cls not in _NOT_BLANK and isinstance(term, BNode))


def describe(term: Node) -> str:
    """Describe a term other than a blank node; only identical terms have the same description.

    `jelly_rdflib.terms.identity` defines which terms are the same.
    """
    if isinstance(term, Literal):
        text, language, datatype = identity(term)
        if language:
            return f"@{language} {text}"
        return f'"{text}' if datatype is None else f"^{len(datatype)} {datatype}{text}"
    return f"={term}" if isinstance(term, Known) else f"<{term}"


def spelling(term: Node) -> tuple[str, str]:
    """Return a sort key for the spellings of a term, which share one description."""
    if not isinstance(term, Literal):
        return "", ""
    return str(term.language or ""), str(term.datatype or "")


def join(texts: Iterable[str]) -> str:
    """Join texts so that two different lists of texts never give the same result."""
    return "".join(f"{len(text)} {text}" for text in texts)


def digest(texts: Iterable[str]) -> bytes:
    """Return a hash of texts, regardless of their order."""
    hash = blake2b(digest_size=16)
    hash.update(join(sorted(texts)).encode("utf-8", "surrogatepass"))
    return hash.digest()


def group(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Group the values of pairs by their keys."""
    groups: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def blank_nodes(quads: Iterable[Quad]) -> set[BNode]:
    """Return the blank nodes of statements."""
    return {term for quad in quads for term in quad if is_blank(term)}


def lines_by_node(quads: Iterable[Quad]) -> dict[BNode, list[Quad]]:
    """Return the statements of each blank node."""
    return group((node, quad) for quad in quads for node in blank_nodes([quad]))


def split(quads: Iterable[Quad]) -> list[list[Quad]]:
    """Split statements, each with a blank node, into components that share no blank node."""
    parents: dict[BNode, BNode] = {}

    def find(node: BNode) -> BNode:
        while (parent := parents[node]) is not node:
            # Path halving: each step halves the rest of the path to the root.
            parents[node] = node = parents[parent]
        return node

    quads_of: dict[BNode, list[Quad]] = {}
    for quad in quads:
        first, *others = blank_nodes([quad])
        # Use the object that is the key, so that a root can be recognized by identity.
        root = find(parents.setdefault(first, first))
        quads_of.setdefault(root, []).append(quad)
        for node in others:
            parents[find(parents.setdefault(node, node))] = root
    components: dict[BNode, list[Quad]] = {}
    for node, some in quads_of.items():
        components.setdefault(find(node), []).extend(some)
    return list(components.values())

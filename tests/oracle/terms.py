"""Represents terms as plain tuples, and compares rdflib's terms exactly.

A plain term is one of

- ``("iri", text)``; in statements `DEFAULT_GRAPH` is the default graph, which is None in
  operations
- ``("bnode", label)``
- ``("literal", lex, language or None, datatype or None)`` or, with a base direction, which rdflib's
  terms lack, ``("literal", lex, language, None, "ltr" or "rtl")``
- ``("triple", s, p, o)``

A plain operation is the package's tuple with the name of its code and with plain terms.
"""

import xml.dom.minidom
from typing import Any, TypeAlias

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import BNode, Literal, URIRef

from jelly_rdflib.operations import Op
from jelly_rdflib.terms import TripleTerm

Plain: TypeAlias = tuple[Any, ...]

DEFAULT_GRAPH: Plain = ("iri", str(DATASET_DEFAULT_GRAPH_ID))

XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


def plain(term: Any) -> Plain:
    """Return an rdflib term as a plain tuple; its class must be exactly one of the four classes."""
    kind = type(term)
    if kind is URIRef:
        return ("iri", str(term))
    if kind is BNode:
        return ("bnode", str(term))
    if kind is Literal:
        language, datatype = term.language, term.datatype
        assert language is None or type(language) is str
        assert datatype is None or type(datatype) is URIRef
        return ("literal", str(term), language, None if datatype is None else str(datatype))
    if kind is TripleTerm:
        return ("triple", plain(term.s), plain(term.p), plain(term.o))
    raise AssertionError(f"{term!r} is not a term: its class is {kind}")


def _optional(term: Any) -> Plain | None:
    return None if term is None else plain(term)


def plain_operation(operation: Any) -> Plain:
    """Return a package operation as a plain tuple; assert that its shape is as documented."""
    assert type(operation) is tuple, operation
    op = operation[0]
    assert type(op) is Op, operation
    if op is Op.H:
        _, key, value = operation
        assert type(key) is str, operation
        return ("H", key, plain(value))
    if op in (Op.PA, Op.PD):
        _, prefix, iri, graph = operation
        assert type(prefix) is str, operation
        return (op.name, prefix, _optional(iri), _optional(graph))
    if op in (Op.A, Op.D):
        _, s, p, o, g = operation
        return (op.name, plain(s), plain(p), plain(o), _optional(g))
    assert len(operation) == 1, operation
    return (op.name,)


def node(term: Plain, normalize: bool | None = False) -> Any:
    """Return the term that rdflib's constructors create from a plain term."""
    kind = term[0]
    if kind == "iri":
        return URIRef(term[1])
    if kind == "bnode":
        return BNode(term[1])
    if kind == "literal":
        _, lex, language, datatype = term
        return Literal(lex, lang=language, datatype=datatype, normalize=normalize)
    _, s, p, o = term
    return TripleTerm(node(s, normalize), node(p, normalize), node(o, normalize))


def operation(plain_op: Plain, normalize: bool | None = False) -> Plain:
    """Return the package's operation for a plain one, with terms made by rdflib's constructors."""

    def item(value: Any) -> Any:
        return node(value, normalize) if isinstance(value, tuple) else value

    return (Op[plain_op[0]], *map(item, plain_op[1:]))


def as_written(operations: list[Plain]) -> list[Plain]:
    """Return operations with the terms that rdflib's constructors make of them."""
    return [plain_operation(operation(op)) for op in operations]


def with_default_graph(plain_op: Plain) -> Plain:
    """Return an operation of a quad stream, with `DEFAULT_GRAPH` for a missing graph."""
    if plain_op[0] in ("A", "D", "PA", "PD"):
        return (*plain_op[:-1], plain_op[-1] or DEFAULT_GRAPH)
    return plain_op


def with_simple_strings(value: Any) -> Any:
    """Return terms or operations with xsd:string literals replaced by simple literals."""
    if not isinstance(value, tuple):
        return value
    if value[:1] == ("literal",) and value[2:] == (None, XSD_STRING):
        return ("literal", value[1], None, None)
    return tuple(map(with_simple_strings, value))


def _same_value(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, xml.dom.minidom.Node):
        if isinstance(a, xml.dom.minidom.DocumentFragment):
            parts = zip(a.childNodes, b.childNodes, strict=True)
            return all(x.toxml() == y.toxml() for x, y in parts)
        return bool(a.toxml() == b.toxml())
    # The repr distinguishes -0.0 from 0.0, and any two NaNs have the same repr.
    return repr(a) == repr(b)


def same_term(a: Any, b: Any) -> bool:
    """Return whether two terms agree in every attribute, including the values of literals."""
    if type(a) is not type(b):
        return False
    if isinstance(a, TripleTerm):
        return same_term(a.s, b.s) and same_term(a.p, b.p) and same_term(a.o, b.o)
    if not isinstance(a, Literal):
        return str(a) == str(b)
    return (
        str(a) == str(b)
        and a.language == b.language
        and type(a.language) is type(b.language)
        and a.datatype == b.datatype
        and type(a.datatype) is type(b.datatype)
        and a.ill_typed is b.ill_typed
        and _same_value(a.value, b.value)
    )

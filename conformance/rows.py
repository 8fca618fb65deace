"""Short functions that make rows, frames and streams with protobuf's classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance import schema as pb
from conformance.wire import varint

__all__ = [
    "FLAT",
    "FRAME",
    "PUNCTUATED",
    "QUADS",
    "TRIPLES",
    "abort",
    "add",
    "bare",
    "begin",
    "commit",
    "datatype",
    "delete",
    "delimited",
    "frame",
    "header",
    "iri",
    "literal",
    "name",
    "options",
    "prefix",
    "prefix_add",
    "prefix_delete",
    "punctuation",
    "quad",
    "set_term",
    "stream",
    "triple",
]

FRAME, FLAT, PUNCTUATED = 1, 2, 3
TRIPLES, QUADS = 1, 2

_QUAD_FIELDS = {
    "s": ("s_iri", "s_bnode", "s_literal", "s_triple_term"),
    "p": ("p_iri", "p_bnode", "p_literal", "p_triple_term"),
    "o": ("o_iri", "o_bnode", "o_literal", "o_triple_term"),
    "g": ("g_iri", "g_bnode", "g_literal", "g_default_graph"),
    "h": ("h_iri", "h_bnode", "h_literal", "h_triple_term"),
}


def options(**changes: Any) -> Any:
    """Return an options row: FLAT, TRIPLES, lookups of 16 entries, changed by ``changes``."""
    fields: dict[str, Any] = {
        "statement_type": TRIPLES,
        "stream_type": FLAT,
        "max_name_table_size": 16,
        "max_prefix_table_size": 16,
        "max_datatype_table_size": 16,
        "version": 1,
    }
    return pb.RdfPatchRow(options=pb.RdfPatchOptions(**{**fields, **changes}))


def name(value: str, id: int = 0) -> Any:
    """Return an entry of the name lookup; id 0 stands for the last id plus 1."""
    return pb.RdfPatchRow(name=pb.RdfNameEntry(id=id, value=value))


def prefix(value: str, id: int = 0) -> Any:
    """Return an entry of the prefix lookup."""
    return pb.RdfPatchRow(prefix=pb.RdfPrefixEntry(id=id, value=value))


def datatype(value: str, id: int = 0) -> Any:
    """Return an entry of the datatype lookup."""
    return pb.RdfPatchRow(datatype=pb.RdfDatatypeEntry(id=id, value=value))


def iri(prefix_id: int = 0, name_id: int = 0) -> Any:
    """Return an IRI, given by the ids of its prefix and name."""
    return pb.RdfIri(prefix_id=prefix_id, name_id=name_id)


def literal(lex: str = "", lang: str | None = None, datatype: int | None = None) -> Any:
    """Return a literal with a language, with the id of a datatype, or with neither."""
    message = pb.RdfLiteral(lex=lex)
    if lang is not None:
        message.langtag = lang
    if datatype is not None:
        message.datatype = datatype
    return message


def set_term(message: Any, position: str, term: Any) -> None:
    """Set one term of a message: a str makes a blank node; None leaves the term out."""
    iri_field, bnode_field, literal_field, triple_field = _QUAD_FIELDS[position]
    if term is None:
        return
    if isinstance(term, str):
        setattr(message, bnode_field, term)
        return
    field = {
        "RdfIri": iri_field,
        "RdfLiteral": literal_field,
        "RdfTriple": triple_field,
        "RdfDefaultGraph": "g_default_graph",
    }[type(term).__name__]
    getattr(message, field).CopyFrom(term)
    getattr(message, field).SetInParent()


def triple(s: Any = None, p: Any = None, o: Any = None) -> Any:
    """Return a quoted triple."""
    message = pb.RdfTriple()
    for position, term in zip("spo", (s, p, o), strict=True):
        set_term(message, position, term)
    return message


def quad(s: Any = None, p: Any = None, o: Any = None, g: Any = None) -> Any:
    """Return a statement; omitted terms repeat."""
    message = pb.RdfQuad()
    for position, term in zip("spog", (s, p, o, g), strict=True):
        set_term(message, position, term)
    return message


def add(s: Any = None, p: Any = None, o: Any = None, g: Any = None) -> Any:
    """Return a row that adds a statement."""
    return pb.RdfPatchRow(statement_add=quad(s, p, o, g))


def delete(s: Any = None, p: Any = None, o: Any = None, g: Any = None) -> Any:
    """Return a row that deletes a statement."""
    return pb.RdfPatchRow(statement_delete=quad(s, p, o, g))


def _namespace(name: str, value: Any, g: Any) -> Any:
    message = pb.RdfPatchNamespace(name=name)
    if value is not None:
        message.value.CopyFrom(value)
        message.value.SetInParent()
    set_term(message, "g", g)
    return message


def prefix_add(name: str, value: Any = None, g: Any = None) -> Any:
    """Return a row that adds a namespace."""
    return pb.RdfPatchRow(namespace_add=_namespace(name, value, g))


def prefix_delete(name: str, value: Any = None, g: Any = None) -> Any:
    """Return a row that deletes a namespace."""
    return pb.RdfPatchRow(namespace_delete=_namespace(name, value, g))


def header(key: str, value: Any = None) -> Any:
    """Return a header."""
    message = pb.RdfPatchHeader(key=key)
    set_term(message, "h", value)
    return pb.RdfPatchRow(header=message)


def begin() -> Any:
    """Return a row that starts a transaction."""
    return pb.RdfPatchRow(transaction_start={})


def commit() -> Any:
    """Return a row that commits a transaction."""
    return pb.RdfPatchRow(transaction_commit={})


def abort() -> Any:
    """Return a row that aborts a transaction."""
    return pb.RdfPatchRow(transaction_abort={})


def punctuation() -> Any:
    """Return a punctuation mark."""
    return pb.RdfPatchRow(punctuation={})


def frame(*rows: Any) -> bytes:
    """Return the bytes of one frame, without its length."""
    return bytes(pb.RdfPatchFrame(rows=rows).SerializeToString())


bare = frame


def delimited(frames: Iterable[bytes]) -> bytes:
    """Return the frames as one stream, each preceded by its length."""
    return b"".join(varint(len(data)) + data for data in frames)


def stream(*frames: Iterable[Any]) -> bytes:
    """Return a delimited stream of frames, each a list of rows."""
    return delimited(frame(*rows) for rows in frames)

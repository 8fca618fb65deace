"""Reads and writes RDF Patch in Thrift with thriftpy2, which loads the schema's own file.

The library shares no code with the package under test. It has its own parser of the schema, and its
own implementation of the compact protocol, in pure Python.
"""

import io
from collections.abc import Iterable
from typing import Any

import thriftpy2
from thriftpy2.protocol.compact import TCompactProtocol

from tests.oracle.schema import PROTO_DIR
from tests.oracle.terms import Plain

SCHEMA: Any = thriftpy2.load(
    str(PROTO_DIR / "rdf-patch.thrift"),
    module_name="rdf_patch_thrift",
)

MARKS = {"TX": "TX", "TC": "TC", "TA": "TA", "END": "Segment"}


def encode(message: Any) -> bytes:
    """Return the bytes of a message of any kind."""
    buffer = io.BytesIO()
    TCompactProtocol(buffer).write_struct(message)
    return buffer.getvalue()


def decode(data: bytes, kind: Any) -> list[Any]:
    """Return the messages of `kind` that follow one another in `data`."""
    buffer = io.BytesIO(data)
    protocol = TCompactProtocol(buffer)
    messages = []
    while buffer.tell() < len(data):
        message = kind()
        protocol.read_struct(message)
        messages.append(message)
    return messages


def rows_to_bytes(operations: Iterable[Plain]) -> bytes:
    """Return the bytes of the rows for plain operations; an END is a Segment."""
    return b"".join(encode(row(operation)) for operation in operations)


def row(operation: Plain) -> Any:
    """Return the row of a plain operation."""
    op, *items = operation
    if op == "H":
        header = SCHEMA.Patch_Header(name=items[0], value=term(items[1]))
        return SCHEMA.RDF_Patch_Row(header=header)
    if op in MARKS:
        return SCHEMA.RDF_Patch_Row(txn=getattr(SCHEMA.PatchTxn, MARKS[op]))
    if op == "PA":
        prefix, (_, iri), graph = items
        data = SCHEMA.Patch_Prefix_Add(graphNode=term(graph), prefix=prefix, iriStr=iri)
        return SCHEMA.RDF_Patch_Row(prefixAdd=data)
    if op == "PD":
        data = SCHEMA.Patch_Prefix_Del(graphNode=term(items[2]), prefix=items[0])
        return SCHEMA.RDF_Patch_Row(prefixDel=data)
    s, p, o, g = map(term, items)
    if op == "A":
        return SCHEMA.RDF_Patch_Row(dataAdd=SCHEMA.Patch_Data_Add(s=s, p=p, o=o, g=g))
    return SCHEMA.RDF_Patch_Row(dataDel=SCHEMA.Patch_Data_Del(s=s, p=p, o=o, g=g))


def term(plain: Plain | None) -> Any:
    """Return the RDF_Term of a plain term."""
    if plain is None:
        return None
    kind, *items = plain
    if kind == "iri":
        return SCHEMA.RDF_Term(iri=SCHEMA.RDF_IRI(iri=items[0]))
    if kind == "bnode":
        return SCHEMA.RDF_Term(bnode=SCHEMA.RDF_BNode(label=items[0]))
    if kind == "literal":
        lex, language, datatype = items
        literal = SCHEMA.RDF_Literal(lex=lex, langtag=language, datatype=datatype)
        return SCHEMA.RDF_Term(literal=literal)
    s, p, o = map(term, items)
    return SCHEMA.RDF_Term(tripleTerm=SCHEMA.RDF_Triple(S=s, P=p, O=o))


def operation(row: Any) -> Plain:
    """Return the plain operation of a row."""
    ((name, value),) = _members(row)
    if name == "header":
        return ("H", value.name, plain(value.value))
    if name == "txn":
        return ({0: "TX", 1: "TC", 2: "TA", 3: "END"}[value],)
    if name == "prefixAdd":
        return ("PA", value.prefix, ("iri", value.iriStr), plain(value.graphNode))
    if name == "prefixDel":
        return ("PD", value.prefix, None, plain(value.graphNode))
    quad = tuple(map(plain, (value.s, value.p, value.o, value.g)))
    return ({"dataAdd": "A", "dataDel": "D"}[name], *quad)


def plain(term: Any) -> Plain | None:
    """Return the plain term of an RDF_Term."""
    if term is None:
        return None
    ((name, value),) = _members(term)
    if name == "iri":
        return ("iri", value.iri)
    if name == "bnode":
        return ("bnode", value.label)
    if name == "literal":
        assert value.dtPrefix is value.baseDirection is None
        return ("literal", value.lex, value.langtag, value.datatype)
    assert name == "tripleTerm"
    return ("triple", plain(value.S), plain(value.P), plain(value.O))


def _members(message: Any) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in vars(message).items() if value is not None]

"""Tests the rules that both formats share on Jelly-RDF, with the cases of Jelly-Patch's suite.

A case's name says what the case shows; `tests/conformance/patch` runs it on Jelly-Patch itself.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from conformance import document
from conformance.manifest import Entry, read_suite
from tests.conformance.patch.package import from_document_terms
from tests.core.jelly.formats import RDF, RDF_QUADS
from tests.oracle import rdf_build as b
from tests.oracle import schema as pb
from tests.oracle import wire
from tests.oracle.terms import Plain

FOLDERS = ("frames", "ids", "lookups", "namespaces", "options", "repeats", "rows", "terms")
# Cases with these words in their names contain bytes that can't be parsed as messages.
UNREADABLE = ("cut_off", "bytes_behind", "a_thousand_deep")
# Jelly-RDF lacks these features or has them in another form. In the suite, xsd:string also equals a
# missing datatype.
APART = ("stream_type", "changed_type", "version_2", "graph_of_namespace", "xsd_string")


def to_row(row: Any, statement_type: int) -> Any:
    """Return a row of a patch as a row of statements, or None if there is no equivalent."""
    kind = row.WhichOneof("row")
    content = getattr(row, kind) if kind else None
    if kind == "options":
        fields = {field.name: value for field, value in content.ListFields()}
        fields["physical_type"] = fields.pop("statement_type", 0)
        del fields["stream_type"]
        return pb.RdfStreamRow(options=pb.RdfStreamOptions(**fields))
    if kind in ("statement_add", "statement_delete"):
        if statement_type == b.QUADS:
            return pb.RdfStreamRow(quad=content)
        return pb.RdfStreamRow(triple=pb.RdfTriple.FromString(content.SerializeToString()))
    if kind == "namespace_add":
        fields = {field.name: value for field, value in content.ListFields()}
        return pb.RdfStreamRow(namespace=pb.RdfNamespaceDeclaration(**fields))
    if kind in ("name", "prefix", "datatype"):
        return pb.RdfStreamRow(**{kind: content})
    return pb.RdfStreamRow() if kind is None else None


def to_rdf(data: bytes) -> tuple[int, bytes]:
    """Return the type and the statements of `data`, a stream of patches, as Jelly-RDF."""
    is_bare = wire.looks_bare(data)
    messages = [
        pb.RdfPatchFrame.FromString(part) for part in ([data] if is_bare else wire.split(data))
    ]
    options = [row.options for message in messages for row in message.rows[:1]]
    statement_type = options[0].statement_type if options else b.TRIPLES
    frames = []
    for message in messages:
        rows = [to_row(row, statement_type) for row in message.rows]
        frames.append(b.frame(*(row for row in rows if row is not None)))
    return statement_type, frames[0] if is_bare else b.delimited(frames)


def of_statements(entry: Entry) -> bool:
    """Return whether a case has only statements, and namespaces without a graph."""
    _, folder, name = entry.name.split("/")
    if folder not in FOLDERS or entry.refusal == "may" or any(map(name.count, UNREADABLE + APART)):
        return False
    data = entry.action.read_bytes()
    for part in [data] if wire.looks_bare(data) else wire.split(data):
        for row in pb.RdfPatchFrame.FromString(part).rows:
            kind = row.WhichOneof("row") or ""
            if kind in ("header", "namespace_delete") or kind.startswith("transaction"):
                return False
            if kind == "namespace_add" and row.namespace_add.WhichOneof("graph"):
                return False
    return True


def said(entry: Entry) -> Iterator[Plain]:
    """Yield the result of a case as statements and namespaces."""
    assert entry.result is not None
    for patch in document.load(entry.result.read_bytes())["patches"]:
        for op, *terms in patch:
            yield ("A" if op == "D" else op, *from_document_terms(tuple(terms)))


CASES = [entry for entry in read_suite() if entry.kind == "from_jelly" and of_statements(entry)]


def test_there_are_cases() -> None:
    assert len(CASES) > 150


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: entry.name.partition("/")[2])
def test_case(entry: Entry) -> None:
    statement_type, data = to_rdf(entry.action.read_bytes())
    f = RDF_QUADS if statement_type == b.QUADS else RDF
    if entry.refusal is not None:
        f.refuse(data)
    elif entry.result is not None:
        assert f.operations(data) == list(said(entry))

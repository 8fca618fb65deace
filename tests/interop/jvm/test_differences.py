"""Tests where we differ from the JVM; docs/interop.md lists each difference and who is right."""

import io
from typing import Any, ClassVar

import pytest

import jelly_rdflib as jr
from tests.interop.jvm import test_binary_rdf, test_statements
from tests.interop.jvm.inputs import (
    END,
    FEATURES,
    NEEDS,
    PRESETS,
    THING,
    G,
    P,
    S,
    allows,
    iri,
    preset_fields,
    text,
)
from tests.interop.jvm.peer import Peer, PeerError
from tests.oracle import schema
from tests.oracle.terms import DEFAULT_GRAPH, Plain, plain_operation
from tests.support import read, refuse, write

QUADS: dict[str, Any] = {
    "preset": "BIG_STRICT",
    "stream": "PUNCTUATED",
    "statements": "QUADS",
    "rows": 512,
    "delimited": True,
}
STATEMENT = ("A", S, P, THING, G)


def add_prefix(graph: Plain | None) -> Plain:
    return ("PA", "ex", iri(""), graph)


@pytest.mark.parametrize(
    ("name", "preset"),
    [(name, preset) for name in NEEDS for preset in PRESETS if not allows(preset, name)],
)
class TestWhatTheOptionsRuleOut:
    """Jelly-JVM writes and reads terms that the options exclude."""

    def test_patches(self, peer: Peer, name: str, preset: str) -> None:
        operations = FEATURES[name]
        data = peer.write_changes(operations, "jellyp", **{**QUADS, "preset": preset})
        assert peer.read_changes(data, "jellyp") == operations
        refuse(data, row=True)
        with pytest.raises(jr.EncodeError, match=r"rdf_star|generalized_statements"):
            write(operations, jr.PatchOptions(**preset_fields(preset)))

    def test_statements(self, peer: Peer, name: str, preset: str) -> None:
        statements = test_statements.statements_of(FEATURES[name], "QUADS")
        data = peer.write_statements(
            statements,
            "jelly",
            statements="QUADS",
            preset=preset,
            rows=256,
            delimited=True,
            namespaces=False,
        )
        assert peer.read_statements(data, "jelly") == (statements, [])
        with pytest.raises(jr.DecodeError, match="options do not have"):
            test_statements.read(data)
        with pytest.raises(jr.EncodeError, match=r"rdf_star|generalized_statements"):
            test_statements.write(statements, jr.StreamOptions(**preset_fields(preset)))


class TestPrefixesWithoutAGraph:
    """Jena has prefixes without a graph, but a quad stream does not."""

    def test_the_first_row_with_a_graph_has_none(self, peer: Peer) -> None:
        data = peer.write_changes([add_prefix(None), END], "jellyp", **QUADS)
        assert read(data) == [add_prefix(None), END]
        assert [fault.rule for fault in jr.validate(io.BytesIO(data))] == ["namespace-graph"]
        assert peer.read_changes(data, "jellyp") == [add_prefix(None), END]

    def test_behind_a_statement_it_is_its_graph(self, peer: Peer) -> None:
        data = peer.write_changes([STATEMENT, add_prefix(None), END], "jellyp", **QUADS)
        assert read(data) == [STATEMENT, add_prefix(G), END]
        assert peer.read_changes(data, "jellyp") == [STATEMENT, add_prefix(G), END]

    def test_we_write_the_default_graph(self, peer: Peer) -> None:
        data = write([STATEMENT, add_prefix(None), END])
        assert peer.read_changes(data, "jellyp") == [STATEMENT, add_prefix(DEFAULT_GRAPH), END]


class TestGraphsAmongTriples:
    """A triple stream has no graphs, but Jelly-JVM writes the graphs of prefixes into it."""

    TRIPLES: ClassVar[dict[str, Any]] = {**QUADS, "statements": "TRIPLES"}
    TRIPLE = (*STATEMENT[:-1], None)

    def test_that_of_a_statement_is_left_out(self, peer: Peer) -> None:
        data = peer.write_changes([STATEMENT, END], "jellyp", **self.TRIPLES)
        assert read(data) == [self.TRIPLE, END]
        assert peer.read_changes(data, "jellyp") == [self.TRIPLE, END]

    def test_that_of_a_prefix_is_ignored_but_counted(self, peer: Peer) -> None:
        prefixes = [add_prefix(G), ("PD", "ex", None, P), self.TRIPLE, ("PD", "ex", None, G)]
        data = peer.write_changes([*prefixes, self.TRIPLE, END], "jellyp", **self.TRIPLES)
        deleted = ("PD", "ex", None, None)
        assert read(data) == [add_prefix(None), deleted, self.TRIPLE, deleted, self.TRIPLE, END]
        assert peer.read_changes(data, "jellyp") == [*prefixes, self.TRIPLE, END]
        assert "graph-in-triples" in {fault.rule for fault in jr.validate(io.BytesIO(data))}

    @pytest.mark.parametrize("row", [STATEMENT, add_prefix(G)])
    def test_we_write_neither(self, row: Plain) -> None:
        with pytest.raises(jr.EncodeError, match="in a stream of triples"):
            write([row], jr.PatchOptions(statement_type="TRIPLES"))


def test_the_iri_of_a_deleted_prefix_is_lost_in_jena(peer: Peer) -> None:
    operations = [("PD", "ex", iri(""), G), END]
    data = write(operations)
    assert read(data) == operations
    assert peer.read_changes(data, "jellyp") == [("PD", "ex", None, G), END]


@pytest.mark.parametrize(
    ("tag", "theirs"),
    [("EN-gb", "en-GB"), ("en-us", "en-US"), ("ZH-hANT-tw", "zh-Hant-TW"), ("X-A1", "x-a1")],
)
def test_jena_spells_languages_anew(peer: Peer, tag: str, theirs: str) -> None:
    data = write([("H", "k", ("literal", "x", tag, None)), END])
    assert read(data)[0][2][2] == tag
    assert peer.read_changes(data, "jellyp")[0][2][2] == theirs


def test_a_string_has_no_datatype_in_jena(peer: Peer) -> None:
    string = ("literal", "x", None, "http://www.w3.org/2001/XMLSchema#string")
    data = peer.write_changes([("H", "k", string), END], "jellyp", **QUADS)
    assert read(data) == [("H", "k", text("x")), END]


@pytest.mark.parametrize(("stream", "theirs"), [("FRAME", b"\0"), ("FLAT", b"\0")])
def test_a_patch_without_operations(peer: Peer, stream: str, theirs: bytes) -> None:
    assert peer.write_changes([END], "jellyp", **{**QUADS, "stream": stream}) == theirs
    refuse(theirs)
    options = jr.PatchOptions(stream_type=stream)
    ends = [END] if stream == "FRAME" else []
    assert peer.read_changes(write([END], options), "jellyp") == ends


def test_jelly_jvm_goes_on_in_a_frame_behind_a_mark(peer: Peer) -> None:
    operations = [STATEMENT, END, STATEMENT, END]
    data = peer.write_changes(operations, "jellyp", **{**QUADS, "delimited": False})
    kinds = [row.WhichOneof("row") for row in schema.RdfPatchFrame.FromString(data).rows]
    assert kinds[-3:] == ["punctuation", "statement_add", "punctuation"]
    assert read(data) == operations
    info = jr.inspect(write(operations))
    assert info.frames == 2
    assert jr.inspect(peer.write_changes(operations, "jellyp", **QUADS)).frames == 1


def test_jena_reads_quoted_triples_as_rdf_1_2_has_them(peer: Peer) -> None:
    row = b"A <urn:s> <urn:p> %s .\n"
    new, old = row % b"<<( <urn:s> <urn:p> <urn:o> )>>", row % b"<< <urn:s> <urn:p> <urn:o> >>"
    ours = [plain_operation(op) for op in jr.read_operations(new, format="rdf-patch")]
    assert ours == [plain_operation(op) for op in jr.read_operations(old, format="rdf-patch")]
    assert peer.read_changes(new, "rdfp") == ours[:-1]
    with pytest.raises(PeerError, match="Expect a Node"):
        peer.read_changes(old, "rdfp")


def test_jena_writes_quoted_subjects_in_n_quads(peer: Peer) -> None:
    statements = [(("triple", S, P, THING), P, THING, G)]
    data = peer.write_statements(statements, "nq")
    with pytest.raises(PeerError, match="Expected BNode or IRI"):
        peer.read_statements(data, "nq")
    with pytest.raises(jr.DecodeError, match="a subject or graph must be an IRI or a blank node"):
        list(jr.read_statements(data, format="nq"))
    with pytest.raises(jr.EncodeError, match="can't be a subject"):
        test_binary_rdf.write(statements, "nq")


@pytest.mark.parametrize("row", [("H", "k", ("bnode", "b 0")), ("H", "two words", iri("x"))])
def test_jena_does_not_quote_labels_and_keys_in_text(peer: Peer, row: Plain) -> None:
    data = peer.write_changes([row], "rdfp")
    with pytest.raises(PeerError):
        peer.read_changes(data, "rdfp")
    with pytest.raises(jr.DecodeError):
        list(jr.read_operations(data, format="rdf-patch"))


@pytest.mark.parametrize(
    ("target", "row"),
    [("rdfp", add_prefix(DEFAULT_GRAPH)), ("rdfpb", ("A", S, P, THING, DEFAULT_GRAPH))],
)
def test_jena_names_the_default_graph(peer: Peer, target: str, row: Plain) -> None:
    data = peer.write_changes([row], target)
    assert b"urn:x-arq:DefaultGraphNode" in data
    found = [plain_operation(op) for op in jr.read_operations(data, format=target)]
    assert found == [(*row[:-1], None), END]


@pytest.mark.parametrize(("source", "labels"), [(b"<_:%s>", ("ab", "bb")), (b"_:%s", ("b", "b"))])
def test_jena_drops_a_character_of_labels_in_text(
    peer: Peer, source: bytes, labels: tuple[str, str]
) -> None:
    """Jena drops the first character of ``_:label``; we read this form, but write another one."""
    rows = [b"A %s <urn:p> <urn:o> .\n" % (source % label) for label in (b"ab", b"bb")]
    data = b"".join(rows)
    theirs = peer.read_changes(data, "rdfp")
    assert tuple(row[1] for row in theirs) == tuple(("bnode", label) for label in labels)
    ours = [plain_operation(op) for op in jr.read_operations(data, format="rdf-patch")]
    assert [row[1] for row in ours[:-1]] == [("bnode", "ab"), ("bnode", "bb")]
    file = io.BytesIO()
    with jr.PatchWriter(file, format="rdf-patch") as writer:
        writer.write_all(jr.read_operations(data, format="rdf-patch"))
    assert peer.read_changes(file.getvalue(), "rdfp")[:2] == ours[:2]

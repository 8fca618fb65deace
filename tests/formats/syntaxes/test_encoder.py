"""Tests writing texts: their form, refused statements, and the text that remains after an error."""

import io
from typing import Any

import pyoxigraph
import pytest
from rdflib import BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

import jelly_rdflib as jr
from jelly_rdflib import TripleTerm
from jelly_rdflib.formats import FORMATS, find_format
from jelly_rdflib.formats.syntaxes.encoder import strip_ends
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import StatementSink
from tests.formats.syntaxes.support import (
    ALL,
    PARSED,
    WITH_GRAPHS,
    batches_of,
    literal,
    operations,
    read,
    write,
)
from tests.formats.syntaxes.test_reader import O, P, S
from tests.oracle.terms import Plain

s, p, o, g = (URIRef(f"urn:{letter}") for letter in "spog")
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
EX = Namespace("http://e.org/")


class TestDocuments:
    """The text of a document is exactly the expected one."""

    STATEMENTS: tuple[Any, ...] = (
        (EX.s, EX.p, Literal("x"), None),
        (EX.s, EX.p, Literal(1), None),
        (EX.s, URIRef(RDF + "type"), EX.T, None),
        (BNode("b"), EX.p, Literal('"', lang="en"), None),
    )

    @pytest.mark.parametrize(
        ("format", "text"),
        [
            (
                "n-triples",
                '<http://e.org/s> <http://e.org/p> "x" .\n'
                "<http://e.org/s> <http://e.org/p>"
                ' "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
                f"<http://e.org/s> <{RDF}type> <http://e.org/T> .\n"
                '_:b <http://e.org/p> "\\""@en .\n',
            ),
            (
                "turtle",
                '@prefix e: <http://e.org/> .\ne:s e:p "x" , 1 ;\n\ta e:T .\n_:b e:p "\\""@en .\n',
            ),
            (
                "rdf-xml",
                '<?xml version="1.0" encoding="UTF-8"?>\n'
                f'<rdf:RDF xmlns:e="http://e.org/" xmlns:rdf="{RDF}">\n'
                '\t<rdf:Description rdf:about="http://e.org/s">\n'
                "\t\t<e:p>x</e:p>\n"
                '\t\t<e:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</e:p>\n'
                '\t\t<rdf:type rdf:resource="http://e.org/T"/>\n'
                "\t</rdf:Description>\n"
                '\t<rdf:Description rdf:nodeID="b">\n'
                '\t\t<e:p xml:lang="en">&quot;</e:p>\n'
                "\t</rdf:Description>\n"
                "</rdf:RDF>\n",
            ),
            (
                "json-ld",
                '[{"@id":"http://e.org/s","http://e.org/p":[{"@value":"x"},'
                '{"@type":"http://www.w3.org/2001/XMLSchema#integer","@value":"1"}],'
                f'"{RDF}type":[{{"@id":"http://e.org/T"}}]}},'
                '{"@id":"_:b","http://e.org/p":[{"@language":"en","@value":"\\""}]}]\n',
            ),
        ],
    )
    def test_they_look_as_usual(self, format: str, text: str) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, format=format) as writer:
            writer.add_namespace("e", EX)
            writer.write_all(self.STATEMENTS)
        # Some versions of pyoxigraph declare an additional prefix.
        its = ' xmlns:its="http://www.w3.org/2005/11/its"'
        assert file.getvalue().decode().replace(its, "") == text

    @pytest.mark.parametrize("format", ALL)
    def test_empty_ones(self, format: str) -> None:
        text = write([], format, [("e", EX)])
        assert read(text, format) == []
        if format in ("rdf-xml", "json-ld"):
            assert text

    @pytest.mark.slow
    @pytest.mark.parametrize("format", ALL)
    def test_many_statements_are_one_document(self, format: str) -> None:
        """Many statements form one document, though the encoder writes a few thousand at a time."""
        statements: list[Plain] = [
            (("iri", f"urn:{i // 3}"), P, literal(str(i) * 5)) for i in range(30_000)
        ]
        pieces: list[bytes] = []
        encoder = find_format(format).make_encoder(NODE_TYPES, None, pieces.append)
        sink = StatementSink(NODE_TYPES, encoder)
        for subject, _, value in statements:
            sink.add(URIRef(subject[1]), p, Literal(value[1]))
        assert len(pieces) > 1
        encoder.finish()
        assert [tuple(one[:3]) for one in read(b"".join(pieces), format)] == statements
        if format in ("turtle", "rdf-xml", "json-ld"):
            rdflib_name = {"rdf-xml": "xml"}.get(format, format)
            assert len(Graph().parse(data=b"".join(pieces), format=rdflib_name)) == 30_000

    def test_graphs_in_trig(self) -> None:
        statements: list[Plain] = [
            (S, P, O, ("iri", "urn:g")),
            (S, P, O, ("bnode", "g")),
            (S, P, O),
        ]
        text = write(statements, "trig").decode()
        assert "<urn:g> {" in text
        assert "_:g {" in text
        dataset = Dataset().parse(data=text, format="trig")
        assert len(list(dataset.quads())) == 3


TRIPLE = TripleTerm(s, p, o)
QUOTING = ("n-triples", "n-quads", "turtle", "trig")
DEEP = TRIPLE
for _ in range(1000):
    DEEP = TripleTerm(s, p, DEEP)


class TestRefused:
    """A refused statement raises an error with the reason, and leaves nothing in the text."""

    def check(self, statement: Any, match: str, formats: Any) -> None:
        for format in formats:
            file = io.BytesIO()
            with jr.StatementWriter(file, format=format) as writer:
                writer.add(s, p, Literal("before"))
                with pytest.raises(jr.EncodeError, match=match):
                    writer.write(statement)
                writer.add(s, p, Literal("after"))
            assert [one[2][1] for one in read(file.getvalue(), format)] == ["before", "after"]

    def test_graphs_in_syntaxes_of_triples(self) -> None:
        formats = [format for format in ALL if format not in WITH_GRAPHS]
        self.check((s, p, o, g), "<urn:g> in .*no named graphs", formats)
        self.check((s, p, o, BNode("g")), "_:g in .*no named graphs", formats)
        for format in formats:
            file = io.BytesIO()
            with jr.StatementWriter(file, format=format) as writer:
                writer.add(s, p, o, None)
                writer.add(s, p, o, DATASET_DEFAULT_GRAPH_ID)
                writer.add(s, p, o, URIRef(str(DATASET_DEFAULT_GRAPH_ID)))
            assert read(file.getvalue(), format) == [(S, P, O)] * 3

    @pytest.mark.parametrize(
        ("statement", "match", "formats"),
        [
            ((Literal("x"), p, o), '"x" can\'t be a subject', ALL),
            ((s, Literal("x"), o), '"x" can\'t be a predicate', ALL),
            ((s, BNode("b"), o), "_:b can't be a predicate", ALL),
            ((s, p, o, Literal("x")), "\"x\" can't be a graph's name", WITH_GRAPHS),
            ((TRIPLE, p, o), "can't be a subject", ALL),
            ((s, TRIPLE, o), "can't be a predicate", ALL),
            ((s, p, o, TRIPLE), "can't be a graph's name", WITH_GRAPHS),
            ((s, p, TRIPLE), "quoted triple <<", ("n3", "rdf-xml", "json-ld")),
            ((s, p, TripleTerm(TRIPLE, p, o)), "can't be a subject", QUOTING),
            ((s, p, TripleTerm(s, TRIPLE, o)), "can't be a predicate", QUOTING),
            ((s, p, DEEP), "deeper than 1000", QUOTING),
            *(
                (statement, "can't be written as an IRI", ALL)
                for bad in map(URIRef, ["", "a", "a b", "x:\n", "//e.org", "urn:%zz", "x:\0"])
                for statement in (
                    *((bad, p, o), (s, bad, o), (s, p, bad)),
                    (s, p, Literal("x", datatype=bad or "a")),
                )
            ),
            ((s, p, o, URIRef("a b")), "can't be written as an IRI", WITH_GRAPHS),
            *(
                (statement, "label of a blank node", ALL)
                for label in ("", "a b", "-a", "a.", "a:b", ":", "a/b", "\n", "_:a")
                for statement in ((BNode(label), p, o), (s, p, BNode(label)))
            ),
            ((s, p, Literal("x", lang="a")), "can't be written as a language tag", ALL),
            ((s, p, Literal("x", lang="toolongforit")), "can't be written as a language tag", ALL),
            ((s, p, Literal("x", datatype=f"{RDF}langString")), "has no language tag", ALL),
            ((s, p, Literal("x", datatype=f"{RDF}dirLangString")), "has no language tag", ALL),
            *(
                ((s, p, bad), "no UTF-8 form", ALL)
                for bad in (URIRef("urn:\ud800"), BNode("\ud800"), Literal("\ud800"))
            ),
            *(
                ((s, URIRef(iri), o), "does not end with a name", ["rdf-xml"])
                for iri in ("http://e.org/12", "http://e.org/", "urn:x?y=1", RDF + "li")
            ),
            ((BNode("0"), p, o), "its label is not a name", ["rdf-xml"]),
            ((s, p, BNode("0")), "its label is not a name", ["rdf-xml"]),
            *(
                ((s, p, Literal(f"a{character}")), "XML does not allow", ["rdf-xml"])
                for character in "\0\x01\b\v\f\x1f\ufffe\uffff"
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_terms(self, statement: Any, match: str, formats: Any) -> None:
        self.check(statement, match, formats)

    def test_in_batches(self) -> None:
        """The statements of a batch that precede the refused one are written."""
        bad: list[Plain] = [
            (S, P, ("iri", "a b")),
            (literal("x"), P, O),
            (S, ("bnode", "b"), O),
            (S, P, literal("x", None, RDF + "langString")),
            (("triple", S, P, O), P, O),
            (S, P, O, literal("g")),
        ]
        for statement in bad:
            [batch] = batches_of([(S, P, literal("before")), statement, (S, P, O)])
            for format in WITH_GRAPHS:
                file = io.BytesIO()
                with jr.StatementWriter(file, format=format) as writer:
                    with pytest.raises(jr.EncodeError):
                        writer.write_all(batch)
                    writer.add(s, p, Literal("after"))
                found = read(file.getvalue(), format)
                assert [one[2][1] for one in found] == ["before", "after"]

    def test_changes(self) -> None:
        frame = jr.PatchEncoder().encode_frame([(jr.Op.A, s, p, o, None), (jr.Op.D, s, p, o, None)])
        for format in FORMATS:
            if format.holds_changes:
                continue
            pieces: list[bytes] = []
            encoder = format.make_encoder(NODE_TYPES, None, pieces.append)
            with pytest.raises(jr.EncodeError, match="is for statements: it can't express D"):
                encoder.write_batch(next(jr.read_batches(frame)))
            encoder.finish()
            batches = jr.read_batches(b"".join(pieces), format=format.name)
            assert sum(len(batch) for batch in batches) >= 1

    def test_metadata(self) -> None:
        for format in ALL:
            with jr.StatementWriter(io.BytesIO(), format=format) as writer:
                writer.end_frame({})
                with pytest.raises(jr.EncodeError, match="no place for metadata"):
                    writer.end_frame({"a": b"b"})


class TestPrefixes:
    WITH_PREFIXES = ("turtle", "trig", "n3", "rdf-xml")

    @pytest.mark.parametrize("format", WITH_PREFIXES)
    def test_they_are_declared_and_used(self, format: str) -> None:
        text = write([(S, ("iri", "http://e.org/p"), O)], format, [("ex", EX), ("ex", EX)])
        assert text.count(b"ex:p") == 1
        assert text.count(b"http://e.org/") == 1
        assert ("PA", "ex", ("iri", "http://e.org/"), None) in operations(text, format)

    @pytest.mark.parametrize("format", ["turtle", "trig", "n3"])
    def test_a_prefix_may_change(self, format: str) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, format=format) as writer:
            for name in "abc":
                writer.add_namespace("ex", f"http://e.org/{name}/")
                writer.add_namespace("", "http://e.org/")
                writer.add(URIRef(f"http://e.org/{name}/s"), EX.p, URIRef("http://e.org/a/o"))
        text = file.getvalue().decode()
        assert text.count("@prefix ex:") == 3
        assert text.count("@prefix :") == 1
        assert [one[0][1] for one in read(text, format)] == [
            f"http://e.org/{name}/s" for name in "abc"
        ]
        assert {one[2][1] for one in read(text, format)} == {"http://e.org/a/o"}

    def test_after_the_start_xml_has_no_place(self) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, format="rdf-xml") as writer:
            writer.add(s, p, o)
            writer.end_frame()
            writer.add_namespace("ex", EX)
            writer.add(s, EX.p, o)
        assert b"xmlns:ex" not in file.getvalue()
        assert len(read(file.getvalue(), "rdf-xml")) == 2

    @pytest.mark.parametrize(
        "name", ["a b", "a.", "1", "-", "a:", "x: <urn:x> . @prefix y", "\n", "<"]
    )
    @pytest.mark.parametrize("format", WITH_PREFIXES)
    def test_bad_names(self, format: str, name: str) -> None:
        if (name, format) == ("a.", "rdf-xml"):
            return
        file = io.BytesIO()
        with jr.StatementWriter(file, format=format) as writer:
            with pytest.raises(jr.EncodeError, match="prefix"):
                writer.add_namespace(name, EX)
            writer.add(s, EX.p, o)
        assert len(read(file.getvalue(), format)) == 1

    def test_what_xml_has_itself(self) -> None:
        xml = "http://www.w3.org/XML/1998/namespace"
        good = [("xml", xml), ("rdf", RDF), ("its", "http://www.w3.org/2005/11/its"), ("a", RDF)]
        text = write([(S, ("iri", "http://e.org/p"), O)], "rdf-xml", good)
        assert len(Graph().parse(data=text, format="xml")) == 1
        for name, iri in [
            ("xml", EX),
            ("xmlns", EX),
            ("rdf", EX),
            ("its", EX),
            ("a", xml),
            ("a", "http://www.w3.org/2000/xmlns/"),
        ]:
            writer = jr.StatementWriter(io.BytesIO(), format="rdf-xml")
            with pytest.raises(jr.EncodeError, match="in RDF/XML"):
                writer.add_namespace(name, iri)

    def test_names_of_xml_elements(self) -> None:
        """Types may end without a name, and the IRI of a prefix may be a whole type."""
        types = ["http://e.org/12", "http://e.org/", "http://e.org/T", "urn:x?a&b", "http://e.org#"]
        statements: list[Plain] = []
        for number, name in enumerate(types * 2):
            node: Plain = ("bnode", "b") if number > 7 else ("iri", f"urn:{number}")
            statements.append((node, ("iri", RDF + "type"), ("iri", name)))
            statements.append((node, ("iri", "http://e.org/p"), literal("\n\t<a: b='c'>")))
        for prefixes in (
            [],
            [("a", "http://e.org/12")],
            [("", "http://e.org/12"), ("b", "http://e.org/")],
            [("", "http://e.org/"), ("c", "urn:x?a&b")],
        ):
            text = write(statements, "rdf-xml", prefixes)
            assert read(text, "rdf-xml") == statements
            assert len(Graph().parse(data=text, format="xml")) == len(set(statements))
        # Each type is written alone, without another statement with a similar type.
        for name in types:
            alone: list[Plain] = [(("iri", "urn:s"), ("iri", RDF + "type"), ("iri", name))]
            text = write(alone, "rdf-xml")
            assert read(text, "rdf-xml") == alone
            assert len(Graph().parse(data=text, format="xml")) == 1


class TestWriter:
    def test_nothing_is_written_after_the_end(self) -> None:
        for format in ALL:
            file = io.BytesIO()
            writer = jr.StatementWriter(file, format=format)
            writer.add(s, p, o)
            writer.close()
            writer.close()
            size = len(file.getvalue())
            for call in (
                lambda writer=writer: writer.add(s, p, o),
                lambda writer=writer: writer.add_namespace("ex", EX),
                lambda writer=writer: writer.write_all(next(iter(batches_of([(S, P, O)])))),
                lambda writer=writer: writer.end_frame(),
            ):
                with pytest.raises(jr.EncodeError, match="ended"):
                    call()
            assert len(file.getvalue()) == size

    def test_a_destination_that_fails(self) -> None:
        class Bad:
            def write(self, data: bytes) -> None:
                raise OSError("full")

        for format in ALL:
            writer = jr.StatementWriter(Bad(), format=format)
            writer.add(s, p, o)
            with pytest.raises(OSError, match="full"):
                writer.end_frame()
            with pytest.raises(jr.EncodeError, match="could not be written"):
                writer.add(s, p, o)
            writer.close()

    @pytest.mark.parametrize("format", PARSED)
    def test_a_conversion_that_fails(self, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: Any, **__: Any) -> bytes:
            raise MemoryError("no room")

        file = io.BytesIO()
        writer = jr.StatementWriter(file, format=format)
        writer.add(s, p, o)
        with monkeypatch.context() as patch:
            patch.setattr(pyoxigraph, "serialize", fail)
            with pytest.raises(MemoryError, match="no room"):
                writer.end_frame()
        with pytest.raises(jr.EncodeError, match="could not be written"):
            writer.add(s, p, o)
        writer.close()
        assert file.getvalue() == b""

    def test_only_the_known_start_and_end_of_a_text_are_taken_off(self) -> None:
        assert strip_ends(b"[1]", b"[", b"]") == b"1"
        for text in (b"[1", b"1]"):
            with pytest.raises(RuntimeError, match="the expected start and end"):
                strip_ends(text, b"[", b"]")

    def test_a_frame_that_is_ended_is_handed_on(self) -> None:
        for format in ("n-triples", "n-quads", "turtle", "trig", "n3"):
            file = io.BytesIO()
            with jr.StatementWriter(file, format=format) as writer:
                for count in range(1, 4):
                    writer.add(s, p, o)
                    writer.end_frame()
                    assert len(read(file.getvalue(), format)) == count

"""Tests base directions of literals (RDF 1.2): which readers and writers keep or refuse them."""

import io
import itertools
import re
import warnings
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph, Literal

import jelly_rdflib as jr
from jelly_rdflib.arrow import read_arrow, read_record_batches
from jelly_rdflib.core.batch import Batch, BatchBuilder
from jelly_rdflib.formats.syntaxes import xml_encoder
from jelly_rdflib.nodes import make_node_factory
from tests.core.jelly.draft_streams import DRAFT_STREAMS, QUADS_COLUMNS, QUADS_OPTIONS
from tests.formats.syntaxes.support import ISOLATED, PARSED, write_batches
from tests.pieces import Pieces

# Both the writer and the reader of these syntaxes support directions.
KEEP = ("n-triples", "n-quads", "turtle", "trig", "rdf-xml", "json-ld")
REFUSE = ("n3", "jelly-rdf", "jelly-text", "rdf-thrift", "rdf-protobuf")
WORDS = "literal '[xm]' with the base direction rtl: {} none; to leave directions out, read with"
TAGS = ["ar", "ar--rtl", "ar--ltr", "he-Hebr--rtl", "en-GB-x-a1--ltr", "x-a--rtl"]
BAD_TAGS = ["ar--RTL", "ar--x", "ar--", "ar-x--rtl-b", "--rtl", "ar---rtl", "ar--rtl--ltr"]


def lines(tags: Iterable[str]) -> bytes:
    return "".join(f'<urn:s> <urn:p> "x"@{tag} .\n' for tag in tags).encode()


def tags_of(source: Any, format: Any = "n-quads", **arguments: Any) -> list[str]:
    """Return the language tags of the objects, in order."""
    found = []
    for batch in jr.read_batches(source, format=format, **arguments):
        terms = batch.terms
        objects = [o for op, o in zip(batch.ops, batch.o, strict=True) if op == jr.Op.A]
        assert all(terms.kinds[o] == jr.TermKind.LANGUAGE_LITERAL for o in objects)
        found += [terms.text_of(terms.extras[o]) for o in objects]
    return found


def frame(data: bytes) -> bytes:
    """Return the frame `data` of less than 16,384 bytes, prefixed with its length."""
    size = len(data)
    return (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])) + data


def changes(tag: str) -> Batch:
    builder = BatchBuilder(make_node_factory(False), jr.Limits())
    term = builder.iri("urn:s")
    builder.add_row(jr.Op.A, term, term, builder.literal("x", tag), builder.default_graph())
    return builder.drain(has_graphs=True)


class TestKept:
    @pytest.mark.parametrize("format", KEEP)
    def test_there_and_back(self, format: str) -> None:
        text = write_batches(jr.read_batches(lines(TAGS), format="n-quads"), format)
        expected = TAGS if format.startswith("n-") else [tag.lower() for tag in TAGS]
        assert tags_of(text, format) == expected

    @pytest.mark.parametrize("format", KEEP)
    def test_pyoxigraph_reads_the_same(self, format: str) -> None:
        text = write_batches(jr.read_batches(lines(TAGS), format="n-quads"), format)
        quads = ox.parse(text, ox.RdfFormat.from_media_type(_media_type(format)))
        assert list(map(_tag, quads)) == [tag.lower() for tag in TAGS]

    @pytest.mark.parametrize("format", [*PARSED[:2], "rdf-xml", "json-ld"])
    def test_what_pyoxigraph_writes(self, format: str) -> None:
        quads = ox.parse(lines(TAGS), ox.RdfFormat.N_QUADS)
        text = ox.serialize(quads, format=ox.RdfFormat.from_media_type(_media_type(format)))
        assert text is not None
        assert tags_of(text, format) == [tag.lower() for tag in TAGS]

    @pytest.mark.parametrize("terms", ["string", "struct"])
    def test_tables(self, terms: Any) -> None:
        tables = read_arrow(lines(TAGS), format="n-quads", columns=["frame", *"spog"], terms=terms)
        table = pa.Table.from_batches(tables)
        objects = table.column("o").to_pylist()
        if terms == "struct":
            assert [each["lang"] for each in objects] == TAGS
            return
        assert objects == [f'"x"@{tag}' for tag in TAGS]
        text = write_batches(read_record_batches(table.to_batches()), "n-quads")
        assert text == lines(TAGS)

    def test_tables_of_batches(self) -> None:
        table = pa.concat_tables(
            pa.Table.from_batches([pa.record_batch(batch)])
            for batch in jr.read_batches(lines(TAGS), format="n-quads")
        )
        assert table.column("o").to_pylist() == [f'"x"@{tag}' for tag in TAGS]

    @pytest.mark.parametrize("format", ["turtle", "trig"])
    def test_capitals(self, format: str) -> None:
        tags = ["AR--rtl", "en-GB--ltr", "x-A--rtl", "i-Lux--ltr"]
        # An irregular tag is read in lower case, as without a direction.
        assert tags_of(lines(tags), format) == [*tags[:3], "i-lux--ltr"]

    def test_in_quoted_triples(self) -> None:
        text = b'<urn:s> <urn:p> <<( <urn:s> <urn:p> "x"@ar--rtl )>> .\n'
        assert write_batches(jr.read_batches(text, format="n-quads"), "n-triples") == text


def _media_type(format: str) -> str:
    types = {"n-triples": "application/n-triples", "n-quads": "application/n-quads"}
    types |= {"turtle": "text/turtle", "trig": "application/trig"}
    types |= {"rdf-xml": "application/rdf+xml", "json-ld": "application/ld+json"}
    return types[format]


def _tag(quad: Any) -> str:
    direction = quad.object.direction
    return f"{quad.object.language}{'' if direction is None else f'--{direction}'}"


class TestRdfXml:
    """pyoxigraph reads ``its:dir`` only on the element of a literal, or for attributes."""

    START = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:"'
        ' xmlns:its="http://www.w3.org/2005/11/its" rdf:version="1.2" its:version="2.0"'
    )
    END = '<e:p xml:lang="ar">x</e:p></rdf:Description></rdf:RDF>'
    ROOT = f'{START} its:dir="rtl">\n <rdf:Description rdf:about="urn:s">{END}'
    NODE = f"{START}><rdf:Description its:dir='ltr' rdf:about='urn:s'>\n{END}"

    OTHER_PREFIXES = re.sub(r"\bits(?=[:=])", "a", re.sub(r"\brdf(?=[:=])", "b.c", NODE))

    ENTITY = f'<!DOCTYPE r [<!ENTITY v "1.2">]>{NODE}'.replace('version="1.2"', 'version="&v;"')

    @pytest.mark.parametrize(
        "text", [ROOT, NODE, OTHER_PREFIXES, ENTITY, ROOT.replace("\n", "\n" * 900)]
    )
    @pytest.mark.parametrize("size", [7, 1 << 16])
    def test_one_that_is_left_out_is_an_error(self, text: str, size: int) -> None:
        data = text.encode()
        with pytest.raises(jr.DecodeError, match="its:dir on an element with child") as caught:
            tags_of(Pieces(data, size), "rdf-xml")
        assert caught.value.offset == data.index(b":dir")
        with pytest.warns(UserWarning, match="base directions of literals are left out") as told:
            assert tags_of(Pieces(data, size), "rdf-xml", directions="drop") == ["ar"]
        assert len(told) == 1

    def test_others_are_kept(self) -> None:
        nodes = (
            '<rdf:Description rdf:about="urn:s"><e:p xml:lang="ar" its:dir="rtl">x</e:p>'
            '<e:p xml:lang="he" its:dir="ltr"/></rdf:Description>'
            '<rdf:Description rdf:about="urn:s" its:dir="rtl" xml:lang="fa" e:p="x"/></rdf:RDF>'
        )
        found = tags_of(f"{self.START}>{nodes}".encode(), "rdf-xml")
        assert found == ["ar--rtl", "he--ltr", "fa--rtl"]

    def test_other_attributes_are_no_directions(self) -> None:
        """A ``dir`` is no direction in another namespace, or in a document of RDF 1.1."""
        other = self.NODE.replace("its:dir", "e:dir")
        old = self.NODE.replace('rdf:version="1.2"', "")
        for text, expected in (other, ["urn:e:dir", "urn:e:p"]), (old, ["urn:e:p"]):
            found = jr.read_statements(text.encode(), format="rdf-xml")
            assert [str(predicate) for _, predicate, *_ in found] == expected

    def test_an_old_pyoxigraph_writes_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(xml_encoder, "_has_directions", lambda: False)
        write_batches(jr.read_batches(lines(["ar"]), format="n-quads"), "rdf-xml")
        with pytest.raises(jr.EncodeError, match="update pyoxigraph"):
            write_batches(jr.read_batches(lines(["ar--rtl"]), format="n-quads"), "rdf-xml")


class TestWhatIsATag:
    @pytest.mark.parametrize("strict", [True, False])
    @pytest.mark.parametrize("format", ["n-triples", "n-quads", "turtle", "trig"])
    def test_ill_formed(self, format: str, strict: bool) -> None:
        for tag in BAD_TAGS:
            with pytest.raises(jr.DecodeError):
                tags_of(lines([tag]), format, strict=strict)

    def test_the_language_is_checked(self) -> None:
        """With strict the language must be well-formed by BCP 47, as without a direction."""
        for language, is_strict in itertools.product(["ar-x", "abcdefghi"], [True, False]):
            if is_strict:
                with pytest.raises(jr.DecodeError, match="BCP 47"):
                    tags_of(lines([f"{language}--rtl"]))
            else:
                assert tags_of(lines([f"{language}--rtl"]), strict=False) == [f"{language}--rtl"]

    def test_it_is_told_where_a_direction_is_wrong(self) -> None:
        with pytest.raises(jr.DecodeError, match="--ltr or --rtl") as caught:
            tags_of(lines(["ar", "ar--RTL"]))
        assert (caught.value.line, caught.value.column) == (2, 23)

    @given(st.text("ar-xlt1R", max_size=9))
    def test_as_pyoxigraph_has_it(self, tag: str) -> None:
        for strict in (True, False):
            try:
                quads = list(ox.parse(lines([tag]), ox.RdfFormat.N_TRIPLES, lenient=not strict))
                expected = [_tag(quad) for quad in quads]
            except SyntaxError:
                expected = None
            try:
                found = [each.lower() for each in tags_of(lines([tag]), "n-triples", strict=strict)]
            except jr.DecodeError:
                found = None
            assert found == expected

    def test_no_writer_makes_an_ill_formed_one(self) -> None:
        for tag, format in itertools.product(BAD_TAGS, ["n-quads", "turtle"]):
            with pytest.raises(jr.EncodeError, match="can't be written as a language tag"):
                write_batches([changes(tag)], format)


class TestRefused:
    @pytest.mark.parametrize("format", REFUSE)
    def test_writers_of_statements(self, format: str) -> None:
        file = io.BytesIO()
        with jr.StatementWriter(file, format=format) as writer:
            writer.write_all(next(jr.read_batches(lines(["ar"]), format="n-quads")))
            with pytest.raises(jr.EncodeError, match=WORDS.format(".*")):
                writer.write_all(next(jr.read_batches(lines(["he--rtl"]), format="n-quads")))
        # The preceding statements are written, and nothing of the refused statement.
        assert [s[2].language for s in jr.read_statements(file.getvalue(), format=format)] == ["ar"]

    @pytest.mark.parametrize(
        ("format", "who"),
        [
            ("jelly-patch", "Jelly-RDF 1.1 and Jelly-Patch have"),
            ("rdf-patch", "RDF Patch text has"),
            ("rdf-patch-thrift", "Thrift has"),
        ],
    )
    def test_writers_of_changes(self, format: Any, who: str) -> None:
        file = io.BytesIO()
        with jr.PatchWriter(file, format=format) as writer:
            writer.write_all(changes("ar"))
            with pytest.raises(jr.EncodeError, match=WORDS.format(who)):
                writer.write_all(changes("he--rtl"))
        found = [op[3] for op in jr.read_operations(file.getvalue()) if op[0] == jr.Op.A]
        assert [literal.language for literal in found] == ["ar"]

    def test_a_reader_of_rdf_patch(self) -> None:
        with pytest.raises(jr.DecodeError, match="RDF Patch has no base directions: remove"):
            list(jr.read_operations(b'A <urn:s> <urn:p> "x"@ar--rtl .'))

    def test_a_reader_of_n3(self) -> None:
        with pytest.raises(jr.DecodeError, match="N3: leave the base direction out of the tag"):
            tags_of(lines(["ar--rtl"]), "n3")

    def test_nodes(self) -> None:
        for read in (jr.read_statements, jr.read_batches):
            with pytest.raises(jr.DecodeError, match=WORDS.format("rdflib's literals have")):
                list(itertools.chain(*read(lines(TAGS), format="n-quads")))
        with pytest.raises(jr.DecodeError) as caught:
            list(jr.read_statements(lines(["ar"] * 3000 + ["ar--rtl"]), format="n-quads"))
        # The error has the position where the literal's batch starts.
        assert caught.value.line is not None
        assert 2000 < caught.value.line <= 3001
        assert caught.value.offset == len(lines(["ar"] * (caught.value.line - 1)))

    def test_messages_and_notebooks_show_them(self) -> None:
        batch = next(jr.read_batches(lines(["ar--rtl"]), format="n-quads"))
        assert batch.terms.show(batch.o[0]) == '"x"@ar--rtl'
        assert "&quot;x&quot;@ar--rtl" in batch._repr_html_()
        # Making the text does not create a node that the batch would later return.
        with pytest.raises(jr.DecodeError, match="base direction"):
            list(batch.terms)

    def test_validate_knows_the_language_behind(self) -> None:
        assert [fault.rule for fault in jr.validate(lines(["ar--rtl"]), format="n-quads")] == []


@pytest.mark.parametrize(
    "isolated", [False, pytest.param(True, marks=[ISOLATED, pytest.mark.slow])]
)
@pytest.mark.parametrize("format", ["n-triples", "n-quads", "turtle", "trig"])
class TestDropped:
    def test_with_a_warning_once_a_stream(self, format: Any, isolated: bool) -> None:
        text = lines(TAGS * 500)
        with pytest.warns(UserWarning, match="base directions of literals are left out") as told:
            found = tags_of(text, format, directions="drop", isolated=isolated)
        assert found == [tag.partition("--")[0] for tag in TAGS * 500]
        assert len(told) == 1
        assert told[0].filename == __file__

    def test_no_warning_without_one(self, format: Any, isolated: bool) -> None:
        assert tags_of(lines(["ar"]), format, directions="drop", isolated=isolated) == ["ar"]

    def test_terms_that_become_the_same(self, format: Any, isolated: bool) -> None:
        with pytest.warns(UserWarning, match="left out"):
            [batch] = jr.read_batches(
                lines(["ar--rtl", "ar--ltr"]), format=format, directions="drop", isolated=isolated
            )
        assert batch.o[0] == batch.o[1]

    def test_kept(self, format: Any, isolated: bool) -> None:
        assert tags_of(lines(TAGS), format, isolated=isolated) == TAGS


def test_other_words_are_an_error() -> None:
    for format in ("n-quads", "turtle", "jelly-rdf"):
        with pytest.raises(ValueError, match="directions is 'keep' or 'drop', not 'no'"):
            list(jr.read_batches(b"", format=format, directions="no"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="directions is"):
        jr.StatementDecoder(directions="no")  # type: ignore[arg-type]


def test_every_way_in_takes_the_word() -> None:
    file = io.BytesIO()
    jr.write_graphs([Graph().parse(data=lines(["ar"]), format="nt")], file)
    data = file.getvalue()
    assert len(list(jr.read_frames(data, directions="drop"))) == 1
    assert len(list(jr.read_graphs(data, directions="drop"))) == 1
    assert jr.StatementDecoder(directions="drop").options is None


def test_a_direction_without_a_version_has_no_meaning() -> None:
    text = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:"'
        ' xmlns:its="http://www.w3.org/2005/11/its"><rdf:Description rdf:about="urn:s"'
        ' its:dir="rtl"><p:p xml:lang="ar">x</p:p></rdf:Description></rdf:RDF>'
    )
    (statement,) = jr.read_statements(text.encode(), format="rdf-xml")
    assert statement[2] == Literal("x", lang="ar")


class TestJelly12:
    """The draft of Jelly-RDF 1.2 is the only Jelly format that supports directions."""

    STREAM = frame(QUADS_OPTIONS + QUADS_COLUMNS) + 3 * frame(QUADS_COLUMNS)

    def test_kept(self) -> None:
        with pytest.warns(UserWarning, match="with the draft$"):
            text = write_batches(jr.read_batches(self.STREAM), "n-quads")
        assert text.count(b'_:b <urn:p> "m"@ar--rtl .\n') == 4 * 20

    def test_no_nodes(self) -> None:
        with (
            pytest.warns(UserWarning, match="with the draft$"),
            pytest.raises(jr.DecodeError, match=WORDS.format("rdflib's literals have")) as caught,
        ):
            list(jr.read_statements(self.STREAM))
        assert caught.value.frame == 1

    def test_notebooks_show_them(self) -> None:
        with pytest.warns(UserWarning, match="with the draft$"):
            first = next(jr.read_frames(self.STREAM))
        assert "&quot;m&quot;@ar--rtl" in first._repr_html_()

    def test_dropped_with_a_warning_once_a_stream(self) -> None:
        with pytest.warns(UserWarning, match="base directions of literals are left out") as told:
            found = list(jr.read_statements(self.STREAM, directions="drop"))
        assert len(told) == 1
        assert sum(statement[2] == Literal("m", lang="ar") for statement in found) == 4 * 20

    def test_no_warning_for_a_later_stream_without_one(self) -> None:
        later = DRAFT_STREAMS["triples"].data
        settings: Any = {"directions": "drop", "on_repeated_options": "restart"}
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            list(jr.read_batches(self.STREAM + later, **settings))
        assert sum("left out" in str(warning.message) for warning in told) == 1

    def test_a_stream_of_graphs_ends_there(self) -> None:
        """The rest of the message is not returned as a graph."""
        graphs = jr.read_graphs(self.STREAM)
        with (
            pytest.warns(UserWarning, match="with the draft$"),
            pytest.raises(jr.DecodeError, match="base direction rtl") as caught,
        ):
            next(graphs)
        assert (caught.value.frame, caught.value.offset) == (1, 2)
        assert next(graphs, None) is None

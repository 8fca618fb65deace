"""Tests Jelly as text: how it is written, how it is read, and what is refused."""

import io
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from hypothesis import given
from rdflib import BNode, Literal, URIRef

import jelly_rdflib as jr
from tests.cli.support import run, run_well
from tests.oracle.schema import RdfPatchFrame, RdfStreamFrame
from tests.oracle.terms import operation
from tests.pieces import Pieces
from tests.strategies import Stream, streams
from tests.support import options_of, read

S, P, O = URIRef("http://e/s"), URIRef("http://e/p"), Literal('a\n"é"', lang="en")  # noqa: E741
FRAME = """# Frame 0
rows {
  options {
    physical_type: PHYSICAL_STREAM_TYPE_TRIPLES
    generalized_statements: true
    max_name_table_size: 8
    version: 1
  }
}
rows {
  triple {
    s_bnode: "a"
    p_bnode: "a"
    o_literal { lex: "é\\n" }
  }
}
"""


def written(write: Callable[[Any], object], kind: Any, format: str, options: Any) -> bytes:
    file = io.BytesIO()
    with kind(file, options, format=format) as writer:
        write(writer)
    return file.getvalue()


@given(streams())
def test_the_text_has_the_fields_of_the_frames(stream: Stream) -> None:
    """Protobuf's own classes, made by its own compiler, read the same fields frame by frame."""
    made, text = io.BytesIO(), io.BytesIO()
    options = options_of(stream.options, frame_rows=3)
    for file, format in ((made, "jelly-patch"), (text, "jelly-patch-text")):
        with jr.PatchWriter(file, options, format=format) as writer:  # type: ignore[arg-type]
            writer.write_all(map(operation, stream.operations))
    frames = read_frames(made.getvalue(), RdfPatchFrame)
    parts = text.getvalue().decode().split("# Frame ")[1:]
    assert [part.partition("\n")[0] for part in parts] == list(map(str, range(len(frames))))
    found = [text_format.Parse(part.partition("\n")[2], RdfPatchFrame()) for part in parts]
    assert found == frames
    assert read(text.getvalue(), format="jelly-patch-text") == read(made.getvalue())


def read_frames(data: bytes, kind: Any) -> list[Any]:
    from google.protobuf.proto import parse_length_prefixed

    file = io.BytesIO(data)
    frames = []
    while (frame := parse_length_prefixed(kind, file)) is not None:
        frames.append(frame)
    return frames


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_statements_come_back(size: int) -> None:
    statements = [(S, P, O), (BNode("a"), P, Literal(1)), (S, P, jr.TripleTerm(S, P, O))] * 50

    def write(writer: Any) -> None:
        writer.add_namespace("e", "http://e/")
        for number, statement in enumerate(statements):
            writer.write(statement)
            if number % 40 == 0:
                writer.end_frame({"n": b"\x00\xff"})

    options = jr.StreamOptions(physical_type="TRIPLES", rdf_star=True, namespace_declarations=True)
    text = written(write, jr.StatementWriter, "jelly-text", options)
    assert text.decode().isprintable() is False
    assert list(jr.read_statements(Pieces(text, size))) == statements
    batches = list(jr.read_batches(Pieces(text, size), format="jelly-text"))
    assert [bool(batch.metadata) for batch in batches] == [True] * 4 + [False]
    assert batches[0].metadata == {"n": b"\x00\xff"}


def test_text_of_people_is_read() -> None:
    """Text may have spaces, comments, other line ends, and no line before the first frame."""
    bnode = BNode("a")
    wanted = [(bnode, bnode, Literal("é\n"))]
    _, _, rest = FRAME.partition("\n")
    for text in (FRAME, rest, f"# made by hand\n\n{rest}", FRAME.replace("\n", "\r\n")):
        found = jr.read_statements(text.encode(), format="jelly-text", normalize=False)
        assert list(found) == wanted
    with pytest.raises(jr.DecodeError, match="the input is empty"):
        list(jr.read_batches(b"# none\n", format="jelly-text"))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (FRAME + "rows { tripel {} }\n", 'has no field named "tripel"', 17),
        (FRAME + "# Frame 1\nrows {\n", "Expected", 18),
        (FRAME + "# Frame 1\nrows { triple { s_bnode: 1 } }", "Expected string", 18),
        (FRAME + "# Frame 1\nrows { name { id: 9 } }", "name entry 9", None),
        (FRAME + '# Frame 1\nrows { name { value: "\\xff" } }', "utf-8", 18),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, message: str, line: int | None) -> None:
    with pytest.raises(jr.DecodeError, match=message) as caught:
        list(jr.read_statements(text.encode(), format="jelly-text"))
    assert caught.value.line == line
    assert caught.value.frame == 1 + text.count("# Frame 1")
    assert caught.value.offset == (len(FRAME.encode()) if "# Frame 1" in text else 0)


def test_a_text_that_is_no_utf_8() -> None:
    with pytest.raises(jr.DecodeError, match="UTF-8"):
        list(jr.read_statements(FRAME.encode("latin-1"), format="jelly-text"))


def test_a_frame_has_a_limit_and_messages_too() -> None:
    limits = jr.Limits(max_frame_size=1000)
    text = FRAME.encode()
    assert len(list(jr.read_statements(text, format="jelly-text", limits=limits))) == 1
    for long in (FRAME + "#" * 1000, FRAME + "rows { graph_end {} }\n" * 50):
        with pytest.raises(jr.LimitError, match="limit max_frame_size"):
            list(jr.read_statements(long.encode(), format="jelly-text", limits=limits))
    for depth in (150, 100_000):
        deep = (
            FRAME.replace("version", "rdf_star: true\n version")
            + "rows { triple { "
            + "s_triple_term { " * depth
            + "} " * depth
            + "} }"
        )
        with pytest.raises(jr.LimitError, match="nest deeper"):
            list(jr.read_statements(deep.encode(), format="jelly-text"))


@pytest.mark.parametrize("version", [None, "5.29.0"])
def test_without_protobuf_the_extra_is_named(
    version: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import google

    old = types.SimpleNamespace(__name__="google.protobuf", __version__=version)
    monkeypatch.setitem(sys.modules, "google.protobuf", None if version is None else old)
    if version is not None:
        monkeypatch.setattr(google, "protobuf", old)
    else:
        monkeypatch.delattr(google, "protobuf")
    path = tmp_path / "x.jelly.txt"
    path.write_bytes(b"precious")
    for call in (
        lambda: jr.StatementWriter(path),
        lambda: jr.read_statements(path),
        lambda: jr.read_batches(path),
    ):
        with pytest.raises(ImportError, match=r"jelly-rdflib\[protobuf\]"):
            call()
    assert path.read_bytes() == b"precious"


class TestConvert:
    """``jellyp convert`` copies frames unchanged unless an option requires different frames."""

    @pytest.fixture
    def jelly(self, tmp_path: Path) -> Path:
        path = tmp_path / "x.jelly"
        with jr.StatementWriter(path, jr.StreamOptions(frame_rows=2)) as writer:
            for number in range(5):
                writer.write((S, P, Literal(number), URIRef("http://e/g")))
        return path

    def test_there_and_back(self, jelly: Path, tmp_path: Path) -> None:
        text, back = tmp_path / "x.jelly.txt.gz", tmp_path / "back.jelly"
        run_well("convert", jelly, "-o", text)
        run_well("convert", text, "-o", back)
        assert back.read_bytes() == jelly.read_bytes()

    def test_frames_are_those_of_the_input_even_if_they_mean_nothing(self, tmp_path: Path) -> None:
        path, text = tmp_path / "x.jelly", tmp_path / "x.jelly.txt"
        frame = RdfStreamFrame()
        frame.rows.add().triple.s_iri.name_id = 99
        path.write_bytes(frame.SerializeToString().join([b"\x08", b""]))
        run_well("convert", path, "-o", text)
        assert "name_id: 99" in text.read_text()

    def test_a_text_has_no_index(self, jelly: Path, tmp_path: Path) -> None:
        text = tmp_path / "x.jelly.txt"
        run_well("convert", jelly, "-o", text)
        ended = run("inspect", "--index", text)
        assert (ended.code, "only Jelly-Patch and Jelly-RDF files" in ended.err) == (1, True)

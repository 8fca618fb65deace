"""Tests Jelly streams that repeat their options, such as files joined by ``cat``."""

import gzip
import io
import json
import re
from pathlib import Path

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import run, run_well
from tests.core.jelly.draft_streams import DRAFT_STREAMS

P, G = URIRef("http://example.org/p"), URIRef("urn:g")
ADVICE = "if several streams were joined, jellyp convert --repeated-options restart makes them one"


def subject(name: str) -> URIRef:
    return URIRef(f"http://{name}.example/{name}")


def patch(name: str) -> bytes:
    file = io.BytesIO()
    with jr.PatchWriter(file) as writer:
        writer.write_all([(Op.TX,), (Op.A, subject(name), P, subject(name), G), (Op.TC,)])
    return file.getvalue()


def statements(name: str) -> bytes:
    file = io.BytesIO()
    with jr.StatementWriter(file) as writer:
        writer.add(subject(name), P, subject(name), G)
    return file.getvalue()


def line(name: str) -> str:
    return f"{subject(name).n3()} {P.n3()} {subject(name).n3()} {G.n3()} ."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with files "a", one stream, and "ab", two streams with equal options."""
    for extension, make in (("jellyp", patch), ("jelly", statements)):
        (tmp_path / f"a.{extension}").write_bytes(make("a"))
        (tmp_path / f"ab.{extension}").write_bytes(make("a") + make("b"))
        (tmp_path / f"ab.{extension}.gz").write_bytes(gzip.compress(make("a") + make("b")))
    (tmp_path / "empty.nq").touch()
    run_well("log", "init", "log", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["cat", "ab.jellyp"],
        ["cat", "ab.jelly"],
        ["cat", "ab.jelly.gz"],
        ["cat", "--patch", "2", "ab.jellyp"],
        ["convert", "ab.jellyp", "-o", "out.rdfp"],
        ["stats", "ab.jelly"],
        ["view", "ab.jellyp", "-o", "out.html"],
        ["patch", "invert", "ab.jellyp", "-o", "out.rdfp"],
        ["patch", "compact", "ab.jellyp.gz", "-o", "out.rdfp"],
        ["patch", "concat", "a.jellyp", "ab.jellyp", "-o", "out.rdfp"],
        ["patch", "effective", "empty.nq", "ab.jellyp", "-o", "out.rdfp"],
        ["patch", "merge", "a.jellyp", "ab.jellyp", "-o", "out.rdfp"],
        ["patch", "split", "ab.jellyp", "-o", "out-{}.rdfp"],
        ["apply", "empty.nq", "ab.jellyp", "-o", "out.nq"],
        ["diff", "empty.nq", "ab.jelly", "-o", "out.rdfp"],
        ["log", "append", "log", "ab.jellyp"],
    ],
    ids=" ".join,
)
def test_the_second_stream_is_an_error(arguments: list[str], folder: Path) -> None:
    ended = run(*arguments, cwd=folder)
    assert ended.code == (2 if {"diff", "merge"} & {*arguments} else 1)
    name = re.escape(next(each for each in arguments if each.startswith("ab.")))
    place = re.search(r"\(byte \d+, frame (\d), row 1\)\n$", ended.err)
    assert re.match(f"jellyp: {name}: the stream repeats its options", ended.err)
    assert place is not None
    assert place[1] == "2"
    assert ADVICE in ended.err
    assert "--repeated-options continue is for" in ended.err
    assert "on_repeated_options" not in ended.err
    assert not [*folder.glob("out*")]


def test_joined_files_of_jelly_rdf_1_2_are_read(tmp_path: Path) -> None:
    draft = DRAFT_STREAMS["triples"].data
    (tmp_path / "a.jelly").write_bytes(draft)
    (tmp_path / "aa.jelly").write_bytes(2 * draft)
    once = run("convert", "--to", "nt", "a.jelly", cwd=tmp_path).text
    assert once.count("\n") == 3
    for meaning in ("error", "restart", "continue"):
        option = ("--repeated-options", meaning)
        joined = run("convert", *option, "--to", "nt", "aa.jelly", cwd=tmp_path)
        assert (joined.code, joined.text) == (0, 2 * once)
    assert run("cat", "aa.jelly", cwd=tmp_path).code == 0
    assert run("validate", "aa.jelly", cwd=tmp_path).text == "aa.jelly: no faults\n"


@pytest.mark.parametrize("extension", ["jellyp", "jelly"])
def test_restart_reads_the_second_stream(extension: str, folder: Path) -> None:
    rows = [f"A {line(name)}" for name in "ab"]
    for arguments, data in (
        ([f"ab.{extension}"], b""),
        ([f"ab.{extension}.gz"], b""),
        ([], (folder / f"ab.{extension}").read_bytes()),
    ):
        ended = run_well("cat", "--repeated-options", "restart", *arguments, cwd=folder, stdin=data)
        assert [row for row in ended.text.splitlines() if row.startswith("A")] == rows
    one = run_well("convert", "--repeated-options", "restart", f"ab.{extension}", cwd=folder).out
    ended = run_well("cat", "-", stdin=one)
    assert [row for row in ended.text.splitlines() if row.startswith("A")] == rows


def test_a_producer_that_repeats_its_options_is_read_by_continue(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    encoder = jr.PatchEncoder()
    frames = [encoder.encode_frame([(Op.A, subject(name), P, subject(name), G)]) for name in "ab"]
    # The first row is the options: a tag, a length, and as many bytes.
    frames[1] = frames[0][: 2 + frames[0][1]] + frames[1]
    path.write_bytes(b"".join(bytes([len(frame)]) + frame for frame in frames))
    text = run_well("cat", "--repeated-options", "continue", path).text
    assert text.splitlines() == [f"A {line(name)}" for name in "ab"]
    assert run("cat", path).code == 1


@pytest.mark.parametrize("extension", ["jelly", "jellyp.gz"])
def test_validate_warns(extension: str, folder: Path) -> None:
    name = f"ab.{extension}"
    ended = run("validate", name, cwd=folder)
    assert ended.code == 0
    found = re.search(
        r"warning: the stream has its options again.*\(byte \d+, frame 2\)", ended.text
    )
    assert found is not None
    faults = run("validate", "--json", name, cwd=folder).text.splitlines()
    assert [json.loads(fault)["rule"] for fault in faults].count("repeated-options") == 1
    assert run("validate", "--fail-on-warning", name, cwd=folder).code == 1
    # The other file's statements are read as well, so it must be one stream.
    one = name.removesuffix(".gz").replace("ab", "a")
    ended = run("validate", one, "--compare-to-rdf-file", name, cwd=folder)
    assert ended.code == 2
    assert ADVICE in ended.err


def test_inspect_tells_the_rows_of_options(folder: Path) -> None:
    text = run_well("inspect", "ab.jellyp", cwd=folder).text
    assert "2 options rows, counted as one stream" in text
    assert "options rows" not in run_well("inspect", "a.jellyp", cwd=folder).text
    report = json.loads(run_well("inspect", "--json", "ab.jelly", cwd=folder).text)
    assert report["rows"]["options"]["count"] == 2

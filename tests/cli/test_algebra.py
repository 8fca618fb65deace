"""Tests ``jellyp patch invert``, ``compact``, ``concat`` and ``effective``."""

from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal

import jelly_rdflib as jr
from jelly_rdflib import Op, TripleTerm
from tests.cli.support import P, S, encode, run, run_well

FIRST = """\
H id <urn:patch:1> .
TX .
A <urn:s> <urn:p> "a" .
A <urn:s> <urn:p> "b" .
TC .
"""
SECOND = """\
H id <urn:patch:2> .
H prev <urn:patch:1> .
TX .
D <urn:s> <urn:p> "a" .
A <urn:s> <urn:p> "c" .
TC .
"""
BOTH = """\
H id <urn:patch:2> .
TX .
A <urn:s> <urn:p> "a" .
A <urn:s> <urn:p> "b" .
TC .
TX .
D <urn:s> <urn:p> "a" .
A <urn:s> <urn:p> "c" .
TC .
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "1.rdfp").write_text(FIRST)
    (tmp_path / "2.rdfp").write_text(SECOND)
    (tmp_path / "all.jellyp").write_bytes(encode())
    return tmp_path


def read(data: Any) -> list[Any]:
    return list(jr.read_operations(data, normalize=False))


def test_invert(folder: Path) -> None:
    inverse = run_well("patch", "invert", "2.rdfp", cwd=folder).text
    assert inverse == (
        'H prev <urn:patch:2> .\nTX .\nD <urn:s> <urn:p> "c" .\nA <urn:s> <urn:p> "a" .\nTC .\n'
    )
    run_well("patch", "invert", "all.jellyp", "-o", "back.jellyp.gz", cwd=folder)
    expected = encode(list(jr.invert(folder / "all.jellyp", normalize=False)))
    assert read(folder / "back.jellyp.gz") == read(expected)
    assert run_well("patch", "invert", "--from", "rdf-patch", stdin=SECOND.encode()).text == inverse


def test_compact(folder: Path) -> None:
    joined = BOTH.replace("TC .\nTX .\n", "").replace('A <urn:s> <urn:p> "a" .\n', "")
    ordered = joined.replace(
        'A <urn:s> <urn:p> "b" .\nD <urn:s> <urn:p> "a" .\n',
        'D <urn:s> <urn:p> "a" .\nA <urn:s> <urn:p> "b" .\n',
    )
    assert run_well("patch", "compact", "-", stdin=BOTH.encode()).text in (joined, ordered)
    effective = run_well("patch", "compact", "--assume-effective", stdin=BOTH.encode()).text
    assert effective == joined.replace('D <urn:s> <urn:p> "a" .\n', "")


def test_concat(folder: Path) -> None:
    assert run_well("patch", "concat", "1.rdfp", "2.rdfp", cwd=folder).text == BOTH
    piped = run_well("patch", "concat", "1.rdfp", "-", cwd=folder, stdin=SECOND.encode())
    assert piped.text == BOTH
    run_well("convert", "1.rdfp", "-o", "1.jellyp", cwd=folder)
    assert run_well("patch", "concat", "1.jellyp", "2.rdfp", cwd=folder).text == BOTH


def test_effective(folder: Path) -> None:
    (folder / "base.ttl").write_text('<urn:s> <urn:p> "a", "c" .')
    found = run_well("patch", "effective", "base.ttl", "2.rdfp", cwd=folder).text
    assert found == SECOND.replace('A <urn:s> <urn:p> "c" .\n', "")
    piped = run_well("patch", "effective", "base.ttl", cwd=folder, stdin=SECOND.encode())
    assert piped.text == found


def test_options_of_jelly_are_those_of_the_input(tmp_path: Path) -> None:
    quoted: list[Any] = [(Op.A, S, P, TripleTerm(S, P, Literal("x")), None)]
    small = {"max_name_table_size": 16, "stream_type": "FLAT", "statement_type": "TRIPLES"}
    one, two = tmp_path / "1.jellyp", tmp_path / "2.jellyp"
    one.write_bytes(encode(quoted, rdf_star=True, **small))
    two.write_bytes(encode([(Op.A, S, P, S, None)], max_prefix_table_size=20, **small))
    run_well("patch", "concat", one, two, "-o", tmp_path / "out.jellyp")
    options = jr.inspect(tmp_path / "out.jellyp").options
    assert isinstance(options, jr.PatchOptions)
    assert options.rdf_star
    assert (options.stream_type.name, options.statement_type.name) == ("FLAT", "TRIPLES")
    assert (options.max_name_table_size, options.max_prefix_table_size) == (16, 150)
    piped = run_well("patch", "invert", "--to", "jellyp", stdin=one.read_bytes()).out
    assert read(piped)[0] == (Op.D, *quoted[0][1:])


def test_a_text_does_not_tell_which_options_its_terms_need(tmp_path: Path) -> None:
    text = b"A <urn:s> <urn:p> << <urn:s> <urn:p> <urn:o> >> .\n"
    assert run_well("patch", "invert", stdin=text).text.startswith("D <urn:s> <urn:p> <<")
    ended = run("patch", "invert", "-o", tmp_path / "out.jellyp", stdin=text)
    assert ended.code == 1
    assert ended.err.startswith("jellyp: standard input: ")
    assert "jellyp convert --rdf-star" in ended.err


@pytest.mark.parametrize("command", ["invert", "compact", "concat"])
def test_what_is_no_patch_is_refused(command: str, tmp_path: Path) -> None:
    statements = tmp_path / "x.nt"
    statements.write_text("<urn:s> <urn:p> <urn:o> .\n")
    ended = run("patch", command, statements)
    assert ended.code == 2
    assert "has statements; a patch has changes" in ended.err
    jelly = tmp_path / "x.jellyp"
    with jr.StatementWriter(jelly, format="jelly-rdf") as writer:
        writer.add(S, P, S)
    assert run("patch", command, jelly).code == 2
    bad = tmp_path / "bad.rdfp"
    bad.write_text("TX .\nA <urn:s> .\n")
    ended = run("patch", command, bad, "-o", tmp_path / "out.jellyp")
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {bad}: ")
    assert "line 2" in ended.err
    assert not (tmp_path / "out.jellyp").exists()
    assert run("patch", command, bad, "-o", tmp_path / "out.nt").code == 2

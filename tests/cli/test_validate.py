"""Tests ``jellyp validate``."""

import json
from pathlib import Path

import pytest

import jelly_rdflib as jr
from jelly_rdflib.rules import Rule
from tests.cli.support import TEXT, run, run_well

GOOD = TEXT.replace("urn:uuid:1", "urn:patch:1")
WARNING = "A <s> <urn:p> 1 .\n"
ERROR = "TC .\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in [
        ("good.rdfp", GOOD),
        ("odd.rdfp", WARNING),
        ("bad.rdfp", ERROR + WARNING + "A .\n"),
    ]:
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_good_file(folder: Path) -> None:
    assert run_well("validate", "good.rdfp", cwd=folder).text == "good.rdfp: no faults\n"
    assert run_well("validate", "--fail-on-warning", "good.rdfp", cwd=folder).code == 0
    assert run_well("validate", stdin=GOOD.encode()).text == "standard input: no faults\n"


def test_each_fault_has_its_place_as_editors_want_it(folder: Path) -> None:
    ended = run("validate", "bad.rdfp", cwd=folder)
    assert ended.code == 1
    assert ended.err == ""
    assert ended.text.splitlines() == [
        "bad.rdfp:1:1: error: transaction ends, but none was started [transaction-end]",
        "bad.rdfp:2:1: warning: IRI <s> is relative: it has no scheme [iri]",
        "bad.rdfp:3:3: error: the row ends where a term is expected [format]",
        "bad.rdfp: 2 errors, 1 warning",
    ]


def test_warnings_count_if_that_is_wanted(folder: Path) -> None:
    assert run("validate", "odd.rdfp", cwd=folder).code == 0
    assert run("validate", "--fail-on-warning", "odd.rdfp", cwd=folder).code == 1
    ended = run("validate", "--errors", "odd.rdfp", "bad.rdfp", cwd=folder)
    assert ended.code == 1
    assert "warning" not in ended.text
    assert ended.text.startswith("odd.rdfp: no faults\n")


def test_as_json(folder: Path) -> None:
    ended = run("validate", "--json", "bad.rdfp", "good.rdfp", cwd=folder)
    assert ended.code == 1
    assert [json.loads(line) for line in ended.text.splitlines()] == [
        {"file": "bad.rdfp", **fault.as_dict()} for fault in jr.validate(folder / "bad.rdfp")
    ]


def test_an_end_to_it(folder: Path) -> None:
    (folder / "bad.rdfp").write_text(ERROR * 100_000)
    ended = run("validate", "--max-faults", "2", "bad.rdfp", cwd=folder)
    assert ended.code == 1
    assert len(ended.text.splitlines()) == 3


def test_the_rules(folder: Path) -> None:
    shown = run_well("validate", "--rules").text
    assert [line.split(":")[0] for line in shown.splitlines()] == list(Rule)


STATEMENTS = '_:a <urn:p> _:b .\n_:b <urn:p> "x" .\n<urn:s> <urn:p> <urn:o> .\n'
RELABELLED = (
    "_:z <urn:p> _:y .\n"
    '_:y <urn:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .\n'
    "<urn:s> <urn:p> <urn:o> .\n"
)


@pytest.fixture
def jelly(tmp_path: Path) -> Path:
    path = tmp_path / "x.jelly"
    (tmp_path / "x.nt").write_text(STATEMENTS)
    (tmp_path / "labels.nt").write_text(RELABELLED)
    lines = RELABELLED.splitlines(keepends=True)
    (tmp_path / "shuffled.nt").write_text("".join(reversed(lines)))
    (tmp_path / "fewer.nt").write_text(lines[2] + lines[0])
    run_well("convert", "--frame-rows", "1", tmp_path / "x.nt", "-o", path)
    return path


def compare(path: Path, *arguments: str) -> tuple[int, list[str]]:
    ended = run("validate", path.name, *arguments, cwd=path.parent)
    assert ended.err == ""
    return ended.code, [line.removeprefix(f"{path.name}: ") for line in ended.text.splitlines()]


def test_compared_with_a_file(jelly: Path) -> None:
    for other in ("x.nt", "labels.nt", "shuffled.nt"):
        assert compare(jelly, "--compare-to-rdf-file", other) == (0, ["no faults"])
    code, lines = compare(jelly, "--compare-to-rdf-file", "fewer.nt")
    assert code == 1
    assert lines[0].startswith("error: it ")
    assert lines[-1].endswith("errors") or lines[-1] == "1 error"
    data = jelly.read_bytes()
    arguments = ("validate", "--compare-to-rdf-file", "labels.nt")
    assert run(*arguments, stdin=data, cwd=jelly.parent).code == 0
    ended = run(*arguments, "--json", "--compare-to-format", "nq", "x.nt", cwd=jelly.parent)
    assert (ended.code, ended.text) == (0, "")


def test_compared_in_order(jelly: Path) -> None:
    ordered = ("--compare-ordered", "--compare-to-rdf-file")
    assert compare(jelly, *ordered, "labels.nt")[0] == 0
    code, lines = compare(jelly, *ordered, "shuffled.nt")
    assert code == 1
    assert lines[0].startswith("error: row 1 is A <_:")
    (jelly.parent / "more.nt").write_text(STATEMENTS + "<urn:s> <urn:p> <urn:more> .\n")
    assert compare(jelly, *ordered, "more.nt")[1][0] == (
        "error: it ends before row 4, but more.nt goes on [expected]"
    )
    # Each blank node must correspond to one other blank node in all statements.
    (jelly.parent / "one.nt").write_text(STATEMENTS.replace("_:b", "_:a"))
    assert compare(jelly, *ordered, "one.nt")[0] == 1


@pytest.mark.parametrize("frames", ["2..", "2..3"])
def test_compared_are_some_frames(frames: str, jelly: Path) -> None:
    batches = [len(frame) for frame in jr.read_frames(jelly)]
    start = sum(batches[:1])
    lines = STATEMENTS.splitlines(keepends=True)
    stop = None if frames == "2.." else sum(batches[:3])
    (jelly.parent / "some.nt").write_text("".join(lines[start:stop]))
    arguments = ("--compare-to-rdf-file", "some.nt", "--compare-frames")
    assert compare(jelly, *arguments, frames) == (0, ["no faults"])
    ended = run("validate", jelly.name, *arguments, "99", cwd=jelly.parent)
    assert (ended.code, "there is no frame 99: the last one is " in ended.err) == (2, True)
    ended = run("validate", jelly.name, *arguments, "1-2", cwd=jelly.parent)
    assert ended.code == 2
    assert "2..5" in ended.err


def test_options_and_delimiting_as_expected(jelly: Path) -> None:
    small = jelly.with_name("small.jelly")
    run_well("convert", jelly, "-o", small, "--preset", "small", "--no-delimited")
    assert compare(jelly, "--options-file", "x.jelly", "--delimited")[0] == 0
    code, lines = compare(jelly, "--options-file", "small.jelly", "--no-delimited")
    assert code == 1
    assert "error: max_name_table_size is 4000, but in small.jelly it is 128 [expected]" in lines
    assert "error: it is delimited [expected]" in lines
    assert compare(small, "--delimited")[1][-2] == "error: it is a bare frame [expected]"
    ended = run("validate", jelly.name, "--options-file", "x.nt", cwd=jelly.parent)
    assert ended.code == 2

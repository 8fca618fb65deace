"""Tests operation filters in ``cat``, ``convert`` and ``stats``."""

import contextlib
import json
import os
import threading
import time
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from rdflib import XSD, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import OPERATIONS, TEXT, encode, run, run_well

DATE_TIME = "^^<http://www.w3.org/2001/XMLSchema#dateTime>"
DATED = f"""\
H id <uuid:1> .
H made "2026-01-31T23:30:00Z"{DATE_TIME} .
TX .
PA "ex" "urn:ex#" .
A <urn:ex#lamp> <urn:ex#state> "on" <urn:g> .
A <urn:ex#lamp> <urn:ex#state> "dim"@en .
TC .
Z .
H made "2026-02-01T01:00:00+01:00"{DATE_TIME} .
TX .
D <urn:ex#lamp> <urn:ex#state> "on" <urn:g> .
TC .
TX .
A <_:b> <urn:ex#level> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .
TA .
"""
FIRST, SECOND = DATED.split("Z .\n")


@pytest.fixture
def dated(tmp_path: Path) -> Path:
    path = tmp_path / "dated.rdfp"
    path.write_text(DATED)
    return path


@pytest.mark.parametrize(
    ("options", "rows"),  # The rows are line numbers, counted from 1.
    [
        (["--op", "D"], [9, 10, 11, 12]),
        (["--op", "D", "--op", "pa"], [1, 2, 3, 4, 7, 8, 9, 10, 11, 12]),
        (["--graph", "<urn:g>"], [1, 2, 3, 5, 7, 8, 9, 10, 11, 12]),
        (["--graph", "default"], [1, 2, 3, 6, 7, 8, 9, 13, 14, 15]),
        (["--subject", "_:b"], [9, 13, 14, 15]),
        (["--subject", "ex:lamp", "--op", "D"], [9, 10, 11, 12]),
        (["--predicate", "ex:level", "--predicate", "ex:other"], [9, 13, 14, 15]),
        (["--object", '"dim"@en'], [1, 2, 3, 6, 7]),
        (["--patch", "1", "--object", '"on"'], [1, 2, 3, 5, 7]),
    ],
    ids=lambda value: " ".join(map(str, value)),
)
def test_operations_stay_with_what_belongs_to_them(
    options: list[str], rows: list[int], dated: Path
) -> None:
    lines = DATED.splitlines(keepends=True)
    wanted = "".join(lines[row - 1] for row in rows)
    assert run_well("cat", *options, dated).text == wanted


def test_a_term_is_found_in_any_spelling(tmp_path: Path) -> None:
    string = "^^<http://www.w3.org/2001/XMLSchema#string>"
    groups = [
        ['"x"', f'"x"{string}'],
        ['"x"@en-GB', '"x"@en-gb', '"x"@EN-gb'],
        ['"x"@en-GX'],
        ['"xy"'],
        ['"x"^^<urn:d>'],
        ["<x:x>"],
    ]
    path = tmp_path / "x.rdfp"
    lines = [[f"A <urn:s> <urn:p> {term} .\n" for term in terms] for terms in groups]
    path.write_text("".join(chain.from_iterable(lines)))
    for terms, own in zip(groups, lines, strict=True):
        for term in terms:
            assert run_well("cat", "--object", term, path).text == "".join(own)


def test_a_quoted_triple_is_found_in_any_spelling(tmp_path: Path) -> None:
    quoted = [
        f"<<( <urn:s> <urn:p> {term} )>>"
        for term in ('"x"', '"x"^^<http://www.w3.org/2001/XMLSchema#string>', '"y"')
    ]
    path = tmp_path / "x.rdfp"
    for option, line in {
        "subject": "A {} <urn:p> <urn:o> .\n",
        "object": "A <urn:s> <urn:p> {} .\n",
    }.items():
        lines = [*map(line.format, quoted)]
        path.write_text("".join(lines))
        # The spelling of RDF 1.2, the spelling of tables, and a spelling with an escape.
        for term in (*quoted[:2], '<< <urn:s> <urn:p> "\\u0078" >>'):
            assert run_well("cat", f"--{option}", term, path).text == "".join(lines[:2])


def test_a_prefixed_datatype(dated: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.ttl"
    path.write_text(
        "PREFIX ex: <urn:ex#>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
        "PREFIX : <urn:empty#>\nex:a ex:b 7, 8 . :c ex:b 'x' .\n"
    )
    found = run_well("convert", "--to", "nt", "--object", '"7"^^xsd:integer', path).text
    assert found == ('<urn:ex#a> <urn:ex#b> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
    assert run_well("convert", "--to", "nt", "--subject", ":c", path).text == (
        '<urn:empty#c> <urn:ex#b> "x" .\n'
    )
    # The prefixes of the statements are kept in the output.
    assert "PREFIX" in run_well("convert", "--to", "ttl", "--subject", ":c", path).text.upper()


@pytest.mark.parametrize(
    ("options", "patches"),
    [
        (["--patch", "1"], FIRST),
        (["--patch", "..1"], FIRST),
        (["--patch", "2.."], SECOND),
        (["--patch", "2..9"], SECOND),
        (["--patch", "3.."], ""),
        # 2026-02-01T01:00+01:00 is the first moment of that day in UTC.
        (["--until", "2026-01-31"], FIRST),
        (["--until", "2026-01-31T23:30:00Z"], FIRST),
        (["--since", "2026-01-31T23:30:01"], SECOND),
        (["--since", "2026-02-01T02:00+02:00", "--until", "2027-01-01"], SECOND),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_patches_by_number_and_time(options: list[str], patches: str, dated: Path) -> None:
    assert run_well("cat", *options, dated).text == patches


def test_filters_on_standard_input_and_in_small_frames(dated: Path) -> None:
    """The headers, including the time, are in an earlier batch than the statements."""
    data = encode([*jr.read_operations(DATED.encode(), format="rdf-patch")], frame_rows=1)
    for options in (["--since", "2026-02-01"], ["--patch", "2"]):
        assert run_well("cat", *options, stdin=data).text == SECOND
    found = run_well("cat", "--predicate", "ex:level", stdin=data).text
    assert found == run_well("cat", "--predicate", "ex:level", dated).text


def test_stats_count_what_is_let_through(dated: Path) -> None:
    counts = json.loads(run_well("stats", "--json", "--op", "D", dated, dated).text)
    assert counts["operations"] == {"H": 2, "TX": 2, "TC": 2, "D": 2, "END": 2}
    assert counts["patches"] == 2
    assert counts["transactions"]["committed"] == 2


@pytest.mark.parametrize(
    ("options", "frames"),
    [("1", [0]), ("2..4", [1, 2, 3]), ("5..", [4, 5, 6]), ("..2", [0, 1])],
)
def test_frames_are_counted_from_1(options: str, frames: list[int], tmp_path: Path) -> None:
    path = tmp_path / "x.jelly"
    rows = [f"<urn:s{i}> <urn:p> <urn:o> .\n" for i in range(7)]
    (tmp_path / "x.nt").write_text("".join(rows))
    # Each frame has a statement, preceded by its lookup entries.
    run_well("convert", "--frame-rows", "1", tmp_path / "x.nt", "-o", path)
    assert len(run_well("inspect", "--frames", path).text.splitlines()) == 8
    found = run_well("convert", "--to", "nt", "--frame", options, path).text
    assert found == "".join(rows[i] for i in frames)


def test_a_transaction_that_frames_cut_is_a_shorter_one(tmp_path: Path) -> None:
    statements = [op for op in OPERATIONS if op[0] is jr.Op.A]
    data = encode([(jr.Op.TX,), *statements, (jr.Op.TC,)], frame_rows=1)
    frames = [list(batch) for batch in jr.read_batches(data)]
    first = next(i for i, frame in enumerate(frames) if len(frame) and frame[0][0] is jr.Op.A)
    options = ["--frame", f"{first + 1}..{first + 2}"]
    shown = run_well("cat", *options, stdin=data).text.splitlines()
    assert [line.split()[0] for line in shown] == ["TX", "A", "A", "TC"]
    # The result is a whole patch, so other patches may follow.
    counts = json.loads(run_well("stats", "--json", *options, stdin=data).text)
    assert counts["operations"] == {"TX": 1, "TC": 1, "A": 2, "END": 1}
    out = tmp_path / "out.jellyp"
    (tmp_path / "in.jellyp").write_bytes(data)
    run_well("convert", *options, tmp_path / "in.jellyp", "-o", out)
    assert len(list(jr.read_operations(out))) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--subject", "no:such"],
            "does not bind the prefix of --subject no:such; an IRI is written '<no:such>'",
        ),
        (["--patch", "1"], "statements, and no patches"),
        (["--since", "2026-01-01"], "its statements have no times"),
        (["--frame", "1"], "N-Triples has no frames"),
    ],
)
def test_what_a_file_does_not_have_is_an_error(
    options: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.nt"
    path.write_text("<urn:s> <urn:p> <urn:o> .\n")
    ended = run("cat", *options, path)
    assert ended.code == 1
    assert ended.err.startswith(f"jellyp: {path}: ")
    assert message in ended.err


@pytest.mark.parametrize("command", ["cat", "stats", "convert"])
@pytest.mark.parametrize("versions", ["7", "4..9", "5.."])
def test_a_range_that_starts_past_the_end_is_an_error(
    command: str, versions: str, tmp_path: Path
) -> None:
    log = jr.PatchLog(tmp_path / "history", create=True)
    for number in (b"1", b"2", b"3"):
        log.append(b'TX . A <urn:s> <urn:p> "%b" . TC .' % number, format="rdf-patch")
    file, empty = tmp_path / "x.jellyp", tmp_path / "empty.rdfp"
    run_well("convert", log.path, "-o", file)
    empty.touch()
    for name, option, kind in (
        (log.path, "--patch", "version"),
        (file, "--patch", "patch"),
        (file, "--frame", "frame"),
    ):
        ended = run(command, option, versions, name)
        wanted = f"jellyp: {name}: there is no {kind} {versions[0]}: the last one is 3\n"
        assert (ended.code, ended.err) == (1, wanted)
        # A range that starts directly after the last one is empty, which is not an error.
        run_well(command, option, "4..", name)
    ended = run(command, "--patch", "1", empty)
    assert (ended.code, "there is no patch 1: there are no patches" in ended.err) == (1, True)
    run_well(command, "--patch", "1..", empty)


def test_a_patch_without_a_time_is_an_error(dated: Path) -> None:
    dated.write_text(DATED + f"Z .\n{TEXT}")
    ended = run("cat", "--since", "2030-01-01", dated)
    assert ended.code == 1
    assert "patch 3 has no time" in ended.err


def test_rows_before_a_time_are_limited(tmp_path: Path) -> None:
    """The limit is on rows, not on frames; rows in the frame with the time are not held."""
    operations: list[Any] = [(Op.H, f"h{number}", Literal("x")) for number in range(9)]
    operations += [(Op.H, "time", Literal("2026-01-01", datatype=XSD.date)), (Op.TX,)]
    operations += [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal(n), None) for n in range(20)]
    with jr.PatchWriter(tmp_path / "x.jellyp", jr.PatchOptions(frame_rows=8)) as writer:
        writer.write_all([*operations, (Op.TC,)])
    call = ["cat", "--since", "2025-01-01", tmp_path / "x.jellyp", "--limit"]
    assert run_well(*call, "max_held_operations=9").text.count("\nA ") == 20
    ended = run(*call, "max_held_operations=3")
    assert ended.code == 1
    assert "patch 1 has more than max_held_operations=3 rows before its time" in ended.err


@pytest.mark.parametrize(
    "options",
    [
        ["--op", "TX"],
        ["--subject", "lamp"],
        ["--object", '"open'],
        ["--patch", "0"],
        ["--patch", "3..2"],
        ["--frame", "0..2"],
        ["--frame", ".."],
        ["--since", "yesterday"],
    ],
    ids=" ".join,
)
def test_a_filter_that_is_none_is_an_error_of_the_call(options: list[str], dated: Path) -> None:
    ended = run("cat", *options, dated)
    assert (ended.code, ended.out) == (2, b"")
    assert "Invalid value for" in ended.err
    if options == ["--op", "TX"]:
        assert "'TX' is not one of A, D, PA, PD, H" in ended.err


def test_times_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "history"
    log = jr.PatchLog(path, create=True)
    for number in (b"1", b"2", b"3"):
        log.append(b'TX . A <urn:s> <urn:p> "%b" . TC .' % number, format="rdf-patch")
        # Make all times differ.
        time.sleep(0.01)
    moment = log.entry(2).time.isoformat()
    found = run_well("cat", "--op", "A", "--since", moment, "--until", moment, path).text
    assert '"2"' in found
    assert found.count("TX") == 1
    assert run_well("cat", "--since", "2100-01-01", path).out == b""


def test_big_files_are_read_only_as_far_as_they_are_wanted(tmp_path: Path) -> None:
    pipe = tmp_path / "endless.rdfp"
    os.mkfifo(pipe)

    def write() -> None:
        # Closing the file may fail again, since it writes the remaining data.
        with contextlib.suppress(BrokenPipeError), pipe.open("w") as file:
            while True:
                file.write(TEXT + "Z .\n")

    threading.Thread(target=write, daemon=True).start()
    assert run_well("cat", "--patch", "1", pipe).text == TEXT.partition("Z .\n")[0]

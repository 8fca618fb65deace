"""Tests the package with the official conformance suite, and the runner with wrong files.

The suite is in the folder ``suite``, or in the checkout that ``JELLY_CONFORMANCE`` names.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, Graph, Literal, Namespace, URIRef

from tests.conformance import manifest
from tests.conformance import run as runner
from tests.conformance.__main__ import ALL_PASS, SOME_FAIL, WRONG_USE, main
from tests.conformance.manifest import SUITE, Case, read_suite
from tests.conformance.report import SUBJECT
from tests.oracle import rdf_build as build
from tests.oracle.wire import split

EARL = Namespace("http://www.w3.org/ns/earl#")
DC = Namespace("http://purl.org/dc/terms/")
DOAP = Namespace("http://usefulinc.com/ns/doap#")

CASES = read_suite(Path(os.environ.get("JELLY_CONFORMANCE", SUITE)))


FROM_JELLY = [case for case in CASES if case.direction == "from_jelly"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    outcome = runner.run(case)
    assert outcome.reason is None, outcome.reason


# -- the runner --------------------------------------------------------------------------------

BASE = "https://w3id.org/jelly/dev/tests/rdf/"

MANIFEST = """\
PREFIX jellyt: <https://w3id.org/jelly/dev/tests/vocab#>
PREFIX mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#>
BASE <https://w3id.org/jelly/dev/tests/rdf/>

<manifest> a mf:Manifest ; mf:entries ( <read> <refuse> <write> <dont> ) .

<read> a jellyt:TestPositive, jellyt:TestRdfFromJelly ;
    mf:action <read/in.jelly> ;
    mf:result ( <read/out_000.nt> <read/out_001.nt> ) .
<refuse> a jellyt:TestNegative, jellyt:TestRdfFromJelly ;
    mf:action <refuse/in.jelly> .
<write> a jellyt:TestPositive, jellyt:TestRdfToJelly ;
    mf:action ( <write/stream_options.jelly> <write/in_000.nt> <write/in_001.nt> ) ;
    mf:result <write/out.jelly> .
<dont> a jellyt:TestNegative, jellyt:TestRdfToJelly ;
    mf:action ( <dont/stream_options.jelly> <dont/in_000.nt> ) .
"""
FIRST = "<urn:s> <urn:p> _:a .\n<urn:s> <urn:p> _:b .\n"
SECOND = "_:a <urn:p> _:a .\n"


def _options(**changes: Any) -> Any:
    fields = {"logical_type": build.FLAT_TRIPLES, "max_name_table_size": 8}
    return build.options(**{**fields, "max_prefix_table_size": 0, **changes})


def _triples(first: str, second: str, **changes: Any) -> bytes:
    """Return a stream with the content of both files and the given blank-node labels."""
    return build.stream(
        [
            _options(**changes),
            build.name("urn:s"),
            build.name("urn:p"),
            build.spo(build.iri(0, 1), build.iri(0, 2), first),
            build.spo(o=second),
        ],
        [build.spo(s=first, o=first)],
    )


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return the folder of a suite with four cases, all of which pass."""
    files = {
        "manifest.ttl": MANIFEST.encode(),
        "read/in.jelly": _triples("x", "y"),
        "read/out_000.nt": FIRST.encode(),
        "read/out_001.nt": SECOND.encode(),
        "refuse/in.jelly": build.stream([_options(version=3)]),
        "write/stream_options.jelly": build.stream([_options()]),
        "write/in_000.nt": FIRST.encode(),
        "write/in_001.nt": SECOND.encode(),
        "write/out.jelly": _triples("x", "y"),
        "dont/stream_options.jelly": build.stream([_options(max_name_table_size=7)]),
        "dont/in_000.nt": FIRST.encode(),
    }
    for name, content in files.items():
        path = tmp_path / "suite" / "rdf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "suite"


def _outcomes(suite: Path, report: Path) -> tuple[int, dict[str, bool]]:
    """Run the suite; return its exit code, and whether the report says that each case passed."""
    code = main([str(suite), "--report", str(report)])
    graph = Graph().parse(report)
    outcomes = {}
    for assertion in graph.subjects(RDF.type, EARL.Assertion):
        assert graph.value(assertion, EARL.subject) == URIRef(SUBJECT)
        assert graph.value(assertion, EARL.mode) == EARL.automatic
        assert (graph.value(assertion, EARL.assertedBy), RDF.type, EARL.Assertor) in graph
        result = graph.value(assertion, EARL.result)
        assert isinstance(graph.value(result, DC.date), Literal)
        outcome = graph.value(result, EARL.outcome)
        assert outcome in (EARL.passed, EARL.failed)
        outcomes[str(graph.value(assertion, EARL.test)).removeprefix(BASE)] = outcome == EARL.passed
    return code, outcomes


ALL = ["read", "refuse", "write", "dont"]


def test_what_is_right_passes_and_the_report_says_what_was_tested(
    suite: Path, tmp_path: Path
) -> None:
    report = tmp_path / "out.ttl"
    assert _outcomes(suite, report) == (ALL_PASS, dict.fromkeys(ALL, True))
    graph = Graph().parse(report)
    project = URIRef(SUBJECT)
    assert graph.value(project, DOAP.name) == Literal("jelly-rdflib")
    for predicate in (DOAP.shortdesc, DOAP.license, DOAP.developer, DOAP.release):
        assert graph.value(project, predicate) is not None
    (suite / "rdf/read/in.jelly").unlink()
    assert main([str(suite), "--report", str(report), "--date", "2025-02-28"]) == SOME_FAIL
    text = report.read_text()
    assert str(tmp_path) not in text
    assert text.count('dc:date "2025-02-28"^^xsd:date') == 4


WRONG_FILES = [
    ("read", "read/out_000.nt", FIRST.replace("_:b", "<urn:b>").encode()),
    ("read", "read/out_000.nt", FIRST.encode() + b"nonsense"),
    ("read", "read/out_001.nt", b""),
    # The graph is the same, but its blank node is not that of the first frame.
    ("read", "read/out_001.nt", SECOND.replace("_:a", "_:c").encode()),
    ("read", "read/in.jelly", _triples("x", "y")[:-1]),
    ("refuse", "refuse/in.jelly", build.stream([_options()])),
    ("write", "write/out.jelly", _triples("x", "x")),
    ("write", "write/stream_options.jelly", build.stream([_options(max_name_table_size=7)])),
    ("write", "write/in_001.nt", FIRST.encode()),
    ("dont", "dont/stream_options.jelly", build.stream([_options()])),
]


@pytest.mark.parametrize(("case", "name", "content"), WRONG_FILES)
def test_what_is_wrong_fails(
    suite: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    case: str,
    name: str,
    content: bytes,
) -> None:
    (suite / "rdf" / name).write_bytes(content)
    expected = {other: other != case for other in ALL}
    assert _outcomes(suite, tmp_path / "out.ttl") == (SOME_FAIL, expected)
    printed = capsys.readouterr().out
    assert f"FAILED rdf/{case}: " in printed
    assert printed.endswith("3 of 4 cases pass\n")


@pytest.mark.parametrize(
    ("case", "before", "after"),
    [
        ("read", "<read> a jellyt:TestPositive, ", "<read> a "),
        ("read", "<read/in.jelly>", "<../../in.jelly>"),
        ("read", " <read/out_001.nt> )", " )"),
        ("write", " <write/in_000.nt> <write/in_001.nt> )", " )"),
        ("more", "<dont> ) .", "<dont> <more> ) ."),
    ],
)
def test_what_can_not_be_run_fails(
    suite: Path, tmp_path: Path, case: str, before: str, after: str
) -> None:
    (suite / "rdf/manifest.ttl").write_text(MANIFEST.replace(before, after))
    assert _outcomes(suite, tmp_path / "out.ttl") == (
        SOME_FAIL,
        {name: name != case for name in {*ALL, case}},
    )


def test_a_file_of_the_case_stands_in_for_one_that_is_not_there(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = MANIFEST.replace("<refuse/in.jelly>", "<other/in.jelly>")
    (suite / "rdf/manifest.ttl").write_text(text)
    assert _outcomes(suite, tmp_path / "out.ttl") == (ALL_PASS, dict.fromkeys(ALL, True))
    note = "other/in.jelly is not there: used refuse/in.jelly"
    assert note in capsys.readouterr().out
    assert note in (tmp_path / "out.ttl").read_text()


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(_triples("a", "b") + b"\0", id="one more frame"),
        pytest.param(split(_triples("a", "b"))[0], id="bare"),
        pytest.param(_triples("a", "b", version=2), id="version"),
    ],
)
def test_output_must_be_as_asked_for(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: bytes
) -> None:
    monkeypatch.setattr(runner, "_write", lambda *_: output)
    (suite / "rdf/dont/stream_options.jelly").write_bytes(build.stream([_options(version=9)]))
    expected = {**dict.fromkeys(ALL, True), "write": False}
    assert _outcomes(suite, tmp_path / "out.ttl") == (SOME_FAIL, expected)


def test_it_runs_as_a_program(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a suite with too few cases, a missing suite, and the cases of the project."""
    assert main([str(suite), "--at-least", "5"]) == SOME_FAIL
    assert capsys.readouterr().out.splitlines()[1:] == [
        "4 of 4 cases pass",
        "FAILED: the suite has 4 cases instead of 5",
    ]
    report = str(suite / "none" / "out.ttl")
    assert main([str(suite), "--report", report]) == WRONG_USE
    (suite / "rdf/read/more").mkdir()
    (suite / "rdf/read/more/in.jelly").touch()
    assert main([str(suite)]) == SOME_FAIL
    assert "FAILED rdf/read/more: no manifest names it" in capsys.readouterr().out
    (suite / "rdf/manifest.ttl").unlink()
    assert main([str(suite)]) == WRONG_USE
    assert "no manifest.ttl with cases" in capsys.readouterr().err
    assert main(["--date", "2025-02-28"]) == ALL_PASS
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith("2025-02-28, suite sha256:")
    assert first.endswith(": 119 cases, 69 from Jelly and 50 to Jelly, none skipped")
    assert last == "119 of 119 cases pass"


def test_the_commit_of_a_checkout_is_told(suite: Path) -> None:
    def git(*arguments: str) -> str:
        names = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(suite), *names, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert manifest.commit(suite) is None
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "all")
    assert manifest.commit(suite) == git("rev-parse", "HEAD")
    # Files that are not committed have no commit.
    (suite / "rdf/read/more.nt").write_text(FIRST)
    assert manifest.commit(suite) is None

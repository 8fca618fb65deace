"""Tests the suite as a program: it passes correct results, fails wrong ones, loses no case."""

import stat
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from rdflib import RDF, Graph, Namespace

from conformance import document, example, generate, spelling
from conformance.__main__ import ALL_PASS, SOME_FAIL, WRONG_USE, main
from conformance.cases import all_cases
from conformance.check import Outcome, check, check_bytes
from conformance.document import Document, Plain
from conformance.manifest import SUITE, SuiteError, read_suite
from conformance.runner import Commands, Server
from tests.conformance.patch import package
from tests.conformance.patch.in_process import ENTRIES, outcomes

EARL = Namespace("http://www.w3.org/ns/earl#")
Answer = Callable[[str, Path], bytes]


def _example(verb: str, path: Path) -> bytes:
    return example.run(verb, str(path))


# One case of each shape, and the cases about terms and patches. They are enough to detect a faulty
# reader.
SOME = [
    entry
    for entry in ENTRIES
    if entry.kind == "from_jelly"
    and (
        entry.name.endswith(("rdf_1_1_compact", "all_compact"))
        or entry.name.split("/")[1] in ("terms", "patches", "headers", "transactions")
    )
]


def _failed(found: list[Outcome]) -> list[str]:
    return [f"{o.entry.name}: {o.info}" for o in found if o.verdict != "passed"]


# -- correct results pass --------------------------------------------------------------------------


def test_the_package_passes_all_cases() -> None:
    assert _failed(outcomes(package.answer)) == []


def test_the_package_refuses_all_that_a_reader_may_refuse_but_this() -> None:
    negative = [entry for entry in ENTRIES if entry.refusal == "may"]
    read = {o.entry.name for o in outcomes(package.answer, negative) if o.info == "read"}
    assert read == {
        f"from_jelly/{name}"
        for name in (
            "namespaces/neg_name_that_is_none",
            "repeats/neg_first_graph_of_namespace",
            "rows/neg_of_two_kinds",
            "statements/neg_graph_blank_node_in_triples",
            "statements/neg_graph_default_in_triples",
            "statements/neg_graph_iri_in_triples",
            "statements/neg_namespace_graph_blank_node_in_triples",
            "statements/neg_namespace_graph_default_in_triples",
            "statements/neg_namespace_graph_iri_in_triples",
            "terms/neg_graph_of_two_kinds",
            "terms/neg_iri_that_is_none",
            "terms/neg_iri_that_is_relative",
            "terms/neg_literal_of_two_kinds",
            "terms/neg_subject_of_two_kinds",
            "terms/neg_value_of_two_kinds",
        )
    }


def test_the_package_keeps_what_a_writer_should_keep() -> None:
    entries = [entry for entry in ENTRIES if entry.kind != "from_jelly"]
    told = {o.info for o in outcomes(package.answer, entries) if o.info.startswith("not kept")}
    # Some documents ask for options that their stream does not use.
    assert told <= {"not kept: unused-feature"}


def test_the_example_passes_all_cases() -> None:
    assert _failed(outcomes(_example)) == []


# -- wrong results fail ----------------------------------------------------------------------------


def _changed(change: Callable[[Document], Any]) -> Answer:
    """Return a runner whose reader changes the document that it reads."""

    def answer(verb: str, path: Path) -> bytes:
        output = _example(verb, path)
        if verb == "encode":
            return output
        found = document.load(output)
        change(found)
        return document.dump(found).encode()

    return answer


def _set_option(name: str, value: Any) -> Callable[[Document], Any]:
    return lambda found: found["options"].update({name: value})


def _map_rows(change: Callable[[Plain], Plain]) -> Callable[[Document], Any]:
    def apply(found: Document) -> None:
        found["patches"] = [[change(row) for row in patch] for patch in found["patches"]]

    return apply


def _map_terms(kind: str, change: Callable[[Plain], Plain]) -> Callable[[Document], Any]:
    def term(value: Any) -> Any:
        if not isinstance(value, tuple):
            return value
        return change(value) if value[0] == kind else tuple(map(term, value))

    return _map_rows(term)


WRONG_READERS: dict[str, Callable[[Document], Any]] = {
    **{
        name: _set_option(name, value)
        for name, value in (
            ("stream_type", "UNSPECIFIED"),
            ("rdf_star", None),
            ("max_name_table_size", 0),
            ("version", 2),
        )
    },
    "one patch more": lambda found: found["patches"].append([]),
    "one patch less": lambda found: found.update(patches=found["patches"][:-1]),
    "all in one patch": lambda found: found.update(patches=[[*chain(*found["patches"])]]),
    "the last row lost": lambda found: [patch and patch.pop() for patch in found["patches"]],
    "rows in another order": lambda found: [patch.reverse() for patch in found["patches"]],
    "headers sorted": lambda found: [
        patch.sort(key=lambda row: row[1] if row[0] == "H" else "") for patch in found["patches"]
    ],
    "add for delete": _map_rows(lambda row: ("A", *row[1:]) if row[0] == "D" else row),
    "commit for abort": _map_rows(lambda row: ("TC",) if row == ("TA",) else row),
    "no graph for the default graph": _map_rows(
        lambda row: tuple(None if item == document.DEFAULT else item for item in row)
    ),
    "all blank nodes one": _map_terms("bnode", lambda _: ("bnode", "b")),
    "each blank node another": _map_terms("bnode", lambda term: ("bnode", f"b{next(COUNTER)}")),
    "no languages": _map_terms("literal", lambda term: (*term[:2], None, term[3])),
    "no datatypes": _map_terms("literal", lambda term: (*term[:3], None)),
    "normal forms": _map_terms("literal", lambda term: (term[0], term[1].lstrip("0"), *term[2:])),
    "IRIs in lower case": _map_terms("iri", lambda term: ("iri", term[1].lower())),
}
COUNTER = iter(range(10**9))


@pytest.mark.parametrize("name", WRONG_READERS)
def test_a_reader_that_is_wrong_fails(name: str) -> None:
    found = outcomes(_changed(WRONG_READERS[name]), SOME)
    failed = [o for o in found if o.verdict != "passed"]
    assert failed
    assert all(o.entry.refusal is None or o.entry.result is not None for o in failed)


def test_what_only_looks_otherwise_passes() -> None:
    def renamed(term: Plain) -> Plain:
        return ("bnode", f"x-{term[1]}")

    def spelled(term: Plain) -> Plain:
        _, lex, language, datatype = term
        datatype = document.XSD_STRING if language is datatype is None else datatype
        return ("literal", lex, language and language.upper(), datatype)

    for change in (_map_terms("bnode", renamed), _map_terms("literal", spelled)):
        assert _failed(outcomes(_changed(change), SOME)) == []
    no_iri = _map_rows(lambda row: (*row[:2], None, row[3]) if row[0] == "PD" else row)
    assert _failed(outcomes(_changed(no_iri), SOME)) == []


def _refuse(verb: str, path: Path) -> bytes:
    raise ValueError("no")


def _accept(verb: str, path: Path) -> bytes:
    try:
        return _example(verb, path)
    except ValueError:
        return b'{"options": {}, "patches": []}' if verb == "decode" else b""


def test_who_refuses_all_passes_negative_cases_alone() -> None:
    for outcome in outcomes(_refuse):
        assert (outcome.verdict == "passed") == (outcome.entry.refusal is not None)


def test_who_accepts_all_fails_all_that_must_be_refused() -> None:
    negative = [entry for entry in ENTRIES if entry.refusal in ("must", "should")]
    assert {outcome.verdict for outcome in outcomes(_accept, negative)} == {"failed"}


RIGHT = {"version": 1, "stream_type": "FLAT", "statement_type": "TRIPLES"}


def _encode_changed(change: Callable[[Document], Any]) -> Answer:
    """Return a runner whose writer changes a document and writes it without a check."""

    def answer(verb: str, path: Path) -> bytes:
        if verb == "decode":
            return _example(verb, path)
        wanted = document.load(path.read_bytes())
        change(wanted)
        frames = spelling.frames(wanted, compact=True)
        return example.rows.delimited(map(example.bytes_of, frames))

    return answer


def test_a_writer_may_write_what_is_right_or_refuse() -> None:
    entries = [e for e in ENTRIES if e.kind == "to_jelly" and e.refusal == "may"]
    assert len(entries) == 4

    def right(found: Document) -> None:
        found["options"] |= RIGHT

    def quads(found: Document) -> None:
        found["options"] |= {**RIGHT, "statement_type": "QUADS"}
        found["patches"] = [[(*row[:4], document.DEFAULT) for row in found["patches"][0]]]

    def less(found: Document) -> None:
        right(found)
        found["patches"][0].pop()

    said = {
        "written": outcomes(_encode_changed(right), entries)
        + outcomes(_encode_changed(quads), entries),
        "refused": outcomes(_refuse, entries),
        "what was written breaks a rule": outcomes(_encode_changed(lambda _: None), entries),
        "what was written is something else": outcomes(_encode_changed(less), entries),
    }
    for words, found in said.items():
        assert {o.verdict for o in found} == {"passed" if " " not in words else "failed"}
        assert all(o.info.startswith(words) for o in found)


def test_a_writer_that_loses_something_is_told_so() -> None:
    entries = [e for e in ENTRIES if e.refusal == "lossy"]
    assert [e.name.rpartition("neg_")[2] for e in entries] == [
        "graph_in_triples",
        "too_many_names",
        "two_patches_in_flat",
    ]

    def nothing(found: Document) -> None:
        found["patches"] = []

    for outcome in outcomes(_encode_changed(nothing), entries):
        assert (outcome.verdict, outcome.info[:6]) == ("failed", "lossy:")


def test_a_writer_that_is_wrong_fails() -> None:
    entries = {entry.name: entry for entry in ENTRIES}
    entry = entries["to_jelly/shapes/pos_punctuated_quads_all"]
    wanted = document.load(entry.action.read_bytes())

    def written(change: Callable[[Document], Any]) -> bytes:
        other = document.load(document.dump(wanted))
        change(other)
        frames = spelling.frames(other, compact=True)
        return example.rows.delimited(map(example.bytes_of, frames))

    right = written(lambda _: None)
    assert check_bytes(right, wanted) == []
    others = [change for name, change in WRONG_READERS.items() if not name.endswith(("type",))]
    for change in others:
        try:
            data = written(change)
        except (TypeError, ValueError):
            continue
        if data != right:
            with pytest.raises(ValueError, match="what was written"):
                check_bytes(data, wanted)
    for data in (b"", right[:-1], right + b"\x05", right[2:], right.replace(b"\x32\x00", b"", 1)):
        with pytest.raises(ValueError, match="what was written"):
            check_bytes(data, wanted)


def test_what_a_writer_should_do_is_reported() -> None:
    entries = {entry.name: entry for entry in ENTRIES}
    entry = entries["to_jelly/lookups/pos_used"]
    wanted = document.load(entry.action.read_bytes())
    none = document.load(document.dump(wanted))
    none["options"]["max_prefix_table_size"] = 0
    first, *rows = spelling.frames(none, compact=True)[0]
    first.options.max_prefix_table_size = 16
    bare = example.bytes_of([first, *rows])
    assert check_bytes(bare, wanted) == ["delimited", "unused-lookup"]


# -- the command -----------------------------------------------------------------------------------


def _script(path: Path, text: str) -> str:
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


BARE = "from_jelly/frames/pos_bare"


SMALL = (
    "frames/pos_bare",
    "transactions/neg_commit_without_start",
    "transactions/pos_commit_without_start_repaired",
    "refused/neg_commit_without_start",
    "refused/pos_commit_without_start_repaired",
    "shapes/pos_flat_triples_rdf_1_1_compact",
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a folder with a few cases of all kinds."""
    generate.main(tmp_path / "small", [case for case in all_cases() if case.name in SMALL])
    return tmp_path / "small"


ANSWERS = {
    # Commands, and the outcome that the suite must report for each.
    "raise SystemExit(0)": ("failed", "not a document"),
    "raise SystemExit(1)": ("failed", "exit status 1"),
    "print('why', file=sys.stderr); raise SystemExit(3)": ("failed", "refused: why"),
    "print('not yet', file=sys.stderr); raise SystemExit(4)": ("unsupported", "not yet"),
    "os.kill(os.getpid(), 9)": ("failed", "exit status -9"),
    "time.sleep(60)": ("failed", "no answer in 0.5 seconds"),
}
LINES = {
    "print('ok', flush=True)": ("failed", "answer 'ok'"),
    "print('refused why', flush=True)": ("failed", "refused: why"),
    "print('unsupported not yet', flush=True)": ("unsupported", "not yet"),
    "print('what?', flush=True)": ("failed", "what?"),
    "os.kill(os.getpid(), 9)": ("failed", "the runner has ended"),
    "time.sleep(60)": ("failed", "no answer in 0.5 seconds"),
}


def test_a_command_is_started_for_each_case_or_once(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"{sys.executable} -m conformance.example"
    for arguments in ([], ["--serve"]):
        assert main([command, "--cases", str(small), *arguments]) == ALL_PASS
        assert capsys.readouterr().out.endswith("7 of 7 cases pass, 0 fail, 0 are not supported\n")
    assert main(["false", "--cases", str(small), "--rule", "frame-length"]) == SOME_FAIL
    assert capsys.readouterr().out.endswith("0 of 1 cases pass, 1 fail, 0 are not supported\n")


@pytest.mark.parametrize(
    ("code", "is_server"), [*((code, False) for code in ANSWERS), *((code, True) for code in LINES)]
)
def test_what_a_command_or_a_server_answers(tmp_path: Path, code: str, is_server: bool) -> None:
    (entry,) = (entry for entry in ENTRIES if entry.name == BARE)
    loop = "for line in sys.stdin:\n    " if is_server else ""
    command = _script(tmp_path / "command", f"import os, sys, time\n{loop}{code}")
    runner = (Server if is_server else Commands)([command], 0.5 if "sleep" in code else 60)
    try:
        # For the second request the suite may have to restart the server.
        for _ in range(1 + is_server):
            outcome = check(entry, runner)
            verdict, info = (LINES if is_server else ANSWERS)[code]
            assert (outcome.verdict, info in outcome.info) == (verdict, True), outcome
    finally:
        runner.close()


def test_the_report_has_each_case(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import sys; raise SystemExit(3 if sys.argv[1] == 'decode' else 4)"
    command = _script(tmp_path / "command", code)
    report = tmp_path / "report.ttl"
    arguments = [command, "--cases", str(small), "--only", "refused", "--report", str(report)]
    assert main([*arguments, "--date", "2026-01-02"]) == SOME_FAIL
    assert "UNSUPPORTED to_jelly/refused/neg_commit_without_start" in capsys.readouterr().out
    assert main([*arguments, "--allow-unsupported"]) == ALL_PASS
    graph = Graph().parse(report)
    found = {
        str(graph.value(assertion, EARL.test)).removeprefix(SUITE): graph.value(
            graph.value(assertion, EARL.result), EARL.outcome
        )
        for assertion in graph.subjects(RDF.type, EARL.Assertion)
    }
    names = [entry.name for entry in read_suite(small) if "refused" in entry.name]
    assert found == dict.fromkeys(names, EARL.inapplicable)


@pytest.mark.parametrize("serve", [[], ["--serve"]])
def test_a_runner_that_never_answers_is_started_three_times(
    small: Path, tmp_path: Path, serve: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    starts = tmp_path / "starts"
    code = f"import sys\nopen({str(starts)!r}, 'a').write('x')\nsys.exit('no such module')"
    command = _script(tmp_path / "command", code)
    assert main([command, "--cases", str(small), *serve]) == WRONG_USE
    assert starts.read_text() == "xxx"
    said = capsys.readouterr().err
    assert "the runner can't be started: no answer to three requests" in said
    assert ("no such module" in said) != bool(serve)


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["true", "--only", "nonsense"],
        ["true", "--rule", "nonsense"],
        ["true", "--cases", "none"],
        ["true", "--report", "none/report.ttl"],
    ],
)
def test_wrong_use(small: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    command, *others = arguments
    assert main([command, "--cases", str(small), *others]) == WRONG_USE
    assert capsys.readouterr().err.startswith("python -m conformance: ")


def test_a_suite_that_is_not_whole_is_told(small: Path) -> None:
    assert len(read_suite(small)) == 7
    manifest = small / "from_jelly" / "manifest.ttl"
    text = manifest.read_text()
    for before, after in (
        ("        <frames/pos_bare>\n", ""),
        ("<frames/pos_bare> a jellyt:TestPositive", "<frames/pos_bare> a jellyt:TestNegative"),
        ("<frames/pos_bare> a jellyt:TestPositive", "<frames/pos_bare> a "),
        ("mf:action <frames/pos_bare/in.jellyp>", "mf:name 'x'"),
        ("PREFIX mf:", "PREFIX mf"),
    ):
        assert text.count(before) == 1
        manifest.write_text(text.replace(before, after))
        with pytest.raises(SuiteError):
            read_suite(small)
    manifest.write_text(text)
    more = small / "from_jelly" / "more" / "in.jellyp"
    more.parent.mkdir()
    more.touch()
    with pytest.raises(SuiteError, match=r"no manifest names from_jelly/more/in\.jellyp"):
        read_suite(small)
    more.unlink()
    (small / "from_jelly" / "frames" / "pos_bare" / "out.json").unlink()
    with pytest.raises(SuiteError, match=r"pos_bare/out\.json is missing"):
        read_suite(small)

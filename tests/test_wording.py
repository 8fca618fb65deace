"""Tests that no code depends on error messages: in capitals, all results stay the same."""

import gzip
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.cli.support import TIMEOUT
from tests.conformance.manifest import SUITE, read_suite
from tests.conformance.patch.in_process import ENTRIES
from tests.forked import run_code
from tests.log.support import add, change, fill, patch_id, put_folder
from tests.test_errors import BAD, CASES, WAYS

FILES = sorted({entry.action for entry in ENTRIES if entry.action.suffix == ".jellyp"})
STATEMENTS = [path for case in read_suite(Path(SUITE)) for path in case.action[:1]]
S, P = URIRef("urn:s"), URIRef("urn:p")


@contextmanager
def in_capitals() -> Iterator[None]:
    """Turn the messages of all the package's errors into capitals within a block."""
    init = jr.JellyError.__init__

    def shout(self: jr.JellyError, message: object = "") -> None:
        init(self, message)
        self.args = tuple(str(each).upper() for each in self.args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jr.JellyError, "__init__", shout)
        yield


def told(error: object) -> Any:
    """Return all properties of an error, with its message in capitals."""
    return type(error).__name__, str(error).upper(), repr(sorted(vars(error).items())).upper()


def outcome(work: Callable[[], object]) -> Any:
    """Return the result of a call, or all properties of its error."""
    try:
        return work()
    except (jr.JellyError, ValueError) as error:
        return told(error)


def check(work: Callable[..., object], *arguments: Any) -> Any:
    """Check that a call has the same outcome with all errors in capitals, and return it."""
    before = outcome(partial(work, *arguments))
    with in_capitals():
        assert outcome(partial(work, *arguments)) == before
    return before


def read(path: Path) -> int:
    return sum(1 for _ in jr.read_operations(path))


def inspect(path: Path) -> str:
    """Return the report about an input, in capitals."""
    return repr(jr.inspect(path).as_dict()).upper()


def faults(source: Any, **options: Any) -> list[jr.Fault]:
    """Return the faults in an input, with their messages in capitals."""
    found = jr.validate(source, **options)
    return [replace(fault, message=fault.message.upper()) for fault in found]


# -- inputs ----------------------------------------------------------------------------------------


def test_errors_of_each_layer_are_in_capitals() -> None:
    """If messages were not in capitals, the other tests in this file would test nothing."""
    log = jr.LogError("is damaged", path="log.db", advice="move it away")
    for name in BAD:
        format: Any = name.removeprefix("bad.")
        with in_capitals(), pytest.raises(jr.DecodeError) as caught:
            list(jr.read_batches(BAD[name], format=format))
        assert caught.value.args[0].isupper()
    with in_capitals():
        assert str(jr.LogError(log.message, path=log.path)) == "log.db IS DAMAGED"


def test_conformance_cases() -> None:
    assert sum(isinstance(check(read, path), tuple) for path in FILES) > 80
    for path in STATEMENTS:
        check(lambda path: sum(1 for _ in jr.read_statements(path)), path)


def test_reports_of_conformance_cases() -> None:
    """Messages must not determine after which faults `validate` can continue."""
    rules = set()
    for path in FILES:
        rules |= {fault.rule for fault in check(faults, path)}
        check(inspect, path)
    assert len(rules) > 20


TEXT = b"A <urn:s> <urn:p> <urn:o> .\n" * 9
LIMITED = [*FILES[::20], TEXT, gzip.compress(TEXT), b'PA "a" <urn:a> . PA "b" <urn:b> .']
# Inputs that exceed these limits would be too slow to make.
OTHERS = {"max_xml_tags", "max_expansion", "max_decompression_ratio"}
OTHERS |= {"max_parser_memory", "max_parser_seconds"}
LIMITS = {field.name for field in fields(jr.Limits)} - OTHERS


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_limits(name: str) -> None:
    """The error contains the limit and its value."""
    limits = replace(jr.Limits(), **{name: 1})
    uses: list[Callable[[Any], object]] = [
        lambda source: sum(1 for _ in jr.read_operations(source, limits=limits)),
        lambda source: repr(jr.apply(source, Dataset(), limits=limits)),
        lambda source: faults(source, limits=limits),
    ]
    outcomes = [check(use, source) for source in LIMITED for use in uses]
    assert f"('LIMIT', '{name.upper()}')" in str(outcomes)


@pytest.mark.parametrize(("name", "way"), CASES)
def test_bad_inputs(name: str, way: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(BAD[name])
    assert isinstance(check(WAYS[way], str(path)), tuple)


# -- use -------------------------------------------------------------------------------------------

STAR: Any = (Op.A, S, P, jr.TripleTerm(S, P, S), None)
USES: dict[str, Callable[[], object]] = {
    "options": lambda: jr.Patch([STAR]).serialize(options=jr.PatchOptions()),
    "marks": lambda: jr.PatchEncoder().encode_frame([(Op.TC,)]),
    "apply": lambda: jr.apply([(Op.TX,), STAR], Graph()),
    "invert": lambda: jr.Patch([(Op.PD, "ex", None, None)]).invert(),
    "merge": lambda: jr.merge([(Op.PA, "ex", S, None)], [(Op.PD, "ex", None, None)]),
    "compact": lambda: list(jr.compact([(Op.TC,)])),
    "effective": lambda: list(jr.effective([(Op.TC,)], Dataset())),
}


@pytest.mark.parametrize("use", USES)
def test_wrong_uses(use: str) -> None:
    assert isinstance(check(lambda: repr(USES[use]())), tuple)


# -- logs and their servers ------------------------------------------------------------------------


def _execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path / "log.db", isolation_level=None)) as connection:
        connection.execute(statement)


def _segment(path: Path, number: int) -> Path:
    return sorted((path / "segments").iterdir())[number]


HARMS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: None,
    "a segment is gone": lambda path: _segment(path, 1).unlink(),
    "a segment is a folder": lambda path: put_folder(_segment(path, 1)),
    "a segment is damaged": lambda path: _segment(path, 1).write_bytes(b"\x01"),
    "no database": lambda path: (path / "log.db").write_bytes(b"x" * 5000),
    "a folder": lambda path: put_folder(path / "log.db"),
    "a row": lambda path: _execute(path, "UPDATE segments SET time = 'late' WHERE version = 2"),
    "a version": lambda path: _execute(path, "DELETE FROM segments WHERE version = 2"),
    "a table": lambda path: _execute(path, "DROP TABLE snapshots"),
    "a strange file": lambda path: (path / "segments" / "notes.txt").touch(),
}


@pytest.fixture
def log(tmp_path: Path) -> jr.PatchLog:
    return fill(jr.PatchLog.create(tmp_path / "log"), 3)


@pytest.mark.parametrize("harm", HARMS)
def test_logs(log: jr.PatchLog, harm: str) -> None:
    """`verify` finds the same problems, and servers send the same responses to errors."""
    log.snapshot(2)
    HARMS[harm](log.path)
    problems = check(
        lambda: [(p.path, p.message.upper(), p.version, p.advice) for p in log.verify(deep=True)]
    )
    assert bool(problems) == (harm != "nothing")
    calls: list[Callable[[], object]] = [
        *(log.checkout, log.refresh, lambda: log.entry(2).read(), lambda: log.squash(1, 2)),
        *(lambda: log.append(change(9), prev=patch_id(9)), lambda: log.append([STAR])),
        *(lambda: log.append(b"\x01"), lambda: log.append([(Op.TX,)]), lambda: log.entry(9)),
        lambda: jr.PatchLog(log.path, limits=jr.Limits(max_name_table_size=9)).entry(1).read(),
    ]
    for call in calls:
        check(_answers, call)


def _answers(call: Callable[[], object]) -> Any:
    """Return the HTTP and gRPC servers' responses to the error of a call."""
    log_server = pytest.importorskip("jelly_rdflib.live.grpc.log_server")
    wire = pytest.importorskip("jelly_rdflib.live.http.wire")
    try:
        call()
    except (jr.JellyError, OSError, ValueError) as error:
        status, answer = wire.answer_to(error)
        code, detail, more = log_server._explain(error)
        return told(error), status, repr(answer).upper(), code, detail.upper(), more
    return None


# -- the command line ------------------------------------------------------------------------------

_MAIN = "from jelly_rdflib.cli.main import main; main()"
_IN_CAPITALS = f"from tests.test_wording import in_capitals\nwith in_capitals(): {_MAIN}"
COMMANDS = [
    "validate bad.rdfp bad.jellyp bad.ttl twice.jellyp",
    "validate --json bad.jellyp twice.jellyp",
    "inspect bad.jellyp",
    "inspect --json twice.jellyp",
    "apply good.nq bad.rdfp",
    "apply bad.nq good.rdfp",
    "cat twice.jellyp",
    "cat --repeated-options continue twice.jellyp",
    "cat missing.rdfp",
    "convert star.rdfp -o out.jellyp",
    "convert bad.nq -o out.jelly",
    "patch invert unknown.rdfp",
    "patch merge bound.rdfp unknown.rdfp",
    "stats bad.jellyp",
    "validate log",
    "log append log bad.rdfp",
    "log append log good.rdfp --prev uuid:00000007-0000-4000-8000-abcdefabcdef",
    "log list good.rdfp",
    "log checkout log 9",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    patch = jr.Patch([add(1)]).serialize()
    files = {
        **BAD,
        "good.nq": b"<urn:s> <urn:p> <urn:o> .\n",
        "good.rdfp": b"TX . A <urn:s> <urn:p> <urn:o> . TC .",
        "star.rdfp": b"A <urn:s> <urn:p> << <urn:s> <urn:p> <urn:o> >> .",
        "bound.rdfp": b'PA "ex" <urn:ex> .',
        "unknown.rdfp": b'PD "ex" .',
        "twice.jellyp": patch + patch,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    fill(jr.PatchLog.create(tmp_path / "log"), 3)
    _segment(tmp_path / "log", 1).write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(folder: Path, command: str) -> None:
    """The commands have the same exit code and output."""
    words = [word if word != "out" else os.fspath(folder / word) for word in command.split()]
    before, after = (run_code(code, *words, timeout=TIMEOUT) for code in (_MAIN, _IN_CAPITALS))
    assert before.code == after.code
    assert before.out.upper() == after.out.upper()
    assert before.err.upper() == after.err.upper()

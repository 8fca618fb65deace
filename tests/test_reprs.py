"""Tests reprs of public classes: short, with the main facts, and without errors in any state."""

import enum
import inspect
import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.display.cells import Cells

S, P = URIRef("urn:s"), URIRef("urn:p")
ROW = (Op.A, S, P, Literal("x" * 10_000), None)
LONG = URIRef("urn:" + "y" * 10_000)
# The maximum number of characters of a repr.
MOST = 250
CLASSES = [name for name in jr.__all__ if inspect.isclass(getattr(jr, name))]
SHOWN_AS_HTML = [
    "Batch",
    "Conflict",
    "Frame",
    "Patch",
    "PatchLog",
    "Replica",
    "StreamReport",
    "StreamStats",
]


def frame() -> bytes:
    return jr.PatchEncoder().encode_frame([ROW])


def statement_frame() -> bytes:
    return jr.StatementEncoder().encode_frame([ROW[1:4]])


def make_patch() -> jr.Patch:
    return jr.Patch([(Op.H, "id", LONG), *[(Op.H, f"key{i}", LONG) for i in range(100)], ROW])


def make_log(folder: Path) -> jr.PatchLog:
    log = jr.PatchLog(folder / "log", create=True)
    log.append(jr.Patch([ROW]))
    return log


def make_replica(folder: Path) -> jr.Replica:
    replica = jr.Replica(folder / "replica")
    replica.update(make_log(folder))
    return replica


def make_recorder(folder: Path) -> jr.Recorder:
    graph = Graph()
    with jr.record(graph) as recorder:
        graph.add((S, P, S))
    return recorder


def make_writer(folder: Path) -> jr.PatchWriter:
    writer = jr.PatchWriter(folder / "x.rdfp")
    writer.close()
    return writer


def make_metadata(folder: Path) -> jr.FrameReport:
    encoder = jr.StatementEncoder()
    data = encoder.encode_frame([ROW[1:4]], metadata={"key": bytes(10_000)})
    return next(jr.inspect_frames(data))


TRIPLES = "StreamOptions(physical_type='TRIPLES')"
# For each class, a function that makes an object, and the start of the object's repr.
MAKERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "ApplyResult": (lambda _: jr.apply(frame(), Graph()), "ApplyResult(patches=1, operations=1"),
    "Batch": (lambda _: next(jr.read_batches(frame())), "<Batch: 1 operation, 5 terms>"),
    "Conflict": (
        lambda _: jr.Conflict("statement", (ROW,), (ROW,)),
        '<Conflict: statement, ours A <urn:s> <urn:p> "xxx',
    ),
    "Fault": (lambda _: jr.validate(frame()[:-1])[0], "Fault(rule=<Rule.WIRE: 'wire'>, "),
    "Frame": (
        lambda _: next(jr.read_frames(statement_frame())),
        "<Frame: 1 statement, 0 namespaces>",
    ),
    "RemoteResult": (
        lambda _: jr.RemoteResult(patches=1, operations=3, committed=1, aborted=0),
        "RemoteResult(patches=1, operations=3, ",
    ),
    "FrameReport": (make_metadata, "FrameReport(number=1, offset=0, size="),
    "JellyStore": (
        lambda _: Dataset(store="Jelly").store,
        "<JellyStore in memory: 0 quads, 0 terms>",
    ),
    "Limits": (lambda _: jr.Limits(max_prefixes=3), "Limits(max_prefixes=3)"),
    "LogEntry": (lambda folder: make_log(folder).head, "<LogEntry: version 1, "),
    "LogProblem": (
        lambda folder: jr.LogProblem(folder / "x", "is gone", 3),
        "LogProblem(path=",
    ),
    "LookupReport": (lambda _: jr.inspect(frame()).lookups["name"], "LookupReport(size=4000, "),
    "NameCounts": (lambda _: jr.stats(frame()).graphs, "<NameCounts: 1 names>"),
    "Patch": (lambda _: make_patch(), "<Patch: 102 operations, header {'id': <urn:yyy"),
    "PatchDecoder": (lambda _: jr.PatchDecoder(), "<PatchDecoder: before the first frame>"),
    "PatchEncoder": (lambda _: jr.PatchEncoder(), "<PatchEncoder: PatchOptions()>"),
    "PatchLog": (make_log, "<PatchLog '"),
    "PatchOptions": (lambda _: jr.PatchOptions(), "PatchOptions()"),
    "PatchWriter": (make_writer, "<PatchWriter: rdf-patch to '"),
    "Recorder": (
        make_recorder,
        "<Recorder: over, 1 transaction committed, 0 aborted, 1 added, 0 deleted>",
    ),
    "Replica": (make_replica, "<Replica '"),
    "StatementDecoder": (
        lambda _: jr.StatementDecoder(),
        "<StatementDecoder: before the first frame>",
    ),
    "StatementEncoder": (
        lambda _: jr.StatementEncoder(jr.StreamOptions(physical_type="TRIPLES")),  # type: ignore[arg-type]
        f"<StatementEncoder: {TRIPLES}>",
    ),
    "StatementWriter": (
        lambda _: jr.StatementWriter(io.BytesIO(), format="n-quads"),
        "<StatementWriter: n-quads to a BytesIO>",
    ),
    "StreamOptions": (lambda _: jr.StreamOptions(physical_type="TRIPLES"), TRIPLES),  # type: ignore[arg-type]
    "StreamReport": (
        lambda _: jr.inspect(frame()),
        "<StreamReport: jelly-patch, 10,064 bytes, 1 frame, 1 statement, 1 patch>",
    ),
    "StreamStats": (
        lambda _: jr.stats(frame()),
        "<StreamStats: 1 added, 0 deleted, 1 patch, 1 transaction>",
    ),
    "Tally": (lambda _: jr.inspect(frame()).metadata, "Tally(count=0, size=0)"),
    "TransactionSizes": (
        lambda _: jr.stats(frame()).transactions,
        "<TransactionSizes: 1 transaction, of 1 to 1 statements>",
    ),
    "TripleTerm": (lambda _: jr.TripleTerm(S, P, S), "TripleTerm(rdflib.term.URIRef('urn:s'), "),
}


@pytest.fixture(params=CLASSES)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Any, str]]:
    """Yield an object of each public class, and the start of its repr."""
    name = request.param
    kind = getattr(jr, name)
    if issubclass(kind, enum.Enum):
        first = next(iter(kind))
        yield first, f"<{name}.{first.name}: {first.value!r}>"
    elif issubclass(kind, Exception):
        yield kind("z" * 10_000 if issubclass(kind, jr.JellyError) else "z"), f"{name}('z"
    else:
        assert name in MAKERS, f"say here how to make a {name}, and how it looks"
        make, start = MAKERS[name]
        yield make(tmp_path), start


def test_each_class_names_itself_and_is_short(made: tuple[Any, str]) -> None:
    thing, start = made
    assert repr(thing).startswith(start)
    assert start.endswith((">", ")")) <= (repr(thing) == start)
    # The message of an error is truncated after a thousand characters.
    has_terms = isinstance(thing, jr.Patch | jr.Conflict)
    most = 1100 if isinstance(thing, Exception) else 700 if has_terms else MOST
    assert len(repr(thing)) <= most
    assert "\n" not in repr(thing)
    assert " object at 0x" not in str(thing) + repr(thing)


TEXT = b"TX . A <urn:s> <urn:p> <urn:o> . TC ."
# For each public function except generators, an example call, and the start of the result's repr.
RESULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "apply": (lambda: jr.apply(frame(), Graph()), "ApplyResult(patches=1, "),
    "diff": (lambda: jr.diff(Graph(), Graph()), "<Patch: 0 operations, "),
    "inspect": (lambda: jr.inspect(frame()), "<StreamReport: "),
    "inspect_frames": (lambda: jr.inspect_frames(frame()), "<FrameInspector: 0 frames so far>"),
    "merge": (lambda: jr.merge([ROW], []), "<Patch: 3 operations, header {}>"),
    "read_batches": (lambda: jr.read_batches(frame()), "<BatchReader: open>"),
    "read_frames": (
        lambda: jr.read_frames(statement_frame()),
        "<FrameIterator of <BatchReader: open>>",
    ),
    "read_graphs": (
        lambda: jr.read_graphs(statement_frame()),
        "<GraphIterator of <FrameIterator of <BatchReader: open>>>",
    ),
    "read_operations": (
        lambda: jr.read_operations(TEXT, format="rdf-patch"),
        "<OperationReader of <TextBatchReader: open>>",
    ),
    "compact": (lambda: jr.compact([ROW]), "<OperationReader of <GeneratedBatches: open>>"),
    "concat": (lambda: jr.concat([ROW]), "<OperationReader of <GeneratedBatches: open>>"),
    "invert": (lambda: jr.invert([ROW]), "<OperationReader of <GeneratedBatches: open>>"),
    "read_patches": (lambda: jr.read_patches(frame()), "<PatchIterator of <BatchReader: open>>"),
    "read_statements": (
        lambda: jr.read_statements(statement_frame()),
        "<StatementReader of <BatchReader: open>>",
    ),
    "record": (lambda: jr.record(Graph()), "<Recorder: not started, "),
    "stats": (lambda: jr.stats(frame()), "<StreamStats: "),
    "validate": (lambda: jr.validate(frame()[:-1]), "error: "),
    "write_graphs": (lambda: jr.write_graphs([Graph()], io.BytesIO()), "None"),
}
GENERATORS: dict[str, Callable[[], Any]] = {
    "effective": lambda: jr.effective([ROW], Graph()),
    "split": lambda: jr.split(TEXT, "part-{}.jellyp", by="patch", format="rdf-patch"),
}


@pytest.mark.parametrize("name", [n for n in jr.__all__ if inspect.isfunction(getattr(jr, n))])
def test_each_function_returns_what_names_itself(name: str) -> None:
    if name in GENERATORS:
        assert inspect.isgenerator(GENERATORS[name]())
        return
    assert name in RESULTS, f"say here what {name} returns, and how it looks"
    make, start = RESULTS[name]
    look = repr(make())
    assert look.startswith(start)
    assert start.endswith(">") <= (look == start)
    assert " object at 0x" not in look


def test_readers_say_how_far_they_are() -> None:
    batches = jr.read_batches(frame())
    batch = next(batches)
    assert repr(batches) == "<BatchReader: open, PatchOptions()>"
    assert repr(batch.operations()) == "<SliceIterator of operations>"
    assert repr(batch.statements()) == "<SliceIterator of statements>"
    batches.close()
    assert repr(batches) == "<BatchReader: at its end, PatchOptions()>"
    assert repr(jr.read_batches(Graph())).endswith("Batches: open>")
    inspector = jr.inspect_frames(frame())
    next(inspector)
    assert repr(inspector) == "<FrameInspector: 1 frame so far>"
    assert repr(jr.record(Graph()).transaction()).startswith("<transaction of <Recorder: ")


def test_faults_are_lines_and_a_table() -> None:
    text = b"A <urn:s> <urn:p> .\n" * 2
    faults = jr.validate(text)
    assert repr(faults) == str(faults) == f"{faults[0]}\n{faults[1]}"
    first = ["error", "format", faults[0].message, "1", "18", "", ""]
    assert Cells(faults._repr_html_()).rows[:2] == [
        ["severity", "rule", "message", "line", "offset", "frame", "row"],
        first,
    ]
    many = jr.validate(text * 60)
    assert repr(many).splitlines()[-1] == "… and 20 faults more"
    assert "… and 20 faults more" in many._repr_html_()
    assert repr(jr.validate(b"TX . TC .")) == "no faults"
    assert "\x1b" not in repr(jr.validate(b"A \x1b[31m ."))


def test_conflicts_are_a_table() -> None:
    bind = (Op.PA, "ex", URIRef("urn:ex#"), None)
    ours = [(Op.D, S, P, Literal("a"), None), (Op.A, S, P, Literal("b"), None), bind]
    theirs = [(Op.D, S, P, Literal("a"), None), (Op.PD, "ex", None, None)]
    with pytest.raises(jr.MergeConflict) as caught:
        jr.merge(ours, theirs, by_value=True)
    conflicts: Any = caught.value.conflicts
    assert repr(conflicts[0]) == "<Conflict: prefix, ours PA ex <urn:ex#>, theirs PD ex>"
    assert repr(conflicts[1]).startswith('<Conflict: value, ours D <urn:s> <urn:p> "a" and 1 more,')
    assert Cells(conflicts._repr_html_()).rows == [
        ["conflict", "ours", "theirs"],
        ["prefix", "PA ex <urn:ex#>", "PD ex"],
        ["value", 'D <urn:s> <urn:p> "a"', 'D <urn:s> <urn:p> "a"'],
        ["", 'A <urn:s> <urn:p> "b"', ""],
    ]
    assert repr(jr.Conflict("value", (), ())) == "<Conflict: value, ours nothing, theirs nothing>"


def test_classes_with_tables_for_notebooks() -> None:
    assert [name for name in CLASSES if hasattr(getattr(jr, name), "_repr_html_")] == SHOWN_AS_HTML


@pytest.mark.parametrize("name", SHOWN_AS_HTML)
def test_html_is_whole(name: str, tmp_path: Path) -> None:
    html = MAKERS[name][0](tmp_path)._repr_html_()
    assert Cells(html).rows
    # The output that a notebook stores may be published.
    assert str(tmp_path) not in html


def test_a_log_that_is_gone_is_still_shown(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    entry = log.head
    looks = repr(log), repr(entry)
    shutil.rmtree(log.path)
    assert (repr(log), repr(entry)) == looks
    assert "Error: " in log._repr_html_()


def test_a_log_shows_the_newest_patches(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    for _ in range(60):
        log.append([])
    log.snapshot(58)
    log.squash(40, 42)
    html = log._repr_html_()
    rows = Cells(html).rows
    assert "and 8 earlier versions" in html
    assert rows[0] == ["version", "bytes", "id", "snapshot"]
    assert [row[0] for row in rows[1:]] == [
        *map(str, range(9, 40)),
        "40-42",
        *map(str, range(43, 61)),
    ]
    assert [row[0] for row in rows if row[3] == "yes"] == ["58"]


def test_a_replica_shows_its_graphs(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    log.append([(Op.A, S, P, S, URIRef("urn:no IRI")), (Op.A, S, P, S, BNode("b"))])
    replica = jr.Replica(tmp_path / "replica")
    replica.update(log)
    rows = Cells(replica._repr_html_()).rows
    for row in (["default graph", "1"], ["<urn:no IRI>", "1"], ["_:b", "1"]):
        assert row in rows


def test_a_patch_of_anything_is_still_shown() -> None:
    patch = jr.Patch([3, (Op.H,), ROW])  # type: ignore[list-item]
    assert repr(patch) == "<Patch: 3 operations, header ?>"
    assert Cells(patch._repr_html_()).rows


def test_a_report_shows_its_error() -> None:
    report = jr.inspect(frame()[:-1])
    assert "then an error: " in repr(report)
    assert "Error: " in report._repr_html_()


def test_a_store_in_a_file(tmp_path: Path) -> None:
    dataset = Dataset(store="Jelly")
    dataset.open(str(tmp_path / "x.jelly"), create=True)
    dataset.add((S, P, S))
    path = repr(str((tmp_path / "x.jelly").resolve()))
    assert repr(dataset.store) == f"<JellyStore in {path}: 1 quad, 3 terms>"
    dataset.close(commit_pending_transaction=True)
    assert repr(dataset.store) == "<JellyStore, closed>"


def test_a_writer_says_that_it_is_closed(tmp_path: Path) -> None:
    writer = jr.StatementWriter(tmp_path / "x.nq")
    assert repr(writer) == f"<StatementWriter: n-quads to {str(tmp_path / 'x.nq')!r}>"
    writer.close()
    assert repr(writer).endswith(", closed>")


@given(
    st.sampled_from(jr.PhysicalStreamType),
    st.sampled_from([None, *jr.LogicalStreamType, 7]),
    st.fixed_dictionaries(
        {},
        optional={
            "rdf_star": st.booleans(),
            "version": st.sampled_from([1, 2]),
            "frame_rows": st.integers(1, 300),
            "stream_name": st.text(max_size=3),
        },
    ),
)
def test_options_are_the_call_that_makes_them(physical: Any, logical: Any, others: Any) -> None:
    if logical is not None and not jr.LogicalStreamType.is_consistent(logical, physical):
        return
    options = jr.StreamOptions(physical_type=physical, logical_type=logical, **others)
    assert eval(repr(options), vars(jr) | {"StreamOptions": jr.StreamOptions}) == options


@given(st.sampled_from(jr.PatchStreamType), st.sampled_from(jr.PatchStatementType), st.booleans())
def test_options_of_patches_too(stream: Any, statement: Any, flag: bool) -> None:
    options = jr.PatchOptions(stream_type=stream, statement_type=statement, rdf_star=flag)
    assert eval(repr(options), {"PatchOptions": jr.PatchOptions}) == options
    assert eval(repr(jr.Limits(max_prefixes=5)), {"Limits": jr.Limits}) == jr.Limits(max_prefixes=5)


def test_a_long_name_of_a_stream_is_cut() -> None:
    assert len(repr(jr.StreamOptions(stream_name="x" * 10_000))) < 150

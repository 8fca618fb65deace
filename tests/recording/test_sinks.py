"""Tests the destinations of a recording, and errors when they are written."""

import io
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from rdflib import Dataset, Graph, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from tests.recording.support import (
    TC,
    TX,
    G,
    H,
    O,
    P,
    S,
    TransactionalStore,
    aborted,
    add,
    delete,
    is_hooked,
    left,
    statements,
)

TA, END = (Op.TA,), (Op.END,)


class Full(io.RawIOBase):
    """A file on a full disk, which accepts at most `size` bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if len(self.data) + len(data) > self.size:
            raise OSError("disk full")
        self.data += bytes(data)
        return len(data)


# --- streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.jellyp", "x.rdfp", "x.jellyp.gz", "x.rdfp.zst"])
def test_path_of_any_format(tmp_path: Path, name: str) -> None:
    dataset = Dataset()
    for path in (tmp_path / name, str(tmp_path / f"other-{name}")):
        with jr.record(dataset, path) as recorder:
            dataset.set((S, P, O))
            dataset.add((S, P, Literal(path), G))
        operations = list(jr.read_operations(path))
        assert operations[-3:] == [add(Literal(path), G), TC, END]
        with pytest.raises(AttributeError, match="go to the writer"):
            _ = recorder.patch


def test_stream_has_triples_for_a_graph_and_quads_for_a_dataset() -> None:
    for target, statement_type in ((Graph(), "TRIPLES"), (Dataset(), "QUADS")):
        file = io.BytesIO()
        with jr.record(target, file):
            target.add((S, P, O))
        operations = jr.read_operations(file.getvalue())
        assert list(operations) == [TX, add(), TC, END]
        assert operations.options.statement_type.name == statement_type


def test_options_of_a_file() -> None:
    graph = Graph()
    file = io.BytesIO()
    quoted = jr.TripleTerm(S, P, O)
    with jr.record(graph, file, options=jr.PatchOptions(rdf_star=True, stream_type="FLAT")):
        graph.add((S, P, quoted))
    operations = jr.read_operations(file.getvalue())
    assert list(operations) == [TX, add(quoted), TC, END]
    assert operations.options.stream_type.name == "FLAT"


def test_writer_stays_open_for_more() -> None:
    dataset = Dataset()
    file = io.BytesIO()
    with jr.PatchWriter(file) as writer:
        writer.header("id", URIRef("urn:uuid:1"))
        with jr.record(dataset, writer):
            dataset.add((S, P, O, G))
        writer.end_patch()
        with jr.record(dataset, writer) as recorder:
            with recorder.transaction():
                dataset.remove((S, P, O, G))
            dataset.add((S, P, O))
    first, second = jr.read_patches(file.getvalue())
    assert list(first) == [(Op.H, "id", URIRef("urn:uuid:1")), TX, add(g=G), TC]
    assert list(second) == [TX, delete(g=G), TC, TX, add(), TC]


def test_writer_with_an_open_transaction_is_refused() -> None:
    graph = Graph()
    with jr.PatchWriter(io.BytesIO()) as writer:
        writer.begin()
        with (
            pytest.raises(jr.RecordError, match="has a transaction open"),
            jr.record(graph, writer),
        ):
            pass
        writer.commit()
    assert not is_hooked(graph.store)


def test_exception_aborts_in_the_stream(tmp_path: Path) -> None:
    path = tmp_path / "x.jellyp"
    graph = Graph()
    with aborted(graph, path) as recorder:
        with recorder.transaction():
            graph.add((S, P, O))
        with left(recorder.transaction()):
            graph.remove((S, P, O))
        graph.add((S, P, Literal(1)))
    assert list(jr.read_operations(path)) == [
        *(TX, add(), TC),
        *(TX, delete(), TA),
        *(TX, add(1), TA),
        END,
    ]
    replica = Graph()
    jr.apply(path, replica)
    assert set(replica) == set(graph)


def test_exception_before_any_change_aborts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.rdfp"
    with aborted(Graph(), path):
        pass
    assert path.read_bytes() == b""


def test_changes_are_written_as_they_come() -> None:
    graph = Graph()
    file = io.BytesIO()
    with jr.record(graph, file):
        for number in range(3000):
            graph.add((S, P, Literal(number)))
        # Only the last frame is missing.
        assert len(file.getvalue()) > 10_000


# --- patches -------------------------------------------------------------------------------------


def test_patch_log(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    dataset = Dataset()
    with jr.record(dataset, log) as recorder:
        with recorder.transaction():
            dataset.add((S, P, O, G))
        with left(recorder.transaction()):
            dataset.add((S, P, Literal("not this"), G))
        dataset.bind("ex", "http://example.org/")
        dataset.add((S, P, O))
    assert log.version == 2
    replica = Dataset()
    log.replay(replica)
    assert statements(replica) == statements(dataset)
    assert "ex" in dict(replica.namespaces())


def test_conflict_of_a_patch_log_undoes_the_transaction(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    dataset = Dataset()
    other = jr.PatchLog(tmp_path / "log")
    other.append(jr.Patch([(Op.H, "id", URIRef(f"uuid:{uuid4()}")), TX, add(g=H), TC]))
    with pytest.raises(jr.LogConflict), jr.record(dataset, log):
        dataset.add((S, P, O, G))
    assert statements(dataset) == set()
    assert jr.PatchLog(tmp_path / "log").version == 1


# --- what can't be written -----------------------------------------------------------------------


def test_nothing_goes_on_after_a_change_that_could_not_be_written() -> None:
    graph = Graph()
    graph.add((S, P, O))
    file = io.BytesIO()
    recording = jr.record(graph, file)
    refusal = pytest.raises(jr.RecordError, match="rolled back: a change could not be recorded")
    with refusal, recording:
        graph.add((S, P, Literal(1)))
        with pytest.raises(jr.EncodeError):
            graph.add((Literal("s"), P, O))
        for change in (
            lambda: graph.add((S, P, Literal(2))),
            lambda: graph.remove((None, None, None)),
            lambda: graph.bind("ex", "http://example.org/"),
            lambda: jr.apply([add(3)], graph),
        ):
            with pytest.raises(jr.RecordError, match="nothing can be changed any more"):
                change()
    assert set(graph) == {(S, P, O)}
    assert list(jr.read_operations(file.getvalue())) == [TX, add(1), TA, END]
    assert (recording.committed, recording.aborted) == (0, 1)


def test_transaction_that_could_not_be_written_alone_is_undone() -> None:
    graph = Graph()
    file = io.BytesIO()
    with jr.record(graph, file) as recorder:
        refusal = pytest.raises(jr.EncodeError)
        with refusal, recorder.transaction():
            graph.add((S, P, Literal(1)))
            graph.add((Literal("s"), P, O))
        graph.add((S, P, Literal(2)))
    assert set(graph) == {(S, P, Literal(2))}
    assert list(jr.read_operations(file.getvalue())) == [
        *(TX, add(1), TA),
        *(TX, add(2), TC),
        END,
    ]


def test_what_could_not_be_written_between_transactions_is_undone() -> None:
    """The block continues after the error; the next transaction has none of the undone changes."""
    graph = Graph()
    file = io.BytesIO()
    with jr.record(graph, file) as recorder:
        with pytest.raises(jr.EncodeError):
            graph.add((Literal("s"), P, O))
        refusal = pytest.raises(jr.RecordError, match="rolled back")
        with refusal, recorder.transaction():
            raise AssertionError
        graph.add((S, P, O))
    assert set(graph) == {(S, P, O)}
    assert list(jr.read_operations(file.getvalue())) == [TX, (Op.TA,), TX, add(), TC, END]
    refusal = pytest.raises(PermissionError)
    with jr.record(graph, Refusing()) as recorder:
        graph.add((S, P, Literal(1)))
        with refusal, recorder.transaction():
            raise AssertionError
        assert set(graph) == {(S, P, O)}
    assert (recorder.committed, recorder.aborted) == (0, 1)


def test_removal_that_can_not_be_written_is_undone() -> None:
    graph = Graph()
    graph.add((S, P, O))
    graph.add((Literal("s"), P, O))
    with pytest.raises(jr.EncodeError), jr.record(graph, io.BytesIO()):
        graph.remove((None, None, None))
    assert len(graph) == 2


def test_without_undoing_what_could_not_be_written_is_missing() -> None:
    graph = Graph()
    file = io.BytesIO()
    refusal = pytest.raises(jr.EncodeError)
    with refusal, jr.record(graph, file, atomic=False):
        graph.add((S, P, Literal(1)))
        graph.add((Literal("s"), P, O))
    assert len(graph) == 2
    assert list(jr.read_operations(file.getvalue())) == [TX, add(1), TC, END]
    refusal = pytest.raises(jr.RecordError, match="a change was made, but could not be recorded")
    with refusal, jr.record(graph, io.BytesIO(), atomic=False), pytest.raises(jr.EncodeError):
        graph.add((Literal("t"), P, O))
    assert len(graph) == 3


@pytest.mark.parametrize("size", [0, 20_000])
def test_full_disk_undoes_all(size: int) -> None:
    graph = Graph()
    graph.add((S, P, O))
    file = Full(size)
    refusal = pytest.raises((OSError, jr.RecordError))
    with refusal, jr.record(graph, file):
        graph.remove((None, None, None))
        for number in range(3000):
            graph.add((S, P, Literal(str(number))))
    assert set(graph) == {(S, P, O)}
    assert not is_hooked(graph.store)
    if size:
        # The written transaction is incomplete, so a replica does not apply it either.
        replica = Graph()
        with pytest.raises(jr.DecodeError):
            jr.apply(file.data, replica)
        assert len(replica) == 0


def test_full_disk_at_the_very_end_undoes_all() -> None:
    whole = io.BytesIO()
    graph = Graph()
    with jr.record(graph, whole):
        graph.add((S, P, O))
    graph = Graph()
    with (
        pytest.raises(OSError, match="disk full"),
        jr.record(graph, Full(len(whole.getvalue()) - 1)),
    ):
        graph.add((S, P, O))
    assert len(graph) == 0


class Unaborting(jr.PatchWriter):
    """A sink that can't write the end of a transaction."""

    def commit(self) -> None:
        raise OSError("no commit")

    def abort(self) -> None:
        raise OSError("no abort")


def test_abort_that_can_not_be_written() -> None:
    """The store is restored, and the first error is raised."""
    graph = Graph()
    with pytest.raises(OSError, match="no abort"), aborted(graph, Unaborting(io.BytesIO())):
        graph.add((S, P, O))
    with pytest.raises(OSError, match="no commit"), jr.record(graph, Unaborting(io.BytesIO())):
        graph.add((S, P, O))
    refusal = pytest.raises(jr.EncodeError)
    with refusal, jr.record(graph, Unaborting(io.BytesIO())) as recorder:
        graph.add((S, P, O))
        graph.add((Literal("s"), P, O))
    assert (len(graph), recorder.committed, recorder.aborted) == (0, 0, 1)


class Refusing:
    """A log that refuses every patch."""

    def append(self, patch: jr.Patch) -> None:
        raise PermissionError(f"no, not {len(patch)} operations")


def test_patch_that_is_refused_undoes_the_transaction() -> None:
    graph = Graph()
    with (
        pytest.raises(PermissionError, match="no, not 3 operations"),
        jr.record(graph, Refusing()) as recorder,
    ):
        graph.add((S, P, O))
    assert len(graph) == 0
    assert (recorder.committed, recorder.aborted) == (0, 1)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of open files")
def test_file_of_a_recording_that_can_not_start_is_closed(tmp_path: Path) -> None:
    graph = Graph(TransactionalStore())
    refusal = pytest.raises(jr.RecordError, match="can't be recorded twice")
    before = os.listdir("/proc/self/fd")
    with jr.record(graph), refusal, jr.record(graph, tmp_path / "x.rdfp"):
        pass
    assert os.listdir("/proc/self/fd") == before


def test_file_that_can_not_be_made(tmp_path: Path) -> None:
    graph = Graph()
    with pytest.raises(FileNotFoundError), jr.record(graph, tmp_path / "no" / "x.jellyp"):
        pass
    assert not is_hooked(graph.store)


@pytest.mark.parametrize("store", ["Jelly", "default"])
def test_each_patch_gets_the_headers(store: str, tmp_path: Path) -> None:
    patches: list[jr.Patch] = []
    log = jr.PatchLog(tmp_path / "log", create=True)
    for sink in (patches, log):
        graph = Graph(store)
        with jr.record(graph, sink, header={"title": "Release", "of": G}):
            graph.add((S, P, O))
    start = [(Op.H, "title", Literal("Release")), (Op.H, "of", G)]
    assert list(patches[0]) == [*start, TX, (Op.A, S, P, O, None), TC]
    assert log.entry().header["title"] == Literal("Release")


@pytest.mark.parametrize("writer", [None, "x.rdfp", jr.PatchWriter(io.BytesIO())])
def test_headers_are_for_whole_patches(writer: Any) -> None:
    with pytest.raises(ValueError, match="a PatchWriter has a method header"):
        jr.record(Graph(), writer, header={"title": "Release"})


# --- other arguments -----------------------------------------------------------------------------


@pytest.mark.parametrize("writer", [5, object(), iter([])])
def test_other_writers(writer: Any) -> None:
    with pytest.raises(TypeError, match="can't record to"):
        jr.record(Graph(), writer)


def test_text_file() -> None:
    with pytest.raises(TypeError, match="binary mode"), jr.record(Graph(), io.StringIO()):
        pass


@pytest.mark.parametrize("arguments", [{"options": jr.PatchOptions()}, {"format": "rdf-patch"}])
def test_arguments_for_a_file_alone(arguments: dict[str, Any]) -> None:
    for writer in (None, [], jr.PatchWriter(io.BytesIO())):
        with pytest.raises(ValueError, match="for a path or a binary file"):
            jr.record(Graph(), writer, **arguments)


def test_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(LookupError):
        jr.record(Graph(), tmp_path / "x", format="turtle")
    with (
        pytest.raises(ValueError, match="options"),
        jr.record(Graph(), tmp_path / "x", format="rdf-patch", options=jr.PatchOptions()),
    ):
        pass
    assert not (tmp_path / "x").exists()


def test_an_empty_log_warns_of_statements_that_it_will_not_get(tmp_path: Path) -> None:
    log = jr.PatchLog(tmp_path / "log", create=True)
    dataset = Dataset()
    dataset.bind("ex", "http://example.org/")
    dataset.add((S, P, O, G))
    with pytest.warns(jr.LogWarning, match="the log is empty") as caught, jr.record(dataset, log):
        pass
    assert caught[0].filename == __file__
    log.append(jr.diff(log.checkout(), dataset))
    with jr.record(dataset, log):
        dataset.add((S, P, Literal("more"), G))
    assert statements(log.checkout()) == statements(dataset)
    assert "ex" in dict(log.checkout().namespaces())


def test_a_file_is_replaced(tmp_path: Path) -> None:
    dataset = Dataset()
    for number in (1, 2):
        with jr.record(dataset, tmp_path / "changes.jellyp"):
            dataset.add((S, P, Literal(number)))
    [patch] = jr.read_patches(tmp_path / "changes.jellyp")
    assert [op[3] for op in patch if op[0] == Op.A] == [Literal(2)]


def test_the_patch_of_a_recorder_that_was_not_started_is_refused() -> None:
    dataset = Dataset()
    recorder = jr.record(dataset)
    dataset.add((S, P, O, G))
    with pytest.raises(jr.RecordError, match="recording has not started: make the changes in a"):
        _ = recorder.patch
    with recorder:
        dataset.add((S, P, Literal("more"), G))
        assert len(recorder.patch) == 0
    assert len(recorder.patch) == 3

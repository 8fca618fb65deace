"""Tests what a log stores, and how it is read, replayed and checked out."""

import gzip
import io
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from oxrdflib import OxigraphStore
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.namespace import XSD
from rdflib.plugins.stores.memory import Memory

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, Op, PatchLog, TripleTerm
from jelly_rdflib.log import staging
from tests.log.support import (
    GRAPH,
    P,
    S,
    add,
    both,
    change,
    delete,
    files,
    fill,
    numbers,
    patch_id,
    state,
)
from tests.support import encode

TX, TC, TA, END = (Op.TX,), (Op.TC,), (Op.TA,), (Op.END,)


# --- creating and opening -------------------------------------------------------------------------


def test_a_log_is_closed_after_a_block(log: PatchLog, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(log._history, "close", lambda: closed.append(True))
    with log as same:
        assert (same, closed) == (log, [])
    assert closed == [True]


def test_a_log_is_opened_by_a_file_url(tmp_path: Path) -> None:
    log = PatchLog((tmp_path / "a log").as_uri(), create=True)
    assert log.path == tmp_path / "a log"


def test_headers_are_added_to_a_patch(log: PatchLog) -> None:
    patch = [(Op.H, "by", S), *change(1)]
    entries = [
        log.append(each, header={"title": "Release", "of": GRAPH})
        for each in (patch, jr.Patch(change(2)), encode(change(3)))
    ]
    for entry in entries:
        assert (entry.header["title"], entry.header["of"]) == (Literal("Release"), GRAPH)
    assert entries[0].header["by"] == S
    assert entries[2].read()[4:] == jr.Patch(change(3))
    with pytest.raises(LogError, match="more than one header id"):
        log.append([(Op.H, "id", patch_id(4)), *change(4)], header={"id": patch_id(5)})
    assert log.verify() == []


def test_a_new_log_is_empty(log: PatchLog) -> None:
    assert log.version == 0
    assert log.head is None
    assert log.patches() == []
    assert log.snapshots == []
    assert log.verify(deep=True) == []
    assert state(log.checkout()) == (set(), set())
    assert log.replay(Dataset()) == 0
    # SQLite's header has numbers that identify the format.
    assert (log.path / "log.db").read_bytes()[60:72] == b"\0\0\0\x01\0\0\0\0JPLG"


def test_a_log_is_made_with_its_folders(tmp_path: Path) -> None:
    log = PatchLog(tmp_path / "a" / "b", create=True, compression="zst")
    fill(log, 1)
    assert PatchLog(tmp_path / "a" / "b", create=True).version == 1
    assert PatchLog(str(tmp_path / "a" / "b")).compression == "zst"


def test_a_log_is_not_made_among_other_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(LogError, match=r"not empty.*thesis\.txt"):
        PatchLog.create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_what_is_no_log_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        PatchLog(tmp_path / "nothing")
    (tmp_path / "file").touch()
    for create in (False, True):
        with pytest.raises(NotADirectoryError, match="a folder"):
            PatchLog(tmp_path / "file", create=create)
    with pytest.raises(LogError, match="not a patch log"):
        PatchLog(tmp_path)
    with pytest.raises(ValueError, match="compression"):
        PatchLog.create(tmp_path / "log", compression="lzma")
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("PRAGMA application_id = 7", "not a database of a patch log"),
        ("PRAGMA user_version = 3", "version 3 of the format"),
        ("UPDATE log SET compression = 'xz'", "has no valid row"),
        ("DELETE FROM log", "has no valid row"),
        ("DROP TABLE segments", "damaged"),
    ],
)
def test_what_says_that_it_is_a_log_is_checked(log: PatchLog, change: str, reason: str) -> None:
    with closing(sqlite3.connect(log.path / "log.db", isolation_level=None)) as connection:
        connection.execute(change)
    with pytest.raises(LogError, match=reason):
        PatchLog(log.path)
    if change.startswith("PRAGMA"):
        # Objects that were opened earlier can't write either, and no log can be created there.
        for write in (lambda: log.append([]), lambda: PatchLog.create(log.path)):
            with pytest.raises(LogError, match=reason):
                write()


def test_a_database_that_is_none(log: PatchLog) -> None:
    (log.path / "log.db").write_bytes(b"x" * 10_000)
    with pytest.raises(LogError, match=r"damaged \(file is not a database\)"):
        PatchLog(log.path)


# --- append ---------------------------------------------------------------------------------------


@both
def test_a_patch_gets_its_place_in_the_chain(log: PatchLog) -> None:
    first = log.append(change(1))
    second = log.append(change(2))
    assert (first.version, first.prev, second.version, second.prev) == (1, None, 2, first.id)
    assert re.fullmatch(r"uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", first.id)
    assert first.id != second.id
    assert list(first.read()) == [(Op.H, "id", first.id), *change(1)]
    assert list(second.read()) == [
        (Op.H, "id", second.id),
        (Op.H, "prev", first.id),
        *change(2),
    ]
    again = PatchLog(log.path)
    assert again.patches() == log.patches() == [first, second]
    assert again.head == second
    assert second.header == {"id": second.id, "prev": first.id}
    assert (second == "x", {first, second} == {*again.patches()}) == (False, True)
    assert repr(second) == f"<LogEntry: version 2, {second.size} bytes, {second.id}>"
    assert repr(log) == f"<PatchLog {str(log.path)!r}: version 2>"
    assert second.size == second.path.stat().st_size
    suffix = ".jellyp" if log.compression is None else ".jellyp.zst"
    assert second.path.name.endswith(suffix)
    assert list(jr.read_operations(second.path))[:-1] == list(second.read())


def test_ids_are_written_in_one_way(log: PatchLog) -> None:
    digits = "0686C69D-8F89-4496-ACB5-744F0157A8DB"
    log.append([(Op.H, "id", URIRef(f"urn:uuid:{digits}"))])
    log.append([(Op.H, "prev", URIRef(f"uuid:{digits}")), *change(2)])
    assert log.patches()[0].read().header == {"id": URIRef(f"uuid:{digits.lower()}")}
    assert log.patches(since=digits) == log.patches(since=1)
    assert log.verify() == []


@pytest.mark.parametrize(
    "header",
    [
        (Op.H, "id", URIRef("http://example.org/1")),
        (Op.H, "id", Literal("uuid:0686c69d-8f89-4496-acb5-744f0157a8db")),
        (Op.H, "id", BNode("0686c69d-8f89-4496-acb5-744f0157a8db")),
        (Op.H, "prev", URIRef("uuid:1")),
    ],
)
def test_ids_are_uuids(log: PatchLog, header: Any) -> None:
    with pytest.raises(LogError, match="can't be the id of a patch"):
        log.append([header, *change(1)])
    assert log.version == 0


def test_a_patch_has_its_ids_once_and_first(log: PatchLog) -> None:
    with pytest.raises(LogError, match="more than one header id"):
        log.append([(Op.H, "id", patch_id(1)), (Op.H, "id", patch_id(2))])
    with pytest.raises(LogError, match="'id' comes later"):
        log.append([*change(1), (Op.H, "id", patch_id(2))])
    for one, other, message in (
        ("id", "ID", "more than one header id"),
        ("PREV", "prev", "more than one header prev"),
        ("previous", "previous", "more than one header previous"),
        ("Previous", "previous", "'Previous' and 'previous'.*Jena"),
        ("by", "BY", "'by' and 'BY'.*Jena"),
    ):
        with pytest.raises(LogError, match=message):
            log.append([(Op.H, one, patch_id(1)), (Op.H, other, patch_id(1)), *change(1)])
    with pytest.raises(LogError, match="'Id' comes later"):
        log.append([*change(1), (Op.H, "Id", patch_id(2))])
    assert log.version == 0


@both
@pytest.mark.parametrize(
    "make",
    [
        lambda path: jr.Patch(change(1)),
        lambda path: change(1),
        lambda path: iter(change(1)),
        lambda path: [*change(1), END],
        lambda path: encode(change(1)),
        lambda path: encode(change(1), stream_type="FRAME"),
        lambda path: gzip.compress(encode(change(1), stream_type="FLAT")),
        lambda path: encode([add(1), add(1, None)], statement_type="TRIPLES"),
        lambda path: io.BytesIO(encode(change(1))),
        lambda path: b"TX .\nD <urn:s> <urn:p> \"0\" .\nA <urn:s> <urn:p> \"1\" .\nTC .",
        lambda path: _written(path / "x.rdfp"),
        lambda path: str(_written(path / "x.jellyp.gz")),
    ],
)  # fmt: skip
def test_a_patch_may_come_in_any_form(log: PatchLog, tmp_path: Path, make: Any) -> None:
    log.append(make(tmp_path))
    assert numbers(log.checkout()) == {1}
    assert log.verify(deep=True) == []


def _written(path: Path) -> Path:
    with jr.PatchWriter(path) as writer:
        writer.write_all(change(1))
    return path


def test_the_format_can_be_told(log: PatchLog) -> None:
    log.append(b"# nothing but a comment\nH x 1 .", format="rdf-patch")
    with pytest.raises(jr.DecodeError):
        log.append(b"# nothing but a comment\nH x 1 .", format="jelly-patch")
    with pytest.raises(ValueError, match="format"):
        log.append(change(2), format="rdf-patch")
    with pytest.raises(LookupError):
        log.append(b"", format="turtle")
    assert log.version == 1


@pytest.mark.parametrize(
    "patch",
    [
        [*change(1), END, *change(2)],
        [END, END],
        [END, add(1)],
        b"TX . TC . Z . TX . TC .",
        encode([*change(1), END, *change(2)]),
    ],
)
def test_one_patch_is_appended_at_a_time(log: PatchLog, patch: Any) -> None:
    with pytest.raises(LogError, match="more than one patch"):
        log.append(patch)
    assert log.version == PatchLog(log.path).version == 0
    assert files(log.path / "staging") == []


def test_an_input_without_a_patch_is_none(log: PatchLog) -> None:
    with pytest.raises(LogError, match="no patch"):
        log.append(encode([]))
    with pytest.raises(jr.DecodeError):
        log.append(b"")
    assert PatchLog(log.path).version == 0
    # RDF Patch text is always one patch, and so is a FLAT stream.
    log.append(b"# only a comment", format="rdf-patch")
    log.append(encode([], stream_type="FLAT"))
    assert PatchLog(log.path).version == 2


@pytest.mark.parametrize(
    ("patch", "error"),
    [
        ([TX, add(1)], jr.EncodeError),
        ([TX, TX], jr.EncodeError),
        ([TC], jr.EncodeError),
        ([add(1), ("A", S)], Exception),
        ([(Op.A, S, P, TripleTerm(S, P, S), None)], jr.EncodeError),
        (encode(change(1))[:-3], jr.DecodeError),
        (b"TX . A <urn:s>", jr.DecodeError),
        (7, TypeError),
        (None, TypeError),
        (Dataset(), TypeError),
    ],
)
def test_what_is_wrong_is_not_appended(log: PatchLog, patch: Any, error: Any) -> None:
    fill(log, 1)
    with pytest.raises(error, match="can't append " if error is TypeError else "."):
        log.append(patch)
    assert log.version == PatchLog(log.path).version == 1
    assert files(log.path / "staging") == []
    assert log.verify() == []
    fill(log, 1)


@both
@pytest.mark.parametrize("at_once", [1, 1 << 20], ids=["aside", "in memory"])
def test_an_iterator_that_raises_leaves_nothing(
    log: PatchLog, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(staging, "_AT_ONCE", at_once)

    def operations() -> Any:
        yield from map(add, range(1000))
        raise KeyboardInterrupt

    opened = len(os.listdir("/proc/self/fd"))
    with pytest.raises(KeyboardInterrupt):
        log.append(operations())
    assert len(os.listdir("/proc/self/fd")) <= opened
    assert PatchLog(log.path).version == 0
    assert files(log.path / "staging") == []


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    log = PatchLog.create(tmp_path / "log", limits=jr.Limits(max_string_size=1000))
    with pytest.raises(jr.LimitError):
        log.append([(Op.A, S, P, Literal("x" * 1001), None)])
    with pytest.raises(jr.LimitError):
        log.append([], options=jr.PatchOptions(max_name_table_size=5000))
    log.append([(Op.A, S, P, Literal("x" * 1000), None)])
    assert log.verify() == []


def test_a_patch_known_to_be_short_has_small_lookups(log: PatchLog) -> None:
    numbers = list(map(add, range(101)))
    for patch, is_short in ((numbers[1:], True), (numbers, False), (iter(numbers[:1]), False)):
        with closing(log.append(patch).operations()) as operations:
            next(operations)
            assert (operations.options.max_name_table_size < 4000) == is_short


@both
def test_lexical_forms_stay(log: PatchLog) -> None:
    odd = Literal("01", datatype=XSD.integer, normalize=False)
    entry = log.append([(Op.A, S, P, odd, None)])
    log.append(b'A <urn:s> <urn:p> "+1"^^<http://www.w3.org/2001/XMLSchema#integer> .')
    rows = [row for batch in entry.batches() for row in batch.operations(0, len(batch))]
    for operations in (entry.operations(), rows, entry.read()):
        assert [str(each[3]) for each in operations if each[0] == Op.A] == ["01"]
    assert {str(quad[2]) for quad in log.checkout().quads()} == {"01", "+1"}
    log.snapshot()
    assert {str(quad[2]) for quad in log.checkout().quads()} == {"01", "+1"}
    assert log.verify(deep=True) == []
    for options, forms in (({}, {"01", "+1"}), ({"normalize": True}, {"1"})):
        target = Dataset()
        log.replay(target, **options)
        assert {str(quad[2]) for quad in target.quads()} == forms


# --- versions -------------------------------------------------------------------------------------


def test_versions_go_by_number_and_id(log: PatchLog) -> None:
    fill(log, 5)
    assert [entry.version for entry in log.patches(since=2)] == [3, 4, 5]
    assert [entry.version for entry in log.patches(upto=2)] == [1, 2]
    assert [entry.version for entry in log.patches(since=patch_id(2), upto=str(patch_id(4)))] == [
        3,
        4,
    ]
    assert log.patches(since=5) == log.patches(since=2, upto=2) == []
    assert log.patches(since=0, upto=None) == log.patches()
    assert log.entry() == log.entry(5) == log.entry(patch_id(5)) == log.head
    for version in range(6):
        expected = {version} if version else set()
        assert numbers(log.checkout(version)) == expected
    assert numbers(log.checkout(patch_id(3))) == {3}


@pytest.mark.parametrize(
    ("version", "error"),
    [
        (6, LogError),
        (-1, LogError),
        (patch_id(9), LogError),
        ("3", LogError),
        (Literal("3"), LogError),
        (1.0, TypeError),
        (True, TypeError),
    ],
)
def test_a_version_that_is_not_there(log: PatchLog, version: Any, error: Any) -> None:
    fill(log, 5)
    for call in (log.checkout, log.patches, log.snapshot, log.squash, log.entry):
        with pytest.raises(error):
            call(version)
    with pytest.raises(error):
        log.replay(Dataset(), upto=version)


def test_no_patch_makes_version_0(log: PatchLog) -> None:
    for call in (log.entry, log.snapshot):
        with pytest.raises(LogError, match="version 0 is empty"):
            call(0)


# --- replay and checkout --------------------------------------------------------------------------


@both
@pytest.mark.parametrize("store", ["default", "Oxigraph"])
def test_replay_brings_a_dataset_up_to_date(log: PatchLog, store: str) -> None:
    fill(log, 5)
    target = Dataset(store)
    assert log.replay(target, upto=2) == 2
    assert (numbers(target), numbers(target, GRAPH)) == ({2}, {1, 2})
    seen: list[jr.LogEntry] = []
    assert log.replay(target, since=2, progress=seen.append) == 5
    assert (numbers(target), numbers(target, GRAPH)) == ({5}, {1, 2, 3, 4, 5})
    assert seen == log.patches(since=2)
    assert log.replay(target, since=5, upto=3) == 5


def test_replay_to_a_graph(log: PatchLog) -> None:
    log.append([add(1), add(2)])
    log.append([delete(1), (Op.PA, "ex", URIRef("urn:ex#"), None)])
    graph = Graph()
    log.replay(graph)
    assert {int(o) for _, _, o in graph} == {2}
    log.append([add(3), add(4, GRAPH)])
    with pytest.raises(jr.ApplyError, match="named graph"):
        log.replay(graph, since=2)
    assert {int(o) for _, _, o in graph} == {2}


def test_a_long_patch_is_applied_as_a_short_one(log: PatchLog) -> None:
    """A long patch is decoded twice, so that not all of its frames are kept in memory."""
    operations = []
    for number in range(0, 3000, 3):
        operations += [TX, add(number), add(number + 1), TC, TX, delete(number), add(-1), TA]
    entry = log.append(operations)
    assert sum(1 for _ in entry.batches()) > 8
    assert len(numbers(log.checkout())) == 2000


def test_a_patch_is_applied_wholly_or_not_at_all(log: PatchLog) -> None:
    fill(log, 2)
    options = jr.PatchOptions(rdf_star=True)
    # Only the first transaction could be applied.
    log.append([TX, add(7), TC, TX, (Op.A, S, P, TripleTerm(S, P, S), None), TC], options=options)
    target = Dataset()
    with pytest.raises(jr.ApplyError):
        log.replay(target)
    assert numbers(target) == {2}


def test_checkout_into_a_store_of_ones_own(log: PatchLog, tmp_path: Path) -> None:
    fill(log, 4)
    log.snapshot(2)
    target = Dataset("Oxigraph")
    target.open(str(tmp_path / "store"), create=True)
    assert log.checkout(3, target=target) is target
    assert numbers(target) == {3}
    with pytest.raises(ValueError, match="must be empty"):
        log.checkout(3, target=target)
    with pytest.raises(TypeError, match="Dataset"):
        log.checkout(3, target=Graph())  # type: ignore[arg-type]
    assert isinstance(target.store, OxigraphStore)


def test_checkout_makes_a_dataset_of_the_store_that_is_asked_for(log: PatchLog) -> None:
    fill(log, 2)
    assert type(log.checkout().store) is jr.JellyStore
    for store, kind in (("Jelly", jr.JellyStore), ("default", Memory), (Memory(), Memory)):
        dataset = log.checkout(1, store=store)
        assert type(dataset.store) is kind
        assert numbers(dataset) == {1}
    with pytest.raises(ValueError, match="must be empty"):
        log.checkout(1, store=log.checkout(1).store)


# --- a view ---------------------------------------------------------------------------------------


def test_a_view_stays_as_it_was_until_it_is_refreshed(log: PatchLog) -> None:
    fill(log, 1)
    other = PatchLog(log.path)
    fill(log, 2)
    assert (other.version, numbers(other.checkout())) == (1, {1})
    assert other.refresh() == log.head
    assert (other.version, numbers(other.checkout())) == (3, {3})


def test_a_patch_follows_what_its_maker_has_seen(log: PatchLog) -> None:
    fill(log, 1)
    other = PatchLog(log.path)
    fill(log, 1)
    with pytest.raises(LogConflict, match=str(patch_id(2))) as caught:
        other.append(change(2))
    error = caught.value
    assert (error.expected, error.head, error.version) == (patch_id(1), patch_id(2), 2)
    # After a conflict, the other patch still does not count as seen.
    with pytest.raises(LogConflict):
        other.append(change(2))
    other.refresh()
    assert other.append(change(3)).version == 3
    with pytest.raises(LogConflict):
        log.append(change(3))


def test_prev_says_what_a_patch_follows(log: PatchLog) -> None:
    fill(log, 2)
    for patch, prev in (
        (change(3), patch_id(1)),
        ([(Op.H, "prev", patch_id(1)), *change(3)], None),
        ([(Op.H, "prev", patch_id(9)), *change(3)], patch_id(9)),
    ):
        with pytest.raises(LogConflict, match="is to follow <uuid:") as caught:
            log.append(patch, prev=prev)
        assert (caught.value.head, caught.value.version) == (patch_id(2), 2)
    with pytest.raises(ValueError, match="but the patch has prev"):
        log.append([(Op.H, "prev", patch_id(1)), *change(3)], prev=patch_id(2))
    log.append(change(3), prev=str(patch_id(2)))
    assert log.append([(Op.H, "prev", log.entry().id), *change(4)]).version == 4


def test_a_conflict_is_told_before_the_patch_is_read(log: PatchLog) -> None:
    fill(log, 1)
    patch = iter([(Op.H, "prev", patch_id(7)), *change(2)])
    with pytest.raises(LogConflict):
        log.append(patch)
    # Only the header was consumed.
    assert len(list(patch)) == len(change(2)) - 1


def test_the_first_patch_follows_none(log: PatchLog) -> None:
    with pytest.raises(LogConflict, match="but the log has none") as caught:
        log.append([(Op.H, "prev", patch_id(1)), *change(1)])
    assert (caught.value.expected, caught.value.head, caught.value.version) == (
        patch_id(1),
        None,
        0,
    )
    other = PatchLog(log.path)
    fill(log, 1)
    with pytest.raises(LogConflict, match="is to be the first one"):
        other.append(change(1))


def test_a_patch_is_appended_once(log: PatchLog) -> None:
    fill(log, 3)
    for number in (1, 3):
        with pytest.raises(LogConflict, match=f"already: it makes version {number}"):
            log.append([(Op.H, "id", patch_id(number)), *change(number)])
    assert log.verify() == []


def test_a_stale_view_appends_what_says_that_it_follows(log: PatchLog) -> None:
    other = PatchLog(log.path)
    fill(log, 2)
    entry = other.append([(Op.H, "prev", patch_id(2)), *change(3)])
    assert (entry.version, len(other.patches())) == (3, 3)


def test_the_error_survives_a_process_boundary() -> None:
    import pickle

    error = LogConflict("no", expected=patch_id(1), head=patch_id(2), version=2)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, LogError)
    assert (str(again), again.expected, again.head, again.version) == (
        "no",
        patch_id(1),
        patch_id(2),
        2,
    )


def test_a_log_that_can_only_be_read(log: PatchLog) -> None:
    fill(log, 3)
    log.snapshot(2)
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files(log.path)}
    again = PatchLog(log.path)
    assert again.verify(deep=True) == []
    again.replay(again.checkout(1), since=1)
    list(again.patches()[1].batches())
    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files(log.path)}
    assert before == after


def test_an_id_that_this_object_has_not_seen(tmp_path: Path) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 1)
    newer = fill(PatchLog(log.path), 1).entry()
    with pytest.raises(LogError, match=r"makes version 2, which is newer .* call refresh\(\)"):
        log.checkout(newer.id)
    with pytest.raises(LogError, match="or it was squashed"):
        log.checkout(patch_id(9))
    log.refresh()
    assert log.entry(newer.id) == newer


@pytest.mark.parametrize("change", ["prev = NULL", "first = 2"])
@pytest.mark.parametrize("count", [1, 2, 3, 9])
def test_the_newest_patches_follow_one_another(tmp_path: Path, change: str, count: int) -> None:
    log = fill(PatchLog.create(tmp_path / "log"), 3)
    assert [entry.version for entry in log.latest(count)] == [1, 2, 3][-count:]
    with closing(sqlite3.connect(log.path / "log.db")) as connection, connection:
        connection.execute(f"UPDATE segments SET {change} WHERE version = 3")
    if count > 1:
        with pytest.raises(LogError, match="the log is broken"):
            log.latest(count)


def test_a_url_of_another_host_is_refused() -> None:
    with pytest.raises(ValueError, match="the file is on another host"):
        PatchLog("file://elsewhere/log", create=True)

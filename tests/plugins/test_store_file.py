"""Tests a `JellyStore` that is open in a file, with a log next to it."""

import copy
import errno
import gc
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.plugin import get as get_plugin
from rdflib.store import VALID_STORE, Store

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.log.sealed_file import SealedFile
from jelly_rdflib.plugins import store_file
from tests.faults.injection import interrupted_at
from tests.faults.log.system_calls import full_disk, run_and_kill

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")


def opened(path: Path, *, create: bool = False) -> Dataset:
    dataset = Dataset(store="Jelly")
    assert dataset.open(str(path), create=create) == VALID_STORE
    return dataset


def add(dataset: Dataset, *numbers: int, commit: bool = True) -> None:
    for number in numbers:
        dataset.graph(G).add((S, P, Literal(number)))
    if commit:
        dataset.commit()


def make_file(path: Path, *numbers: int) -> None:
    """Commit these numbers, and close the store."""
    dataset = opened(path, create=True)
    add(dataset, *numbers)
    dataset.close()


def numbers(graph: Graph) -> set[Any]:
    return {o.value for _, _, o, _ in graph.quads()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.jelly"


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.log")


def test_what_was_committed_is_there_again(path: Path) -> None:
    dataset = opened(path, create=True)
    dataset.bind("ex", "urn:ex#")
    add(dataset, 1, 2)
    add(dataset, 3, commit=False)
    with pytest.warns(jr.LogWarning, match="pending changes, which are undone"):
        dataset.close()
    dataset.open(str(path))
    assert numbers(dataset) == {1, 2}
    assert dataset.namespace_manager.store.namespace("ex") == URIRef("urn:ex#")
    add(dataset, 4, commit=False)
    dataset.close(commit_pending_transaction=True)
    assert numbers(opened(path)) == {1, 2, 4}


def test_a_file_url_is_a_path(path: Path) -> None:
    path = path.with_name("some data.jelly")
    dataset = Dataset(store="Jelly")
    dataset.open(path.as_uri(), create=True)
    add(dataset, 1)
    dataset.close()
    assert numbers(opened(path)) == {1}


def test_file_is_one_of_jelly_rdf(path: Path) -> None:
    make_file(path, 1, 2)
    other = Dataset()
    other.parse(path, format="jelly-rdf")
    assert numbers(other) == {1, 2}
    assert sorted(os.listdir(path.parent)) == ["data.jelly", "data.jelly.log"]


def test_each_commit_is_a_patch_of_the_log(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    add(dataset, 2)
    dataset.commit()
    log = jr.PatchLog(log_of(path))
    assert log.version == 2
    assert numbers(log.checkout(1)) == {1}
    assert not path.exists()
    dataset.close()
    assert path.exists()


def test_process_that_ended_without_closing_loses_nothing(path: Path) -> None:
    make_file(path, 1)
    lost = opened(path)
    add(lost, 2)
    lost.graph(G).remove((S, P, Literal(1)))
    lost.commit()
    add(lost, 3, commit=False)
    assert numbers(opened(path)) == {2}
    path.unlink()
    assert numbers(opened(path)) == {2}


@pytest.mark.parametrize("name", ["data.jelly", "data.nt"])
def test_file_of_somebody_else_becomes_the_first_patch(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    graph = Graph().add((S, P, Literal(1)))
    graph.bind("ex", "urn:ex#")
    with path.open("wb") as file:
        graph.serialize(file, format="jelly-rdf")
    path.chmod(0o640)
    make_file(path, 2)
    assert path.stat().st_mode & 0o777 == 0o640
    log = jr.PatchLog(log_of(path))
    assert [numbers(log.checkout(version)) for version in range(3)] == [set(), {1}, {1, 2}]
    assert numbers(opened(path)) == {1, 2}


@pytest.mark.parametrize("name", ["data.jelly.gz", "data.jelly.zst"])
def test_compressed_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    make_file(path, 1)
    assert not path.read_bytes().startswith(b"\n")
    assert len(list(jr.read_statements(path))) == 1
    assert numbers(opened(path)) == {1}


def test_file_that_did_not_change_is_not_written(path: Path) -> None:
    make_file(path, 1)
    before = path.stat().st_mtime_ns, path.stat().st_ino
    opened(path).close()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_file_that_another_program_has_written_is_refused(path: Path) -> None:
    make_file(path, 1)
    with path.open("wb") as file:
        Graph().add((S, P, Literal(5))).serialize(file, format="jelly-rdf")
    dataset = Dataset(store="Jelly")
    with pytest.raises(jr.LogError, match="does not have the data of the log next to it"):
        dataset.open(str(path))
    assert len(dataset) == 0
    # A file with the same data as the log is accepted.
    with path.open("wb") as file:
        jr.PatchLog(log_of(path)).checkout().serialize(file, format="jelly-rdf")
    make_file(path, 2)
    assert numbers(opened(path)) == {1, 2}


def test_log_of_another_file_is_refused(path: Path) -> None:
    for number, name in enumerate(("data.jelly", "other.jelly")):
        make_file(path.with_name(name), number)
    log_of(path).rename(path.with_name("x"))
    log_of(path.with_name("other.jelly")).rename(log_of(path))
    with pytest.raises(jr.LogError, match="another program has written one"):
        opened(path)


def test_log_may_be_squashed(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    add(dataset, 2)
    dataset.close()
    dataset = opened(path)
    add(dataset, 3)
    del dataset
    log = jr.PatchLog(log_of(path))
    log.squash(1, 2)
    assert numbers(opened(path)) == {1, 2, 3}
    # The log no longer has the version that the file names, but it has all data.
    log.squash()
    assert numbers(opened(path)) == {1, 2, 3}
    path.unlink()
    assert numbers(opened(path)) == {1, 2, 3}


def test_second_writer_has_a_conflict(path: Path) -> None:
    one, two = opened(path, create=True), opened(path, create=True)
    add(one, 1)
    add(two, 2, commit=False)
    with pytest.raises(jr.LogConflict):
        two.close(commit_pending_transaction=True)
    # The store is still open, but its changes are undone.
    assert numbers(two) == set()
    two.close()
    one.close()
    assert numbers(opened(path)) == {1}


def test_what_can_not_be_opened(path: Path) -> None:
    dataset = Dataset(store="Jelly")
    with pytest.raises(FileNotFoundError, match="create=True\\) makes it"):
        dataset.open(str(path))
    with pytest.raises(FileNotFoundError):
        get_plugin("Jelly", Store)(configuration=str(path))
    assert os.listdir(path.parent) == []
    path.write_bytes(b"no Jelly")
    with pytest.raises(jr.DecodeError):
        dataset.open(str(path))
    path.unlink()
    dataset.add((S, P, Literal(1)))
    with pytest.raises(ValueError, match="this one has statements"):
        dataset.open(str(path), create=True)
    dataset = opened(path, create=True)
    with pytest.raises(ValueError, match="close\\(\\) it first"):
        dataset.open(str(path))
    with pytest.raises(jr.RecordError, match="destroy"):
        dataset.store.destroy(None)


def test_store_of_a_configuration_and_a_copy(path: Path) -> None:
    opened(path, create=True).close()
    store = get_plugin("Jelly", Store)(configuration=str(path))
    dataset = Dataset(store)
    add(dataset, 1)
    other = copy.deepcopy(dataset)
    add(other, 2)
    dataset.close()
    assert numbers(opened(path)) == {1}
    assert numbers(other) == {1, 2}


def test_empty_graphs_are_in_memory_and_in_copies_but_not_in_the_file(path: Path) -> None:
    dataset = opened(path, create=True)
    names = [URIRef("urn:new"), G]
    dataset.graph(names[0])
    add(dataset, 1)
    dataset.graph(G).remove((S, P, None))
    dataset.commit()

    def listed(each: Dataset) -> list[Any]:
        return [name for name in names if name in {g.identifier for g in each.store.contexts()}]

    assert listed(dataset) == listed(copy.deepcopy(dataset)) == names
    assert listed(pickle.loads(pickle.dumps(dataset))) == names
    dataset.close()
    assert listed(opened(path)) == []


def test_link_stays_a_link(path: Path) -> None:
    opened(path, create=True).close()
    link = path.with_name("link.jelly")
    link.symlink_to(path)
    dataset = opened(link)
    add(dataset, 1)
    dataset.close()
    assert link.is_symlink()
    assert numbers(opened(path)) == {1}


@pytest.mark.parametrize("wrap", [list, iter], ids=["a list", "an iterator"])
def test_each_transaction_that_is_applied_is_committed(path: Path, wrap: Any) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1, commit=False)
    two, three = ((jr.Op.A, S, P, Literal(number), G) for number in (2, 3))
    tx, tc, ta = (jr.Op.TX,), (jr.Op.TC,), (jr.Op.TA,)
    result = jr.apply(wrap([tx, two, tc, tx, three, ta, tx, three, tc]), dataset)
    assert (result.committed, result.aborted) == (2, 1)
    add(dataset, 4, commit=False)
    assert numbers(opened(path)) == {1, 2, 3}
    log = jr.PatchLog(log_of(path))
    # The log has none of the undone operations.
    states = [numbers(log.checkout(version)) for version in range(1, log.version + 1)]
    assert states == [{1}, {1, 2}, {1, 2, 3}]


def test_transaction_without_an_effect_is_not_in_the_log(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1, 2)
    graph, other = dataset.graph(G), dataset.graph(URIRef("urn:h"))
    graph.add((S, P, Literal("x", lang="EN")))
    dataset.commit()
    log = jr.PatchLog(log_of(path))
    before = log.version
    graph.remove((S, P, None))
    other.add((S, P, Literal(1)))
    dataset.add((S, P, Literal(1)))
    dataset.remove((S, P, Literal(1)))
    add(dataset, 2, 1, 3, commit=False)
    graph.remove((S, P, Literal(3)))
    graph.add((S, P, Literal("x", lang="EN")))
    other.remove((S, P, None))
    dataset.commit()
    log.refresh()
    assert log.version == before
    # Each of these changes has an effect.
    changes: list[Callable[[], object]] = [
        lambda: graph.remove((S, P, Literal(1))),
        lambda: graph.remove((S, P, Literal(2))).add((S, P, Literal(1))),
        lambda: dataset.store.bind("ex", URIRef("urn:ex#")),
        lambda: other.add((S, P, Literal(1))),
        lambda: dataset.add((S, P, URIRef("urn:no valid IRI"))),
    ]
    for number, change in enumerate(changes, 1):
        change()
        dataset.commit()
        log.refresh()
        assert log.version == before + number
    # A store keeps the first spelling of a language tag until the literal is deleted.
    graph.remove((S, P, Literal("x", lang="en")))
    graph.add((S, P, Literal("x", lang="en")))
    dataset.commit()
    found = [o.language for o in graph.objects() if o.language]
    assert [o.language for o in opened(path).graph(G).objects() if o.language] == found
    dataset.close()
    assert len(opened(path)) == 3


@pytest.mark.parametrize("wrap", [list, iter], ids=["a list", "an iterator"])
def test_patch_whose_commit_comes_too_late_is_not_there(path: Path, wrap: Any) -> None:
    one, two = opened(path, create=True), opened(path, create=True)
    add(one, 1)
    patch = [(jr.Op.TX,), (jr.Op.A, S, P, Literal(2), G), (jr.Op.TC,)]
    with pytest.raises(jr.LogConflict):
        jr.apply(wrap(patch), two)
    assert numbers(two) == set()
    assert numbers(opened(path)) == {1}


@pytest.mark.parametrize("wrap", [list, iter], ids=["a list", "an iterator"])
def test_transaction_of_a_prefix_alone_is_committed(path: Path, wrap: Any) -> None:
    dataset = opened(path, create=True)
    prefix = (jr.Op.PA, "mine", URIRef("urn:mine#"), None)
    jr.apply(wrap([(jr.Op.TX,), prefix, (jr.Op.TC,)]), dataset)
    add(dataset, 1, commit=False)
    with pytest.warns(jr.LogWarning):
        dataset.close()
    again = opened(path)
    assert again.store.namespace("mine") == URIRef("urn:mine#")
    assert numbers(again) == set()


def test_failed_iterator_leaves_what_others_have_pending(path: Path) -> None:
    dataset = opened(path, create=True)

    def operations() -> Any:
        yield (jr.Op.A, S, P, Literal(1), G)
        add(dataset, 2, commit=False)
        yield (jr.Op.A, S, P, 1 / 0, G)

    with pytest.raises(ZeroDivisionError):
        jr.apply(operations(), dataset)
    dataset.commit()
    assert numbers(dataset) == numbers(opened(path)) == {2}


def test_older_copy_of_the_log_is_refused(path: Path, tmp_path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    shutil.copytree(log_of(path), tmp_path / "older")
    add(dataset, 2)
    dataset.close()
    shutil.rmtree(log_of(path))
    (tmp_path / "older").rename(log_of(path))
    with pytest.raises(jr.LogError, match="is an older copy of the log"):
        opened(path)


def test_close_leaves_a_newer_file(path: Path) -> None:
    one = opened(path, create=True)
    add(one, 1)
    two = opened(path)
    add(two, 2)
    two.close()
    one.close()
    other = Dataset()
    other.parse(path, format="jelly-rdf")
    assert numbers(other) == {1, 2}


@pytest.mark.parametrize("commits", [0, 1])
def test_file_of_somebody_else_outlives_a_kill(path: Path, commits: int) -> None:
    """The process is killed before the file names the log that belongs to it."""
    with path.open("wb") as file:
        Graph().add((S, P, Literal(1))).serialize(file, format="jelly-rdf")
    foreign = path.read_bytes()
    dataset = opened(path)
    if commits:
        add(dataset, 2)
    path.write_bytes(foreign)
    assert numbers(opened(path)) == ({1, 2} if commits else {1})


@pytest.mark.slow
def test_prefixes_are_those_of_the_file(path: Path) -> None:
    dataset = Dataset(store="Jelly")
    dataset.bind("mine", "urn:mine#")
    dataset.open(str(path), create=True)
    assert dataset.store.namespace("mine") is None
    for number in range(11_000):
        dataset.store.bind(f"p{number}", URIRef(f"urn:{number}#"))
    dataset.commit()
    assert len(dict(opened(path).namespaces())) >= 11_000
    dataset.close()
    assert len(dict(opened(path).namespaces())) >= 11_000


@pytest.mark.parametrize("value", [b"\xff", b"", b"abc", b"a b"])
def test_version_in_the_metadata_may_be_anything(path: Path, value: bytes) -> None:
    with jr.StatementWriter(path, jr.StreamOptions()) as writer:
        writer.end_frame({"jelly-rdflib.version": value})
        writer.add(S, P, Literal(1), G)
    assert numbers(opened(path)) == {1}
    with jr.StatementWriter(path, jr.StreamOptions()) as writer:
        writer.end_frame({"jelly-rdflib.version": value})
        writer.add(S, P, Literal(2), G)
    with pytest.raises(jr.LogError, match="another program"):
        opened(path)


def test_remains_of_a_killed_process_are_removed(path: Path) -> None:
    opened(path, create=True).close()
    names = [f".0123456789abcdef.{path.name}", ".0123456789abcdef.other", f".x.{path.name}"]
    for name in names:
        path.with_name(name).touch()
    opened(path)
    assert all(path.with_name(name).exists() for name in names)
    for name in names:
        os.utime(path.with_name(name), (0, 0))
    opened(path)
    assert [path.with_name(name).exists() for name in names] == [False, True, True]


@pytest.mark.slow
def test_interrupted_commit_leaves_file_and_log_alike(path: Path) -> None:
    """After an interrupted commit, the file never contains data that the log does not have."""
    turn, is_interrupted = 0, True
    outcomes = set()
    while is_interrupted:
        path.unlink(missing_ok=True)
        if log_of(path).exists():
            log_of(path).rename(path.with_name(f"{turn}"))
        dataset = opened(path, create=True)
        add(dataset, 1)
        add(dataset, 2, commit=False)
        places, error = interrupted_at(turn, dataset.commit, (str(Path(jr.__file__).parent),))
        is_interrupted = turn < places
        assert isinstance(error, KeyboardInterrupt if is_interrupted else type(None))
        try:
            add(dataset, 3)
            outcomes.add("goes on")
        except (jr.LogConflict, jr.LogError) as error:
            outcomes.add(type(error).__name__)
        log = numbers(jr.PatchLog(log_of(path)).checkout())
        assert {1} <= log
        dataset.close()
        assert numbers(opened(path)) == log
        turn += 7
    assert outcomes == {"goes on", "LogConflict", "LogError"}


# --- damage --------------------------------------------------------------------------------------


def damaged(data: bytes, random: Random) -> bytes:
    """Flip a bit, remove some bytes, insert some, or truncate the data."""
    at = random.randrange(len(data))
    end = min(len(data), at + random.randrange(1, 40))
    flipped = bytes([data[at] ^ 1 << random.randrange(8)])
    return data[:at] + random.choice(
        [flipped + data[at + 1 :], data[end:], random.randbytes(3) + data[at:], b""]
    )


@pytest.mark.parametrize("name", ["data.jelly", "data.jelly.gz", "data.jelly.zst"])
def test_damaged_file_is_made_anew_from_its_log(tmp_path: Path, name: str) -> None:
    path, random = tmp_path / name, Random(name)
    make_file(path, *range(1000, 1010))
    whole = path.read_bytes()
    for _ in range(15):
        path.write_bytes(damaged(whole, random))
        with warnings.catch_warnings(record=True) as told:
            # A store that an earlier test left may warn now, so only this message is recorded.
            warnings.filterwarnings("always", "the file of the store is not used", jr.LogWarning)
            dataset = opened(path)
        assert numbers(dataset) == {*range(1000, 1010)}
        # Some bits of a compressed file have no meaning, such as those about the system.
        assert [each.category for each in told] == [jr.LogWarning] or name != "data.jelly"
        found = jr.PatchLog(log_of(path)).verify()
        assert [each.path for each in found] == [path] * len(told)
        bad = path.read_bytes()
        dataset.close()
        assert path.read_bytes() == (whole if told else bad)
        if told:
            kept = path.with_name(f"{name}.damaged")
            assert kept.read_bytes() == bad
            kept.unlink()
    opened(path)


@pytest.mark.parametrize("has_log", [False, True], ids=["no log", "an empty log"])
def test_damaged_file_that_no_log_can_make_anew_is_refused(path: Path, has_log: bool) -> None:
    make_file(path, 1000)
    shutil.rmtree(log_of(path))
    if has_log:
        jr.PatchLog.create(log_of(path))
    whole = path.read_bytes()
    match = "is damaged, or another program has written to it"
    for bad in (whole.replace(b"1000", b"9000"), whole[:-58]):
        path.write_bytes(bad)
        with pytest.raises(jr.DecodeError, match=match):
            opened(path)
        assert (path.read_bytes(), log_of(path).exists()) == (bad, has_log)
    path.write_bytes(whole)
    # This copy does not need its own log.
    shutil.rmtree(log_of(path), ignore_errors=True)
    assert numbers(opened(path)) == {1000}


def test_damaged_file_with_a_damaged_log_is_refused(path: Path) -> None:
    make_file(path, 1000)
    path.write_bytes(path.read_bytes()[:-1])
    [segment] = (log_of(path) / "segments").iterdir()
    segment.unlink()
    before = path.read_bytes()
    with pytest.raises(jr.LogError, match=r"inside|ends after.*can't replace it: .* is gone"):
        opened(path)
    assert path.read_bytes() == before


def test_file_that_is_not_of_the_log_is_no_problem_of_it(path: Path) -> None:
    path.with_suffix("").write_bytes(b"anything")
    log = jr.PatchLog.create(path.with_suffix(".log"))
    assert log.verify() == []


# --- branches of a log ---------------------------------------------------------------------------


def test_file_whose_patch_makes_another_version_of_its_log_is_refused(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    backup = path.with_name("backup")
    shutil.copytree(log_of(path), backup)
    for number in (2, 3):
        add(dataset, number)
    dataset.close()
    last, restored = jr.PatchLog(log_of(path)).entry(), jr.PatchLog(backup)
    restored.append([row for row in last.read() if row[:2] != (Op.H, "prev")])
    restored.append([])
    shutil.rmtree(log_of(path))
    backup.rename(log_of(path))
    with pytest.raises(jr.LogError, match="is not the same log as before"):
        opened(path)


@pytest.mark.parametrize("is_squashed", [False, True])
def test_file_beside_another_branch_of_its_log_is_refused(path: Path, is_squashed: bool) -> None:
    make_file(path, 1)
    for suffix in ("", ".log"):
        copy = path.with_name(f"copy.jelly{suffix}")
        (shutil.copytree if suffix else shutil.copy)(path.with_name(path.name + suffix), copy)
    for each, number in ((path, 2), (path.with_name("copy.jelly"), 3)):
        dataset = opened(each)
        add(dataset, number)
        add(dataset, number + 10)
        dataset.close()
    other = path.with_name("copy.jelly.log")
    add(opened(path.with_name("copy.jelly")), 30)
    if is_squashed:
        jr.PatchLog(other).squash()
    shutil.rmtree(log_of(path))
    other.rename(log_of(path))
    before = path.read_bytes()
    with pytest.raises(jr.LogError, match=r"never had.*file away to continue with the log"):
        opened(path)
    assert path.read_bytes() == before
    path.unlink()
    assert numbers(opened(path)) == {1, 3, 13, 30}


# --- snapshots between ---------------------------------------------------------------------------


def saved_version(path: Path) -> int:
    if not path.exists():
        return 0
    file = SealedFile(path, jr.Limits())
    with closing(file.source):
        return int(file.version.split()[1])


def test_process_that_never_closes_writes_the_file_every_so_many_commits(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_file, "_LEAST_REPLAY", 50_000)
    written = []
    for number in range(60):
        dataset = opened(path, create=True)
        add(dataset, number)
        if number % 2:
            add(dataset, 1000 + number)
        # The process is killed.
        written.append(path.stat().st_mtime_ns if path.exists() else 0)
        assert jr.PatchLog(log_of(path)).version - saved_version(path) < 14
    assert 5 < len(set(written)) < 20
    assert len(numbers(opened(path))) == 90


def test_commit_does_not_fail_since_the_file_can_not_be_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_file, "_LEAST_REPLAY", 0)
    dataset = opened(path, create=True)
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full(os.replace, path))
        add(dataset, 1)
    assert numbers(dataset) == {1}
    assert not path.exists()
    add(dataset, 2)
    assert path.exists()
    assert numbers(opened(path)) == {1, 2}


@pytest.mark.skipif(os.name == "nt", reason="Windows has another error")
def test_a_file_that_cannot_be_made_is_named(path: Path) -> None:
    """The error is about the file, not about the temporary one, whose name is too long."""
    path = path.with_name(f"{'x' * 240}.jelly")
    dataset = opened(path, create=True)
    add(dataset, 1)
    with pytest.raises(OSError, match="File name too long") as caught:
        dataset.close()
    assert caught.value.filename == str(path)
    assert str(caught.value).endswith(f": {str(path)!r}")


def full(replace: Any, path: Path) -> Any:
    """Make renaming to one path fail, as on a full disk."""

    def called(old: Any, new: Any) -> None:
        if new == path:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(old, new)

    return called


# --- permissions ---------------------------------------------------------------------------------


def modes(path: Path) -> dict[str, int]:
    """Return the modes of all files and folders of a log."""
    log = log_of(path)
    return {
        each.relative_to(log).name: each.stat().st_mode & 0o777 for each in [log, *log.rglob("*")]
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o660, 0o400])
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_log_has_the_permissions_of_its_file(path: Path, mode: int, umask: int) -> None:
    with path.open("wb") as file:
        Graph().add((S, P, Literal(1))).serialize(file, format="jelly-rdf")
    path.chmod(mode)
    before = os.umask(umask)
    try:
        dataset = opened(path)
        add(dataset, 2)
        dataset.graph(G).add((S, P, Literal("x" * 3_000_000)))
        dataset.commit()
        log = jr.PatchLog(log_of(path))
        log.snapshot()
        log.squash()
        dataset.close()
    finally:
        os.umask(before)
    folder = mode | (mode & 0o444) >> 2 | 0o700
    found = modes(path)
    assert found.pop("") == found.pop("segments") == found.pop("staging") == folder
    assert found.pop("snapshots") == folder
    assert {*found.values()} == {folder & 0o666}
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_permissions_of_a_new_store_are_those_of_the_umask_and_may_be_restricted(
    path: Path,
) -> None:
    before = os.umask(0o027)
    try:
        dataset = opened(path, create=True)
        add(dataset, 1)
        os.umask(0o022)
        dataset.close()
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640
    assert modes(path)[""] == 0o750
    path.chmod(0o600)
    opened(path)
    assert modes(path)[""] == 0o700


# --- faults --------------------------------------------------------------------------------------


def work(path: Path, done: Callable[[int], object]) -> None:
    """Commit and close repeatedly, and report the number of commits each time."""
    for count in (1, 2):
        dataset = Dataset(store="Jelly")
        dataset.open(str(path), create=True)
        add(dataset, count)
        done(count)
        dataset.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork()")
@pytest.mark.parametrize("least", [1 << 20, 0], ids=["when it is closed", "at each commit"])
def test_process_may_be_killed_at_any_call(
    path: Path, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    """After a kill at any call, all commits are kept; the interrupted one may be kept, too."""
    monkeypatch.setattr(store_file, "_LEAST_REPLAY", least)
    turn, calls = 0, set()
    told = path.with_name("told")

    def tell(count: int) -> None:
        told.write_text(str(count))

    while True:
        for each in (path, told):
            each.unlink(missing_ok=True)
        if log_of(path).exists():
            log_of(path).rename(path.with_name(f"{turn}"))
        call = run_and_kill(lambda: work(path, tell), turn)
        if not call:
            break
        calls.add(call)
        count = int(told.read_text()) if told.exists() else 0
        dataset = opened(path, create=True)
        found = numbers(dataset)
        assert found in ({*range(1, count + 1)}, {*range(1, count + 2)})
        add(dataset, 99)
        dataset.close()
        assert numbers(opened(path)) == found | {99}
        turn += 1
    assert calls >= {"open", "fsync", "replace", "write"}


@pytest.mark.parametrize("stays_full", [False, True], ids=["once", "from then on"])
def test_disk_may_be_full_at_any_call(path: Path, stays_full: bool) -> None:
    turn, failed, errors = 0, ["something"], 0
    while failed:
        path.unlink(missing_ok=True)
        if log_of(path).exists():
            log_of(path).rename(path.with_name(f"{turn}"))
        counts = [0]
        with full_disk(turn, stays_full=stays_full) as failed:
            try:
                work(path, counts.append)
            except OSError:
                errors += 1
        dataset = opened(path, create=True)
        assert numbers(dataset) == {*range(1, counts[-1] + 1)}
        add(dataset, 99)
        dataset.close()
        names = {each.name for each in path.parent.iterdir() if not each.name.isdigit()}
        assert names == {"data.jelly", "data.jelly.log"}
        turn += 1
    assert errors > 15


USES_OF_A_STORE: list[Any] = [
    len,
    lambda dataset: list(dataset.triples((S, None, None))),
    lambda dataset: list(dataset.quads()),
    lambda dataset: list(dataset.graphs()),
    lambda dataset: dataset.add((S, P, Literal(1))),
    lambda dataset: dataset.remove((S, P, None)),
    lambda dataset: dataset.graph(G),
    lambda dataset: dataset.remove_graph(G),
    lambda dataset: dataset.store.bind("ex", URIRef("urn:ex#")),
    lambda dataset: list(dataset.namespaces()),
    lambda dataset: dataset.commit(),
    lambda dataset: dataset.rollback(),
    lambda dataset: dataset.parse(data="<urn:s> <urn:p> <urn:o> .", format="nt"),
    lambda dataset: dataset.serialize(format="nquads"),
    lambda dataset: list(dataset.query("SELECT * { ?s ?p ?o }")),
    lambda dataset: dataset.update("INSERT DATA { <urn:s> <urn:p> 1 }"),
    lambda dataset: jr.apply([(jr.Op.A, S, P, Literal(1), G)], dataset),
    lambda dataset: jr.diff(dataset, dataset),
    lambda dataset: list(jr.read_batches(dataset)),
    copy.deepcopy,
]


def test_a_closed_store_is_not_used(path: Path) -> None:
    dataset = opened(path, create=True)
    dataset.close()
    for use in USES_OF_A_STORE:
        with pytest.raises(ValueError, match="the store is closed"):
            use(dataset)


def test_a_closed_store_can_be_closed_and_opened_again(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    for _ in range(2):
        dataset.close()
        assert repr(dataset.store) == "<JellyStore, closed>"
    dataset.destroy("")
    with pytest.raises(FileNotFoundError):
        dataset.open(str(path.with_name("another")))
    with pytest.raises(ValueError, match="the store is closed"):
        len(dataset)
    dataset.open(str(path))
    assert numbers(dataset) == {1}


def test_to_close_without_pending_changes_warns_of_nothing(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.remove((S, P, Literal(2)))
    dataset.graph(G)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dataset.close()
        dataset = opened(path)
        add(dataset, 2, commit=False)
        dataset.close(commit_pending_transaction=True)


def test_to_forget_a_store_with_pending_changes_warns(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1, commit=False)
    del dataset
    with pytest.warns(jr.LogWarning, match="was not closed, and its pending changes are lost"):
        gc.collect()
    dataset = opened(path)
    add(dataset, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del dataset
        gc.collect()


@pytest.mark.parametrize("end", ["dataset.close()", "pass", "import sys; sys.exit()"])
def test_a_program_that_does_not_commit_is_warned_by_default(path: Path, end: str) -> None:
    code = (
        "from rdflib import BNode, Dataset\n"
        f"dataset = Dataset(store='Jelly')\ndataset.open({str(path)!r}, create=True)\n"
        f"dataset.add((BNode(), BNode(), BNode()))\n{end}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "LogWarning: the store " in done.stderr
    assert "pending changes" in done.stderr


def test_to_open_a_graph_without_a_name_warns(path: Path) -> None:
    unnamed = Graph("Jelly")
    for graph in (unnamed, Graph("Jelly", "urn:g"), Dataset(store="Jelly")):
        is_unnamed = graph is unnamed
        expected: Any = pytest.warns(jr.LogWarning, match="will not be found in the file again")
        with expected if is_unnamed else nullcontext([]) as caught:
            graph.open(str(path), create=True)
        assert [each.filename for each in caught] == [__file__] * is_unnamed
        graph.close()


def test_a_file_of_another_format_is_refused_with_the_way_to_read_it(tmp_path: Path) -> None:
    turtle, patch = tmp_path / "x.ttl", tmp_path / "x.jellyp"
    turtle.write_text("@prefix : <urn:> . :s :p :o .")
    jr.Patch([(Op.A, S, P, P, None)]).save(patch)
    for file, what in ((turtle, "the input ends after 28"), (patch, 'format="jelly-patch"')):
        with pytest.raises(jr.DecodeError) as caught:
            opened(file)
        assert what in str(caught.value)
        assert "a store opens Jelly-RDF, and parse() reads other formats" in str(caught.value)
        assert not log_of(file).exists()


def test_a_removal_is_a_pending_change(path: Path) -> None:
    dataset = opened(path, create=True)
    add(dataset, 1)
    dataset.remove((S, P, None))
    with pytest.warns(jr.LogWarning) as caught:
        dataset.close()
    assert caught[0].filename == __file__


def test_a_store_in_memory_stays_as_it_is(path: Path) -> None:
    dataset = Dataset(store="Jelly")
    dataset.add((S, P, Literal(1)))
    dataset.close()
    assert len(dataset) == 1
    dataset.rollback()
    assert len(dataset) == 0

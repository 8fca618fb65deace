"""What is wrong with a log is found, and told; and nothing is made of it meanwhile."""

from __future__ import annotations

import hashlib
import random
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Dataset

import jelly_rdflib as jr
from jelly_rdflib import LogError, PatchLog
from jelly_rdflib.log.names import FileName

from .support import add, change, files, fill, numbers, patch_id


@pytest.fixture(params=[None, "zst"], ids=["plain", "zstd"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> PatchLog:
    return fill(PatchLog.create(tmp_path / "log", compression=request.param), 5)


def segment(log: PatchLog, version: int) -> Path:
    [path] = (log.path / "segments").glob(f"{version:010d}-*")
    return path


def renamed(path: Path, old: str, new: str) -> Path:
    assert old in path.name
    return path.rename(path.with_name(path.name.replace(old, new)))


def with_digest(path: Path) -> Path:
    """Give a file the name that goes with what is in it."""
    name = FileName.parse(path.name)
    assert name is not None
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return renamed(path, name.digest, digest)


def assert_unusable(path: Path, match: str) -> None:
    """Check that the log opens, and that nothing can be done with it."""
    log = PatchLog(path)
    before = files(path)
    calls: list[Callable[[], object]] = [
        *(log.checkout, log.patches, log.squash, log.snapshot, log.entry),
        *(lambda: log.append(change(6)), lambda: log.replay(Dataset())),
    ]
    for call in calls:
        with pytest.raises(LogError, match=match):
            call()
    assert files(path) == before


# --- the chain ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_missing_segment(log: PatchLog, version: int) -> None:
    segment(log, version).unlink()
    [problem] = log.verify()
    assert str(problem) == f"{log.path / 'segments'}: version {version} is missing"
    assert problem.version == version
    assert_unusable(log.path, f"version {version} is missing")


def test_folders_without_files_may_be_missing(log: PatchLog) -> None:
    """What copies a log may leave them out, as git does."""
    for name in ("staging", "snapshots"):
        (log.path / name).rmdir()
    assert log.verify(deep=True) == []
    assert numbers(PatchLog(log.path).checkout()) == {5}
    assert not (log.path / "staging").exists()
    fill(log, 1)
    assert log.snapshot().exists()
    assert log.snapshots == [6]
    assert log.verify(deep=True) == []


def test_an_empty_log_without_its_folders(tmp_path: Path) -> None:
    path = PatchLog.create(tmp_path / "log").path
    for name in ("staging", "snapshots", "segments"):
        (path / name).rmdir()
    log = PatchLog(path)
    assert (log.version, log.verify()) == (0, [])
    assert fill(log, 1).verify() == []


def test_the_folder_of_segments_is_missing(log: PatchLog) -> None:
    shutil.rmtree(log.path / "segments")
    assert "there was a version 5" in str(*log.verify())
    assert_unusable(log.path, "there was a version 5")


def test_missing_segments(log: PatchLog) -> None:
    for version in (1, 3, 4):
        segment(log, version).unlink()
    assert [problem.message for problem in log.verify()] == [
        "version 1 is missing",
        "versions 3 to 4 are missing",
    ]
    assert_unusable(log.path, "and 1 more")


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_newest_segments_are_missing(log: PatchLog, count: int) -> None:
    for version in range(6 - count, 6):
        segment(log, version).unlink()
    [problem] = log.verify()
    assert "there was a version 5" in problem.message
    assert f"end at {5 - count}" in problem.message
    assert_unusable(log.path, "newest segments are missing")
    # who takes them away knowingly takes the note away as well
    (log.path / "head").unlink()
    again = PatchLog(log.path)
    assert again.verify() == []
    assert again.append([add(1)]).version == 6 - count


def test_an_object_finds_out_when_it_appends(log: PatchLog) -> None:
    segment(log, 5).unlink()
    PatchLog(log.path)
    other = PatchLog(log.path)
    with pytest.raises(LogError, match="newest segments are missing"):
        other.append(change(6))


def test_a_doubled_segment(log: PatchLog) -> None:
    path = segment(log, 3)
    shutil.copy(path, path.with_name(path.name.replace("0000000003", "0000000006")))
    first, second = log.verify()
    assert first.message == "its id is that of version 3, too"
    assert (first.version, second.version) == (6, 6)
    assert f"its header prev is <{patch_id(2)}>; it should be <{patch_id(5)}>" in second.message
    assert_unusable(log.path, "its id is that of version 3")


def test_a_segment_that_is_there_compressed_and_plain(log: PatchLog) -> None:
    path = segment(log, 3)
    suffix = "" if path.suffix == ".zst" else ".zst"
    shutil.copy(path, path.with_suffix("").with_suffix(f".jellyp{suffix}"))
    [problem] = log.verify()
    assert "version 3 is there twice" in problem.message
    assert_unusable(log.path, "version 3 is there twice")


def test_reordered_segments(log: PatchLog) -> None:
    third, fourth = segment(log, 3), segment(log, 4)
    renamed(third, "0000000003", "0000000004")
    renamed(fourth, "0000000004", "0000000003")
    assert [problem.version for problem in log.verify()] == [3, 4, 5]
    again = PatchLog(log.path)
    target = Dataset()
    with pytest.raises(LogError, match=r"is in the wrong place: its header prev is"):
        again.replay(target)
    # what came before is there
    assert numbers(target) == {2}
    with pytest.raises(LogError, match="is in the wrong place"):
        again.entry(3).read()


def test_a_segment_under_another_id(log: PatchLog) -> None:
    renamed(segment(log, 5), str(patch_id(5))[5:], str(patch_id(7))[5:])
    [problem] = log.verify()
    assert f"its header id is <{patch_id(5)}>; it should be <{patch_id(7)}>" in problem.message
    with pytest.raises(LogError, match="wrong place"):
        PatchLog(log.path).checkout()


def test_a_chain_that_forks(log: PatchLog, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(log.path, copy)
    other = PatchLog(copy)
    log.append([add(100)])
    entry = other.append([add(200)])
    shutil.copy(entry.path, log.path / "segments" / entry.path.name)
    [problem] = log.verify()
    assert "version 6 is there twice" in problem.message
    assert problem.version == 6
    assert_unusable(log.path, "version 6 is there twice")


def test_a_chain_that_forks_further_back(log: PatchLog, tmp_path: Path) -> None:
    other = fill(PatchLog.create(tmp_path / "other", compression=log.compression), 2)
    entry = other.append([add(3)])
    shutil.copy(entry.path, log.path / "segments" / entry.path.name)
    [problem] = log.verify()
    assert "version 3 is there twice" in problem.message
    assert_unusable(log.path, "version 3 is there twice")


def test_ranges_that_overlap(log: PatchLog, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(log.path, copy)
    log.squash(1, 3)
    entry = PatchLog(copy).squash(2, 5)
    shutil.copy(entry.path, log.path / "segments" / entry.path.name)
    [problem] = log.verify()
    assert "versions 2 to 3 are there twice" in problem.message
    assert_unusable(log.path, "there twice")


def test_what_a_squash_that_broke_off_has_left(log: PatchLog, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(log.path, copy)
    log.snapshot(3)
    log.squash(2, 4)
    for path in files(copy / "segments"):
        shutil.copy(path, log.path / "segments")
    again = PatchLog(log.path)
    assert again.verify(deep=True) == []
    assert [entry.version for entry in again.patches()] == [1, 4, 5]
    assert numbers(again.checkout()) == {5}
    # the next one who writes cleans up
    assert len(files(log.path / "segments")) == 6
    again.append(change(6))
    assert len(files(log.path / "segments")) == 4
    assert again.verify() == []


# --- the content ----------------------------------------------------------------------------------


def test_flipped_bits_are_found(log: PatchLog) -> None:
    path = segment(log, 3)
    whole = path.read_bytes()
    dice = random.Random(1)
    for position in range(0, len(whole), 3):
        data = bytearray(whole)
        data[position] ^= 1 << dice.randrange(8)
        path.write_bytes(data)
        [problem] = log.verify()
        assert (problem.path, problem.version) == (path, 3)
        assert problem.message.startswith("is damaged: its SHA-256 starts with")
    with pytest.raises(LogError, match=f"{path.name} is damaged"):
        log.checkout(3)
    assert numbers(log.checkout(2)) == {2}
    with pytest.raises(LogError, match="is damaged"):
        log.entry(3).operations()
    with pytest.raises(LogError, match="is damaged"):
        log.squash()


def test_a_damaged_large_segment(log: PatchLog) -> None:
    """It is not read at once."""
    dice = random.Random(2)
    path = log.append([add(dice.getrandbits(4000)) for _ in range(2000)]).path
    assert path.stat().st_size > 1 << 20
    assert log.verify() == []
    data = bytearray(path.read_bytes())
    data[-1000] ^= 4
    path.write_bytes(data)
    [problem] = log.verify()
    assert "is damaged" in problem.message
    with pytest.raises(LogError, match="is damaged"):
        log.checkout()


def test_a_cut_segment(log: PatchLog) -> None:
    path = segment(log, 5)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        [problem] = log.verify()
        assert "is damaged" in problem.message


def encoded(path: Path, operations: list[jr.Operation], **options: object) -> None:
    with jr.PatchWriter(path, jr.PatchOptions(**options)) as writer:  # type: ignore[arg-type]
        writer.write_all(operations)


ID, PREV = (jr.Op.H, "id", patch_id(5)), (jr.Op.H, "prev", patch_id(4))


@pytest.mark.parametrize(
    ("operations", "message"),
    [
        ([ID, add(1)], f"its header prev is missing; it should be <{patch_id(4)}>"),
        ([PREV, add(1)], "its header id is missing"),
        ([ID, ID, PREV], "its header id is"),
        ([ID, PREV, add(1), PREV], "its header prev is"),
        ([ID, (jr.Op.H, "prev", patch_id(3))], "its header prev is"),
        ([ID, PREV, add(1), (jr.Op.END,), add(2)], "it has 2 patches, not one"),
        ([], "it has 0 patches, not one"),
    ],
)
def test_a_segment_that_was_made_by_others(
    log: PatchLog, operations: list[jr.Operation], message: str
) -> None:
    """Its digest is right, but what is in it is not."""
    path = segment(log, 5)
    encoded(path, operations)
    path = with_digest(path)
    [problem] = log.verify()
    assert message in problem.message
    assert (problem.path, problem.version) == (path, 5)


def test_a_segment_that_is_no_jelly(log: PatchLog) -> None:
    path = segment(log, 2)
    path.write_bytes(b"not at all")
    path = with_digest(path)
    [problem] = log.verify()
    assert (problem.path, problem.version) == (path, 2)
    assert "byte" in problem.message
    with pytest.raises(jr.DecodeError):
        PatchLog(log.path).checkout()


def test_an_empty_segment(log: PatchLog) -> None:
    path = segment(log, 2)
    path.write_bytes(b"")
    with_digest(path)
    assert len(log.verify()) == 1
    with pytest.raises((LogError, jr.DecodeError)):
        PatchLog(log.path).checkout()
    with pytest.raises((LogError, jr.DecodeError)):
        PatchLog(log.path).entry(2).read()


def test_a_segment_that_stands_for_too_much(log: PatchLog) -> None:
    """A stranger's compressed file meets the limits before it meets the memory."""
    import zstandard

    path = segment(log, 5)
    plain = log.path / "x.jellyp"
    encoded(plain, [ID, PREV, *map(add, range(1000)), add("9" * 10000)])
    path.write_bytes(zstandard.compress(plain.read_bytes()))
    with_digest(path)
    assert log.verify() == []
    strict = PatchLog(log.path, limits=jr.Limits(max_string_size=9999))
    [problem] = strict.verify()
    assert "9999" in problem.message
    with pytest.raises(jr.LimitError):
        strict.checkout()


# --- other files ----------------------------------------------------------------------------------


def test_strange_files_are_told_and_do_no_harm(log: PatchLog) -> None:
    segments, snapshots = log.path / "segments", log.path / "snapshots"
    strange = [
        segments / "notes.txt",
        segments / (segment(log, 3).name + "~"),
        segments / segment(log, 3).name.upper(),
        segments / segment(log, 3).name.replace("0000000003", "00000000003"),
        segments / segment(log, 3).name.replace("0000000003", "0000000003-0000000003"),
        segments / segment(log, 3).name.replace("0000000003", "0000000000"),
        segments / segment(log, 3).name.replace("0000000003", "0000000004-0000000003"),
        segments / segment(log, 3).name.replace("jellyp", "jelly"),
        snapshots / segment(log, 3).name,
    ]
    for path in [*strange, segments / ".DS_Store", snapshots / ".nfs0001"]:
        path.write_bytes(b"")
    problems = PatchLog(log.path).verify()
    assert sorted(problem.path for problem in problems) == sorted(strange)
    assert {problem.message for problem in problems} == {
        "this is not the name of a segment",
        "this is not the name of a snapshot",
    }
    assert fill(PatchLog(log.path), 1).version == 6


def test_snapshots_of_versions_that_are_not_there(log: PatchLog) -> None:
    path = log.snapshot(5)
    segment(log, 5).unlink()
    (log.path / "head").unlink()
    [problem] = log.verify()
    assert problem.message == "it is of version 5, and the log ends at 4"
    assert problem.path == path
    assert numbers(PatchLog(log.path).checkout()) == {4}


def test_a_snapshot_that_is_not_what_the_patches_make(log: PatchLog, tmp_path: Path) -> None:
    path = log.snapshot(3)
    name = path.name
    other = fill(PatchLog.create(tmp_path / "other", compression=log.compression), 2)
    other.append([(jr.Op.H, "id", patch_id(3)), add(3), add(4)])
    path.unlink()
    path = other.snapshot()
    shutil.move(path, log.path / "snapshots")
    assert path.name != name
    assert log.verify() == []
    [problem] = log.verify(deep=True)
    assert "is not what the patches make" in problem.message
    assert problem.version == 3


def test_a_snapshot_before_what_rdflib_cannot_hold(log: PatchLog) -> None:
    log.snapshot(3)
    quoted = jr.TripleTerm(add(1)[1], add(1)[2], add(1)[3])
    patch = [(jr.Op.A, *add(1)[1:3], quoted, None)]
    log.append(patch, options=jr.PatchOptions(rdf_star=True))
    assert log.verify(deep=True) == []


@pytest.mark.parametrize("text", [b"", b"\0" * 100, b"version 0000000009, change", b"x" * 500])
def test_a_note_that_is_broken_says_nothing(log: PatchLog, text: bytes) -> None:
    (log.path / "head").write_bytes(text)
    assert log.verify() == []
    fill(log, 1)
    fill(PatchLog(log.path), 1)
    assert PatchLog(log.path).version == 7
    segment(log, 7).unlink()
    assert "newest segments are missing" in log.verify()[0].message


def test_each_byte_of_the_note_counts(log: PatchLog) -> None:
    path = log.path / "head"
    whole = path.read_bytes()
    for position in range(0, len(whole), 3):
        for digit in b"09x":
            data = bytearray(whole)
            data[position] = digit
            path.write_bytes(data)
            assert log.verify() == []


@given(dice=st.randoms(use_true_random=False))
def test_whatever_happens_to_the_files_is_told(dice: random.Random, folder: Path) -> None:
    """Segments are deleted, copied, swapped, cut and overwritten: nothing goes unnoticed."""
    log = fill(PatchLog.create(folder / uuid.uuid4().hex), 4)
    expected = [list(entry.read()) for entry in log.patches()]
    for _ in range(dice.randint(1, 3)):
        paths = files(log.path / "segments")
        if not paths:
            break
        one, two = dice.choice(paths), dice.choice(paths)
        match dice.randrange(6):
            case 0:
                one.unlink()
            case 1:
                two.write_bytes(one.read_bytes())
            case 2:
                data = bytearray(one.read_bytes())
                data[dice.randrange(len(data)) if data else 0 :] = b""
                one.write_bytes(data)
            case 3:
                number = f"{dice.randint(1, 6):010d}"
                shutil.copy(one, log.path / "other")
                (log.path / "other").rename(one.with_name(number + one.name[10:]))
            case 4:
                first, last = sorted(dice.sample(range(1, 7), 2))
                one.rename(one.with_name(f"{first:010d}-{last:010d}{one.name[10:]}"))
            case 5:
                one.rename(log.path / "other")
                if two != one:
                    two.rename(one)
                (log.path / "other").rename(two)
    again = PatchLog(log.path)
    if again.verify():
        return
    # Then all is there and in order; only numbers at the end may be others.
    assert [list(entry.read()) for entry in again.patches()] == expected

"""Tests that the keys of headers in appended patches are normalized, wherever they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal

import jelly_rdflib as jr
from jelly_rdflib import LogConflict, LogError, Op, PatchLog
from tests.log.support import add, files, patch_id


@pytest.fixture
def log(tmp_path: Path) -> PatchLog:
    return PatchLog.create(tmp_path / "log", limits=jr.Limits(max_text_size=10_000))


def header(key: Any) -> tuple[Any, ...]:
    return (Op.H, key, Literal("me"))


def frame(operations: Any) -> bytes:
    return jr.PatchEncoder().encode_frame(operations)


@pytest.mark.parametrize("start", [[], ["note"], ["by"]], ids=str)
@pytest.mark.parametrize("form", [list, iter, frame])
def test_a_key_has_one_spelling_wherever_it_stands(log: PatchLog, start: Any, form: Any) -> None:
    patch = [*map(header, start), add(0), header("by"), add(1), header("by")]
    entry = log.append(form(patch))
    assert [each[1] for each in entry.read() if each[0] == Op.H][1:] == [*start, "by", "by"]
    with pytest.raises(LogError, match=r"headers 'by' and 'BY'.*Jena"):
        log.append(form([*patch, header("BY"), add(2)]))
    assert log.version == 1
    assert files(log.path / "staging") == []


def test_keys_are_kept_up_to_a_limit(log: PatchLog) -> None:
    def patch(keys: int) -> Iterator[Any]:
        yield add(0)
        for number in range(500):
            yield header(f"key {number % keys}")

    with pytest.raises(jr.LimitError, match=r"10000 bytes of memory \(limit max_text_size\)"):
        log.append(patch(500))
    assert log.version == 0
    log.append(patch(10))
    # This input is already in memory.
    log.append(list(patch(500)))
    assert log.verify() == []


@pytest.mark.parametrize("start", [[], [add(1)]], ids=["first", "later"])
def test_a_key_is_text(log: PatchLog, start: Any) -> None:
    with pytest.raises(jr.EncodeError, match="header key 5 is not a str"):
        log.append([*start, header(5)])


@pytest.mark.parametrize("wrong", [(Op.H, "id"), (Op.PA, "id", Literal("me")), "idx"])
@pytest.mark.parametrize("start", [[], [add(1)]], ids=["first", "later"])
def test_what_is_no_header_is_no_operation(log: PatchLog, start: Any, wrong: Any) -> None:
    with pytest.raises(jr.EncodeError):
        log.append([*start, wrong])


@pytest.mark.parametrize("form", [list, iter])
def test_none_is_no_operation_and_no_end(log: PatchLog, form: Any) -> None:
    for patch in ([None, add(1)], [add(1), None, add(2)], [header("by"), None], [None]):
        with pytest.raises(jr.EncodeError, match="None is not an operation"):
            log.append(form(patch))
    with pytest.raises(LogError, match="more than one patch"):
        log.append(form([add(1), (Op.END,), None]))
    assert log.version == 0


PREVIOUS = (Op.H, "Previous", patch_id(9))


@pytest.mark.parametrize("place", [0, 1, 2, 3], ids="at {}".format)
def test_previous_counts_where_there_is_no_prev(log: PatchLog, place: int) -> None:
    first = log.append([(Op.H, "id", patch_id(1)), add(0)])
    patch = [header("by"), (Op.H, "Prev", patch_id(1)), add(1)]
    entry = log.append([*patch[:place], PREVIOUS, *patch[place:]])
    assert entry.prev == entry.header["prev"] == entry.read().header["prev"] == first.id
    assert [each for each in entry.read() if each[0] == Op.H and each[1] == "Previous"] == [
        PREVIOUS
    ]
    log.append([(Op.H, "previous", entry.id), add(2)])
    assert log.verify(deep=True) == []
    assert len(log.checkout()) == 3
    assert log.squash(2, 3).prev == first.id
    assert log.verify(deep=True) == []


def test_previous_alone_is_prev(log: PatchLog) -> None:
    with pytest.raises(LogConflict):
        log.append([PREVIOUS, add(0)])
    log.append([(Op.H, "id", patch_id(9)), add(0)])
    with pytest.raises(LogError, match="'Previous' comes later"):
        log.append([add(1), PREVIOUS])
    with pytest.raises(LogError, match="'Previous' comes later"):
        log.append([PREVIOUS, add(1), PREVIOUS])
    assert log.append([PREVIOUS, add(1)]).prev == patch_id(9)

"""Patch logs as sources and sinks, in folders and on a server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from rdflib import Dataset, Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.live.http.support import served


def patch_of(number: int) -> jr.Patch:
    row = (Op.A, URIRef(f"urn:{number}"), URIRef("urn:p"), Literal(number), None)
    return jr.Patch([(Op.TX,), row, (Op.TC,)])


def numbers(patches: list[jr.Patch]) -> list[int]:
    return [int(row[3]) for patch in patches for row in patch if row[0] == Op.A]


@pytest.fixture(params=["folder", "server"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    jr.PatchLog.create(tmp_path / "log")
    if request.param == "folder":
        yield str(tmp_path / "log")
    else:
        with served(tmp_path / "log") as url:
            yield url


def test_what_a_sink_sends_a_source_receives(address: str) -> None:
    with live.open_sink(address) as sink:
        for number in range(3):
            sink.send(patch_of(number))
        sink.send([*patch_of(3)])
    with live.connect(address, timeout=0.5) as source:
        assert numbers(list(source)) == [0, 1, 2, 3]


def test_a_source_goes_on_from_its_position(address: str) -> None:
    with live.open_sink(address) as sink, live.connect(address) as source:
        for number in range(4):
            sink.send(patch_of(number))
        first = [source.receive(5) for _ in range(2)]
        position = source.position
    assert numbers([patch for patch in first if patch]) == [0, 1]
    with live.connect(address, timeout=0.5, position=position) as source:
        assert numbers(list(source)) == [2, 3]


def test_a_source_can_start_at_the_end(address: str) -> None:
    with live.open_sink(address) as sink:
        sink.send(patch_of(0))
        with live.connect(address, timeout=1, start="latest") as source:
            assert source.receive(0.1) is None
            sink.send(patch_of(1))
            assert numbers(list(source)) == [1]


def test_async_for_lets_the_loop_go_on(address: str) -> None:
    async def run() -> tuple[list[int], int]:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0.01)
                turns += 1

        counting = asyncio.create_task(count())
        async with live.open_sink(address) as sink:
            await sink.send_async(patch_of(0))
            await sink.send_async(patch_of(1))
        async with live.connect(address, timeout=0.5) as source:
            found = [patch async for patch in source]
        counting.cancel()
        return numbers(found), turns

    found, turns = asyncio.run(run())
    assert found == [0, 1]
    assert turns > 5


def test_a_reader_that_is_cancelled_loses_no_patch(address: str) -> None:
    async def run() -> list[int]:
        found = []
        async with live.open_sink(address) as sink, live.connect(address) as source:
            for number in range(5):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(anext(source), 0.02)
                await sink.send_async(patch_of(number))
                found.append(await anext(source))
        return numbers(found)

    assert asyncio.run(run()) == [0, 1, 2, 3, 4]


def test_close_ends_an_iteration_in_another_thread(address: str) -> None:
    source = live.connect(address)
    found: list[jr.Patch] = []
    thread = threading.Thread(target=lambda: found.extend(source), daemon=True)
    thread.start()
    time.sleep(0.2)
    source.close()
    thread.join(10)
    assert not thread.is_alive()
    assert found == []


def test_a_replica_follows_and_goes_on(address: str, tmp_path: Path) -> None:
    log = jr.PatchLog(address)
    for number in range(3):
        log.append(patch_of(number))
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(address, timeout=0.5) as source:
        assert replica.follow(source) == 3
    log.append(patch_of(3))
    again = jr.Replica(tmp_path / "replica")
    assert (again.version, again.id, again.position) == (3, log.entry(3).id, None)
    with live.connect(address, timeout=0.5) as source:
        assert again.follow(source) == 4
    assert set(again.dataset.quads()) == set(log.checkout().quads())
    assert set(jr.Replica(tmp_path / "replica").dataset.quads()) == set(log.checkout().quads())


def test_a_replica_that_followed_can_be_updated_from_the_log(address: str, tmp_path: Path) -> None:
    log = jr.PatchLog(address)
    log.append(patch_of(0))
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(address, timeout=0.5) as source:
        replica.follow(source)
    log.append(patch_of(1))
    assert replica.update(log) == 2
    assert jr.Replica(tmp_path / "replica").position is None
    log.append(patch_of(2))
    with live.connect(address, timeout=0.5) as source:
        assert jr.Replica(tmp_path / "replica").follow(source) == 3


def test_a_replica_stores_what_it_has_when_the_source_fails(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.append(patch_of(0))
    broken = log.append(patch_of(1))
    broken.path.write_bytes(b"\x00")
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(tmp_path / "log") as source, pytest.raises(jr.LogError):
        replica.follow(source)
    assert jr.Replica(tmp_path / "replica").version == 1


def test_a_patch_that_can_not_be_applied_leaves_the_version_before(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.append(patch_of(0))
    quoted = jr.TripleTerm(URIRef("urn:a"), URIRef("urn:b"), URIRef("urn:c"))
    row = (Op.A, URIRef("urn:s"), URIRef("urn:p"), quoted, None)
    log.append([(Op.TX,), row, (Op.TC,)], options=jr.PatchOptions(rdf_star=True))
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(tmp_path / "log") as source, pytest.raises(jr.ApplyError):
        replica.follow(source)
    stored = jr.Replica(tmp_path / "replica")
    assert (stored.version, len(stored.dataset)) == (1, 1)


def test_a_replica_of_a_log_is_none_of_another(tmp_path: Path) -> None:
    for name in ("one", "two"):
        jr.PatchLog.create(tmp_path / name).append(patch_of(0))
    replica = jr.Replica(tmp_path / "replica")
    replica.update(jr.PatchLog(tmp_path / "one"))
    with live.connect(tmp_path / "two") as source, pytest.raises(jr.MissingVersion):
        replica.follow(source)


def test_two_sinks_race_and_nothing_is_lost(address: str) -> None:
    def send(first: int) -> None:
        with live.open_sink(address) as sink:
            for number in range(first, first + 20):
                sink.send(patch_of(number))

    threads = [threading.Thread(target=send, args=[first]) for first in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = numbers([entry.read() for entry in jr.PatchLog(address).patches()])
    assert [number for number in found if number < 100] == list(range(20))
    assert [number for number in found if number >= 100] == list(range(100, 120))


def test_a_patch_that_names_the_one_before_it_is_not_appended_elsewhere(address: str) -> None:
    log = jr.PatchLog(address)
    first = log.append(patch_of(0))
    log.append(patch_of(1))
    for key in ("prev", "previous"):
        with live.open_sink(address) as sink, pytest.raises(jr.LogConflict) as caught:
            sink.send([(Op.H, key, first.id), *patch_of(2)])
        assert not caught.value.is_locked


def test_a_patch_that_the_log_has_is_not_appended_again(address: str) -> None:
    with live.open_sink(address) as sink:
        for _ in range(2):
            sink.send([(Op.H, "id", URIRef(f"urn:uuid:{UUID(int=1)}")), *patch_of(0)])
    assert jr.PatchLog(address).version == 1


def test_a_patch_that_was_squashed_is_not_appended_again(address: str) -> None:
    log = jr.PatchLog(address)
    entries = [log.append(patch_of(number)) for number in range(3)]
    log.squash(1, 3)
    with live.open_sink(address) as sink:
        for number, entry in enumerate(entries):
            headers = [(Op.H, "id", entry.id), *([(Op.H, "prev", entry.prev)] if number else [])]
            for more in (headers, headers[:1]):
                sink.send([*more, *patch_of(number)])
    assert jr.PatchLog(address).version == 3
    with pytest.raises(jr.errors.LogConflict, match="already: it was squashed into version 3"):
        log.append([(Op.H, "id", entries[0].id), *patch_of(0)])


def test_a_file_of_patches_is_sent_patch_by_patch(address: str, tmp_path: Path) -> None:
    path = tmp_path / "changes.jellyp"
    with jr.PatchWriter(path) as writer:
        for number in range(3):
            writer.write_all(patch_of(number))
            writer.end_patch()
    with live.open_sink(address) as sink:
        sink.send(path)
        sink.send(path.read_bytes(), format="jelly-patch")
    assert jr.PatchLog(address).version == 6


@pytest.mark.parametrize("url", ["nats://host/x", "kafka://me:secret@host/x", "ftp://host"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"transport|password") as caught:
        live.connect(url)
    assert "secret" not in str(caught.value)


def test_a_setting_that_there_is_not_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="no setting 'colour'"):
        live.connect(address, colour="red")


def test_data_that_are_sent_are_not_taken_for_a_patch(address: str) -> None:
    with live.open_sink(address) as sink, pytest.raises(TypeError, match="can't send a int"):
        sink.send(7)  # type: ignore[arg-type]


def test_reading_ahead_waits_for_its_reader(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    for number in range(40):
        log.append(patch_of(number))
    with live.connect(tmp_path / "log", timeout=0.5) as source:
        assert source.receive(5) is not None
        time.sleep(0.5)
        assert numbers(list(source)) == list(range(1, 40))


def test_a_dataset_of_any_store_takes_patches_as_they_come(address: str) -> None:
    dataset = Dataset()
    with live.open_sink(address) as sink:
        sink.send(patch_of(7))
    with live.connect(address, timeout=0.5) as source:
        for patch in source:
            jr.apply(patch, dataset)
    assert len(dataset) == 1


def test_a_patch_that_a_cancelled_reader_left_is_not_in_the_position(address: str) -> None:
    async def run() -> None:
        async with live.open_sink(address) as sink, live.connect(address) as source:
            await sink.send_async(patch_of(0))
            await anext(source)
            position = source.position
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(anext(source), 0.02)
            await sink.send_async(patch_of(1))
            await asyncio.sleep(0.7)
            assert source.position == position
            await anext(source)
            assert source.position != position

    asyncio.run(run())


def test_a_source_that_was_closed_leaves_no_thread(tmp_path: Path) -> None:
    # Whose lock of SQLite a forked process could wait for.
    jr.PatchLog.create(tmp_path / "log")
    source = live.connect(tmp_path / "log")
    source.receive(0.2)
    source.close()
    for _ in range(100):
        if repr(source) not in [thread.name for thread in threading.enumerate()]:
            return
        time.sleep(0.1)
    pytest.fail("its thread goes on")

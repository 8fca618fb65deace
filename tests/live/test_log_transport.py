"""Tests patch logs as sources and sinks, in folders and on a server."""

import asyncio
import queue
import threading
import time
from concurrent.futures import wait
from pathlib import Path

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from jelly_rdflib.core.batch import BatchSlice
from jelly_rdflib.live.log import _needed_options, append_from
from jelly_rdflib.log import incoming
from jelly_rdflib.log.source import Source
from jelly_rdflib.nodes import NODE_TYPES
from jelly_rdflib.nodes.conversion import NodeBatches
from tests.live.fault_table import closer
from tests.live.patches import numbers, patch_of, take


@pytest.fixture(params=["folder", "http_server", "grpc_server"])
def address(request: pytest.FixtureRequest, log: jr.PatchLog) -> str:
    if request.param == "folder":
        return str(log.path)
    return f"{request.getfixturevalue(request.param)}/{log.path.name}"


def test_what_a_sink_sends_a_source_receives(address: str) -> None:
    with live.open_sink(address) as sink:
        for number in range(3):
            sink.send(patch_of(number))
        sink.send([*patch_of(3)])
    with live.connect(address, timeout=0.1) as source:
        assert take(source, 4) == [0, 1, 2, 3]
        assert list(source) == []


def test_a_source_goes_on_from_its_position(address: str) -> None:
    with live.open_sink(address) as sink, live.connect(address) as source:
        for number in range(4):
            sink.send(patch_of(number))
        assert take(source, 2) == [0, 1]
        position = source.position
    with live.connect(address, position=position) as source:
        assert take(source, 2) == [2, 3]


def test_a_position_of_another_transport_is_refused(address: str) -> None:
    with live.connect(address) as source, pytest.raises(ValueError, match="not a position"):
        source.resume('{"0": 7}')


def test_a_source_starts_where_it_is_told(log: jr.PatchLog, address: str) -> None:
    ids = [log.append(patch_of(number)).id for number in range(3)]
    starts = {"earliest": [0, 1, 2], "1": [1, 2], str(ids[1]): [2], "3": [], "latest": []}
    for start, expected in starts.items():
        with live.connect(address, start=start) as source:
            assert take(source, len(expected)) == expected
            assert source.receive(0.05) is None
    log.append(patch_of(3))
    with live.connect(address, start="latest") as source:
        assert source.position == f"4 {log.entry(4).id}"
        log.append(patch_of(4))
        assert take(source, 1) == [4]


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
            found = [await anext(source), await anext(source)]
            with pytest.raises(StopAsyncIteration):
                await anext(source)
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
                position = source.position
                await sink.send_async(patch_of(number))
                await asyncio.sleep(0.05)
                # The position does not include the patch of a cancelled reader.
                assert source.position == position
                found.append(await anext(source))
                assert source.position != position
        return numbers(found)

    assert asyncio.run(run()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_error_does_not_stay(log: jr.PatchLog, is_async: bool) -> None:
    """A source goes on where it was once the cause of an error is gone, however it is read."""
    for number in range(3):
        log.append(patch_of(number))
    damaged = log.entry(2).path
    data = damaged.read_bytes()
    damaged.write_bytes(data[:-1])

    async def following(source: live.Source) -> jr.Patch:
        return await anext(source) if is_async else next(source)

    async def run() -> list[int]:
        with live.connect(log.path) as source:
            found = [await following(source)]
            position = source.position
            for _ in range(2):
                with pytest.raises(jr.LogError, match="is damaged"):
                    await following(source)
                assert (source.position, source.version) == (position, 1)
            damaged.write_bytes(data)
            found += [await following(source), await following(source)]
            assert source.version == 3
        return numbers(found)

    assert asyncio.run(run()) == [0, 1, 2]


class Scripted(Source):
    """A source whose test decides what it receives: each item is a patch or an error."""

    def __init__(self) -> None:
        super().__init__("scripted")
        self.items: queue.SimpleQueue[jr.Patch | Exception] = queue.SimpleQueue()
        self.received = self.acknowledged = 0

    def _receive(self, wait: float) -> jr.Patch | None:
        try:
            item = self.items.get(timeout=wait)
        except queue.Empty:
            return None
        if isinstance(item, Exception):
            raise item
        self.received += 1
        return item

    def _close(self) -> None:
        pass

    def resume(self, position: str) -> None:
        pass

    @property
    def _position(self) -> str | None:
        return str(self.received)

    def _acknowledge(self) -> None:
        self.acknowledged = self.received


@pytest.mark.parametrize("is_read", [False, True])
def test_a_closed_source_ends_an_iteration(is_read: bool) -> None:
    async def run() -> None:
        with Scripted() as source:
            source.items.put(patch_of(0))
            if is_read:
                await anext(source)
        assert [patch async for patch in source] == list(source) == []

    asyncio.run(run())


def test_after_an_error_patches_are_acknowledged() -> None:
    async def run() -> None:
        with Scripted() as source:
            source.items.put(patch_of(0))
            await anext(source)
            source.items.put(ConnectionError("gone"))
            with pytest.raises(ConnectionError, match="gone"):
                await anext(source)
            source.acknowledge()
            assert (source.acknowledged, source.position) == (1, "1")

    asyncio.run(run())


@pytest.mark.parametrize("turns", range(5))
@pytest.mark.parametrize("is_error", [False, True])
def test_a_reader_that_is_cancelled_at_the_last_moment(turns: int, is_error: bool) -> None:
    """The result goes to the cancelled reader or to the next one, and never to both."""

    async def run() -> None:
        with Scripted() as source:
            reader = asyncio.ensure_future(anext(source))
            await asyncio.sleep(0)
            source.items.put(ConnectionError("gone") if is_error else patch_of(0))
            source.items.put(patch_of(1))
            assert source._next is not None
            # Block the loop until there is a result, which the reader has not seen yet.
            wait([source._next])
            for _ in range(turns):
                await asyncio.sleep(0)
            reader.cancel()
            first = (await asyncio.gather(reader, return_exceptions=True))[0]
            if isinstance(first, asyncio.CancelledError):
                source.acknowledge()
                assert (source.acknowledged, source.position) == (0, "0")
                first = (await asyncio.gather(anext(source), return_exceptions=True))[0]
            if is_error:
                assert isinstance(first, ConnectionError)
            else:
                assert numbers([first]) == [0]
            assert numbers([await anext(source)]) == [1]

    asyncio.run(run())


def test_close_ends_an_iteration_in_another_thread(address: str) -> None:
    source = live.connect(address)
    found: list[jr.Patch] = []
    thread = threading.Thread(target=lambda: found.extend(source), daemon=True)
    thread.start()
    time.sleep(0.1)
    # A forked process could wait forever for the SQLite lock of the thread.
    (reader,) = (each for each in threading.enumerate() if each.name == repr(source))
    source.close()
    for each in (thread, reader):
        each.join(20)
        assert not each.is_alive()
    assert found == []


def test_a_replica_of_another_log(log: jr.PatchLog, address: str, tmp_path: Path) -> None:
    log.append(patch_of(0))
    other = jr.PatchLog.create(tmp_path / "other")
    other.append(patch_of(1))
    replica = jr.Replica(tmp_path / "replica")
    replica.update(other)
    with (
        live.connect(address) as source,
        pytest.raises(jr.MissingVersion, match=": the replica may be of another log"),
    ):
        replica.follow(source)
    assert replica.id == other.entry().id


def test_a_replica_follows_and_goes_on(log: jr.PatchLog, address: str, tmp_path: Path) -> None:
    for number in range(3):
        log.append(patch_of(number))
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(address) as source:
        assert replica.follow(source, progress=closer(source, 3)) == 3
    log.append(patch_of(3))
    again = jr.Replica(tmp_path / "replica")
    assert (again.version, again.id, again.position) == (3, log.entry(3).id, None)
    with live.connect(address) as source:
        assert again.follow(source, progress=closer(source, 1)) == 4
    assert set(again.dataset.quads()) == set(log.checkout().quads())
    log.append(patch_of(4))
    assert again.update(log) == 5
    log.append(patch_of(5))
    replica = jr.Replica(tmp_path / "replica")
    assert replica.position is None
    with live.connect(address) as source:
        assert replica.follow(source, progress=closer(source, 1)) == 6
    assert set(jr.Replica(tmp_path / "replica").dataset.quads()) == set(log.checkout().quads())


def test_a_replica_stores_what_it_has_when_the_source_fails(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    log.append(patch_of(0))
    broken = log.append(patch_of(1))
    broken.path.write_bytes(b"\x00")
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(tmp_path / "log") as source, pytest.raises(jr.LogError):
        replica.follow(source)
    assert jr.Replica(tmp_path / "replica").version == 1


def test_two_sinks_race_and_nothing_is_lost(log: jr.PatchLog, address: str) -> None:
    def send(first: int) -> None:
        with live.open_sink(address) as sink:
            for number in range(first, first + 20):
                sink.send(patch_of(number))

    threads = [threading.Thread(target=send, args=[first]) for first in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.refresh()
    found = numbers([entry.read() for entry in log.patches()])
    assert [number for number in found if number < 100] == list(range(20))
    assert [number for number in found if number >= 100] == list(range(100, 120))


def test_a_patch_that_names_the_one_before_it_is_not_appended_elsewhere(
    log: jr.PatchLog, address: str
) -> None:
    first = log.append(patch_of(0))
    log.append(patch_of(1))
    for key in ("prev", "previous"):
        # The sink may report the conflict when it is closed.
        with pytest.raises(jr.LogConflict) as caught, live.open_sink(address) as sink:
            sink.send([(Op.H, key, first.id), *patch_of(2)])
        assert not caught.value.is_locked


def test_a_patch_that_was_squashed_is_not_appended_again(log: jr.PatchLog, address: str) -> None:
    entries = [log.append(patch_of(number)) for number in range(3)]
    log.squash(1, 3)
    with live.open_sink(address) as sink:
        for number, entry in enumerate(entries):
            headers = [(Op.H, "id", entry.id), *([(Op.H, "prev", entry.prev)] if number else [])]
            for more in (headers, headers[:1]):
                sink.send([*more, *patch_of(number)])
    log.refresh()
    assert log.version == 3
    with pytest.raises(jr.errors.LogConflict, match="already: it was squashed into version 3"):
        log.append([(Op.H, "id", entries[0].id), *patch_of(0)])


def test_a_file_of_patches_is_sent_patch_by_patch(
    log: jr.PatchLog, address: str, tmp_path: Path
) -> None:
    path = tmp_path / "changes.jellyp"
    with jr.PatchWriter(path) as writer:
        for number in range(3):
            writer.write_all(patch_of(number))
            writer.end_patch()
    with live.open_sink(address) as sink:
        sink.send(path)
        sink.send(path.read_bytes(), format="jelly-patch")
    log.refresh()
    assert log.version == 6


@pytest.mark.parametrize("url", ["nats://host/x", "kafka://me:secret@host/x", "ftp://host"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"transport|password") as caught:
        live.connect(url)
    assert "secret" not in str(caught.value)


def test_a_setting_that_there_is_not_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="no setting 'colour'"):
        live.connect(address, colour="red")


def test_a_setting_that_is_misspelled(address: str) -> None:
    for name, meant in {"timout": "timeout", "strat": "start", "tokens": "token"}.items():
        with pytest.raises(ValueError, match=f"no setting '{name}'; did you mean '{meant}'"):
            live.connect(address, **{name: 1})
    with pytest.raises(ValueError, match=r"no setting 'timeout'$"):
        live.open_sink(address, timeout=1)
    with pytest.raises(TypeError, match="timeout must be an int or a float or None, not a str"):
        live.connect(address, timeout="1")  # type: ignore[arg-type]
    if "://" in address:
        with pytest.raises(ValueError, match="timeout can't be in an address: give it separately"):
            live.connect(f"{address}?timeout=1")


def test_reading_ahead_waits_for_its_reader(tmp_path: Path) -> None:
    log = jr.PatchLog.create(tmp_path / "log")
    for number in range(40):
        log.append(patch_of(number))
    with live.connect(tmp_path / "log") as source:
        assert take(source, 1) == [0]
        time.sleep(0.3)
        assert take(source, 39) == list(range(1, 40))


def test_a_patch_of_quoted_triples_is_encoded_once(
    log: jr.PatchLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    term = jr.TripleTerm(*[URIRef("urn:a")] * 3)
    rows = [(Op.A, Literal("s"), URIRef("urn:p"), term, None)]
    log.append(rows, options=jr.PatchOptions(rdf_star=True, generalized_statements=True))
    made: list[object] = []
    write_segment = incoming.write_segment
    monkeypatch.setattr(
        incoming, "write_segment", lambda *parts: [made.append(parts), write_segment(*parts)]
    )
    with live.connect(str(log.path), timeout=1) as source:
        copy = jr.PatchLog(tmp_path / "copy", create=True)
        assert append_from(source, copy) == len(made) == 1
    assert list(copy.entry(1).read())[-1] == rows[0]


def test_a_patch_is_not_allowed_what_another_one_of_its_batch_has() -> None:
    a, term = URIRef("urn:a"), jr.TripleTerm(*[URIRef("urn:a")] * 3)
    rows = [(Op.A, a, a, each, None) for each in (a, term, a)]
    (batch,) = NodeBatches(NODE_TYPES, rows)
    parts = [jr.Patch.of_slices([BatchSlice(batch, row, row + 1)]) for row in range(3)]
    assert [_needed_options(part).rdf_star for part in parts] == [False, True, False]

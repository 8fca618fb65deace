"""Tests kills, restarts and cut connections: no patch is lost or applied twice."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import jelly_rdflib as jr
from jelly_rdflib import live
from jelly_rdflib.live.frames import LiveEncoder
from jelly_rdflib.live.log import append_from
from tests.live.faults import check_outages_are_told, kill_followers, numbers_in
from tests.live.http.support import Network
from tests.live.kafka.broker import Broker
from tests.live.kafka.support import long_options, produce, read
from tests.live.patches import patch_of


@pytest.mark.slow
@pytest.mark.parametrize("group", [{}, {"group": "g", "session.timeout.ms": "6000"}])
@pytest.mark.parametrize("kind", ["replica", "log"])
def test_a_follower_is_killed_50_times(
    broker: Broker, topic: str, tmp_path: Path, kind: str, group: dict[str, str]
) -> None:
    broker.create_topic(f"{topic}-2", 2)
    # Long patches of two streams, interleaved in one partition, and of a third in the other.
    streams = {name: LiveEncoder(long_options, restart_every=40) for name in "abc"}
    sent: dict[str, list[int]] = {name: [] for name in streams}

    def send(number: int) -> None:
        for turn in range(5):
            frames: dict[str, Iterator[Any]] = {}
            for at, name in enumerate(streams):
                sent[name].append((number * 5 + turn) * 3 + at)
                frames[name] = iter(streams[name].encode(patch_of(sent[name][-1], 50)))
            while frames:
                for name in list(frames):
                    frame = next(frames[name], None)
                    if frame is None:
                        del frames[name]
                    else:
                        message = (name, bytes(frame))
                        produce(broker, f"{topic}-2", message, partition=int(name == "c"))

    # Fewer kills in a group: a killed member's partitions are free only after its session timeout.
    kills = 50 if not group else 15
    url = f"kafka://{broker.address}/{topic}-2"
    kill_followers(kind, url, tmp_path / "kept", send, kills=kills, seed=kills, timeout=10, **group)
    found = numbers_in(kind, tmp_path / "kept")
    assert sorted(found) == sorted(number for each in sent.values() for number in each)
    for numbers_sent in sent.values():
        assert [number for number in found if number in set(numbers_sent)] == numbers_sent


@pytest.mark.slow
@pytest.mark.parametrize("group", [{}, {"group": "told"}])
def test_a_broker_that_is_gone_is_told_once_and_so_is_its_return(
    broker: Broker, url: str, group: dict[str, str]
) -> None:
    check_outages_are_told(url, broker.kill, broker.start, **group)


@pytest.mark.slow
def test_the_broker_is_killed_and_started_again(
    broker: Broker, topic: str, url: str, tmp_path: Path
) -> None:
    sent: list[int] = []
    errors: list[BaseException] = []
    is_over = threading.Event()

    def send(name: str, settings: dict[str, Any]) -> None:
        try:
            with live.open_sink(url, options=long_options, restart=20, **settings) as sink:
                number = 0 if name == "a" else 100_000
                while not is_over.is_set():
                    sink.send(patch_of(number, 40))
                    sent.append(number)
                    number += 1
                    time.sleep(0.03)
        except BaseException as error:
            errors.append(error)

    log = jr.PatchLog(tmp_path / "log", create=True)
    replica = jr.Replica(tmp_path / "replica")
    sources = [live.connect(url), live.connect(url, group="g")]
    threads = [
        threading.Thread(target=send, args=("a", {"wait": 120})),
        threading.Thread(target=send, args=("b", {"wait": 120, "transactional": "id"})),
        threading.Thread(target=lambda: append_from(sources[0], log)),
        threading.Thread(target=lambda: replica.follow(sources[1], save_every=0.5)),
    ]
    for thread in threads:
        thread.start()
    for _ in range(2):
        time.sleep(3)
        broker.kill()
        time.sleep(2)
        broker.start()
    time.sleep(5)
    is_over.set()
    for thread in threads[:2]:
        thread.join(150)
    assert errors == []
    end = time.monotonic() + 120
    while time.monotonic() < end and not len(sent) == log.version == replica.version:
        time.sleep(0.5)
    for source in sources:
        source.close()
    for thread in threads[2:]:
        thread.join(30)
    assert len(sent) > 100
    found = numbers_in("log", tmp_path / "log")
    assert sorted(found) == sorted(sent)
    assert [n for n in found if n < 100_000] == sorted(n for n in sent if n < 100_000)
    assert numbers_in("replica", tmp_path / "replica") == sorted(sent)


@pytest.mark.slow
def test_connections_that_are_cut_in_the_middle(broker: Broker, topic: str, tmp_path: Path) -> None:
    with Network(broker.behind, seed=3, most=60_000, port=broker.network) as network:
        log = jr.PatchLog(tmp_path / "log", create=True)
        url = f"kafka://127.0.0.1:{broker.network}/{topic}"
        source = _open(lambda: live.connect(url))
        follower = threading.Thread(target=lambda: append_from(source, log))
        follower.start()
        sink, number = _open(lambda: live.open_sink(url, wait=120, restart=50)), 0
        while number < 200 or network.breaks < 20:
            sink.send(patch_of(number, 100))
            number += 1
            time.sleep(0.01)
        # The pending messages are more than one of these connections can transmit.
        network.mend()
        sink.close()
        end = time.monotonic() + 120
        while time.monotonic() < end and log.version < number:
            time.sleep(0.2)
        source.close()
        follower.join(30)
    assert numbers_in("log", tmp_path / "log") == list(range(number))


def _open(open_it: Any) -> Any:
    """Open a source or sink through a network that may break the first connection."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with suppress(ConnectionError):
            return open_it()
    raise AssertionError("it was never opened")


@pytest.mark.slow
def test_what_a_broker_does_not_take_is_told_and_the_sink_waits_for_room(
    broker: Broker, topic: str, url: str
) -> None:
    settings = {"wait": 2, "queue.buffering.max.messages": "50", "linger.ms": "0"}
    with live.open_sink(url, options=long_options, **settings) as sink:
        for number in range(5):
            sink.send(patch_of(number, 40))
        sink.flush()
        broker.kill()
        try:
            with pytest.raises(ConnectionError, match="of the patches that were sent are not ack"):  # noqa: PT012
                for number in range(5, 1000):
                    sink.send(patch_of(number, 40))
            # The sink accepted no more than fits in its buffer.
            assert 5 < number < 30
            with pytest.raises(ConnectionError, match="the last 1 of the patches"):  # noqa: PT012
                sink.send(patch_of(1000))
                sink.flush()
        finally:
            broker.start()
        # The sink works again, and the abandoned patches do not damage later ones.
        sink.send(patch_of(1001, 100))
    assert read(url, 6) == [*range(5), 1001]


@pytest.mark.slow
@pytest.mark.parametrize("group", ["", "g"])
def test_a_source_can_be_closed_while_its_broker_is_away(
    broker: Broker, url: str, group: str
) -> None:
    with live.open_sink(url) as sink:
        sink.send(patch_of(0))
    source = live.connect(url, group=group)
    assert source.receive(20) == patch_of(0)
    source.acknowledge()
    broker.kill()
    try:
        found: list[jr.Patch] = []
        waiting = threading.Thread(target=lambda: found.extend(source), daemon=True)
        waiting.start()
        time.sleep(1)
        closing = threading.Thread(target=source.close, daemon=True)
        closing.start()
        waiting.join(2)
        closing.join(10)
        assert not waiting.is_alive()
        assert not closing.is_alive()
        assert found == []
    finally:
        broker.start()

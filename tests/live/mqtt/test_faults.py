"""Tests faults with a real mosquitto: no patch is lost or applied twice."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from jelly_rdflib import live
from tests.live.faults import check_outages_are_told, kill_followers, numbers_in
from tests.live.http.support import Network
from tests.live.mqtt.broker import Mosquitto
from tests.live.patches import numbers, patch_of, take


def check(found: list[int], count: int) -> None:
    assert found == list(range(count))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Mosquitto]:
    """Return a broker for this test alone."""
    with Mosquitto(tmp_path) as broker:
        yield broker


def test_a_broker_that_is_restarted(kept: Mosquitto) -> None:
    url = f"{kept.url}/x"
    with live.connect(url, session="s", timeout=20) as source, live.open_sink(url) as sink:
        for number in range(50):
            sink.send(patch_of(number))
        found = [source.receive(30) for _ in range(20)]
        sink.flush()
        kept.stop()
        found += [source.receive(0.5) for _ in range(4)]
        kept.start()
        for number in range(50, 100):
            sink.send(patch_of(number))
        sink.flush()
        found = list(filter(None, found))
        while len(found) < 100:
            found.append(next(source))
        assert source.receive(0.5) is None
    check(numbers(found), 100)


def test_a_broker_that_is_gone_is_told_once_and_so_is_its_return(kept: Mosquitto) -> None:
    check_outages_are_told(f"{kept.url}/x", kept.stop, kept.start, session="s")


def test_a_broker_that_has_forgotten_its_sessions_is_an_error(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    url = f"{broker.url}/x"
    with live.connect(url, session="s") as source:
        broker.stop()
        (tmp_path / "mosquitto.db").unlink()
        broker.start()
        with pytest.raises(ConnectionError, match="no longer has this client's session"):
            source.receive(20)
    with live.connect(url, session="s", lost="warn") as source:
        pass
    broker.stop()


def test_a_sink_says_what_was_not_acknowledged(kept: Mosquitto) -> None:
    sink = live.open_sink(f"{kept.url}/x", wait=1)
    sink.send(patch_of(0))
    sink.flush()
    with kept.paused():
        sink.send(patch_of(1))
        sink.send(patch_of(2))
        with pytest.raises(
            ConnectionError, match=r"does not answer; not acknowledged: .* 2 to 3 of"
        ):
            sink.flush()
    with live.connect(f"{kept.url}/x") as source:
        retry(lambda: sink.send(patch_of(9)))
        sink.close()
        # The broker may or may not have the earlier patches.
        while take(source, 1) != [9]:
            pass


def test_a_sink_waits_for_a_broker_only_so_long(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    sink = live.open_sink(f"{broker.url}/x", wait=0.5)
    broker.stop()
    time.sleep(0.5)
    with pytest.raises(ConnectionError, match=r"does not answer$"):
        sink.send(patch_of(0))
    sink.close()


def test_close_is_noticed_within_a_second_without_a_broker(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    source = live.connect(f"{broker.url}/x")
    thread = threading.Thread(target=lambda: list(source), daemon=True)
    thread.start()
    time.sleep(0.2)
    broker.stop()
    time.sleep(0.5)
    source.close()
    thread.join(5)
    assert not thread.is_alive()


@pytest.mark.parametrize("seed", range(3))
def test_connections_that_are_cut(kept: Mosquitto, seed: int) -> None:
    count = 60
    with Network(kept.url, seed, 9000) as before, Network(kept.url, seed + 10, 9000) as behind:
        first, second = (f"mqtt://{each.address.partition('//')[2]}/x" for each in (before, behind))
        source = retry(lambda: live.connect(second, session="s", timeout=20))
        sink = retry(lambda: live.open_sink(first, wait=60))

        def send() -> None:
            for number in range(count):
                sink.send(patch_of(number))
            sink.close()

        sender = threading.Thread(target=send)
        sender.start()
        found = []
        while len(found) < count:
            patch = source.receive(60)
            assert patch is not None
            found.append(patch)
            if len(found) % 3 == 0:
                source.acknowledge()
            if len(found) > count // 2:
                before.mend()
                behind.mend()
        sender.join()
        assert source.receive(1) is None
        source.close()
        check(numbers(found), count)
        assert before.breaks
        assert behind.breaks


def retry(call: Callable[[], Any]) -> Any:
    for _ in range(100):
        with suppress(OSError):
            return call()
    raise AssertionError("it never works")


def test_a_follower_that_is_slower_than_the_queue_of_its_broker_is_told_so(tmp_path: Path) -> None:
    with Mosquitto(tmp_path, "max_queued_messages 10") as broker:
        url = f"{broker.url}/x"
        live.connect(url, session="s").close()
        with live.open_sink(url) as sink:
            for number in range(100):
                sink.send(patch_of(number))
            sink.flush()
            with live.connect(url, session="s") as source:
                for _ in range(10):
                    assert source.receive(30) is not None
                assert source.receive(0.5) is None
                sink.send(patch_of(100))
                with pytest.raises(ConnectionError, match=r"comes after number 10; .*lost=warn"):
                    source.receive(30)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["replica", "log"])
def test_a_consumer_that_is_killed_50_times(kept: Mosquitto, tmp_path: Path, kind: str) -> None:
    url, folder = f"{kept.url}/x", tmp_path / kind
    live.connect(url, session="s").close()
    with live.open_sink(url) as sink:

        def send(turn: int) -> None:
            for number in range(turn * 20, turn * 20 + 20):
                sink.send(patch_of(number))
            sink.flush()

        kill_followers(kind, url, folder, send, kills=50, seed=7, session="s")
    check(numbers_in(kind, folder), 1000)

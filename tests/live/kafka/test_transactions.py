"""Tests patches as Kafka transactions."""

import os
import signal
import subprocess
import sys

import pytest
from confluent_kafka import Producer

from jelly_rdflib import live
from jelly_rdflib.live.frames import LiveEncoder
from tests.live.kafka.broker import Broker
from tests.live.kafka.support import long_options, read
from tests.live.patches import patch_of, receive_all
from tests.support import ROOT

KILLED = """
import os, signal, sys
from jelly_rdflib import live
from tests.live.kafka.support import long_options
from tests.live.patches import patch_of
sink = live.open_sink(sys.argv[1], transactional="id", stream="k", options=long_options)
sink.send(patch_of(0, 100))
produce, count = sink._produce, 0
def count_down(*arguments):
    global count
    produce(*arguments)
    count += 1
    if count == 3:
        sink._producer.flush(10)
        os.kill(os.getpid(), signal.SIGKILL)
sink._produce = count_down
sink.send(patch_of(1, 100))
"""


def test_each_patch_is_a_transaction(url: str) -> None:
    with live.open_sink(url, transactional="id", options=long_options) as sink:
        for number in range(3):
            sink.send(patch_of(number, 100))
            # The patch is committed when `send` returns.
            assert read(url, number + 1) == list(range(number + 1))


def test_half_a_patch_is_never_seen(broker: Broker, topic: str, url: str) -> None:
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": "bare"})
    producer.init_transactions(30)
    encoder = LiveEncoder(long_options)
    with live.connect(url) as source:
        for number in range(3):
            producer.begin_transaction()
            for frame in encoder.encode(patch_of(number, 100)):
                producer.produce(topic, bytes(frame), b"k")
            producer.flush(30)
            assert source.receive(1) is None
            if number == 1:
                # The lookups of the aborted stream are lost along with it.
                producer.abort_transaction(30)
                encoder.restart()
            else:
                producer.commit_transaction(30)
                assert source.receive(10) == patch_of(number, 100)


def test_a_sink_that_was_killed_in_a_patch_leaves_nothing_of_it(url: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, url], cwd=ROOT, env=environment, timeout=60, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    with live.open_sink(url, transactional="id", stream="k", options=long_options) as sink:
        sink.send(patch_of(2, 100))
        sink.send(patch_of(3, 100))
    with live.connect(url) as source:
        assert receive_all(source, 3) == [patch_of(number, 100) for number in (0, 2, 3)]


def test_a_patch_that_can_not_be_sent_is_aborted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = live.open_sink(url, transactional="id", options=long_options)
    with sink:
        sink.send(patch_of(0, 100))
        with monkeypatch.context() as patched:
            patched.setattr(sink, "_await", _interrupt)
            with pytest.raises(KeyboardInterrupt):
                sink.send(patch_of(1, 100))
        sink.send(patch_of(2, 100))
    assert read(url, 2) == [0, 2]


def _interrupt(most: int) -> None:
    raise KeyboardInterrupt


def test_of_two_sinks_with_one_id_the_older_one_is_told(url: str) -> None:
    with live.open_sink(url, transactional="id", stream="k") as older:
        older.send(patch_of(0))
        with live.open_sink(url, transactional="id", stream="k") as newer:
            newer.send(patch_of(1))
            with pytest.raises(ConnectionError, match="fenced"):
                older.send(patch_of(2))
            newer.send(patch_of(3))
    assert read(url, 3) == [0, 1, 3]

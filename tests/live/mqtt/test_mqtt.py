"""Tests topics on a real mosquitto broker as sources and sinks."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion

import jelly_rdflib as jr
from jelly_rdflib import live
from jelly_rdflib.live.log import append_from
from tests.live.certificate import make_certificate
from tests.live.fault_table import closer
from tests.live.mqtt.broker import Mosquitto
from tests.live.mqtt.support import publish
from tests.live.patches import numbers, patch_of, receive_all, take, take_all
from tests.oracle import build as b

LONG = patch_of(7, 2000)


def frame_of(*patches: jr.Patch) -> bytes:
    """Return the bytes of a file with these patches."""
    return b"".join(patch.serialize() for patch in patches)


def topic_of(url: str) -> str:
    return url.split("/", 3)[3]


# --- what is on the wire --------------------------------------------------------------------------


def test_what_a_sink_sends_a_source_receives(url: str) -> None:
    with live.connect(url) as source:
        with live.open_sink(url) as sink:
            for number in range(300):
                sink.send(patch_of(number))
            sink.send(LONG)
        found = receive_all(source, 301)
    assert numbers(found) == [*range(300), 7]
    assert found[-1] == LONG


def messages_of(broker: Mosquitto, url: str, *patches: jr.Patch) -> list[Any]:
    """Return a sink's messages as the plain client receives them."""
    topic = topic_of(url)
    arrived: list[Any] = []

    def take(client: Any, data: Any, message: Any) -> None:
        arrived.append(message)

    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
    ready: list[Any] = []
    client.on_message, client.on_subscribe = take, lambda *each: ready.append(each)
    client.connect("127.0.0.1", broker.port)
    client.subscribe(topic, 1)
    client.loop_start()
    while not ready:
        time.sleep(0.01)
    with live.open_sink(url) as sink:
        for patch in patches:
            sink.send(patch)
    end = time.monotonic() + 10
    while len(arrived) < len(patches) and time.monotonic() < end:
        time.sleep(0.01)
    client.disconnect()
    client.loop_stop()
    return arrived


def test_each_message_is_a_stream_of_its_own(broker: Mosquitto, url: str) -> None:
    short, long, last = messages_of(broker, url, patch_of(1), LONG, patch_of(2))
    for message, patch in ((short, patch_of(1)), (long, LONG), (last, patch_of(2))):
        assert list(jr.read_patches(message.payload)) == [patch]
        assert message.properties.ContentType == "application/x-jelly-rdf-patch"
        assert not message.retain
    names = [
        dict(message.properties.UserProperty)["jelly-patch"] for message in (short, long, last)
    ]
    sinks, places = zip(*(name.split("/") for name in names), strict=True)
    assert places == ("1", "2", "3")
    assert len(set(sinks)) == 1


# --- positions and sessions -----------------------------------------------------------------------


def test_what_was_not_acknowledged_comes_again(url: str) -> None:
    live.connect(url, session="again").close()
    with live.open_sink(url) as sink:
        for number in range(5):
            sink.send(patch_of(number))
    with live.connect(url, session="again") as source:
        assert take(source, 2) == [0, 1]
        source.acknowledge()
        assert take(source, 1) == [2]
    with live.connect(url, session="again") as source:
        assert take_all(source, 3) == [2, 3, 4]


def test_a_message_that_comes_twice_counts_once(broker: Mosquitto, url: str) -> None:
    data = [frame_of(patch_of(number)) for number in range(3)]
    with live.connect(url) as source:
        stamps = [("s", 1), ("s", 2), ("s", 1), ("s", 2), ("s", 3)]
        publish(broker, topic_of(url), *(data[n - 1] for _, n in stamps), stamps=stamps)
        assert take_all(source, 3) == [0, 1, 2]


def test_a_gap_is_an_error_each_time(broker: Mosquitto, url: str) -> None:
    data = [frame_of(patch_of(number)) for number in range(3)]
    live.connect(url, session="gap").close()
    publish(broker, topic_of(url), *data, stamps=[("s", 1), ("s", 2), ("s", 5)])
    position = None
    for left in (2, 0):
        with live.connect(url, session="gap", position=position) as source:
            assert len([source.receive(30) for _ in range(left)]) == left
            with pytest.raises(
                ConnectionError, match="lost: in the stream s, number 5 comes after number 2"
            ):
                source.receive(30)
            with pytest.raises(ConnectionError, match="lost=warn"):
                source.receive(30)
            source.acknowledge()
            position = source.position
    source = live.connect(url, session="gap", position=position, lost="warn")
    with source, pytest.warns(UserWarning, match="lost"):
        assert numbers([source.receive(30)]) == [2]


def test_a_position_without_its_session_is_an_error_each_time(url: str) -> None:
    with live.connect(url, session="first") as source:
        with live.open_sink(url) as sink:
            sink.send(patch_of(0))
        assert take_all(source, 1) == [0]
        position = source.position
    for _ in range(2):
        with pytest.raises(ConnectionError, match="no longer has this client's session"):
            live.connect(url, session="second", position=position)
    with pytest.raises(ConnectionError, match="the setting session is needed"):
        live.connect(url, position=position)
    with pytest.warns(UserWarning, match="no longer has this client's session"):
        live.connect(url, session="second", position=position, lost="warn").close()


@pytest.mark.parametrize("position", ["", "7", "[1]", '{"s": "x"}', "null"])
def test_what_is_no_position_is_refused(url: str, position: str) -> None:
    with (
        live.connect(url, session="x") as source,
        pytest.raises(ValueError, match="not a position"),
    ):
        source.resume(position)


def test_a_position_has_the_last_streams_alone(broker: Mosquitto, url: str) -> None:
    data, count = frame_of(patch_of(0)), 250
    with live.connect(url, session="streams") as source:
        publish(broker, topic_of(url), *[data] * count, stamps=[(str(n), 1) for n in range(count)])
        assert len(receive_all(source, count)) == count
        # All of them may still be received again.
        assert len(json.loads(source.position or "")) == count
        source.acknowledge()
        publish(broker, topic_of(url), data, stamps=[("0", 2)])
        assert len(receive_all(source, 1)) == 1
        source.acknowledge()
        kept = json.loads(source.position or "")
    assert list(kept)[-1] == "0"
    assert kept["0"] == 2
    assert len(kept) == 100


# --- strangers ------------------------------------------------------------------------------------


def test_each_message_of_a_stranger_is_what_its_file_would_be(broker: Mosquitto, url: str) -> None:
    """A foreign message is read like a file, even with no end mark or with zero or two patches."""
    add = b.add("s", "p", "o", "g")
    streams = [
        [kind, *rows]
        for kind in (
            b.options(stream_type=each, generalized_statements=True)
            for each in (b.FLAT, b.FRAME, b.PUNCTUATED)
        )
        for rows in ([], [add], [kind, add], [add, kind, add], [b.begin(), add, b.commit()])
    ]
    marked = b.options(stream_type=b.PUNCTUATED, generalized_statements=True)
    streams += [
        [marked, add, b.punctuation()],
        [marked, add, b.punctuation(), add],
        [marked, b.punctuation()],
    ]
    messages = [b.frame(*rows) for rows in streams]
    expected = [patch for each in messages for patch in jr.read_patches(each, normalize=False)]
    assert len(expected) > len(messages) // 2
    with live.connect(url) as source:
        publish(broker, topic_of(url), *messages)
        assert receive_all(source, len(expected)) == expected


def test_a_retained_message_is_no_news(broker: Mosquitto, url: str) -> None:
    publish(broker, topic_of(url), frame_of(patch_of(1)), retain=True)
    with live.connect(url) as source, live.open_sink(url) as sink:
        sink.send(patch_of(2))
        assert take_all(source, 1) == [2]


def test_a_frame_that_is_too_large_is_refused(broker: Mosquitto, url: str) -> None:
    with live.connect(url, limits=jr.Limits(max_frame_size=1000)) as source:
        publish(broker, topic_of(url), frame_of(LONG), frame_of(patch_of(2)))
        with pytest.raises(jr.LimitError, match="max_frame_size"):
            source.receive(30)
        assert take_all(source, 1) == [2]


# --- subscriptions --------------------------------------------------------------------------------


def test_a_filter_has_the_patches_of_many_topics(broker: Mosquitto) -> None:
    with live.connect(f"{broker.url}/many/%23") as source:
        for name in ("a", "b/c"):
            with live.open_sink(f"{broker.url}/many/{name}") as sink:
                sink.send(patch_of(len(name)))
        assert sorted(take_all(source, 2)) == [1, 3]


@pytest.mark.parametrize("topic", ["", "a/+/b", "a/%23"])
def test_a_sink_has_one_topic(broker: Mosquitto, topic: str) -> None:
    with pytest.raises(ValueError, match="one topic"):
        live.open_sink(f"{broker.url}/{topic}")


def test_a_filter_is_not_cut_off_at_its_number_sign(broker: Mosquitto) -> None:
    with pytest.raises(ValueError, match="%23"):
        live.connect(f"{broker.url}/many/#")


def test_a_shared_subscription_gives_each_patch_to_one(broker: Mosquitto) -> None:
    url = f"{broker.url}/$share/group/shared"
    with live.connect(url) as one, live.connect(url) as two:
        with live.open_sink(f"{broker.url}/shared") as sink:
            for number in range(20):
                sink.send(patch_of(number))
        found: list[list[int]] = [[], []]
        end = time.monotonic() + 30
        while sum(map(len, found)) < 20 and time.monotonic() < end:
            for kept, source in zip(found, (one, two), strict=True):
                kept += numbers(filter(None, [source.receive(0.01)]))
        assert one.receive(0.3) is two.receive(0.3) is None
        assert one.position is None
    assert sorted(found[0] + found[1]) == list(range(20))
    assert all(found)


def test_a_copy_refuses_a_shared_subscription(broker: Mosquitto, tmp_path: Path) -> None:
    log, replica = jr.PatchLog.create(tmp_path / "log"), jr.Replica(tmp_path / "replica")
    with (
        live.connect(f"{broker.url}/$share/group/refused") as source,
        live.open_sink(f"{broker.url}/refused") as sink,
    ):
        sink.send(patch_of(0))
        sink.flush()
        with pytest.raises(ValueError, match="has no positions"):
            append_from(source, log)
        with pytest.raises(ValueError, match="has no positions"):
            replica.follow(source)
        assert take_all(source, 1) == [0]
    assert log.refresh() is None
    assert replica.version == 0


# --- what an acknowledgement is for ---------------------------------------------------------------


def test_a_replica_stores_more_often_if_the_broker_waits(url: str, tmp_path: Path) -> None:
    replica = jr.Replica(tmp_path / "replica")
    with live.connect(url, session="small", receive_maximum=5) as source:
        with live.open_sink(url) as sink:
            for number in range(40):
                sink.send(patch_of(number))
        assert replica.follow(source, save_every=1000, progress=closer(source, 40)) == 40


def test_a_reader_that_never_acknowledges_is_told_so(url: str) -> None:
    with live.connect(url, timeout=1, session="never", receive_maximum=5) as source:
        with live.open_sink(url) as sink:
            for number in range(10):
                sink.send(patch_of(number))
        assert take(source, 5) == list(range(5))
        with pytest.raises(ConnectionError, match=r"acknowledge\(\) was not called"):
            list(source)
    with live.connect(url, receive_maximum=5) as source, live.open_sink(url) as sink:
        for number in range(10):
            sink.send(patch_of(number))
        assert take_all(source, 10) == list(range(10))


# --- who may do what ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    folder = tmp_path_factory.mktemp("guarded")
    if shutil.which("mosquitto_passwd") is None:
        pytest.skip("mosquitto is not installed: apt install mosquitto")
    for option, user in (("-c", "writer"), ("", "reader")):
        command = ["mosquitto_passwd", *filter(None, [option]), "-b", f"{folder}/users"]
        subprocess.run([*command, user, f"{user}-secret"], check=True, capture_output=True)
    (folder / "rights").write_text("user writer\ntopic readwrite #\nuser reader\ntopic read open\n")
    lines = [f"password_file {folder}/users", f"acl_file {folder}/rights", "max_packet_size 20000"]
    with Mosquitto(folder, *lines, anonymous="false") as running:
        yield running


WRITER = {"user": "writer", "password": "writer-secret"}
READER = {"user": "reader", "password": "reader-secret"}


@pytest.mark.parametrize("opener", [live.connect, live.open_sink])
def test_a_wrong_password_is_refused(guarded: Mosquitto, opener: Any) -> None:
    for settings in ({}, {"user": "writer", "password": "not-this-secret"}):
        with pytest.raises(PermissionError, match="refuses the connection") as caught:
            opener(f"{guarded.url}/open", **settings)
        assert "secret" not in str(caught.value)


def test_rights_of_the_broker(guarded: Mosquitto) -> None:
    url = f"{guarded.url}/open"
    with live.connect(url, **READER) as source, live.open_sink(url, **WRITER) as sink:
        sink.send(patch_of(1))
        assert take_all(source, 1) == [1]
        assert "secret" not in repr(source) + repr(sink)
    sink = live.open_sink(url, **READER)
    sink.send(patch_of(1))
    with pytest.raises(PermissionError, match="refuses patch 1: Not authorized"):
        sink.flush()
    sink.close()


def test_a_message_that_is_too_large_is_refused_and_leaves_no_gap(guarded: Mosquitto) -> None:
    url = f"{guarded.url}/open"
    with live.connect(url, **READER) as source, live.open_sink(url, **WRITER) as sink:
        sink.send(patch_of(1))
        with pytest.raises(jr.EncodeError, match="the broker accepts at most 20000"):
            sink.send(patch_of(2, 5000))
        sink.send(patch_of(3))
        assert take_all(source, 2) == [1, 3]


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    for opener in (live.connect, live.open_sink):
        with pytest.raises(ConnectionError, match=r"^mqtt://127.0.0.1:\d+/x: .*refused"):
            opener(f"{broker.url}/x")


# The client does not close the socket of a failed handshake.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tls(tmp_path: Path) -> None:
    made = make_certificate(tmp_path)
    lines = [f"certfile {made.certificate}", f"keyfile {made.key}"]
    with Mosquitto(tmp_path, *lines) as broker:
        url = f"mqtts://127.0.0.1:{broker.port}/x"
        ca = {"ca": str(made.certificate)}
        with live.connect(url, **ca) as source, live.open_sink(url, **ca) as sink:
            sink.send(patch_of(1))
            assert take_all(source, 1) == [1]
        with pytest.raises(ConnectionError, match="certificate"):
            live.connect(url)
        with pytest.raises(ConnectionError):
            live.connect(f"{broker.url}/x")

"""Tests a real broker's topics as sources and sinks."""

import json
import time
import warnings
from typing import Any

import pytest
from confluent_kafka.admin import NewPartitions
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from jelly_rdflib.live.frames import LiveEncoder, starts_stream
from tests.live.kafka.broker import Broker
from tests.live.kafka.support import consume, delete, frame_of, long_options, produce, read
from tests.live.patches import patch_of, receive_all, take, take_all
from tests.oracle import schema as pb
from tests.oracle.decoder import Reference


def test_messages_are_bare_frames_that_protobuf_decodes(broker: Broker, topic: str) -> None:
    with live.open_sink(f"kafka://{broker.address}/{topic}", options=long_options) as sink:
        for number in range(3):
            sink.send(patch_of(number, 40))
    messages = consume(broker, topic)
    assert len(messages) > 6
    assert len({message.key() for message in messages}) == 1
    assert all(message.headers() is None for message in messages)
    # The last message marks the end of the stream.
    assert [message.value() for message in messages if not message.value()] == [b""]
    assert messages[-1].value() == b""
    reference = Reference()
    frames = [pb.RdfPatchFrame.FromString(message.value()) for message in messages]
    found = [row for frame in frames for row in reference.frame(frame)]
    assert found.count(("END",)) == 3
    assert sum(row[0] == "A" for row in found) == 120


def test_all_frames_of_a_stream_go_to_one_partition_by_its_key(broker: Broker, topic: str) -> None:
    broker.create_topic(f"{topic}-4", 4)
    url = f"kafka://{broker.address}/{topic}-4"
    for name in ("kitchen", "hall", "attic", "cellar", "kitchen", "Küche"):
        with live.open_sink(url, stream=name, options=long_options) as sink:
            sink.send(patch_of(1, 100, name))
    places: dict[bytes, set[int]] = {}
    for message in consume(broker, f"{topic}-4", 4):
        places.setdefault(message.key(), set()).add(message.partition())
    assert sorted(places) == [b"K\xc3\xbcche", b"attic", b"cellar", b"hall", b"kitchen"]
    assert [len(found) for found in places.values()] == [1] * 5
    assert len(set.union(*places.values())) > 1
    assert read(url, 6) == [1] * 6


def test_a_source_goes_on_from_each_position(broker: Broker, topic: str, url: str) -> None:
    # Three streams in one partition: two of long patches whose frames are interleaved, and one of
    # frames with several patches.
    first, second = (LiveEncoder(long_options, restart_every=9) for _ in range(2))
    encoder = jr.PatchEncoder()
    messages: list[tuple[Any, Any]] = []
    for number in range(0, 60, 6):
        frames = first.encode(patch_of(number, 50)), second.encode(patch_of(number + 1, 70))
        for pair in zip(*frames, strict=False):
            messages += zip((b"1", b"2"), map(bytes, pair), strict=True)
        messages += [(b"2", bytes(frame)) for frame in frames[1][len(frames[0]) :]]
        messages.append((None, frame_of(encoder, number + 2, number + 3, number + 4)))
    produce(broker, topic, *messages)
    with live.connect(url) as source:
        steps = [(*take(source, 1), source.position) for _ in range(50)]
        assert source.receive(0.3) is None
    found = [number for number, _ in steps]
    assert sorted(found) == [n for n in range(60) if n % 6 < 5]
    assert len({position for _, position in steps}) == len(steps)
    for at in range(0, len(steps), 3):
        with live.connect(url, position=steps[at][1]) as source:
            assert take_all(source, 49 - at) == found[at + 1 :]
            assert source.position == steps[-1][1] or at == len(steps) - 1


def test_a_source_reads_again_no_more_than_the_open_streams(url: str) -> None:
    with live.open_sink(url, restart=10) as sink:
        for number in range(95):
            sink.send(patch_of(number))
        sink.flush()
        with live.connect(url) as source:
            assert len(receive_all(source, 95)) == 95
            place = json.loads(source.position or "")["partitions"]["0"]
            assert place == [90, 95, 0, 0]
    with live.connect(url) as source:
        assert len(receive_all(source, 95)) == 95
        # The sink ended its stream with a message without a patch, which may arrive later.
        end = time.monotonic() + 30
        while (place := json.loads(source.position or "")["partitions"]["0"])[1] < 96:
            assert source.receive(0.2) is None
            assert time.monotonic() < end
        assert place[:2] == [95, 96]


def test_a_position_at_the_end_is_kept_before_the_first_patch(url: str) -> None:
    with live.open_sink(url, restart=1) as sink:
        sink.send(patch_of(0))
        sink.flush()
        with live.connect(url, start="latest") as source:
            position = source.position
        sink.send(patch_of(1))
    assert read(url, 1, position=position) == [1]


def test_frames_whose_stream_has_no_start_are_an_error(broker: Broker, url: str) -> None:
    topic = url.rpartition("/")[2]
    encoder = jr.PatchEncoder()
    frame_of(encoder, 0)
    produce(broker, topic, (b"k", frame_of(encoder, 1)))
    with live.connect(url) as source:
        for _ in range(2):
            with pytest.raises(jr.DecodeError, match=rf"{topic}/0/0, key b'k'.*start=latest"):
                source.receive(30)
    assert read(url, 0, start="latest") == []


def test_a_frame_above_the_limits_is_refused(broker: Broker, topic: str, url: str) -> None:
    produce(broker, topic, (b"k", frame_of(jr.PatchEncoder(), *range(100))))
    limits = jr.Limits(max_frame_size=1000)
    with live.connect(url, limits=limits) as source, pytest.raises(jr.LimitError, match="1000"):
        source.receive(30)


def test_frames_fit_into_the_topics_largest_message(broker: Broker, topic: str) -> None:
    broker.create_topic(f"{topic}-small", max_message_bytes="20000")
    url = f"kafka://{broker.address}/{topic}-small"
    row = (Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("x" * 30_000), None)
    with live.open_sink(url) as sink:
        sink.send(patch_of(0, 5000))
        with pytest.raises(jr.EncodeError, match="are allowed"):
            sink.send([(Op.TX,), row, (Op.TC,)])
        sink.send(patch_of(1))
    with live.connect(url) as source:
        assert receive_all(source, 2) == [patch_of(0, 5000), patch_of(1)]


@pytest.mark.parametrize("policy", ["compact", "compact,delete"])
def test_a_compacted_topic_is_refused(broker: Broker, topic: str, policy: str) -> None:
    broker.create_topic(f"{topic}-compacted", cleanup_policy=policy)
    url = f"kafka://{broker.address}/{topic}-compacted"
    for open_it in (live.connect, live.open_sink):
        with pytest.raises(ValueError, match="is compacted"):
            open_it(url)


@pytest.mark.parametrize("open_it", [live.connect, live.open_sink])
def test_a_topic_that_is_not_there_is_an_error(broker: Broker, open_it: Any) -> None:
    with pytest.raises(ConnectionError, match=r"/nothing: .*Unknown topic"):
        open_it(f"kafka://{broker.address}/nothing")
    assert "nothing" not in broker.admin.list_topics(timeout=10).topics


@pytest.mark.parametrize("open_it", [live.connect, live.open_sink])
def test_a_broker_that_is_not_there_is_an_error_at_once(open_it: Any) -> None:
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:1/x: no broker can be reached"):
        open_it("kafka://127.0.0.1:1/x")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"colour": "red"}, "no setting 'colour'"),
        ({"no.such.thing": "1"}, "no.such.thing"),
        ({"enable.auto.commit": "true"}, "enable.auto.commit can't be set"),
        ({"security.protocol": "none"}, "security.protocol"),
        ({"position": "7"}, "is not a position"),
        ({"position": '{"topic": "other", "partitions": {}}'}, "from another topic"),
        ({"position": '{"topic": "other", "partitions": {"0": [5, 1, 0, 0]}}'}, "not a position"),
    ],
)
def test_a_setting_or_position_that_is_none_is_refused(
    url: str, settings: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        live.connect(url, **settings)


def test_new_partitions_are_read_and_tear_no_stream(broker: Broker, topic: str, url: str) -> None:
    with (
        live.open_sink(url, stream="k1") as sink,
        live.connect(url, **{"topic.metadata.refresh.interval.ms": "500"}) as source,
    ):
        sink.send(patch_of(0))
        assert source.receive(10) == patch_of(0)
        broker.admin.create_partitions([NewPartitions(topic, 5)])[topic].result(10)
        produce(broker, topic, (b"k2", frame_of(jr.PatchEncoder(), 1)), partition=4)
        assert source.receive(20) == patch_of(1)
        sink.send(patch_of(2))
        assert source.receive(10) == patch_of(2)
        position = source.position
    produce(broker, topic, (b"k3", frame_of(jr.PatchEncoder(), 3)), partition=3)
    assert read(url, 1, position=position) == [3]
    assert {message.partition() for message in consume(broker, topic, 5)} == {0, 3, 4}


def test_patches_that_were_deleted_are_an_error(broker: Broker, topic: str, url: str) -> None:
    with live.open_sink(url, restart=10) as sink:
        for number in range(20):
            sink.send(patch_of(number))
        sink.flush()
        with live.connect(url) as source:
            positions = []
            for _ in range(18):
                source.receive(30)
                positions.append(source.position)
        delete(broker, topic, 12)
        with live.connect(url, position=positions[5]) as source:
            for _ in range(2):
                with pytest.raises(ConnectionError, match=r"partition 0 is at offset 6.*12 to 20"):
                    source.receive(30)
        with live.connect(url, position=positions[5], deleted="skip") as source:
            assert source.receive(2) is None
            sink.send(patch_of(20))
            assert take_all(source, 1) == [20]
        # The next patch exists, but not the start of its stream.
        late = live.connect(url, position=positions[14])
        with late, pytest.raises(jr.DecodeError, match="it was deleted"):
            late.receive(30)


def test_a_dead_producer_does_not_hold_the_position_back(
    broker: Broker, topic: str, url: str
) -> None:
    # Each of these sinks was killed, so its stream was not ended.
    produce(broker, topic, *((f"{n}".encode(), frame_of(jr.PatchEncoder(), n)) for n in range(50)))
    with live.connect(url, streams=10) as source:
        assert take_all(source, 50) == list(range(50))
        assert json.loads(source.position or "")["partitions"]["0"][:2] == [40, 50]
    time.sleep(1.1)
    produce(broker, topic, (b"50", frame_of(jr.PatchEncoder(), 50)))
    with live.connect(url, idle=1) as source:
        assert take_all(source, 51) == list(range(51))
        assert json.loads(source.position or "")["partitions"]["0"][:2] == [50, 51]


def test_an_empty_frame_is_a_patch_in_a_stream_of_frames(
    broker: Broker, topic: str, url: str
) -> None:
    options = jr.PatchOptions(stream_type="FRAME")
    with live.open_sink(url, options=options) as sink:
        sink.send(patch_of(0))
    encoder = jr.PatchEncoder(options)
    frames = [encoder.encode_frame([*patch_of(n)]) for n in (1, 2)]
    produce(broker, topic, (b"k", frames[0]), (b"k", b""), (b"k", frames[1]))
    with live.connect(url) as source:
        assert receive_all(source, 4) == [patch_of(0), patch_of(1), jr.Patch([]), patch_of(2)]


def test_who_sends_nothing_for_long_starts_a_new_stream(
    broker: Broker, topic: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jelly_rdflib.live.kafka.sink.PAUSE", 0.2)
    with live.open_sink(url) as sink:
        sink.send(patch_of(0))
        sink.send(patch_of(1))
        time.sleep(0.3)
        sink.send(patch_of(2))
    starts = [starts_stream(message.value()) for message in consume(broker, topic)]
    assert starts == [True, False, True, False]


def test_settings_with_a_dot_are_the_clients(url: str) -> None:
    with warnings.catch_warnings(), live.open_sink(url, **{"compression.type": "zstd"}) as sink:
        sink.send(patch_of(0, 1000))
    assert read(f"{url}?fetch.min.bytes=1", 1) == [0]


@pytest.mark.parametrize("group", ["", "g"])
def test_the_rest_of_a_stream_is_left_out_with_its_bad_message(
    broker: Broker, topic: str, url: str, group: str
) -> None:
    encoders = [LiveEncoder(long_options, restart_every=9) for _ in range(2)]
    frames = [
        [bytes(f) for n in range(6) for f in each.encode(patch_of(n + at, 50))]
        for at, each in ((0, encoders[0]), (100, encoders[1]))
    ]
    # This position is in the middle of the first patch of the first stream.
    broken = [*frames[0][:6], b"junk", *frames[0][6:]]
    messages = [m for pair in zip(broken, [*frames[1], b""], strict=True)
                for m in zip((b"1", b"2"), pair, strict=True)]  # fmt: skip
    produce(broker, topic, *messages)
    settings: Any = {"bad": "skip", "group": group}
    with pytest.warns(jr.TopicWarning), live.connect(url, **settings) as source:  # noqa: PT031
        steps = [(*take(source, 1), source.position) for _ in range(10)]
        assert source.receive(0.3) is None
        source.acknowledge()
    found = [number for number, _ in steps]
    assert [n for n in found if n >= 100] == list(range(100, 106))
    # The stream restarts with its third patch.
    assert [n for n in found if n < 100] == [2, 3, 4, 5]
    with live.connect(url, timeout=1, position=steps[-1][1]) as source:
        assert list(source) == []
    if group:
        with live.connect(url, timeout=3, group=group) as source:
            assert list(source) == []


def test_a_topic_that_deletes_messages_is_told_once(broker: Broker, topic: str) -> None:
    broker.create_topic(f"{topic}-week", retention_ms="604800000", retention_bytes="1000000")
    url = f"kafka://{broker.address}/{topic}-week"
    match = r"deletes messages of this topic \(retention.ms=604800000, retention.bytes=1000000\)"
    with pytest.warns(jr.TopicWarning, match=match) as told, live.connect(url, timeout=1) as source:
        assert list(source) == []
    assert len(told) == 1
    assert told[0].filename == __file__
    live.connect(url, deleted="skip").close()

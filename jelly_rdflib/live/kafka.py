"""Topics of Kafka as sources and sinks: each message is a bare frame, its key names the stream."""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, NamedTuple, NoReturn, TypeVar
from uuid import uuid4
from zlib import crc32

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import FrameDecoder, FrameEncoder, starts_stream
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.live.source import Source
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.options import Limits, PatchOptions, PatchStreamType
from jelly_rdflib.patch.patch import Patch

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())

# Seconds for an answer of the broker, and between two looks for new partitions.
_ANSWER, _REFRESH = 10.0, 30.0
# A sink that sent nothing for so many seconds starts a new stream. A source forgets a stream that
# was silent for much longer, since its producer may be gone for ever.
_PAUSE = 3600.0
# Bytes of a message beside its frame and its key, with room to spare; and the client's largest.
_OVERHEAD, _LARGEST = 512, 1_000_000
_REFUSALS = {
    KafkaError._AUTHENTICATION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}
_NO_TOPIC = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
}
_NO_OFFSET = {KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._AUTO_OFFSET_RESET}
# Another member of the group has the partitions now.
_LOST = {
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.REBALANCE_IN_PROGRESS,
    KafkaError._ASSIGNMENT_LOST,
}


def open_source(address: Address, limits: Limits, timeout: float | None) -> KafkaSource:
    """Open a topic as a source: see `KafkaSource` for the settings."""
    return KafkaSource(address, limits, timeout)


def open_sink(address: Address, limits: Limits, options: PatchOptions | None) -> KafkaSink:
    """Open a topic as a sink: see `KafkaSink` for the settings."""
    return KafkaSink(address, limits, options)


class _Topic(NamedTuple):
    id: str
    partitions: list[int]
    largest: int | None


class _Client:
    """A topic, and the client's settings: those with a dot in their names are the user's."""

    def __init__(self, address: Address, own: dict[str, Any]) -> None:
        self.url, self.topic = str(address), address.path
        names = [name for name in address.settings if "." in name]
        self.config = {name: address.settings.pop(name) for name in names}
        address.check_all_taken()
        own |= {"bootstrap.servers": address.host, "error_cb": self._note}
        if taken := own.keys() & self.config.keys():
            raise ValueError(f"{self.url}: {min(taken)} is no setting for users")
        self.config |= own
        self.error: KafkaError | None = None
        self._reason, self._is_down = "no answer", False

    def _note(self, error: KafkaError) -> None:
        if error.fatal() or error.code() in _REFUSALS:
            self.error = error
        elif error.code() == KafkaError._ALL_BROKERS_DOWN:
            self._is_down = True
        else:
            self._reason = error.str()

    def make(self, kind: Callable[..., _T]) -> _T:
        try:
            return kind(self.config, logger=_LOG)
        except KafkaException as error:
            raise ValueError(f"{self.url}: {error.args[0].str()}") from None

    def exception(self, error: KafkaError, doing: str = "") -> OSError:
        kind = PermissionError if error.code() in _REFUSALS else ConnectionError
        return kind(f"{self.url}: {doing}{error.str()}")

    def check(self) -> None:
        if self.error is not None:
            raise self.exception(self.error)

    def describe(self) -> _Topic:
        """Ask the broker for the topic, which must keep all its messages."""
        admin = self.make(AdminClient)
        resource = ConfigResource(ResourceType.TOPIC, self.topic)
        names = TopicCollection([self.topic])
        found = admin.describe_topics(names, request_timeout=_ANSWER)[self.topic]
        config = admin.describe_configs([resource], request_timeout=_ANSWER)[resource]
        while not (found.done() and config.done()):
            admin.poll(0.05)
            self.check()
            if self._is_down:
                admin.poll(0.1)
                raise ConnectionError(f"{self.url}: no broker can be reached: {self._reason}")
        try:
            topic = found.result()
            partitions = sorted(each.id for each in topic.partitions)
        except KafkaException as error:
            raise self.exception(error.args[0]) from None
        try:
            entries = config.result()
        except KafkaException as error:
            if error.args[0].code() not in _REFUSALS:
                raise self.exception(error.args[0]) from None
            # Clients often have no right to see it. They are told, and go on.
            warnings.warn(
                f"{self.url}: Kafka does not let this user see the topic's settings: make sure that"
                " cleanup.policy is delete, since compaction would remove frames that are needed",
                stacklevel=2,
            )
            return _Topic(str(topic.topic_id), partitions, None)
        if "compact" in entries["cleanup.policy"].value:
            raise ValueError(
                f"{self.url}: the topic is compacted, which removes frames that later ones need:"
                " take a topic whose cleanup.policy is delete"
            )
        return _Topic(str(topic.topic_id), partitions, int(entries["max.message.bytes"].value))


@dataclass
class _Stream:
    decoder: FrameDecoder
    start: int
    time: int = 0


@dataclass
class _Partition:
    """Where a partition stands, and its open streams, the one that was silent longest first.

    ``next`` is the offset of the next frame to deliver patches of, ``skip`` the number of them that
    were delivered, and ``start`` where the oldest open stream starts. ``joins``: streams that had
    started before the source came are left out, until they start anew.
    """

    start: int
    next: int
    skip: int = 0
    joins: bool = False
    streams: OrderedDict[bytes | None, _Stream] = field(default_factory=OrderedDict)

    @property
    def place(self) -> list[int]:
        return [self.start, self.next, self.skip, int(self.joins)]


def _read_partition(place: Any) -> _Partition:
    start, next, skip, joins = map(int, place)
    if not 0 <= start <= next or skip < 0:
        raise ValueError(place)
    return _Partition(start, next, skip, bool(joins))


class KafkaSource(Source):
    """The patches of a topic, from all its partitions or those that a group gives to this source.

    Settings: ``start``, ``group``, ``streams`` (the most open streams of a partition), ``idle`` (the
    seconds after which a silent stream is forgotten), and the client's own, which have a dot.
    """

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        self._is_latest = address.choose("start", ("earliest", "latest")) == "latest"
        self._group = address.take("group", str, "")
        self._most = address.take("streams", int, 1000)
        self._idle = address.take("idle", float, 24 * _PAUSE)
        address.settings.setdefault("topic.metadata.refresh.interval.ms", 30_000)
        own = {
            "group.id": self._group or "none",
            "group.protocol": "classic",
            "partition.assignment.strategy": "range,roundrobin",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
        }
        self._client = _Client(address, own)
        super().__init__(self._client.url, timeout)
        self._limits = limits
        topic = self._client.describe()
        self._topic = topic.id
        self._lock = RLock()
        self._consumer = self._client.make(Consumer)
        self._pending: deque[Patch] = deque()
        self._at: tuple[int, int, int] | None = None
        begins = {each: self._begin(each, self._is_latest) for each in topic.partitions}
        # Where each partition stands that is this source's, or was; where others begin.
        self._partitions, self._begins = ({}, begins) if self._group else (begins, {})
        self._owned = [] if self._group else topic.partitions
        self._must_assign = not self._group
        self._resumed: set[int] = set()
        self._committed: dict[int, list[int]] = {}
        self._refresh = float(self._client.config["topic.metadata.refresh.interval.ms"]) / 1000
        self._next_look = time.monotonic() + self._refresh
        if self._group:
            names = [self._client.topic]
            self._consumer.subscribe(names, on_assign=self._take_over, on_revoke=self._give_up)

    def _ask(self, request: Callable[[], _T]) -> _T:
        """Ask the broker, again and again while it is away."""
        tries = waits()
        while True:
            try:
                return request()
            except KafkaException as error:
                code = error.args[0].code()
                if code in _REFUSALS | _NO_TOPIC | _LOST or self._is_closed.wait(next(tries)):
                    raise

    def _range(self, partition: int) -> tuple[int, int]:
        """Return the offsets of the first message that is there, and of the next to come."""
        place = TopicPartition(self._client.topic, partition)
        return self._ask(lambda: self._consumer.get_watermark_offsets(place, timeout=_ANSWER))

    def _begin(self, partition: int, is_latest: bool) -> _Partition:
        offset = self._range(partition)[is_latest]
        return _Partition(offset, offset, joins=is_latest)

    def _take_over(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._owned = [each.partition for each in partitions]
        self._must_assign = True
        # Else it would start by itself, where the group stands.
        consumer.assign([])

    def _give_up(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        for number in self._owned:
            if number in self._partitions:
                self._partitions[number].streams.clear()
        self._owned = []
        self._must_assign = False

    def _assign(self) -> None:
        """Go on where each partition stands, from the start of its open streams."""
        kept = self._read_group()
        places = []
        for number in self._owned:
            partition, theirs = self._partitions.get(number), kept.get(number)
            if number in self._resumed:
                self._resumed.remove(number)
            elif theirs and (partition is None or theirs.place[1:] > partition.place[1:]):
                partition = theirs
            # A partition of which nobody knows anything has come since.
            known = None if kept else self._begins.pop(number, None)
            partition = partition or known or self._begin(number, False)
            low, high = self._range(number)
            if not low <= partition.next <= high:
                raise ConnectionError(
                    f"{self.url}: partition {number} is at offset {partition.next}, and the topic"
                    f" has the messages from {low} to {high}: others were deleted, and patches are"
                    " lost. Begin anew, with an empty copy"
                )
            partition.start = max(partition.start, low)
            partition.streams.clear()
            self._partitions[number] = partition
            places.append(TopicPartition(self._client.topic, number, partition.start))
        self._consumer.assign(places)
        self._must_assign = False
        if not kept:
            # So that the group goes on from here, whenever it acknowledges something.
            self._commit()

    def _read_group(self) -> dict[int, _Partition]:
        """Return where the group stands."""
        if not self._group:
            return {}
        numbers = {*self._owned, *self._begins}
        places = [TopicPartition(self._client.topic, number) for number in numbers]

        def request() -> list[TopicPartition]:
            return _checked(self._consumer.committed(places, timeout=_ANSWER))

        kept = {}
        for each in self._ask(request):
            if each.offset >= 0:
                try:
                    told = json.loads(each.metadata)
                    place = [told["start"], each.offset, told["skip"], told["joins"]]
                    kept[each.partition] = _read_partition(place)
                except (ValueError, TypeError, KeyError):
                    # Another program has set it.
                    kept[each.partition] = _Partition(
                        each.offset, each.offset, joins=self._is_latest
                    )
        return kept

    def acknowledge(self) -> None:
        """Let the group go on after the patches so far; without a group, do nothing."""
        with self._lock:
            self._commit()

    def _commit(self) -> None:
        places = {n: self._partitions[n].place for n in self._owned if n in self._partitions}
        new = {n: place for n, place in places.items() if self._committed.get(n) != place}
        if not self._group or not new:
            return
        offsets = []
        for number, (start, offset, skip, joins) in new.items():
            told = json.dumps({"start": start, "skip": skip, "joins": joins})
            offsets.append(TopicPartition(self._client.topic, number, offset, told))
        try:
            self._ask(
                lambda: _checked(self._consumer.commit(offsets=offsets, asynchronous=False) or [])
            )
            self._committed |= new
        except KafkaException as error:
            if error.args[0].code() not in _LOST and not self._is_closed.is_set():
                raise self._client.exception(error.args[0]) from None

    @property
    def position(self) -> str | None:
        """Of each partition: the offset to read from, that of the next patch, patches to skip."""
        if not self._partitions:
            return None
        places = {str(number): each.place for number, each in self._partitions.items()}
        return json.dumps({"topic": self._topic, "partitions": places})

    @property
    def place(self) -> str | None:
        """The topic, the partition, the offset, and the number of the last patch in its frame."""
        return None if self._at is None else "/".join(map(str, (self._client.topic, *self._at)))

    def resume(self, position: str) -> None:
        """Go on from a `position`, before the first patch was received."""
        try:
            told = json.loads(position)
            topic, found = told["topic"], told["partitions"].items()
            partitions = {int(number): _read_partition(place) for number, place in found}
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError(f"{self.url}: {position!r} is no position in a topic") from None
        if topic != self._topic:
            raise ValueError(
                f"{self.url}: the position is of another topic, or of one that was deleted since"
            )
        self._partitions, self._begins, self._resumed = partitions, {}, set(partitions)
        self._must_assign = not self._group

    def _receive(self, wait: float) -> Patch | None:
        end = time.monotonic() + wait
        with self._lock:
            try:
                while not self._pending and not self._is_closed.is_set():
                    self._look_for_partitions()
                    if self._must_assign:
                        self._assign()
                    message = self._consumer.poll(max(0.0, end - time.monotonic()))
                    self._client.check()
                    if message is not None and not self._must_assign:
                        self._take(message)
                    elif time.monotonic() >= end:
                        return None
                return self._deliver() if self._pending else None
            except BaseException as error:
                # What was read, and not delivered, is read again.
                self._pending.clear()
                self._must_assign = bool(self._owned)
                if not isinstance(error, KafkaException):
                    raise
                if self._is_closed.is_set():
                    return None
                raise self._client.exception(error.args[0]) from None

    def _look_for_partitions(self) -> None:
        """Notice new partitions. A group is told by its broker."""
        if self._group or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + self._refresh
        with suppress(KafkaException):
            topics = self._consumer.list_topics(self._client.topic, timeout=0.5).topics
            if new := topics[self._client.topic].partitions.keys() - self._owned:
                self._owned = sorted({*self._owned, *new})
                self._must_assign = True

    def _take(self, message: Message) -> None:
        error = message.error()
        if error is not None:
            if error.fatal() or error.code() in _REFUSALS | _NO_TOPIC:
                raise self._client.exception(error)
            self._must_assign |= error.code() in _NO_OFFSET
            return
        number, offset = message.partition(), message.offset()
        partition = self._partitions[number]
        try:
            patches = self._decode(partition, offset, message)
        except DecodeError as error:
            place = f"{self._client.topic}/{number}/{offset}, key {message.key()!r}"
            error.message = f"{self.url}: {place}: {error.message}"
            raise
        if offset < partition.next:
            return
        starts = [stream.start for stream in partition.streams.values()]
        partition.start = min(starts, default=offset)
        if offset > partition.next:
            partition.next, partition.skip = offset, 0
        self._pending.extend(patches[partition.skip :])
        self._at = (number, offset, partition.skip - 1)
        if not self._pending:
            partition.next, partition.skip = offset + 1, 0

    def _decode(self, partition: _Partition, offset: int, message: Message) -> list[Patch]:
        key, frame, now = message.key(), message.value(), message.timestamp()[1]
        stream = partition.streams.pop(key, None)
        if frame is None:
            raise DecodeError("a message without a value is no frame")
        if starts_stream(frame):
            stream = _Stream(FrameDecoder(self._limits), offset)
        if stream is None:
            if frame and offset >= partition.next and not partition.joins:
                raise DecodeError(
                    "the start of this stream is not there: it was deleted, or the stream was silent"
                    " for too long (settings idle, streams). With start=latest a source leaves"
                    " streams out until they start anew"
                )
            return []
        patches = list(stream.decoder.decode(frame))
        # A frame without rows ends a stream, if it does not end a patch.
        if frame or patches or stream.decoder.is_open:
            stream.time = now
            partition.streams[key] = stream
        while partition.streams:
            oldest = next(iter(partition.streams.values()))
            if len(partition.streams) <= self._most and now - oldest.time <= self._idle * 1000:
                break
            partition.streams.popitem(last=False)
            partition.joins = False
        return patches

    def _deliver(self) -> Patch:
        assert self._at is not None
        number, offset, count = self._at
        partition, patch = self._partitions[number], self._pending.popleft()
        partition.skip += 1
        if not self._pending:
            partition.next, partition.skip = offset + 1, 0
        self._at = (number, offset, count + 1)
        return patch

    def _close(self) -> None:
        with self._lock:
            self._consumer.close()


def _checked(places: list[TopicPartition]) -> list[TopicPartition]:
    for each in places:
        if each.error is not None:
            raise KafkaException(each.error)
    return places


class KafkaSink(Sink):
    """A topic that patches are sent to, as one stream, which starts anew from time to time.

    Settings: ``stream`` (its name, the key of the messages), ``restart`` (the frames after which it
    starts anew), ``transactional`` (an id: then each patch is a transaction), ``wait`` (the seconds
    without an acknowledgement after which sending has failed), and the client's own.
    """

    def __init__(self, address: Address, limits: Limits, options: PatchOptions | None) -> None:
        self._name = address.take("stream", str, "")
        self._wait = address.take("wait", float, 30.0)
        restart = address.take("restart", int, 1000)
        address.settings.setdefault("queue.buffering.max.kbytes", 1 << 16)
        own: dict[str, Any] = {"enable.idempotence": True, "acks": "all"}
        self._is_transactional = (id := address.take("transactional", str, "")) != ""
        if self._is_transactional:
            wait = max(1000, int(self._wait * 1000))
            own |= {
                "transactional.id": id,
                "transaction.timeout.ms": wait,
                "message.timeout.ms": wait,
            }
        else:
            # A message that fails alone would leave a gap: all after it must fail, too.
            own |= {"message.timeout.ms": 0, "enable.gapless.guarantee": True}
        self._client = _Client(address, own)
        super().__init__(self._client.url, limits)
        topic = self._client.describe()
        self._partitions = topic.partitions
        config = self._client.config
        largest = min(int(config.get("message.max.bytes", _LARGEST)), topic.largest or _LARGEST)
        # A batch is as little accepted as a message that is too large.
        config |= {"message.max.bytes": max(1000, largest), "batch.size": largest}
        most = largest - _OVERHEAD - len(self._name.encode())
        self._encoder = FrameEncoder(options, restart_every=restart, max_frame_size=most)
        self._ends = options is None or options.stream_type != PatchStreamType.FRAME
        self._producer: Producer | None = None
        self._open()

    def _open(self) -> Producer:
        """Return the producer, and start a new stream if it is a new one."""
        if self._producer is None:
            self._client.error = self._error = None
            self._key = (self._name or str(uuid4())).encode()
            # One for all: who adds partitions must not tear a stream apart.
            self._partition = self._partitions[crc32(self._key) % len(self._partitions)]
            self._sent = self._taken = 0
            self._last = time.monotonic()
            self._encoder.restart()
            self._producer = self._client.make(Producer)
            if self._is_transactional:
                self._transact(self._producer.init_transactions, self._wait)
        return self._producer

    def _send(self, patch: Patch) -> None:
        self._open()
        self._check()
        if time.monotonic() - self._last > _PAUSE:
            self._encoder.restart()
        self._last = time.monotonic()
        self._put(self._encoder.encode(patch))

    def _put(self, frames: list[Any]) -> None:
        producer = self._open()
        try:
            if self._is_transactional:
                self._transact(producer.begin_transaction)
            for number, frame in enumerate(frames, 1):
                self._produce(producer, bytes(frame), is_last=number == len(frames))
            self._sent += 1
            producer.poll(0)
            if self._is_transactional:
                self._await(0)
                self._transact(producer.commit_transaction, self._wait)
        except BaseException:
            # The rest of the patch will not come: a new stream says so, or a new transaction.
            self._encoder.restart()
            if self._is_transactional:
                self._producer = None
            raise

    def _produce(self, producer: Producer, frame: bytes, *, is_last: bool) -> None:
        place = (self._client.topic, frame, self._key, self._partition)
        while True:
            try:
                return producer.produce(*place, self._note if is_last else None)
            except BufferError:
                self._await(len(producer) - 1)
            except KafkaException as error:
                self._fail(error.args[0])

    def _note(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._taken += 1
        elif self._error is None:
            self._error = error

    def _check(self) -> None:
        if error := self._error or self._client.error:
            self._fail(error)

    def _await(self, most: int) -> None:
        """Wait until no more than so many messages are on their way."""
        left, since = -1, time.monotonic()
        while self._producer is not None and (now := len(self._producer)) > most:
            if now != left:
                left, since = now, time.monotonic()
            elif time.monotonic() > since + self._wait:
                self._fail(None)
            self._producer.poll(0.1)
            self._check()

    def _transact(self, step: Callable[..., object], *arguments: float) -> None:
        end = time.monotonic() + self._wait
        while True:
            try:
                step(*arguments)
                return
            except KafkaException as error:
                if not error.args[0].retriable() or time.monotonic() > end:
                    self._fail(error.args[0])

    def _fail(self, error: KafkaError | None) -> NoReturn:
        """Give up what was not acknowledged; the next patch starts a new stream."""
        missing = self._sent - self._taken
        if self._producer is not None:
            self._producer.purge()
            self._producer = None
        patches = "1 patch was" if missing == 1 else f"{missing} patches were"
        text = f"{patches} not acknowledged, the last ones sent; Kafka may have some of them: "
        if error is None:
            raise ConnectionError(f"{self.url}: {text}no answer for {self._wait:g} seconds")
        raise self._client.exception(error, text)

    def _flush(self) -> None:
        self._await(0)
        if self._producer is not None:
            self._check()

    def _close(self) -> None:
        if self._producer is not None and self._sent and self._ends:
            # The patches are there: that the stream has ended is told if it can be.
            self._wait = min(self._wait, 1.0)
            with suppress(ConnectionError):
                self._put([b""])
                self._await(0)
        self._producer = None

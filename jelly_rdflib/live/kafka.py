"""Topics of Kafka: each message is a bare frame, and its key names the stream of the frame."""

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
from typing import Any, NoReturn, TypeVar
from uuid import uuid4
from zlib import crc32

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import FrameDecoder, FrameEncoder, starts_stream
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.live.source import Source
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.options import Limits, PatchOptions, PatchStreamType
from jelly_rdflib.patch.patch import Patch

_T = TypeVar("_T")
# What the client reports goes where the program wants it, and not to standard error.
_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())
# Seconds to wait for the first answer of a broker; and for a later one, which is asked for again.
_FIRST_ANSWER, _ANSWER = 10.0, 1.0
# After so many seconds without a patch a sink starts a new stream. A source forgets streams that
# were silent for much longer: where a producer was killed, nobody ends them.
_PAUSE = 3600.0
# The client's largest message in bytes, and what is in it beside the frame and the key, or less.
_LARGEST, _OVERHEAD = 1_000_000, 512
# In the names of errors that do not pass, and of those of a member that is out of its group.
_FINAL = ("AUTH", "UNKNOWN_TOPIC", "UNKNOWN_PARTITION", "INVALID")
_OUT = ("ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS", "ASSIGNMENT_LOST")


def _is_one_of(error: ck.KafkaError, words: tuple[str, ...]) -> bool:
    return any(word in error.name() for word in words)


class _Client:
    """A topic, how its brokers are reached, and what they say."""

    def __init__(self, address: Address, own: dict[str, Any]) -> None:
        self.url, self.topic = str(address), address.path
        names = [name for name in address.settings if "." in name]
        given = {name: address.settings.pop(name) for name in names}
        address.check_all_taken()
        shared = {"bootstrap.servers": address.host, "error_cb": self._note}
        for name in given.keys() & {*own, *shared}:
            raise ValueError(f"{self.url}: {name} can't be set")
        self.error: ck.KafkaError | None = None
        self._end, self._reason = time.monotonic() + 2 * _FIRST_ANSWER, "there is no answer"
        # Without what is of a producer or a consumer alone.
        self.config = given | shared
        self._describe()
        self.config |= own

    def _note(self, error: ck.KafkaError) -> None:
        if error.fatal() or "AUTH" in error.name():
            self.error = error
        elif error.code() == ck.KafkaError._ALL_BROKERS_DOWN:
            # Why comes soon after.
            self._end = min(self._end, time.monotonic() + 0.5)
        else:
            self._reason = error.str()

    def make(self, kind: Callable[..., _T]) -> _T:
        try:
            return kind(self.config, logger=_LOG)
        except ck.KafkaException as error:
            raise ValueError(f"{self.url}: {error.args[0].str()}") from None

    def exception(self, error: ck.KafkaError, what: str = "") -> OSError:
        # The reason for the end of a stream of messages is in the text alone.
        is_refused = "AUTH" in error.name() or "authorization failed" in error.str()
        kind = PermissionError if is_refused else ConnectionError
        return kind(f"{self.url}: {what}{error.str()}")

    def _describe(self) -> None:
        """Ask for the topic, which must keep all messages."""
        admin, resource = self.make(AdminClient), ConfigResource("topic", self.topic)
        topics = ck.TopicCollection([self.topic])
        topic = admin.describe_topics(topics, request_timeout=_FIRST_ANSWER)[self.topic]
        config = admin.describe_configs([resource], request_timeout=_FIRST_ANSWER)[resource]
        while not (topic.done() and config.done()):
            admin.poll(0.05)
            if self.error:
                raise self.exception(self.error)
            if time.monotonic() > self._end:
                raise ConnectionError(f"{self.url}: no broker can be reached: {self._reason}")
        self.largest = _LARGEST
        try:
            self.id = str(topic.result().topic_id)
            self.partitions = sorted(each.id for each in topic.result().partitions)
            policy = config.result()["cleanup.policy"].value
            self.largest = int(config.result()["max.message.bytes"].value)
        except ck.KafkaException as error:
            if topic.exception() or "AUTH" not in error.args[0].name():
                raise self.exception(error.args[0]) from None
            # Few clients have the right to see it, and most topics are not compacted.
            warnings.warn(
                f"{self.url}: Kafka does not show the topic's settings to this user: see to it that"
                " cleanup.policy is delete, since compaction removes frames that are needed",
                stacklevel=5,
            )
            return
        if "compact" in policy:
            raise ValueError(
                f"{self.url}: the topic is compacted, which removes frames that later ones need:"
                " its cleanup.policy must be delete"
            )


@dataclass
class _Stream:
    decoder: FrameDecoder
    start: int
    time: int = 0


@dataclass
class _Partition:
    """Where a partition stands.

    ``next`` is the offset of the frame whose patches come next, ``skip`` the number of those that
    came already. Reading starts at ``start``, where the oldest open stream starts. With ``joins``,
    streams that started before the source came are left out until they start anew.
    """

    start: int
    next: int
    skip: int = 0
    joins: bool = False
    # The newest time of a message: clocks of senders may be wrong.
    now: int = 0
    # The first one was silent longest.
    streams: OrderedDict[bytes | None, _Stream] = field(default_factory=OrderedDict)

    @classmethod
    def at(cls, place: Any) -> _Partition:
        start, next, skip, joins = map(int, place)
        if not 0 <= start <= next or skip < 0:
            raise ValueError(place)
        return cls(start, next, skip, bool(joins))

    @property
    def place(self) -> list[int]:
        return [self.start, self.next, self.skip, int(self.joins)]


class KafkaSource(Source):
    """The patches of a topic, of all partitions, or of those that its group gives to it."""

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        self._is_latest = address.choose("start", ("earliest", "latest")) == "latest"
        self._skips = address.choose("deleted", ("error", "skip")) == "skip"
        self._group = address.take("group", str, "")
        self._most = address.take("streams", int, 1000)
        self._idle = address.take("idle", float, 24 * _PAUSE)
        refresh = address.settings.setdefault("topic.metadata.refresh.interval.ms", 30_000)
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
        self._limits, self._lock = limits, RLock()
        self._consumer = self._client.make(ck.Consumer)
        # Patches of one frame, each with where its partition stands after it, and its own place.
        self._pending: deque[tuple[Patch, _Partition, int, int]] = deque()
        try:
            begins = {each: self._begin(each, self._is_latest) for each in self._client.partitions}
        except ck.KafkaException as error:
            raise self._client.exception(error.args[0]) from None
        # Where those stand that are this source's, or were; where others begin.
        self._partitions, self._begins = ({}, begins) if self._group else (begins, {})
        self._owned = [] if self._group else self._client.partitions
        self._must_assign = not self._group
        self._resumed: set[int] = set()
        self._committed: dict[int, list[int]] = {}
        self._refresh = float(refresh) / 1000
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
            except ck.KafkaException as error:  # noqa: PERF203
                is_final = _is_one_of(error.args[0], _FINAL + _OUT)
                if is_final or self._is_closed.wait(next(tries)):
                    raise

    def _spot(self, partition: int, *details: Any) -> ck.TopicPartition:
        return ck.TopicPartition(self._client.topic, partition, *details)

    def _range(self, partition: int) -> tuple[int, int]:
        """Return the offsets of the first message that is there, and after the last one."""
        spot = self._spot(partition)
        return self._ask(lambda: self._consumer.get_watermark_offsets(spot, timeout=_ANSWER))

    def _begin(self, partition: int, is_latest: bool) -> _Partition:
        offset = self._range(partition)[is_latest]
        return _Partition(offset, offset, joins=is_latest)

    def _take_over(self, consumer: ck.Consumer, partitions: list[ck.TopicPartition]) -> None:
        self._owned, self._must_assign = [each.partition for each in partitions], True
        # Otherwise the client starts by itself.
        consumer.assign([])

    def _give_up(self, consumer: ck.Consumer, partitions: list[ck.TopicPartition]) -> None:
        self._owned, self._must_assign = [], False
        for each in self._partitions.values():
            each.streams.clear()

    def _assign(self) -> None:
        """Go on where each partition stands, from the start of its open streams."""
        kept = self._read_group() if self._group else {}
        for number in self._owned:
            partition, theirs = self._partitions.get(number), kept.get(number)
            if number in self._resumed:
                self._resumed.remove(number)
            elif theirs and (partition is None or theirs.place[1:] > partition.place[1:]):
                partition = theirs
            # If the group has been here before, a partition without a place is new.
            known = None if kept else self._begins.get(number)
            partition = partition or known or self._begin(number, False)
            low, high = self._range(number)
            if partition.next < low and self._skips:
                partition = _Partition(low, low, joins=True)
            if not low <= partition.next <= high:
                raise ConnectionError(
                    f"{self.url}: the next patch of partition {number} is at offset"
                    f" {partition.next}, and the topic has offsets {low} to {high}: messages were"
                    " deleted, and patches may be lost. Begin anew, with an empty copy, or skip"
                    " them by the setting deleted=skip"
                )
            partition.start = max(partition.start, low)
            partition.streams.clear()
            self._partitions[number] = partition
        starts = [self._spot(number, self._partitions[number].start) for number in self._owned]
        self._consumer.assign(starts)
        self._must_assign = False
        if not kept:
            # The group comes back to this place, also if it never acknowledges a patch.
            self._commit()

    def _read_group(self) -> dict[int, _Partition]:
        """Return where the group stands in each partition."""
        spots = [self._spot(number) for number in {*self._owned, *self._begins}]
        kept = {}
        for each in self._ask(lambda: _checked(self._consumer.committed(spots, timeout=_ANSWER))):
            place = [each.offset, each.offset, 0, self._is_latest]
            # Another program may have set the offset.
            with suppress(ValueError, TypeError):
                told = _Partition.at(json.loads(each.metadata or "")).place
                place = told if told[1] == each.offset else place
            if each.offset >= 0:
                kept[each.partition] = _Partition.at(place)
        return kept

    def _acknowledge(self) -> None:
        """Let the group go on after the patches so far, whoever gets the partitions."""
        with self._lock:
            self._commit()

    def _commit(self) -> None:
        places = {n: self._partitions[n].place for n in self._owned if n in self._partitions}
        new = {n: place for n, place in places.items() if self._committed.get(n) != place}
        if not self._group or not new:
            return
        spots = [self._spot(n, place[1], json.dumps(place)) for n, place in new.items()]
        commit: Any = self._consumer.commit
        try:
            self._ask(lambda: _checked(commit(offsets=spots, asynchronous=False)))
            self._committed |= new
        except ck.KafkaException as error:
            if not (_is_one_of(error.args[0], _OUT) or self._is_closed.is_set()):
                raise self._client.exception(error.args[0]) from None

    @property
    def _position(self) -> str | None:
        """The topic, and of each partition: where to read from, the next frame, patches to skip."""
        if not self._partitions:
            return None
        places = {number: each.place for number, each in self._partitions.items()}
        return json.dumps({"topic": self._client.id, "partitions": places})

    def resume(self, position: str) -> None:
        """Go on from a `position`, before the first patch was received."""
        try:
            told = json.loads(position)
            topic, places = told["topic"], told["partitions"]
            partitions = {int(number): _Partition.at(places[number]) for number in places}
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{self.url}: {position!r} is no position in a topic") from None
        if topic != self._client.id:
            raise ValueError(
                f"{self.url}: the position is of another topic, or of one that was deleted since"
            )
        self._partitions, self._begins, self._resumed = partitions, {}, set(partitions)
        self._must_assign = bool(self._owned)

    def _receive(self, wait: float) -> Patch | None:
        end = time.monotonic() + wait
        with self._lock:
            try:
                while not self._pending and not self._is_closed.is_set():
                    self._look_for_partitions()
                    if self._must_assign:
                        self._assign()
                    message = self._consumer.poll(max(0.0, end - time.monotonic()))
                    if self._client.error:
                        raise self._client.exception(self._client.error)
                    if message is not None and not self._must_assign:
                        self._take(message)
                    elif time.monotonic() >= end:
                        return None
                if not self._pending:
                    return None
                patch, partition, next, skip = self._pending.popleft()
                partition.next, partition.skip = next, skip
                return patch
            except BaseException as error:
                # What was read, and not delivered, is read again.
                self._pending.clear()
                self._must_assign = bool(self._owned)
                if not isinstance(error, ck.KafkaException):
                    raise
                if not self._is_closed.is_set():
                    raise self._client.exception(error.args[0]) from None
                return None

    def _look_for_partitions(self) -> None:
        """Notice new partitions; those of a group are told by the broker."""
        if self._group or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + self._refresh
        with suppress(ck.KafkaException):
            topics = self._consumer.list_topics(self._client.topic, timeout=0.5).topics
            if new := topics[self._client.topic].partitions.keys() - self._owned:
                self._owned = sorted({*self._owned, *new})
                self._must_assign = True

    def _take(self, message: Any) -> None:
        error = message.error()
        if error is not None:
            # The client asks for a group in any case, and may have no right to it.
            is_needed = self._group or "GROUP" not in error.name()
            if error.fatal() or (is_needed and _is_one_of(error, _FINAL)):
                raise self._client.exception(error)
            # An offset that is not there is looked into; the client mends all else by itself.
            self._must_assign |= _is_one_of(error, ("OFFSET_RESET", "OFFSET_OUT_OF_RANGE"))
            return
        partition, offset = self._partitions[message.partition()], message.offset()
        place = f"{self._client.topic}/{message.partition()}/{offset}"
        try:
            patches = self._decode(partition, offset, message)
        except DecodeError as reason:
            reason.message = f"{self.url}: {place}, key {message.key()!r}: {reason.message}"
            raise
        if offset < partition.next:
            return
        starts = [stream.start for stream in partition.streams.values()]
        partition.start = min(starts, default=offset)
        if offset > partition.next:
            partition.next, partition.skip = offset, 0
        for number in range(partition.skip, len(patches)):
            is_last = number == len(patches) - 1
            next, skip = (offset + 1, 0) if is_last else (offset, number + 1)
            self._pending.append((patches[number], partition, next, skip))
        if not self._pending:
            partition.next, partition.skip = offset + 1, 0

    def _decode(self, partition: _Partition, offset: int, message: Any) -> list[Patch]:
        key, frame = message.key(), message.value()
        partition.now = max(partition.now, message.timestamp()[1])
        if frame is None:
            raise DecodeError("a message without a value is no frame")
        stream = partition.streams.pop(key, None)
        if starts_stream(frame):
            stream = _Stream(FrameDecoder(self._limits), offset)
        if stream is None:
            if frame and offset >= partition.next and not partition.joins:
                raise DecodeError(
                    "the stream of this frame has no start: it was deleted, or the stream was"
                    " forgotten (settings idle, streams). With start=latest, a source leaves"
                    " streams out until they start anew"
                )
            return []
        patches = list(stream.decoder.decode(frame))
        # A frame without rows ends the stream, if no patch.
        if frame or patches or stream.decoder.is_open:
            stream.time = partition.now
            partition.streams[key] = stream
        while partition.streams:
            silence = partition.now - next(iter(partition.streams.values())).time
            if len(partition.streams) <= self._most and silence <= self._idle * 1000:
                break
            partition.streams.popitem(last=False)
            partition.joins = False
        return patches

    def _close(self) -> None:
        with self._lock:
            self._consumer.close()


def _checked(spots: list[ck.TopicPartition]) -> list[ck.TopicPartition]:
    for each in spots:
        if each.error is not None:
            raise ck.KafkaException(each.error)
    return spots


class KafkaSink(Sink):
    """A topic that takes patches, as a stream that starts anew from time to time."""

    def __init__(self, address: Address, limits: Limits, options: PatchOptions | None) -> None:
        self._name = address.take("stream", str, "")
        self._wait = address.take("wait", float, 30.0)
        restart = address.take("restart", int, 1000)
        transactional = address.take("transactional", str, "")
        address.settings.setdefault("queue.buffering.max.kbytes", 1 << 16)
        own: dict[str, Any] = {"enable.idempotence": True, "acks": "all"}
        if transactional:
            wait = max(1000, int(self._wait * 1000))
            own |= {"transactional.id": transactional, "transaction.timeout.ms": wait}
            own |= {"message.timeout.ms": wait}
        else:
            # If a message could fail alone, the stream would go on with a gap.
            own |= {"enable.gapless.guarantee": True, "message.timeout.ms": 0}
        self._is_transactional = bool(transactional)
        self._client = _Client(address, own)
        super().__init__(self._client.url, limits)
        config = self._client.config
        largest = min(int(config.get("message.max.bytes", _LARGEST)), self._client.largest)
        # The topic's largest message is its largest batch, too.
        config |= {"message.max.bytes": max(1000, largest), "batch.size": largest}
        most = largest - _OVERHEAD - len(self._name.encode())
        self._encoder = FrameEncoder(options, restart_every=restart, max_frame_size=most)
        # In a stream of type FRAME an empty frame is an empty patch.
        self._can_end = options is None or options.stream_type != PatchStreamType.FRAME
        self._producer: ck.Producer | None = None
        self._open()

    def _open(self) -> ck.Producer:
        """Return the producer, or make one and let it start a stream."""
        if self._producer is None:
            self._client.error = None
            self._error: ck.KafkaError | None = None
            self._key = (self._name or str(uuid4())).encode()
            # Not by the client: it would go to another one when there are new partitions.
            partitions = self._client.partitions
            self._partition = partitions[crc32(self._key) % len(partitions)]
            self._sent = self._taken = 0
            self._last = time.monotonic()
            self._encoder.restart()
            self._producer = self._client.make(ck.Producer)
            if self._is_transactional:
                self._try(self._producer.init_transactions, self._wait)
        return self._producer

    def _send(self, patch: Patch) -> None:
        self._open()
        self._check()
        if time.monotonic() > self._last + _PAUSE:
            self._encoder.restart()
        self._last = time.monotonic()
        self._put([bytes(frame) for frame in self._encoder.encode(patch)])

    def _put(self, frames: list[bytes]) -> None:
        producer = self._open()
        self._sent += 1
        try:
            if self._is_transactional:
                self._try(producer.begin_transaction)
            for frame in frames[:-1]:
                self._produce(producer, frame)
            self._produce(producer, frames[-1], self._note)
            self._try(producer.poll, 0)
            if self._is_transactional:
                self._await(0)
                self._try(producer.commit_transaction, self._wait)
        except BaseException:
            # A patch that is half sent is none if a stream starts, or its transaction is aborted.
            self._encoder.restart()
            if self._is_transactional:
                self._producer = None
            raise

    def _produce(self, producer: ck.Producer, frame: bytes, *told: Any) -> None:
        message = (self._client.topic, frame, self._key, self._partition, *told)
        while True:
            with suppress(BufferError):
                return self._try(producer.produce, *message)
            self._await(len(producer) - 1)

    def _note(self, error: ck.KafkaError | None, message: Any) -> None:
        self._taken += error is None
        self._error = self._error or error

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
            self._try(self._producer.poll, 0.1)
            self._check()

    def _try(self, step: Callable[..., object], *arguments: Any) -> None:
        end = time.monotonic() + self._wait
        while True:
            try:
                step(*arguments)
                return
            except ck.KafkaException as error:  # noqa: PERF203
                if not error.args[0].retriable() or time.monotonic() > end:
                    self._fail(error.args[0])

    def _fail(self, error: ck.KafkaError | None) -> NoReturn:
        """Give up what was not acknowledged; the next patch starts a new stream."""
        missing = self._sent - self._taken
        if self._producer is not None:
            self._producer.purge()
            self._producer = None
        told = f"the last {missing} of the patches that were sent are not acknowledged: "
        told = told if missing else ""
        if error is not None:
            raise self._client.exception(error, told)
        raise ConnectionError(f"{self.url}: {told}no answer for {self._wait:g} seconds")

    def _flush(self) -> None:
        self._await(0)
        if self._producer is not None:
            self._check()

    def _close(self) -> None:
        if self._producer is not None and self._sent and self._can_end:
            # All patches were taken: this only tells sources that they may forget the stream.
            self._wait = min(self._wait, 1.0)
            with suppress(OSError):
                self._put([b""])
                self._await(0)
        self._producer = None


open_source, open_sink = KafkaSource, KafkaSink

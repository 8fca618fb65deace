"""Kafka topics as sources: the key of each message names the stream of its frame."""

from __future__ import annotations

import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, TypeVar

import confluent_kafka as ck

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, JellyError, TopicWarning
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.bad import BadMessages
from jelly_rdflib.live.frames import LiveDecoder, starts_stream
from jelly_rdflib.live.kafka.client import PAUSE, KafkaClient, is_one_of
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.log.source import Source
from jelly_rdflib.options import Limits
from jelly_rdflib.patch.patch import Patch

_T = TypeVar("_T")
# The seconds to wait for a broker's response before asking again.
_ANSWER = 1.0
# The seconds of silence after which a stream is forgotten, since a producer that was killed never
# ends its stream.
_IDLE = 24 * PAUSE
# Words in the names of permanent errors, and of errors of a consumer that left its group.
_FINAL = ("AUTH", "UNKNOWN_TOPIC", "UNKNOWN_PARTITION", "INVALID")
_OUT = ("ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "REBALANCE_IN_PROGRESS", "ASSIGNMENT_LOST")


@dataclass
class _Stream:
    decoder: LiveDecoder
    start: int
    time: int = 0


@dataclass
class _Partition:
    """The state of a partition.

    ``next`` is the offset of the frame with the next patches, and ``skip`` the number of patches in
    this frame that the source has already returned. Reading starts at ``start``, where the oldest
    open stream starts. With ``joins``, streams that started before the source did are
    left out until they start again.
    """

    start: int
    next: int
    skip: int = 0
    joins: bool = False
    # The latest timestamp of a message so far. It is used as the current time, since the senders'
    # clocks may differ from the clock here.
    now: int = 0
    # The stream that has been silent the longest comes first.
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
    """The patches in all partitions of a topic, or in those that the group gives this source."""

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        self._is_latest = address.choose("start", ("earliest", "latest")) == "latest"
        self._skips = address.choose("deleted", ("error", "skip")) == "skip"
        self._bad = BadMessages(address)
        self._group = address.take("group", str, "")
        self._most = address.take("streams", int, 1000)
        self._idle = address.take("idle", float, _IDLE)
        refresh = address.settings.setdefault("topic.metadata.refresh.interval.ms", 30_000)
        # Refill a full queue of messages as soon as it has room.
        address.settings.setdefault("fetch.queue.backoff.ms", 5)
        own = {
            "group.id": self._group or "none",
            "group.protocol": "classic",
            "partition.assignment.strategy": "range,roundrobin",
            "enable.auto.commit": False,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
        }
        self._client = KafkaClient(address, own)
        super().__init__(self._client.url, timeout)
        if self._client.retention and not self._skips:
            warn(
                f"{self.url}: Kafka deletes messages of this topic ({self._client.retention}): a"
                " copy that is made later, or is offline for long, misses them, which is an error."
                " Set these to -1 to keep all messages; deleted=skip skips those that are deleted",
                TopicWarning,
            )
        self._limits, self._lock = limits, RLock()
        self._consumer = self._client.make(ck.Consumer)
        # The rest of a frame's patches, each with its message and the partition's state after it.
        self._pending: deque[tuple[Patch, Any, _Partition, int, int]] = deque()
        try:
            begins = {each: self._begin(each, self._is_latest) for each in self._client.partitions}
        except ck.KafkaException as error:
            raise self._client.exception(error.args[0]) from None
        # The states of the partitions that this source has or had; and where the others begin.
        self._partitions, self._begins = ({}, begins) if self._group else (begins, {})
        self._owned = [] if self._group else self._client.partitions
        self._must_assign = not self._group
        self._resumed: set[int] = set()
        self._committed: dict[int, list[int]] = {}
        self._refresh = float(refresh) / 1000
        self._next_look = time.monotonic() + self._refresh
        self._next_try, self._next_check = 0.0, time.monotonic() + _ANSWER
        if self._group:
            names = [self._client.topic]
            self._consumer.subscribe(names, on_assign=self._take_over, on_revoke=self._give_up)

    def _ask(self, request: Callable[[], _T]) -> _T:
        """Ask the broker; retry as long as it can't be reached."""
        tries = waits()
        while True:
            try:
                return request()
            except ck.KafkaException as error:  # noqa: PERF203
                is_final = is_one_of(error.args[0], _FINAL + _OUT)
                if is_final or self._is_closed.wait(next(tries)):
                    raise

    def _spot(self, partition: int, *details: Any) -> ck.TopicPartition:
        return ck.TopicPartition(self._client.topic, partition, *details)

    def _range(self, partition: int) -> tuple[int, int]:
        """Return a partition's first offset, and the offset after its last message."""
        spot = self._spot(partition)
        return self._ask(lambda: self._consumer.get_watermark_offsets(spot, timeout=_ANSWER))

    def _begin(self, partition: int, is_latest: bool) -> _Partition:
        # Begin at offset 0 even if the topic has deleted its first messages: `_assign` reports
        # that they are missing.
        offset = self._range(partition)[1] if is_latest else 0
        return _Partition(offset, offset, joins=is_latest)

    def _take_over(self, consumer: ck.Consumer, partitions: list[ck.TopicPartition]) -> None:
        self._owned, self._must_assign = [each.partition for each in partitions], True
        # Keep the client library from reading on its own: `_assign` decides where to start.
        consumer.assign([])

    def _give_up(self, consumer: ck.Consumer, partitions: list[ck.TopicPartition]) -> None:
        self._owned, self._must_assign = [], False
        for each in self._partitions.values():
            each.streams.clear()

    def _assign(self) -> None:
        """Continue in each partition, from the start of its oldest open stream."""
        self._look_at_topic()
        kept = self._read_group() if self._group else {}
        for number in self._owned:
            partition, theirs = self._partitions.get(number), kept.get(number)
            if number in self._resumed:
                self._resumed.remove(number)
            elif theirs and (partition is None or theirs.place[1:] > partition.place[1:]):
                partition = theirs
            # If the group has positions, a partition without one is new, so read it from its
            # start.
            known = None if kept else self._begins.get(number)
            partition = partition or known or self._begin(number, False)
            low, high = self._range(number)
            if partition.next < low and self._skips:
                partition = _Partition(low, low, joins=True)
            if not low <= partition.next <= high:
                raise ConnectionError(
                    f"{self.url}: the next message of partition {number} is at offset"
                    f" {partition.next}, but the topic has offsets {low} to {high}: messages were"
                    " deleted, and patches may be lost. Continue from a copy that has them, or"
                    " without them with the setting deleted=skip"
                )
            partition.start = max(partition.start, low)
            partition.streams.clear()
            self._partitions[number] = partition
        starts = [self._spot(number, self._partitions[number].start) for number in self._owned]
        self._consumer.assign(starts)
        self._must_assign = False
        if not kept:
            # Record where the group starts, in case it never acknowledges a patch.
            self._acknowledge()

    def _read_group(self) -> dict[int, _Partition]:
        """Return the partitions' states that are stored in the group."""
        spots = [self._spot(number) for number in {*self._owned, *self._begins}]
        kept = {}
        for each in self._ask(lambda: _checked(self._consumer.committed(spots, timeout=_ANSWER))):
            place = [each.offset, each.offset, 0, self._is_latest]
            # If another program has set the offset, the metadata doesn't match it: ignore it.
            with suppress(ValueError, TypeError):
                told = _Partition.at(json.loads(each.metadata or "")).place
                place = told if told[1] == each.offset else place
            if each.offset >= 0:
                kept[each.partition] = _Partition.at(place)
        return kept

    def _acknowledge(self) -> None:
        """Store the position in the group, so that its consumers continue after these patches."""
        with self._lock:
            places = {n: self._partitions[n].place for n in self._owned if n in self._partitions}
            new = {n: place for n, place in places.items() if self._committed.get(n) != place}
            if not self._group or not new or self._is_closed.is_set():
                return
            spots = [self._spot(n, place[1], json.dumps(place)) for n, place in new.items()]
            commit: Any = self._consumer.commit
            try:
                self._ask(lambda: _checked(commit(offsets=spots, asynchronous=False)))
                self._committed |= new
            except ck.KafkaException as error:
                if not (is_one_of(error.args[0], _OUT) or self._is_closed.is_set()):
                    raise self._client.exception(error.args[0]) from None

    @property
    def _position(self) -> str | None:
        """The topic, and for each partition the numbers in `_Partition.place`."""
        if not self._partitions:
            return None
        places = {number: each.place for number, each in self._partitions.items()}
        return json.dumps({"topic": self._client.id, "partitions": places})

    def resume(self, position: str) -> None:
        """Go on from a `position`; call this before the first patch is received."""
        try:
            told = json.loads(position)
            topic, places = told["topic"], told["partitions"]
            partitions = {int(number): _Partition.at(places[number]) for number in places}
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{self.url}: {position!r} is not a position in a topic") from None
        if topic != self._client.id:
            raise ValueError(
                f"{self.url}: the position is from another topic, or one that was deleted since"
            )
        self._partitions, self._begins, self._resumed = partitions, {}, set(partitions)
        self._must_assign = bool(self._owned)

    def _receive(self, wait: float) -> Patch | None:
        end = time.monotonic() + wait
        with self._lock:
            try:
                while not self._pending and not self._is_closed.is_set():
                    self._look_for_partitions()
                    self._look_for_brokers()
                    if self._must_assign:
                        self._assign()
                    message = self._consumer.poll(max(0.0, end - time.monotonic()))
                    if self._client.error:
                        raise self._client.exception(self._client.error)
                    if message is not None and not self._must_assign:
                        self._look_at_topic()
                        self._take(message)
                    elif time.monotonic() >= end:
                        return None
                if not self._pending:
                    return None
                patch, self._message, partition, next, skip = self._pending.popleft()
                partition.next, partition.skip = next, skip
                return patch
            except BaseException as error:
                # The messages whose patches were not returned must be read again.
                self._pending.clear()
                self._must_assign = bool(self._owned)
                if not isinstance(error, ck.KafkaException):
                    raise
                if not self._is_closed.is_set():
                    raise self._client.exception(error.args[0]) from None
                return None

    def _look_for_partitions(self) -> None:
        """Detect new partitions, unless there is a group: then the broker reports them."""
        if self._group or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + self._refresh
        with suppress(ck.KafkaException):
            topics = self._consumer.list_topics(self._client.topic, timeout=0.5).topics
            if new := topics[self._client.topic].partitions.keys() - self._owned:
                self._owned = sorted({*self._owned, *new})
                self._must_assign = True

    def _look_at_topic(self) -> None:
        """Check before a message, at most once a second, that the topic was not recreated.

        If the new topic has fewer messages, no message arrives; but then the error for the missing
        offset leads to this check, too.
        """
        if time.monotonic() >= self._next_check:
            self._client.check_topic(_ANSWER)
            self._next_check = time.monotonic() + _ANSWER

    def _look_for_brokers(self) -> None:
        """Detect that the brokers are lost, or can be reached again."""
        if not self._client.is_down or time.monotonic() < self._next_try:
            return
        self._next_try = time.monotonic() + _ANSWER
        try:
            self._consumer.list_topics(self._client.topic, timeout=0.5)
        except ck.KafkaException as error:
            what = f"no broker can be reached: {self._client.reason}; "
            self._link.set(self._client.exception(error.args[0], what))
        else:
            self._client.is_down = False
            self._link.set(None)

    def _take(self, message: Any) -> None:
        error = message.error()
        if error is not None:
            # Without a group, ignore errors about groups: the client library asks about one
            # anyway, and may lack the right to do so.
            is_needed = self._group or "GROUP" not in error.name()
            if error.fatal() or (is_needed and is_one_of(error, _FINAL)):
                raise self._client.exception(error)
            # Handle only a missing offset: the client library recovers from other errors itself.
            if is_one_of(error, ("OFFSET_RESET", "OFFSET_OUT_OF_RANGE")):
                self._must_assign, self._next_check = True, 0.0
            return
        partition, offset = self._partitions[message.partition()], message.offset()
        try:
            patches = self._decode(partition, offset, message)
        except DecodeError as reason:
            patches = []
            # A message that is only reread after a restart was reported before.
            if offset >= partition.next:
                self._bad.leave_out(reason, *self._place(message))
        if offset < partition.next:
            return
        starts = [stream.start for stream in partition.streams.values()]
        partition.start = min(starts, default=offset)
        if offset > partition.next:
            partition.next, partition.skip = offset, 0
        for number in range(partition.skip, len(patches)):
            is_last = number == len(patches) - 1
            next, skip = (offset + 1, 0) if is_last else (offset, number + 1)
            self._pending.append((patches[number], message, partition, next, skip))
        if not self._pending:
            partition.next, partition.skip = offset + 1, 0

    def leave_out(self, error: JellyError) -> None:
        """Leave out the last patch, as if its message could not be decoded."""
        self._bad.leave_out(error, *self._place(self._message))

    def _place(self, message: Any) -> tuple[str, list[object], bytes]:
        """Return a message's position, as a string and as parts of a file name, and its payload."""
        where = [self._client.topic, message.partition(), message.offset()]
        place = f"{self.url}: {'/'.join(map(str, where))}, key {message.key()!r}"
        return place, where, message.value() or b""

    def _decode(self, partition: _Partition, offset: int, message: Any) -> list[Patch]:
        key, frame = message.key(), message.value()
        partition.now = max(partition.now, message.timestamp()[1])
        if frame is None:
            raise DecodeError("a message without a value is not a frame")
        stream = partition.streams.pop(key, None)
        if starts_stream(frame):
            stream = _Stream(LiveDecoder(self._limits), offset)
        if stream is None:
            if frame and offset >= partition.next and not partition.joins:
                raise DecodeError(
                    "the stream of this frame has no start: it was deleted, or the stream was"
                    " forgotten (settings idle, streams), or one of its messages was left out"
                    " (bad=skip). With start=latest, a source leaves streams out until they start"
                    " again"
                )
            return []
        patches = list(stream.decoder.decode(frame))
        # A frame without rows ends the stream, unless it is a patch or ends one.
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

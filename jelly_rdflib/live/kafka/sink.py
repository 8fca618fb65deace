"""Kafka topics as sinks: each sink has a producer, and a stream with its own key."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn
from uuid import uuid4
from zlib import crc32

import confluent_kafka as ck

from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import LiveEncoder
from jelly_rdflib.live.kafka.client import LARGEST, PAUSE, KafkaClient
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.options import Limits, PatchOptions, PatchStreamType
from jelly_rdflib.patch.patch import Patch

# The maximum number of bytes that a message needs besides the frame and the key.
_OVERHEAD = 512


class KafkaSink(Sink):
    """A topic to which patches are sent, as a stream that restarts from time to time."""

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
            # Without these settings a single message could fail, and leave a gap in the stream.
            own |= {"enable.gapless.guarantee": True, "message.timeout.ms": 0}
        self._is_transactional = bool(transactional)
        self._client = KafkaClient(address, own)
        # A sink no longer needs the admin client: delete it, which ends a thread and a connection.
        del self._client.admin
        super().__init__(self._client.url, limits)
        config = self._client.config
        largest = min(int(config.get("message.max.bytes", LARGEST)), self._client.largest)
        # A batch may be no larger than the topic's largest message.
        config |= {"message.max.bytes": max(1000, largest), "batch.size": largest}
        most = largest - _OVERHEAD - len(self._name.encode())
        self._encoder = LiveEncoder(options, restart_every=restart, max_frame_size=most)
        # An empty frame ends a stream, but not one of type FRAME: there it is an empty patch.
        self._can_end = options is None or options.stream_type != PatchStreamType.FRAME
        self._producer: ck.Producer | None = None
        self._open()

    def _open(self) -> ck.Producer:
        """Return the producer; if it is missing, make one and start a stream."""
        if self._producer is None:
            self._client.error = None
            self._error: ck.KafkaError | None = None
            self._key = (self._name or str(uuid4())).encode()
            # Choose the partition here: the client library would choose another one for the same
            # key after partitions are added.
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
        if time.monotonic() > self._last + PAUSE:
            self._encoder.restart()
        self._last = time.monotonic()
        self._put(self._encoder.encode(patch))

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
            # Only part of the patch may have been sent. Start a new stream, or abort the
            # transaction, so that sources drop this part.
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
        """Wait until at most ``most`` messages are in flight."""
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
        """Discard unacknowledged patches and raise the error; the next patch starts a stream."""
        missing = self._sent - self._taken
        if self._producer is not None:
            self._producer.purge()
            self._producer = None
        told = f"the last {missing} of the patches that were sent are not acknowledged: "
        told = told if missing else ""
        if error is not None:
            raise self._client.exception(error, told)
        raise ConnectionError(f"{self.url}: {told}no answer for {self._wait:g} seconds")

    def flush(self) -> None:
        """Wait until all patches are accepted; see `Sink.flush`."""
        self._await(0)
        if self._producer is not None:
            self._check()

    def _close(self) -> None:
        if self._producer is not None and self._sent and self._can_end:
            # All patches are acknowledged. An empty frame only lets sources forget the stream, so
            # don't wait long for it.
            self._wait = min(self._wait, 1.0)
            with suppress(OSError):
                self._put([b""])
                self._await(0)
        self._producer = None

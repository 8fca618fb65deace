"""MQTT topics as sources."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from contextlib import suppress
from secrets import token_urlsafe
from typing import Any

from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, Client, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.subscribeoptions import SubscribeOptions

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, JellyError, TopicWarning
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.bad import BadMessages
from jelly_rdflib.live.frames import LiveDecoder, starts_stream
from jelly_rdflib.live.mqtt.client import (
    CONNECT_TIMEOUT,
    PASSING,
    connect,
    make_client,
    make_properties,
    refusal,
)
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.log.source import Source
from jelly_rdflib.options import Limits
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.patch.reading import read_patches

# A position lists at most this many streams, or more while they have unacknowledged patches.
_MOST_STREAMS = 100
# The seconds that disconnecting from the broker may take.
_CLOSE_TIMEOUT = 0.9


def _stamp(message: MQTTMessage) -> tuple[str, int]:
    """Return the stream and the number that a sink has given to a message, or "" and 0."""
    found = dict(getattr(message.properties, "UserProperty", ()))
    stream, _, number = found.get("jelly-patch", "").rpartition("/")
    is_ours = len(stream) <= 64 and number.isdecimal() and len(number) < 18
    return (stream, int(number)) if is_ours else ("", 0)


class MqttSource(Source):
    """The patches of a topic, or of all topics that a filter matches.

    Its `position` contains the last number of each sink's stream. By these numbers the source drops
    patches that the broker sends again, and notices patches that are missing.
    """

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        super().__init__(str(address), timeout)
        self._topic, self._limits = address.path, limits
        self._decoder = LiveDecoder(limits)
        # In a shared subscription each member gets only some of the patches, so the numbers have
        # gaps.
        self.has_positions = not self._topic.startswith("$share/")
        session = address.take("session", str, "")
        self._has_session, self._is_kept = bool(session), bool(session)
        self._accepts_loss = address.choose("lost", ("error", "warn")) == "warn"
        self._bad = BadMessages(address)
        self._most = address.take("receive_maximum", int, 65535)
        # For each stream, the last number that was passed on, and the last acknowledged as stored.
        self._numbers: dict[str, int] = {}
        self._kept: dict[str, int] = {}
        self._arrived: deque[MQTTMessage] = deque()
        self._patches: deque[Patch] = deque()
        # The packet ids of messages that were passed on; `_acknowledged` has those of messages
        # that the broker may forget.
        self._passed: list[int] = []
        # How many of `_passed` belong to patches that were returned, and the numbers at that time.
        self._given: tuple[int, dict[str, int]] = 0, {}
        self._given_before = self._given
        self._acknowledged: list[int] = []
        self._lock = threading.Lock()
        self._error: Exception | None = None
        self._is_open = self._was_kept = False
        self._waits, self._retry_at = waits(), 0.0
        self._client = client = make_client(session or f"jelly-{token_urlsafe(12)}")
        client.on_connect, client.on_subscribe = self._on_connect, self._on_subscribe
        client.on_message = lambda client, data, message: self._arrived.append(message)
        expiry = address.take("expiry", int, 86400 if session else 600)
        properties = {"SessionExpiryInterval": expiry, "ReceiveMaximum": self._most}
        clean_start = False if session else MQTT_CLEAN_START_FIRST_ONLY
        connect(address, client, clean_start, **properties)
        end = time.monotonic() + CONNECT_TIMEOUT
        while not self._is_open and self._error is None:
            if client.loop(0.1) or time.monotonic() > end:
                self._error = self._error or ConnectionError(
                    f"{self.url}: no MQTT 5 broker answers"
                )
        if self._error is not None:
            self.close()
            raise self._error

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, _: Any) -> None:
        if reason.is_failure:
            if not self._is_open or reason.value not in PASSING:
                self._error = refusal(self.url, reason, "the connection")
            return
        # The broker sends unacknowledged messages again, except those with QoS 0.
        self._arrived = deque(message for message in self._arrived if message.qos == 0)
        self._passed, self._acknowledged, self._waits = [], [], waits()
        self._given = 0, self._given[1]
        self._was_kept = flags.session_present
        if self._is_open and not self._was_kept:
            self._note_new_session()
        if self._error is None:
            client.subscribe(self._topic, options=SubscribeOptions(qos=1, retainHandling=2))
        # Do this last, since it may warn, and the program may turn warnings into errors.
        self._link.set(None)

    def _on_subscribe(self, client: Client, data: Any, mid: int, reasons: Any, _: Any) -> None:
        if reasons[0].is_failure:
            self._error = refusal(self.url, reasons[0], "the subscription")
        self._is_open = True

    def _note_new_session(self) -> None:
        self._lose("the broker no longer has this client's session")
        # If the loss is an error, end this new session on closing: the next connection would
        # mistake it for the old one.
        self._is_kept = self._has_session and self._accepts_loss

    def _lose(self, why: str) -> None:
        if self._accepts_loss:
            warn(f"{self.url}: patches are lost: {why}", TopicWarning)
        else:
            text = f"{self.url}: patches are lost: {why}; the setting lost=warn makes it a warning"
            self._error = ConnectionError(text)

    @property
    def _position(self) -> str | None:
        """The last number of each stream, as JSON; None for a shared subscription."""
        return json.dumps(self._numbers) if self.has_positions else None

    def resume(self, position: str) -> None:
        """Go on from a `position`; call this before the first patch is received."""
        try:
            self._numbers = {str(stream): int(n) for stream, n in json.loads(position).items()}
        except (ValueError, TypeError, AttributeError):
            raise ValueError(
                f"{self.url}: this is not a position in a topic: {position!r}"
            ) from None
        if not self.has_positions:
            raise ValueError(f"{self.url}: a shared subscription has no positions")
        self._kept = dict(self._numbers)
        self._given = 0, self._kept
        if not self._has_session:
            self._lose("to go on from a position, the setting session is needed")
        elif not self._was_kept:
            self._note_new_session()
        if self._error is not None:
            self.close()
            raise self._error

    @property
    def must_be_acknowledged(self) -> bool:
        """Whether the broker will soon stop sending until `acknowledge` is called."""
        return 2 * len(self._passed) >= self._most

    def _acknowledge(self) -> None:
        """Let the next `receive` or `close` acknowledge all patches so far to the broker."""
        count, self._kept = self._given
        self._acknowledged += self._passed[:count]
        for stream in list(self._numbers)[: -max(_MOST_STREAMS, len(self._passed))]:
            del self._numbers[stream]
            self._kept.pop(stream, None)
        del self._passed[:count]
        self._given = 0, self._kept

    def _receive(self, wait: float) -> Patch | None:
        with self._lock:
            for packet in self._acknowledged:
                self._client.ack(packet, 1)
            self._acknowledged = []
            if not self._patches and not self._arrived and self._error is None:
                self._turn(wait)
            while not self._patches and self._arrived and self._error is None:
                self._take(self._arrived.popleft())
            if self._error is not None:
                raise self._error
            patch = self._patches.popleft() if self._patches else None
            if patch is not None and not self._patches:
                self._given_before = self._given
                self._pass(self._message, is_given=True)
            return patch

    def leave_out(self, error: JellyError) -> None:
        """Leave out the last patch, as if its message could not be decoded."""
        self._bad.leave_out(error, *self._place(self._message))
        if not self._patches and self._must_come_again(self._given_before[1]):
            self._given = self._given_before

    def _turn(self, wait: float) -> None:
        """Let the client work for a while, or reconnect it."""
        if self._has_session and len(self._passed) >= self._most:
            raise ConnectionError(
                f"{self.url}: {self._most} patches arrived, but acknowledge() was not called"
            )
        if self._client.socket() is None:
            if self._link.error is None:
                self._link.set(ConnectionError(f"{self.url}: the connection was lost"))
            pause = self._retry_at - time.monotonic()
            if pause > 0:
                time.sleep(min(pause, wait))
                return
            self._retry_at = time.monotonic() + next(self._waits)
            # If this fails, the next call tries again.
            try:
                self._client.reconnect()
            except OSError as error:
                self._link.set(error)
        self._client.loop(wait)

    def _take(self, message: MQTTMessage) -> None:
        """Decode a message, unless its patch was passed on before."""
        self._message = message
        stream, number = _stamp(message)
        last = self._numbers.get(stream) if self.has_positions else None
        if last is not None and number > last + 1:
            self._lose(f"in the stream {stream}, number {number} comes after number {last}")
        if self._error is not None:
            return
        is_known = last is not None and number <= last
        if is_known and message.qos and number <= self._kept.get(stream, 0):
            self._acknowledged.append(message.mid)
            return
        try:
            # Skip an empty message: it only deletes the message that a broker retains for new
            # subscribers.
            if not is_known and message.payload:
                self._patches.extend(self._decode(message.payload))
        except DecodeError as error:
            self._patches.clear()
            self._bad.leave_out(error, *self._place(message))
        finally:
            if not self._patches:
                self._pass(message)

    def _place(self, message: MQTTMessage) -> tuple[str, list[object], bytes]:
        """Return a message's position, as a string and as parts of a file name, and its payload."""
        stream, number = _stamp(message)
        # Leave the packet id out of the file name: it changes when the message is sent again.
        where = [message.topic, *((stream, number) if stream else ())]
        place = f"{stream} {number}" if stream else f"packet {message.mid}"
        return f"{self.url}: message {message.topic} {place}", where, bytes(message.payload)

    def _decode(self, payload: bytes | bytearray) -> list[Patch]:
        # Most messages are one frame with whole patches: for these, reuse a decoder, which is
        # faster.
        if starts_stream(payload):
            with suppress(DecodeError):
                patches = list(self._decoder.decode(payload))
                if patches and not self._decoder.is_open:
                    return patches
        settings: Any = {"limits": self._limits, "normalize": False, "format": "jelly-patch"}
        return list(read_patches(payload, **settings))

    def _pass(self, message: MQTTMessage, *, is_given: bool = False) -> None:
        """Count a message as passed on."""
        stream, number = _stamp(message)
        if stream:
            # Move the stream to the end: the newest one comes last.
            self._numbers[stream] = max(number, self._numbers.pop(stream, 0))
        if message.qos:
            self._passed.append(message.mid)
        if is_given or not self._must_come_again(self._given[1]):
            self._given = len(self._passed), dict(self._numbers)
        if not self._has_session:
            self._acknowledge()

    def _must_come_again(self, before: dict[str, int]) -> bool:
        """Return whether the broker must resend the messages that were left out since a patch.

        Their numbers are stored only with the position of a later patch. If the source restarts
        before that and does not get these messages again, it takes them for lost patches.
        """
        return self._has_session and self.has_positions and self._numbers != before

    def _close(self) -> None:
        # Don't wait long for the lock: another thread may hold it while it waits for a connection.
        if self._lock.acquire(timeout=_CLOSE_TIMEOUT):
            for packet in self._acknowledged:
                self._client.ack(packet, 1)
            expiry = {} if self._is_kept else {"SessionExpiryInterval": 0}
            self._client.disconnect(properties=make_properties(PacketTypes.DISCONNECT, **expiry))
            end = time.monotonic() + _CLOSE_TIMEOUT
            while self._client.socket() is not None and time.monotonic() < end:
                self._client.loop(0.1)
            self._lock.release()

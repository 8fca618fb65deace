"""Topics of MQTT brokers as sources and sinks; docs/live/mqtt.md lists the settings."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import DecodeError, EncodeError
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import FrameEncoder
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.live.source import Source
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.patch.reading import read_patches

# A position has so many streams, or those of all patches that are not acknowledged.
_MOST_STREAMS = 100
# Seconds for the broker to answer at first, and to take leave.
_CONNECT_TIMEOUT, _CLOSE_TIMEOUT = 10.0, 0.9
# The largest payload of the protocol, and the room that the other fields of a packet may take.
_MOST_BYTES, _HEADER_BYTES = 268_435_455, 128
# Patches that a sink sends before the first of them is acknowledged.
_MOST_IN_FLIGHT = 100
# Reason codes: wrong password, not authorized, banned, bad method; unavailable, busy, too often.
_FORBIDDEN, _PASSING, _TOO_LARGE = (134, 135, 138, 140), (136, 137, 159), 149


def _connect(address: Address, client: Client, clean_start: Any, **properties: int) -> None:
    """Connect a client by what settings are left."""
    if user := address.take("user", str, ""):
        client.username_pw_set(user, address.take("password", str, "") or None)
    ca, certificate, key = (address.take(x, str, "") or None for x in ("ca", "certificate", "key"))
    is_secure = address.scheme == "mqtts"
    if is_secure:
        client.tls_set(ca, certificate, key)
    keepalive = address.take("keepalive", int, 60)
    address.check_all_taken()
    place = urlsplit(f"//{address.host}")
    client.connect_timeout = _CONNECT_TIMEOUT
    try:
        client.connect(
            place.hostname or "localhost",
            place.port or (8883 if is_secure else 1883),
            keepalive,
            clean_start=clean_start,
            properties=_properties(PacketTypes.CONNECT, **properties),
        )
    except OSError as error:
        raise ConnectionError(f"{address}: {error}") from error


def _properties(kind: int, **values: Any) -> Any:
    made: Any = Properties(kind)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(made, name, value)
    return made


def _client(name: str) -> Client:
    return Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTv5, manual_ack=True)


def _refusal(url: str, reason: Any, what: str) -> Exception:
    """Return the error for a reason code of the broker."""
    kinds: dict[int, type[Exception]]
    kinds = {**dict.fromkeys(_FORBIDDEN, PermissionError), _TOO_LARGE: EncodeError}
    return kinds.get(reason.value, ConnectionError)(f"{url}: the broker refuses {what}: {reason}")


def _stamp(message: MQTTMessage) -> tuple[str, int]:
    """Return the stream and the number that a sink has given to a message, or nothing and 0."""
    found = dict(getattr(message.properties, "UserProperty", ()))
    stream, number = found.get("stream", ""), found.get("sequence", "")
    is_ours = len(stream) <= 64 and number.isdecimal() and len(number) < 18
    return (stream, int(number)) if is_ours else ("", 0)


class MqttSource(Source):
    """The patches of a topic, or of all topics that a filter matches.

    Its `position` has the last number of each sink's stream. By it patches that the broker sends
    again are dropped, and patches that it did not send are noticed.
    """

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        super().__init__(str(address), timeout)
        self._topic, self._limits = address.path, limits
        # Members of a shared subscription get only some of the patches.
        self._is_shared = self._topic.startswith("$share/")
        session = address.take("session", str, "")
        self._has_session, self._is_kept = bool(session), bool(session)
        self._accepts_loss = address.choose("lost", ("error", "warn")) == "warn"
        self._most = address.take("receive_maximum", int, 65535)
        # The last numbers of the streams: of what was passed on, and of what is kept.
        self._numbers: dict[str, int] = {}
        self._kept: dict[str, int] = {}
        self._arrived: deque[MQTTMessage] = deque()
        self._patches: deque[Patch] = deque()
        self._place: str | None = None
        # Packet ids: of messages that were passed on, and of those that the broker may forget.
        self._passed: list[int] = []
        self._acknowledged: list[int] = []
        self._lock = threading.Lock()
        self._error: Exception | None = None
        self._is_open = self._was_kept = False
        self._waits, self._retry_at = waits(), 0.0
        self._client = client = _client(session or f"jelly-{token_urlsafe(12)}")
        client.on_connect, client.on_subscribe = self._on_connect, self._on_subscribe
        client.on_message = lambda client, data, message: self._arrived.append(message)
        expiry = address.take("expiry", int, 86400 if session else 600)
        properties = {"SessionExpiryInterval": expiry, "ReceiveMaximum": self._most}
        clean_start = False if session else MQTT_CLEAN_START_FIRST_ONLY
        _connect(address, client, clean_start, **properties)
        end = time.monotonic() + _CONNECT_TIMEOUT
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
            if not self._is_open or reason.value not in _PASSING:
                self._error = _refusal(self.url, reason, "the connection")
            return
        # What was not acknowledged comes again, unless its sender did not ask for that.
        self._arrived = deque(message for message in self._arrived if message.qos == 0)
        self._passed, self._acknowledged, self._waits = [], [], waits()
        self._was_kept = flags.session_present
        if self._is_open and not self._was_kept:
            self._note_new_session()
        if self._error is None:
            client.subscribe(self._topic, options=SubscribeOptions(qos=1, retainHandling=2))

    def _on_subscribe(self, client: Client, data: Any, mid: int, reasons: Any, _: Any) -> None:
        if reasons[0].is_failure:
            self._error = _refusal(self.url, reasons[0], "the subscription")
        self._is_open = True

    def _note_new_session(self) -> None:
        self._lose("the broker has no session of this client any more")
        # The next try must not take the session that was made by this one for the old one.
        self._is_kept = self._has_session and self._accepts_loss

    def _lose(self, why: str) -> None:
        if self._accepts_loss:
            warn(f"{self.url}: patches are lost: {why}")
        else:
            text = f"{self.url}: patches are lost: {why}; with the setting lost=warn this goes on"
            self._error = ConnectionError(text)

    @property
    def _position(self) -> str | None:
        """The last number of each stream, as JSON; None for a shared subscription."""
        return None if self._is_shared else json.dumps(self._numbers)

    def resume(self, position: str) -> None:
        """Go on from a `position`, before the first patch was received."""
        try:
            self._numbers = {str(stream): int(n) for stream, n in json.loads(position).items()}
        except (ValueError, TypeError, AttributeError):
            raise ValueError(f"{self.url}: this is no position in a topic: {position!r}") from None
        if self._is_shared:
            raise ValueError(f"{self.url}: a shared subscription has no positions")
        self._kept = dict(self._numbers)
        if not self._has_session:
            self._lose("to go on from a position takes the setting session")
        elif not self._was_kept:
            self._note_new_session()
        if self._error is not None:
            self.close()
            raise self._error

    @property
    def must_be_acknowledged(self) -> bool:
        """Whether the broker will soon wait for `acknowledge`."""
        return 2 * len(self._passed) >= self._most

    def _acknowledge(self) -> None:
        """Have the next `receive`, or `close`, tell the broker that all patches so far are kept."""
        self._acknowledged += self._passed
        for stream in list(self._numbers)[: -max(_MOST_STREAMS, len(self._passed))]:
            del self._numbers[stream]
        self._passed, self._kept = [], dict(self._numbers)

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
                self._pass(self._message)
            return patch

    def _turn(self, wait: float) -> None:
        """Let the client do what there is to do, or connect it again."""
        if self._has_session and len(self._passed) >= self._most:
            raise ConnectionError(
                f"{self.url}: {self._most} patches came, and acknowledge() was not called"
            )
        if self._client.socket() is None:
            pause = self._retry_at - time.monotonic()
            if pause > 0:
                time.sleep(min(pause, wait))
                return
            self._retry_at = time.monotonic() + next(self._waits)
            # If the broker is not there, it is tried again.
            with suppress(OSError):
                self._client.reconnect()
        self._client.loop(wait)

    def _take(self, message: MQTTMessage) -> None:
        """Decode a message, unless its patch was passed on before."""
        self._message = message
        stream, number = _stamp(message)
        self._place = f"{message.topic} {stream} {number}"
        last = None if self._is_shared else self._numbers.get(stream)
        if last is not None and number > last + 1:
            self._lose(f"after number {last} of the stream {stream} comes {number}")
        if self._error is not None:
            return
        is_known = last is not None and number <= last
        options: Any = {"limits": self._limits, "normalize": False, "format": "jelly-patch"}
        if is_known and message.qos and number <= self._kept.get(stream, 0):
            self._acknowledged.append(message.mid)
            return
        try:
            # An empty message is how the one that a broker keeps for late joiners is deleted.
            if not is_known and message.payload:
                self._patches.extend(read_patches(message.payload, **options))
        except DecodeError as error:
            self._patches.clear()
            error.message = f"{self.url}: message {self._place}: {error.message}"
            raise
        finally:
            if not self._patches:
                self._pass(message)

    def _pass(self, message: MQTTMessage) -> None:
        """Count a message as passed on."""
        stream, number = _stamp(message)
        if stream:
            # The newest stands at the end.
            self._numbers[stream] = max(number, self._numbers.pop(stream, 0))
        if message.qos:
            self._passed.append(message.mid)
        if not self._has_session:
            self._acknowledge()

    def _close(self) -> None:
        # Another thread may be waiting for a connection.
        if self._lock.acquire(timeout=_CLOSE_TIMEOUT):
            for packet in self._acknowledged:
                self._client.ack(packet, 1)
            expiry = {} if self._is_kept else {"SessionExpiryInterval": 0}
            self._client.disconnect(properties=_properties(PacketTypes.DISCONNECT, **expiry))
            end = time.monotonic() + _CLOSE_TIMEOUT
            while self._client.socket() is not None and time.monotonic() < end:
                self._client.loop(0.1)
            self._lock.release()


class MqttSink(Sink):
    """A topic that patches are sent to: one message for each, which is a stream of its own."""

    def __init__(self, address: Address, limits: Limits, options: PatchOptions | None) -> None:
        super().__init__(str(address), limits)
        self._topic = address.path
        if not self._topic or set(self._topic) & set("+#"):
            raise ValueError(f"{address}: a sink needs the name of one topic")
        self._wait = address.take("wait", float, 30.0)
        self._encoder = FrameEncoder(options, restart_every=1, max_frame_size=_MOST_BYTES)
        self._stream, self._number = token_urlsafe(12), 0
        # To be copied, since it takes long to make one.
        kind = "application/x-jelly-rdf-patch"
        self._properties = _properties(PacketTypes.PUBLISH, ContentType=kind)
        # What the broker has not acknowledged, by packet id, in order; and what it has answered.
        self._pending: dict[int, tuple[int, bytes, Properties]] = {}
        self._answers: deque[tuple[int, Any]] = deque()
        self._lock, self._news = threading.Lock(), threading.Event()
        self._is_connected = False
        self._error: Exception | None = None
        self._client = client = _client(f"jelly-{token_urlsafe(12)}")
        # What waits is sent again by this class, since the client does not keep its order.
        client.max_inflight_messages = 0
        client.reconnect_delay_set(1, 5)
        client.on_connect, client.on_publish = self._on_connect, self._on_publish
        client.on_disconnect = lambda *_: setattr(self, "_is_connected", False)
        _connect(address, client, True)
        client.loop_start()
        self._news.wait(_CONNECT_TIMEOUT)
        if not self._is_connected:
            self.close()
            raise self._error or ConnectionError(f"{self.url}: no MQTT 5 broker answers")

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, found: Any) -> None:
        """Send again what waits: in the client's thread."""
        with self._lock:
            if reason.is_failure:
                self._error = _refusal(self.url, reason, "the connection")
            else:
                self._settle()
                self._most = min(_MOST_IN_FLIGHT, getattr(found, "ReceiveMaximum", 65535))
                self._most_bytes = getattr(found, "MaximumPacketSize", _MOST_BYTES)
                client.drop_out_messages()
                waiting, self._pending = self._pending, {}
                for item in waiting.values():
                    self._publish(item)
                self._is_connected = True
        self._news.set()

    def _on_publish(self, client: Client, data: Any, mid: int, reason: Any, _: Any) -> None:
        """Take an answer: in the client's thread, which holds a lock that `_publish` needs."""
        self._answers.append((mid, reason))
        self._news.set()

    def _publish(self, item: tuple[int, bytes, Properties]) -> None:
        info = self._client.publish(self._topic, item[1], qos=1, properties=item[2])
        self._pending[info.mid] = item

    def _settle(self) -> bool:
        """Use the broker's answers; return whether there were any."""
        count = len(self._answers)
        for mid, reason in [self._answers.popleft() for _ in range(count)]:
            item = self._pending.pop(mid, None)
            if item is not None and reason.is_failure:
                self._error = _refusal(self.url, reason, f"patch {item[0]}")
        return count > 0

    def _send(self, patch: Patch) -> None:
        frames: list[Any] = self._encoder.encode(patch)
        # The object of a view is the frame with its length before it.
        payload = bytes(frames[0]) if len(frames) == 1 else b"".join(each.obj for each in frames)
        self._wait_for(lambda: self._is_connected and len(self._pending) < self._most)
        size = len(payload) + len(self._topic.encode()) + _HEADER_BYTES
        if size > self._most_bytes:
            most = f"the broker takes {self._most_bytes}"
            raise EncodeError(f"{self.url}: a patch makes a message of {size} bytes, and {most}")
        properties = copy(self._properties)
        properties.UserProperty = [("stream", self._stream), ("sequence", str(self._number + 1))]
        with self._lock:
            self._number += 1
            self._publish((self._number, payload, properties))

    def _flush(self) -> None:
        self._wait_for(lambda: not self._pending)

    def _wait_for(self, is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + self._wait
        while True:
            self._news.clear()
            with self._lock:
                if self._settle():
                    end = time.monotonic() + self._wait
                if self._error is None and is_done():
                    return
            if self._error is not None or time.monotonic() > end:
                self._fail()
            self._news.wait(0.25)

    def _fail(self) -> None:
        """Give up what was not acknowledged, and say so; the next patch starts a new stream."""
        with self._lock:
            numbers = [number for number, _, _ in self._pending.values()]
            self._pending, error, self._error = {}, self._error, None
            self._client.drop_out_messages()
            self._stream, self._number = token_urlsafe(12), 0
        what = f"{self.url}: the broker does not answer" if error is None else str(error)
        if numbers:
            what += f"; not acknowledged: patches {numbers[0]} to {numbers[-1]} of this stream"
        raise (ConnectionError if error is None else type(error))(what) from error

    def _close(self) -> None:
        # Or its thread would wait for what was given up.
        self._client.drop_out_messages()
        self._client.disconnect()
        self._client.loop_stop()


open_source, open_sink = MqttSource, MqttSink

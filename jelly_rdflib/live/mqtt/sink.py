"""MQTT topics as sinks."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from secrets import token_urlsafe
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.packettypes import PacketTypes

from jelly_rdflib.errors import EncodeError
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import LiveEncoder
from jelly_rdflib.live.mqtt.client import (
    CONNECT_TIMEOUT,
    connect,
    make_client,
    make_properties,
    refusal,
)
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch

# In bytes: the protocol's maximum packet size, and the most that a packet needs besides topic and
# payload.
_MOST_BYTES, _HEADER_BYTES = 268_435_455, 128
# How many patches a sink may send before the first of them is acknowledged.
_MOST_IN_FLIGHT = 100


class MqttSink(Sink):
    """A topic to which each patch is sent as one message that is a complete stream."""

    def __init__(self, address: Address, limits: Limits, options: PatchOptions | None) -> None:
        super().__init__(str(address), limits)
        self._topic = address.path
        if not self._topic or set(self._topic) & set("+#"):
            raise ValueError(f"{address}: a sink needs the name of one topic")
        self._wait = address.take("wait", float, 30.0)
        self._encoder = LiveEncoder(options, restart_every=1, max_frame_size=_MOST_BYTES)
        self._stream, self._number = token_urlsafe(12), 0
        # Create these properties once for all messages, since creating them is slow.
        kind = "application/x-jelly-rdf-patch"
        self._properties = make_properties(
            PacketTypes.PUBLISH, ContentType=kind, UserProperty=("jelly-patch", "")
        )
        # Unacknowledged patches by packet id, in order; and the broker's responses.
        self._pending: dict[int, tuple[int, bytes]] = {}
        self._answers: deque[tuple[int, Any]] = deque()
        self._lock, self._news = threading.Lock(), threading.Event()
        self._is_connected = False
        self._error: Exception | None = None
        self._client = client = make_client(f"jelly-{token_urlsafe(12)}")
        # Waiting messages are sent again by this class, since the client does not keep their order.
        client.max_inflight_messages = 0
        client.reconnect_delay_set(1, 5)
        client.on_connect, client.on_publish = self._on_connect, self._on_publish
        client.on_disconnect = lambda *_: setattr(self, "_is_connected", False)
        connect(address, client, True)
        client.loop_start()
        self._news.wait(CONNECT_TIMEOUT)
        if not self._is_connected:
            self.close()
            raise self._error or ConnectionError(f"{self.url}: no MQTT 5 broker answers")

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, found: Any) -> None:
        """Send waiting patches again; this runs in the client's thread."""
        with self._lock:
            if reason.is_failure:
                self._error = refusal(self.url, reason, "the connection")
            else:
                self._settle()
                self._most = min(_MOST_IN_FLIGHT, getattr(found, "ReceiveMaximum", 65535))
                self._most_bytes = getattr(found, "MaximumPacketSize", _MOST_BYTES)
                client.drop_out_messages()
                waiting, self._pending = self._pending, {}
                for item in waiting.values():
                    self._publish(*item)
                self._is_connected = True
        self._news.set()

    def _on_publish(self, client: Client, data: Any, mid: int, reason: Any, _: Any) -> None:
        """Store a response; this runs in the client's thread, with a lock that `_publish` needs."""
        self._answers.append((mid, reason))
        self._news.set()

    def _publish(self, number: int, payload: bytes) -> None:
        self._properties.UserProperty[0] = ("jelly-patch", f"{self._stream}/{number}")
        info = self._client.publish(self._topic, payload, qos=1, properties=self._properties)
        self._pending[info.mid] = number, payload

    def _settle(self) -> bool:
        """Handle the broker's responses; return whether there were any."""
        count = len(self._answers)
        for mid, reason in [self._answers.popleft() for _ in range(count)]:
            item = self._pending.pop(mid, None)
            if item is not None and reason.is_failure:
                self._error = refusal(self.url, reason, f"patch {item[0]}")
        return count > 0

    def _send(self, patch: Patch) -> None:
        frames = self._encoder.encode(patch)
        payload = frames[0] if len(frames) == 1 else b"".join(map(_delimited, frames))
        self._wait_for(lambda: self._is_connected and len(self._pending) < self._most)
        size = len(payload) + len(self._topic.encode()) + _HEADER_BYTES
        if size > self._most_bytes:
            most = f"the broker accepts at most {self._most_bytes}"
            raise EncodeError(f"{self.url}: a patch makes a message of {size} bytes, but {most}")
        with self._lock:
            self._number += 1
            self._publish(self._number, payload)

    def flush(self) -> None:
        """Wait until all patches are accepted; see `Sink.flush`."""
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
        """Discard unacknowledged patches and raise an error; the next patch starts a new stream."""
        with self._lock:
            numbers = [number for number, _ in self._pending.values()]
            self._pending, error, self._error = {}, self._error, None
            self._client.drop_out_messages()
            self._stream, self._number = token_urlsafe(12), 0
        what = f"{self.url}: the broker does not answer" if error is None else str(error)
        if numbers:
            what += f"; not acknowledged: patches {numbers[0]} to {numbers[-1]} of this stream"
        raise (ConnectionError if error is None else type(error))(what) from error

    def _close(self) -> None:
        # The client's thread ends only when no message is waiting.
        self._client.drop_out_messages()
        self._client.disconnect()
        self._client.loop_stop()


def _delimited(frame: bytes) -> bytes:
    """Return a frame prefixed with its length, a varint."""
    size, length = len(frame), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*length, size]) + frame

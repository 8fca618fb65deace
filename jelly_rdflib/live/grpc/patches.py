"""Patches over gRPC: a source and a sink for a patch log on a server."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import grpc

from jelly_rdflib.errors import DecodeError, MissingVersion
from jelly_rdflib.formats.protobuf.messages import parse_message
from jelly_rdflib.headers import ID, PREV, SQUASHED
from jelly_rdflib.live.address import Address
from jelly_rdflib.live.frames import LiveDecoder, LiveEncoder
from jelly_rdflib.live.grpc.client import STRANGE, GrpcClient
from jelly_rdflib.live.grpc.wire import LOOKUPS, MAX_FRAME, PATCH_SERVICE, subscribe_message
from jelly_rdflib.live.sink import Sink
from jelly_rdflib.live.threaded import ThreadedSource
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.names import InvalidId, make_patch_id, parse_patch_id
from jelly_rdflib.log.versions import (
    Point,
    Version,
    check_chain,
    check_log_id,
    check_same,
    position_of,
    version_at,
)
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch

SUBSCRIBE = f"/{PATCH_SERVICE}/SubscribePatches"
PUBLISH = f"/{PATCH_SERVICE}/PublishPatches"

# How many patches may be unacknowledged, and how many bytes they may have together.
_MOST_PATCHES, _MOST_BYTES = 1000, 16 << 20
_FIRST_SECONDS = 10.0
# Give up after this many server faults in a row, without a patch between them.
_MOST_STRANGE = 5
# Give up after this many frames in a row without a patch.
_MOST_EMPTY = 100


class GrpcSource(ThreadedSource):
    """The patches of a log on a gRPC server as they are appended; for ``start`` see `LogSource`."""

    def __init__(self, address: Address, limits: Limits, timeout: float | None) -> None:
        super().__init__(str(address), timeout)
        start = address.take("start", str, "earliest")
        self._limits = limits
        self._start = {"earliest": "0", "latest": None}.get(start, start)
        self._client = GrpcClient(address, limits)
        self._log_id = ""
        try:
            # Subscribe once now, so that a wrong address or token is reported here.
            call = self._subscribe(version_at(self._start))
            self._start = position_of(self._begin(call))
            call.cancel()
        except BaseException as error:
            self._client.close()
            if isinstance(error, (grpc.RpcError, ConnectionError)):
                raise self._client.error(error) from None
            raise

    def _begin(self, call: Any) -> Point:
        """Return the version at which a response starts; raise a LogError for another log."""
        told = self._client.told_by(call)
        self._log_id = check_log_id(self._log_id, told.get("log", ""), self.url)
        id = told.get("id")
        return Point(int(told["version"]), parse_patch_id(id) if id else None)

    def _subscribe(self, version: Version) -> Any:
        lookups = {name: min(size, getattr(self._limits, name)) for name, size in LOOKUPS.items()}
        requested = PatchOptions(rdf_star=True, generalized_statements=True, **lookups)
        since = (version.id or version.version) if isinstance(version, Point) else version
        if isinstance(since, int) and since >> 63:
            # The message's field is a signed 64-bit integer.
            raise MissingVersion(f"{self.url}: there is no version {since}")
        fields = {"since_version" if isinstance(since, int) else "since_id": since}
        fields["topic"] = self._client.topic
        request = subscribe_message("patch_grpc.proto", "RdfPatchSubscribe", requested, **fields)
        return self._client.call("unary_stream", SUBSCRIBE, request)

    def _read(self, version: Version) -> Generator[tuple[Patch, Point], None, None]:
        retries, strange, empty = waits(), 0, 0
        while not self._is_closed.is_set():
            decoder = LiveDecoder(self._limits, on_repeated_options="continue")
            call, started = self._subscribe(version), time.monotonic()
            try:
                point = self._begin(call)
                if isinstance(version, Point):
                    check_same(version, point, self.url)
                version = point
                self._link.begin()
                for frame in call:
                    for patch in decoder.decode(frame):
                        self._link.set(None)
                        version = point = _follow(point, patch, self.url)
                        yield patch, point
                        retries, strange, empty = waits(), 0, -1
                    empty = 0 if decoder.is_open else empty + 1
                    if empty > _MOST_EMPTY:
                        raise DecodeError(f"{empty} frames in a row have no patch")
                self._link.end()
            except (grpc.RpcError, ConnectionError) as error:
                # A call that lasted a while doesn't count as a failure: a proxy may have ended it.
                if time.monotonic() > started + _FIRST_SECONDS:
                    strange = 0
                strange += isinstance(error, grpc.RpcError) and error.code().name in STRANGE
                if not self._client.is_lost(error) or strange > _MOST_STRANGE:
                    raise self._client.error(error) from None
                self._link.set(self._client.error(error))
            except DecodeError as error:
                error.source = f"{self.url}, after {version}"
                raise
            finally:
                call.cancel()
            self._is_closed.wait(next(retries))

    def _close(self) -> None:
        self._client.close()


def _follow(point: Point, patch: Patch, url: str) -> Point:
    """Return the version that a patch makes; raise a LogError if it does not follow ``point``."""
    header = patch.header
    if ID not in header:
        raise DecodeError("a patch has no id, so its position can't be stored")
    id = parse_patch_id(header[ID])
    prev = parse_patch_id(header[PREV]) if PREV in header else None
    first = point.version + 1
    last = str(header.get(SQUASHED, "")).rpartition("-")[2]
    version = int(last) if last.isdecimal() else first
    row = version, first, str(id), prev and str(prev), "", 0, "", 0.0
    check_chain([LogEntry(row, Path(), Limits())], point, None, url)
    return Point(version, id)


class GrpcSink(Sink):
    """Sends patches to a patch log on a gRPC server.

    All patches are sent in one call, as one stream, and the server acknowledges each. So the sink
    need not wait after each patch, but knows which patches the server has accepted. If the
    connection is lost, the sink tries for ``wait`` seconds to send unacknowledged patches again.
    This does no harm, since the server accepts each id only once.
    """

    def __init__(self, address: Address, limits: Limits, options: PatchOptions | None) -> None:
        super().__init__(str(address), limits)
        self._wait = address.take("wait", float, 30.0)
        self._client = GrpcClient(address, limits)
        self._encoder = LiveEncoder(options, restart_every=sys.maxsize, max_frame_size=MAX_FRAME)
        # The unacknowledged patches: each as its parts, the size of its frames, and its id.
        self._sent: deque[tuple[list[Patch], int, str]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._error: Exception | None = None
        self._lost_at: float | None = None
        self._retries = waits()
        try:
            self._client.told_by(self._connect())
        except BaseException as error:
            self._client.close()
            if isinstance(error, (grpc.RpcError, ConnectionError)):
                raise self._client.error(error) from None
            raise

    def _connect(self) -> Any:
        """Start a call, and send the unacknowledged patches again."""
        self._error = None
        self._encoder.restart()
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        call = self._client.call("stream_stream", PUBLISH, iter(self._frames.get, None))
        for parts, _, _ in self._sent:
            self._put(self._encoder.encode(*parts))
        arguments = (call, self._frames)
        threading.Thread(target=self._listen, args=arguments, name=repr(self), daemon=True).start()
        return call

    def _put(self, frames: list[bytes]) -> None:
        for frame in frames:
            self._frames.put(frame)

    def _listen(self, call: Any, frames: queue.SimpleQueue[bytes | None]) -> None:
        """Handle the responses of a call; this runs in a thread."""
        ended: Exception = ConnectionError("the server has ended the stream")
        try:
            for answer in call:
                id = parse_message("patch_grpc.proto", "RdfPatchReceived", answer).id
                with self._changed:
                    if not self._sent or str(parse_patch_id(self._sent[0][2])) != id:
                        raise ConnectionError(f"the server acknowledges <{id}>, which was not sent")
                    self._bytes -= self._sent.popleft()[1]
                    self._lost_at, self._retries = None, waits()
                    self._changed.notify()
        except (grpc.RpcError, ConnectionError, DecodeError, InvalidId) as error:
            ended = error
            call.cancel()
        # grpc's thread waits for frames to send: end its iteration.
        frames.put(None)
        with self._changed:
            self._error = ended
            self._changed.notify()

    def _send(self, patch: Patch) -> None:
        parts, id = [patch], patch.header.get(ID)
        if id is None:
            id = make_patch_id()
            parts.insert(0, Patch([(Op.H, ID, id)]))
        self._await(lambda: len(self._sent) < _MOST_PATCHES and self._bytes < _MOST_BYTES)
        frames = self._encoder.encode(*parts)
        size = sum(map(len, frames))
        with self._changed:
            self._sent.append((parts, size, str(id)))
            self._bytes += size
        self._put(frames)

    def flush(self) -> None:
        """Wait until all patches are accepted; see `Sink.flush`."""
        while self._sent:
            self._await(lambda: not self._sent)

    def _await(self, is_done: Callable[[], bool]) -> None:
        """Wait until ``is_done()`` is true; restart the call if it is lost."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._error is not None or is_done())
                error = self._error
                if error is None:
                    return
                now, wait = time.monotonic(), next(self._retries)
                self._lost_at = self._lost_at or now
                if not self._client.is_lost(error) or now + wait > self._lost_at + self._wait:
                    more = ""
                    if self._sent:
                        count, first = len(self._sent), self._sent[0][2]
                        more = f"; patches from <{first}> on ({count}) may not have been accepted"
                    self._lost_at, self._bytes = None, 0
                    self._sent.clear()
                    raise self._client.error(error, more)
            time.sleep(wait)
            self._connect()

    def _close(self) -> None:
        self._frames.put(None)
        self._client.close()

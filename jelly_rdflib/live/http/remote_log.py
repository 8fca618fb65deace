"""A patch log on a server: the `History` for addresses ``http://…`` and ``https://…``."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, TypeVar

import httpx2
from rdflib.graph import Dataset
from rdflib.term import URIRef

from jelly_rdflib.errors import LogConflict, LogError, MissingVersion
from jelly_rdflib.live.http import wire
from jelly_rdflib.live.http.watched import Unanswered, Watch, WatchedClient, start_of
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.log.entry import LogEntry, Row, may_follow
from jelly_rdflib.log.files import Place
from jelly_rdflib.log.history import History
from jelly_rdflib.log.incoming import IncomingPatch
from jelly_rdflib.log.link import Link
from jelly_rdflib.log.staging import check_digest
from jelly_rdflib.log.tables import row_of
from jelly_rdflib.log.verify import LogProblem
from jelly_rdflib.log.versions import LogState, Point, SnapshotRow, check_log_id, point_of
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.types import Readable

_T = TypeVar("_T")
# The seconds to wait for slow requests: to append or squash patches, or to check a log.
_LONG = 600.0
# The largest JSON response, in bytes.
_MOST_JSON = 1 << 24
# A segment with more bytes is kept on the disk while it is read or written.
_IN_MEMORY = 1 << 20
_CHUNK = 1 << 16
_NO_FOLDER = "a log on a server has no folder here"


class LogClient:
    """Makes requests to a server of a patch log; the arguments are those of `PatchLog`."""

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        if httpx2.URL(address).userinfo:
            # Messages show addresses, so a password there would leak.
            raise ValueError(
                f"an address must have no user name or password: give a token, or set {wire.TOKEN}"
            )
        self.address = address.rstrip("/")
        self.timeout = timeout
        headers = {"Accept": wire.JSON}
        if token := os.environ.get(wire.TOKEN) if token is None else token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = WatchedClient(self.address, base_url=f"{self.address}/", headers=headers)
        self.close = self._http.close

    @contextmanager
    def ask(
        self, method: str, path: str, silence: float | None = None, **options: Any
    ) -> Iterator[tuple[httpx2.Response, Watch]]:
        """Send a request; yield the response, whose body the block may read.

        ``silence`` is the timeout by default; for its meaning see `WatchedClient.stream`. A
        ConnectionError may also mean that the server is busy. If the block can't parse the
        response, a LogError is raised.
        """
        request = self._http.stream(method, path, silence or self.timeout, **options)
        try:
            with request as (response, watch):
                if not response.is_success:
                    raise self._error(response)
                yield response, watch
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
            what = "is not a patch log: the server sends another kind of response"
            raise LogError(f"{self.address} {what}") from None

    def _error(self, response: httpx2.Response) -> Exception:
        fields = None
        with suppress(ValueError):
            fields = json.loads(start_of(response))
        error = wire.error_of(response.status_code, fields, self.address)
        if response.status_code == 401 and "Authorization" not in response.request.headers:
            return PermissionError(f"{error}: {wire.ADVICE_ON_TOKENS}")
        # A server may have made the change before it failed, so the outcome is unknown.
        is_unknown = response.request.method == "POST" and response.is_server_error
        return Unanswered(str(error)) if is_unknown else error

    def again(self, request: Callable[[], _T]) -> _T:
        """Call a function that makes a request; if it fails, repeat it until the timeout."""
        end, retries = time.monotonic() + self.timeout, waits()
        while True:
            try:
                return request()
            except ConnectionError:
                wait = next(retries)
                if time.monotonic() + wait > end:
                    raise
            time.sleep(wait)

    def read(
        self,
        make: Callable[[Any], _T],
        method: str,
        path: str,
        silence: float | None = None,
        **options: Any,
    ) -> _T:
        """Pass a JSON response to ``make`` and return the result; for the rest see `ask`."""
        with self.ask(method, path, silence, **options) as (response, _):
            data = start_of(response, _MOST_JSON + 1)
            if len(data) > _MOST_JSON:
                raise ValueError("the answer is too large")
            return make(json.loads(data))

    def get(
        self, path: str, make: Callable[[Any], _T], silence: float | None = None, **params: Any
    ) -> _T:
        """Read a JSON response, repeating the request if the connection is lost."""
        return self.again(partial(self.read, make, "GET", path, silence, params=params))

    def post(self, path: str, make: Callable[[Any], _T], **options: Any) -> _T:
        """Send a change, without repeating it."""
        return self.read(make, "POST", path, _LONG, **options)

    def unknown(self, what: str, error: Exception) -> OSError:
        """Return the error for a change that may or may not have been made."""
        return OSError(errno.EIO, f"it is unknown whether {what}: {error}", self.address)


def open_remote(address: str, limits: Limits, timeout: float, token: str | None) -> History:
    """Open the log at an address; the arguments are those of `PatchLog`."""
    return _RemoteHistory(LogClient(address, token, timeout), limits)


class _RemoteEntry(LogEntry):
    """A patch of a log on a server: its bytes are fetched when they are needed."""

    __slots__ = ("_history", "inline")

    def __init__(self, row: Row, history: _RemoteHistory) -> None:
        super().__init__(row, Path(), history.limits)
        self._history = history
        # The bytes of the segment, if they came with the patch's event.
        self.inline: bytes | None = None

    @property
    def path(self) -> Path:
        raise LogError(f"{_NO_FOLDER}, and its patches have no files: see location")

    @property
    def location(self) -> str:
        return f"{self._history.location}/patches/{self.version}"

    def stored(self) -> Readable:
        if self.inline is not None:
            return self.inline
        path = f"patches/{self.version}"
        return self._history.fetch(path, wire.JELLY_PATCH, self.digest, self.size)


class _Held(SpooledTemporaryFile[bytes]):
    """A file in memory, or on the disk if it is large; deleted with the last reference to it."""

    def __del__(self) -> None:
        # Close it here, since readers don't close a file that they have not opened.
        self.close()


class _Body(io.RawIOBase):
    """The body of a response as a file: `read` waits until the next part arrives."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        # Skip empty parts, since readers would take one for the end of the file.
        self._parts = filter(None, parts)
        self._part = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        if not self._part:
            self._part = memoryview(next(self._parts, b""))
        size = min(len(buffer), len(self._part))
        buffer[:size], self._part = self._part[:size], self._part[size:]
        return size


class _RemoteHistory(LogState):
    """The `History` of a log on a server; its methods make requests."""

    def __init__(self, client: LogClient, limits: Limits) -> None:
        self._client = client
        self.limits = limits
        self.location = client.address
        self.close = client.close
        self.link = Link(client.address)
        self._id = ""  # the log's id, once it is known

    def __reduce__(self) -> Any:
        raise TypeError("a log on a server can't be pickled or copied: open it by its address")

    @property
    def path(self) -> Path:
        raise LogError(_NO_FOLDER)

    def read_log(self) -> tuple[str, str | None, LogEntry | None]:
        try:
            # Don't repeat this: if the first request fails, the address may be wrong.
            return self._client.read(self._described, "GET", "")[:3]
        except MissingVersion as error:
            raise LogError(f"{self.location} is not a patch log: {error}") from None
        except ConnectionError as error:
            # If something answers there, don't ask whether the server runs: it may just be busy.
            if not isinstance(error.__cause__, httpx2.ConnectError):
                raise
            raise ConnectionError(f"{error}: is jellyp log serve running there?") from error

    def _described(self, fields: Any) -> tuple[str, str | None, LogEntry | None, list[SnapshotRow]]:
        """Return the id of the log, its compression, its newest patch, and its snapshots."""
        if "logs" in fields:
            names = ", ".join(f"{self.location}/{each['name']}" for each in fields["logs"])
            raise LogError(f"{self.location} has several logs, each with its own address: {names}")
        snapshots = [
            SnapshotRow(int(each["version"]), str(each["id"]), "", str(each["digest"]))
            for each in fields["snapshots"]
        ]
        head = None if fields["head"] is None else self.entry_in(fields["head"])
        self._id = check_log_id(self._id, str(fields["id"]), self.location)
        return self._id, fields["compression"], head, snapshots

    def reading(self) -> AbstractContextManager[LogState]:
        return nullcontext(self)

    def newest(self) -> LogEntry | None:
        return self._client.get("", self._described)[2]

    def find(self, version: int | str) -> LogEntry:
        return self._client.get(f"patches/{version}", self.entry_in)

    def find_id(self, id: URIRef) -> int | None:
        # If the log does not have the patch, the server's error says why.
        return self.find(id).version

    def list_between(self, since: int, upto: int, most: int) -> list[LogEntry]:
        return list(islice(self._list(since, upto=upto), most))

    def list_latest(self, upto: int, count: int) -> list[LogEntry]:
        if count > wire.MOST_ENTRIES:
            return list(self._list(0, upto=upto))[-count:]
        return list(self._list(0, upto=upto, last=count))

    def snapshots(self, upto: int) -> list[SnapshotRow]:
        return [each for each in self._client.get("", self._described)[3] if each.version <= upto]

    def entry_in(self, fields: Any) -> _RemoteEntry:
        """Return the patch that a response describes."""
        return _RemoteEntry(row_of(fields), self)

    def _list(self, since: int, id: str | None = None, **parameters: int) -> Iterator[LogEntry]:
        """Yield the patches after a version, fetched page by page.

        With ``id``, raise a MissingVersion if another patch makes the version in this log.
        """

        def read(fields: Any) -> tuple[list[_RemoteEntry], bool]:
            page, following = list(map(self.entry_in, fields["patches"])), fields["next"]
            end = page[-1].version if page else since
            if following is not None and not since < end == following:
                raise ValueError("the next page is missing")
            return page, following is not None

        has_more = True
        while has_more:
            place = since if id is None else id
            page, has_more = self._client.get("patches", read, since=place, **parameters)
            yield from page
            since, id = page[-1].version if page else since, None

    def news(self, point: Point, timeout: float | None) -> Iterator[LogEntry | None]:
        # With a timeout, ask for a list first. Events bring small patches with them, but only a
        # list shows that there are no more.
        for entry in [] if timeout is None else self._list(point.version, point.id):
            yield entry
            point = point_of(entry)
        silence = 2 * wire.HEARTBEAT if timeout is None else min(2 * wire.HEARTBEAT, timeout)
        retries = waits()
        while True:
            yield None
            try:
                for found in self._events(point, silence):
                    self.link.set(None)
                    if found is not None:
                        point, retries = point_of(found), waits()
                    yield found
                self.link.end()
            except ConnectionError as error:
                # Silence for less than two heartbeats does not mean that the server is lost: the
                # caller's timeout may just be short.
                is_silent = isinstance(error.__cause__, httpx2.ReadTimeout)
                if not is_silent or silence >= 2 * wire.HEARTBEAT:
                    self.link.set(error)
            time.sleep(next(retries))

    def _events(self, point: Point, silence: float) -> Iterator[LogEntry | None]:
        """Yield the patches of one connection, and None for an event without a patch."""
        headers = {"Accept": wire.EVENTS_WITH_PATCHES, "Accept-Encoding": "identity"}
        options: Any = {"params": {"since": point.id or 0}, "headers": headers}
        with self._client.ask("GET", "events", silence, **options) as (response, watch):
            # The server may now serve another log than it did at the last connection.
            self._id = check_log_id(self._id, response.headers[wire.LOG_ID], self.location)
            self.link.begin()
            body = io.BufferedReader(_Body(response.iter_raw()), 2 * wire.MAX_INLINE)
            while line := body.readline(wire.MAX_LINE):
                if len(line) < wire.MAX_LINE and not line.endswith(b"\n"):
                    # The line is cut off, though the response has ended properly: a proxy does
                    # that if it loses the server.
                    return
                fields = json.loads(line)
                if not 0 <= fields["inline"] <= wire.MAX_INLINE:
                    raise ValueError("the segment is too large")
                segment = body.read(fields["inline"])
                if len(segment) < fields["inline"]:
                    return
                watch.renew()
                if fields["event"] == "gone":
                    raise MissingVersion(fields["message"])
                if fields["event"] == "failed":
                    raise LogError(f"{self.location}: {fields['message']}")
                if fields["event"] != "patch":
                    yield None
                    continue
                entry = self.entry_in(fields)
                if segment:
                    if hashlib.sha256(segment).hexdigest() != entry.digest:
                        raise ValueError("the segment does not match its digest")
                    entry.inline = segment
                yield entry

    def append(
        self, patch: IncomingPatch, *, prev: URIRef | None, options: PatchOptions
    ) -> LogEntry:
        """Send a patch; without a response, retry until it is known whether it was appended."""
        file: Any = _Held(_IN_MEMORY)
        place = Place(0, 0, patch.id, prev)
        patch.write(file, place, options)
        headers = {"If-Match": wire.etag(prev), "Content-Type": wire.JELLY_PATCH}
        # Whether an earlier request may have appended the patch although it got no response.
        is_unknown = False

        def send() -> LogEntry:
            nonlocal is_unknown
            file.seek(0)
            chunks = iter(partial(file.read, _CHUNK), b"")
            try:
                return self._client.post("patches", self.entry_in, content=chunks, headers=headers)
            except (ConnectionError, LogConflict) as error:
                is_unknown = is_unknown or isinstance(error, Unanswered)
                found = self._find_sent(place, error) if is_unknown else None
                if found is None:
                    raise
                return found

        try:
            return self._client.again(send)
        except ConnectionError as error:
            if is_unknown:
                raise self._client.unknown("the patch was committed", error) from error
            raise

    def _find_sent(self, place: Place, error: Exception) -> LogEntry | None:
        """Return a patch that an earlier request may have appended; None if the log lacks it."""
        with suppress(ConnectionError):
            try:
                found = self.find(place.id)
                return found if may_follow(found, place.prev) else None
            except MissingVersion as missing:
                return self.find(missing.squashed_into) if missing.squashed_into else None
        if isinstance(error, LogConflict):
            raise self._client.unknown("the patch was committed", error) from error
        return None

    def squash(self, entries: Sequence[LogEntry]) -> LogEntry:
        first, last = entries[0].first, entries[-1].version
        return self._change("squash", self.entry_in, first=first, last=last)

    def add_snapshot(self, entry: LogEntry, checkout: Callable[[], Dataset]) -> Path:
        """Make the server store a snapshot; return its path relative to the address."""
        place = Path(f"snapshots/{entry.version}")
        return self._change("snapshots", lambda fields: place, version=entry.version)

    def _change(self, path: str, make: Callable[[Any], _T], **versions: int) -> _T:
        try:
            return self._client.post(path, make, params=versions)
        except Unanswered as error:
            raise self._client.unknown("the log was changed", error) from error

    def open_snapshot(self, snapshot: SnapshotRow) -> Readable:
        return self.fetch(f"snapshots/{snapshot.version}", wire.JELLY, snapshot.digest)

    def find_problems(self, *, deep: bool) -> list[LogProblem]:
        def make(fields: Any) -> list[LogProblem]:
            found = fields["problems"]
            return [LogProblem(**{**each, "path": Path(each["path"])}) for each in found]

        return self._client.get("problems", make, _LONG, deep=deep)

    def fetch(self, path: str, media_type: str, digest: str, size: int | None = None) -> Readable:
        """Fetch a stored file, of at most ``size`` bytes, and check its digest."""
        # Accept zstd, since the digest is that of the stored bytes, which may be compressed.
        headers = {"Accept": media_type, "Accept-Encoding": "zstd"}

        def download() -> tuple[Any, str]:
            file, found = _Held(_IN_MEMORY), hashlib.sha256()
            # The digest in the address allows a cache to keep the response.
            options: Any = {"params": {"digest": digest}, "headers": headers}
            with self._client.ask("GET", path, **options) as (response, watch):
                for chunk in response.iter_raw():
                    watch.allow(len(chunk))
                    file.write(chunk)
                    found.update(chunk)
                    if size is not None and file.tell() > size:
                        raise LogError(f"{self.location}/{path} has more than {size} bytes")
            file.seek(0)
            return file, found.hexdigest()

        file, found = self._client.again(download)
        check_digest(found, digest, f"{self.location}/{path}")
        return file  # type: ignore[no-any-return]

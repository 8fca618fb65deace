"""A patch log that a server has: `PatchLog` for ``http://…`` and ``https://…``."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
from rdflib.graph import Dataset
from rdflib.term import URIRef

from jelly_rdflib.core.warning import warn
from jelly_rdflib.errors import (
    DecodeError,
    LimitError,
    LogConflict,
    LogError,
    LogWarning,
    MissingVersion,
)
from jelly_rdflib.live.http.client import LONG, Client, Unanswered
from jelly_rdflib.live.http.wire import (
    EVENTS,
    HEARTBEAT,
    JELLY,
    JELLY_PATCH,
    JSON,
    MAX_INLINE,
    MOST_ENTRIES,
    etag,
    row_of,
)
from jelly_rdflib.live.waiting import waits
from jelly_rdflib.log.database import DEFAULT_TIMEOUT
from jelly_rdflib.log.entry import LogEntry, Row
from jelly_rdflib.log.files import Place, load_data, write_segment
from jelly_rdflib.log.history import Snapshot, broken_links
from jelly_rdflib.log.incoming import IncomingPatch
from jelly_rdflib.log.names import Compression
from jelly_rdflib.log.patch_log import NO_PATCH, PatchLog
from jelly_rdflib.log.verify import LogProblem
from jelly_rdflib.log.versions import Version, resolve
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.types import Readable

# A larger segment goes to the disk while it is read or written.
_IN_MEMORY = 1 << 20
_CHUNK = 1 << 16
# The most characters of a line of events: a patch in it is base64.
_MOST_LINE = 4 * MAX_INLINE
_NO_FOLDER = "a log on a server has no folder here"


class RemoteEntry(LogEntry):
    """A patch of a log on a server: its bytes are fetched when they are read."""

    __slots__ = ("_client", "inline")

    def __init__(self, row: Row, client: Client, limits: Limits) -> None:
        super().__init__(row, Path(), limits)
        self._client = client
        self.inline: bytes | None = None
        """The segment, if it came with the news of the patch."""

    @property
    def path(self) -> Path:
        """There is none.

        Raises:
            LogError: Always.
        """
        raise LogError(f"{_NO_FOLDER}, and its patches no files: see location")

    @property
    def location(self) -> str:
        """The address of the patch."""
        return f"{self._client.address}/patches/{self.version}"

    def stored(self) -> Readable:
        """Return the segment as the server has stored it, after a check of its digest."""
        if self.inline is not None:
            return self.inline
        path, what = f"patches/{self.version}", f"version {self.version}"
        return fetch(self._client, path, JELLY_PATCH, self.digest, what, size=self.size)


class _Held:
    """Bytes of any number, in memory while they are few; they go with the last user."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115

    def read(self, size: int) -> bytes:
        return self._file.read(size)

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def seek(self, offset: int) -> None:
        self._file.seek(offset)

    def __del__(self) -> None:
        # Readers don't close what they have not opened.
        self._file.close()


def fetch(
    client: Client,
    path: str,
    media_type: str,
    digest: str,
    what: str,
    *,
    size: int | None = None,
) -> _Held:
    """Return a stored file, after a check of its digest; of at most ``size`` bytes."""

    def take(response: httpx2.Response) -> tuple[_Held, str]:
        file, found, count = _Held(), hashlib.sha256(), 0
        for chunk in response.iter_raw():
            file.write(chunk)
            found.update(chunk)
            count += len(chunk)
            if size is not None and count > size:
                raise LogError(f"{client.address}: {what} came with more than its {size} bytes")
        file.seek(0)
        return file, found.hexdigest()

    # The digest is that of the stored bytes, which may be compressed.
    file, found = client.get(path, {"Accept": media_type, "Accept-Encoding": "zstd"}, take)
    if found != digest:
        raise LogError(
            f"{client.address}: {what} came damaged: its SHA-256 is {found}, and should be {digest}"
        )
    return file


class RemoteHistory:
    """What `PatchLog` needs to append and to squash patches on a server."""

    def __init__(self, client: Client, limits: Limits) -> None:
        self.client = client
        self.limits = limits

    def append(
        self, patch: IncomingPatch, *, id: URIRef, prev: URIRef | None, options: PatchOptions
    ) -> LogEntry:
        """Send a patch, which must follow the patch ``prev``."""
        file: Any = _Held()
        place = Place(0, 0, id, prev)
        write_segment(file, patch.operations(), place=place, options=options, is_compressed=False)
        patch.check_end()
        return self._send(file, place)

    def squash(self, entries: list[LogEntry]) -> LogEntry:
        """Have the server replace consecutive patches by one."""
        versions = {"first": str(entries[0].first), "last": str(entries[-1].version)}
        return self.entry(self.client.change("squash", **versions))

    def _send(self, file: _Held, place: Place) -> LogEntry:
        """Send a segment, again if no answer comes, until it is known what became of it."""
        headers = {"If-Match": etag(place.prev), "Content-Type": JELLY_PATCH, "Accept": JSON}
        end = time.monotonic() + self.client.timeout
        # May an earlier request have been done, though no answer came?
        is_unknown = False
        for wait in waits():
            file.seek(0)
            try:
                chunks = iter(partial(file.read, _CHUNK), b"")
                return self.entry(self.client.post("patches", content=chunks, headers=headers))
            except (ConnectionError, LogConflict) as caught:
                error = caught
            is_unknown = is_unknown or isinstance(error, Unanswered)
            is_late = time.monotonic() + wait > end
            if not is_unknown:
                if is_late or isinstance(error, LogConflict):
                    raise error
            else:
                found, is_known = self._look_for(place)
                if found is not None:
                    return found
                if isinstance(error, LogConflict) and is_known:
                    raise error
                if is_late or isinstance(error, LogConflict):
                    raise self.client.unknown("the patch was committed", error) from error
            time.sleep(wait)
        raise AssertionError("the waits never end")

    def _look_for(self, place: Place) -> tuple[LogEntry | None, bool]:
        """Return a patch that was sent, if it is in the log; and whether another has its place."""
        try:
            with suppress(MissingVersion):
                found = self.find(place.id)
                is_squashed = found.first < found.version
                return (found if is_squashed or found.prev == place.prev else None), True
            before = 0 if place.prev is None else self.find(place.prev).version
            return None, self.find(before + 1).prev == place.prev
        except (MissingVersion, ConnectionError):
            # The place was squashed, or is free; or the server is gone.
            return None, False

    def find(self, version: int | str) -> RemoteEntry:
        """Ask for the patch that makes a version, by its number or its id."""
        return self.entry(self.client.json(f"patches/{version}"))

    def entry(self, fields: Any) -> RemoteEntry:
        """Return the patch of an answer."""
        try:
            row = row_of(fields)
        except (KeyError, TypeError, ValueError):
            raise self.client.no_log() from None
        return RemoteEntry(row, self.client, self.limits)


class RemotePatchLog(PatchLog):
    """A patch log that a server has, see ``jellyp log serve``; its methods are those of `PatchLog`.

    `PatchLog` makes it for an address. Each thread needs an object of its own.

    Args:
        path: The address, ``http://…`` or ``https://…``.
        create, compression: As for `PatchLog`; a log is made where the server is, so not these.
        limits: The limits for reading patches.
        timeout: The seconds for which a lost connection is tried again; the first one is not.
        token: The bearer token; by default that of the environment variable ``JELLYP_TOKEN``.

    Raises:
        LogError: There is no patch log at this address.
        PermissionError: The token does not allow it.
        ConnectionError: The server can't be reached.
        ValueError: A log is to be made.
    """

    _history: Any

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        compression: Compression = None,
        limits: Limits | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        token: str | None = None,
    ) -> None:
        if create or compression is not None:
            raise ValueError(f"{path}: a log is made where its server is: jellyp log init")
        self._client = Client(os.fspath(path), token, timeout)
        self._history = RemoteHistory(self._client, limits or Limits())
        # A server that is not there at the start may be a wrong address.
        self._get(patience=0)

    @property
    def path(self) -> Path:
        """There is none: see `location`.

        Raises:
            LogError: Always.
        """
        raise LogError(_NO_FOLDER)

    @property
    def location(self) -> str:
        """The address of the log."""
        return self._client.address

    def __reduce__(self) -> Any:
        raise TypeError("a log on a server can't be pickled or copied: open it by its address")

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()

    def _get(self, *, patience: float | None = None) -> None:
        """Ask for the newest patch and the snapshots."""
        try:
            fields = self._client.json("", patience=patience)
        except MissingVersion:
            raise self._client.no_log() from None
        try:
            self._log_id = str(fields["id"])
            self._compression = fields["compression"]
            self._stored = [
                (int(each["version"]), str(each["digest"])) for each in fields["snapshots"]
            ]
            head = fields["head"]
        except (KeyError, TypeError, ValueError):
            raise self._client.no_log() from None
        self._head = None if head is None else self._history.entry(head)

    def refresh(self) -> LogEntry | None:
        """Update the view with the changes of other writers.

        Returns:
            The newest patch.
        """
        self._get()
        return self._head

    def entry(self, version: Version = None) -> LogEntry:
        """Return the patch that makes a version; it is not read. See `PatchLog.entry`."""
        found = self._resolve(version)
        if found == 0:
            raise MissingVersion(NO_PATCH)
        entry: LogEntry = self._history.find(found)
        return entry

    def _find_id(self, id: URIRef) -> int | None:
        try:
            return int(self._history.find(id).version)
        except MissingVersion:
            return None

    def _resolve(self, version: Version) -> int:
        return resolve(version, self.version, self._find_id, self._history.find)

    def _snapshots(self, upto: int) -> list[Snapshot]:
        return [
            Snapshot(version, "", "", digest) for version, digest in self._stored if version <= upto
        ]

    def latest(self, count: int = 10) -> list[LogEntry]:
        """Return the last patches; see `PatchLog.latest`."""
        if count > MOST_ENTRIES:
            return self.patches()[-count:]
        return self._list(0, upto=self.version, last=count)

    def _between(self, since: Version, upto: Version) -> tuple[list[LogEntry], int, int]:
        start, end = self._resolve(0 if since is None else since), self._resolve(upto)
        return self._list(start, upto=end) if start < end else [], start, end

    def _list(self, since: int, **parameters: int) -> list[LogEntry]:
        """Ask for the patches after a version, page by page."""
        entries: list[LogEntry] = []
        while True:
            answer = self._client.json("patches", since=since, **parameters)
            try:
                patches, following = answer["patches"], answer["next"]
            except (KeyError, TypeError):
                raise self._client.no_log() from None
            entries += map(self._history.entry, patches)
            if following is None:
                break
            if not isinstance(following, int) or following <= since:
                raise self._client.no_log()
            since = following
        rows = [entry.row for entry in entries]
        broken = rows and broken_links(rows, rows[0][1] - 1, rows[0][3])
        if broken:
            raise LogError(f"{self.location}: the log is broken: {broken[0][1]}")
        return entries

    def _load_snapshot(self, snapshot: Snapshot, target: Dataset) -> bool:
        name = f"the snapshot of version {snapshot.version}"
        path = f"snapshots/{snapshot.version}"
        try:
            file = fetch(self._client, path, JELLY, snapshot.digest, name)
            load_data(file, target, self._history.limits)
        except LimitError:
            raise
        except (LogError, DecodeError, OSError) as error:
            warn(f"{name} is not used: {error}", LogWarning)
            return False
        return True

    def snapshot(self, version: Version = None) -> Path:
        """Have the server write a snapshot; see `PatchLog.snapshot`.

        Returns:
            The place of the snapshot, relative to the address.
        """
        number = self.entry(version).version
        self._client.change("snapshots", version=str(number))
        return Path(f"snapshots/{number}")

    def verify(self, *, deep: bool = False) -> list[LogProblem]:
        """Have the server find all problems of the log; see `PatchLog.verify`."""
        found = self._client.json("problems", silence=LONG, deep=deep)
        try:
            return [
                LogProblem(Path(each["path"]), each["message"], each["version"], each["advice"])
                for each in found["problems"]
            ]
        except (KeyError, TypeError):
            raise self._client.no_log() from None

    def follow(self, since: Version = None, *, timeout: float | None = None) -> Iterator[LogEntry]:
        """Iterate over the patches as they come; see `PatchLog.follow`.

        A lost connection is made again, however long it takes.
        """
        version = self.version if since is None else self._resolve(since)
        for old in self._list(version):
            self._see(old)
            yield old
            version = old.version
        silence = 2 * HEARTBEAT if timeout is None else min(2 * HEARTBEAT, timeout)
        last, retries = time.monotonic(), waits()
        while timeout is None or time.monotonic() < last + timeout:
            with suppress(ConnectionError):
                for entry in self._events(version, silence):
                    if entry is not None:
                        if entry.first != version + 1:
                            raise self._client.no_log()
                        version = entry.version
                        self._see(entry)
                        yield entry
                        last, retries = time.monotonic(), waits()
                    elif timeout is not None and time.monotonic() > last + timeout:
                        return
            time.sleep(next(retries))

    def _events(self, since: int, silence: float) -> Iterator[RemoteEntry | None]:
        """Yield an item for each event of one connection: its patch, or None if it has none."""
        headers, parameters = {"Accept": EVENTS}, {"since": since}
        with self._client.stream("events", headers, parameters, silence=silence) as response:
            kind = ""
            for line in self._lines(response):
                field, _, value = line.partition(": ")
                if field == "event":
                    kind = value
                elif field == "data" and kind == "gone":
                    raise MissingVersion(str(self._fields(value).get("message")))
                elif field == "data" and kind == "patch":
                    yield self._entry_of(self._fields(value))
                elif not field:
                    # A comment: there is no news.
                    yield None

    def _lines(self, response: httpx2.Response) -> Iterator[str]:
        """Yield the lines of an answer without an end."""
        rest = ""
        for text in response.iter_text():
            *lines, rest = (rest + text).split("\n")
            yield from lines
            if len(rest) > _MOST_LINE:
                raise self._client.no_log()

    def _fields(self, data: str) -> dict[str, Any]:
        try:
            fields = json.loads(data)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            raise self._client.no_log()
        return fields

    def _entry_of(self, fields: dict[str, Any]) -> RemoteEntry:
        """Return the patch of an event, which may have its segment."""
        entry: RemoteEntry = self._history.entry(fields)
        if "patch" not in fields:
            return entry
        try:
            inline = base64.b64decode(fields["patch"], validate=True)
        except (ValueError, TypeError):
            raise self._client.no_log() from None
        if len(inline) > MAX_INLINE or hashlib.sha256(inline).hexdigest() != entry.digest:
            raise self._client.no_log()
        entry.inline = inline
        return entry

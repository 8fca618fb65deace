"""A patch log for others, by HTTP: ``jellyp log serve``."""

# FastAPI reads the annotations of the methods below while it runs: they are no strings.

import contextlib
import ipaddress
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import IO, Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from limits import parse as parse_rate
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from rdflib.term import URIRef
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

from jelly_rdflib.errors import (
    DecodeError,
    EncodeError,
    JellyError,
    LimitError,
    LogConflict,
    MissingVersion,
)
from jelly_rdflib.live.http.access import Right, Tokens
from jelly_rdflib.live.http.answers import (
    CHANGES,
    accepted,
    send_changes,
    send_stored,
    take_body,
)
from jelly_rdflib.live.http.events import Feed
from jelly_rdflib.live.http.wire import (
    EVENTS,
    JELLY,
    JSON,
    MOST_ENTRIES,
    etag,
    parse_etags,
)
from jelly_rdflib.log import LogEntry, PatchLog
from jelly_rdflib.log.history import History, Snapshot
from jelly_rdflib.log.incoming import UnfitPatch, open_incoming
from jelly_rdflib.log.names import InvalidId, make_patch_id
from jelly_rdflib.log.staging import read_stored
from jelly_rdflib.log.tables import entry_fields
from jelly_rdflib.log.versions import Version
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.version import __version__

_log = logging.getLogger(__name__)

# Answers that are smaller gain nothing by gzip.
_MIN_GZIP = 1000
# How many patches are looked up at once for followers.
_PAGE = 100
_DESCRIPTION = (
    "A patch log: the changes of an RDF dataset, each a patch that names the one before it. The"
    " n-th patch makes version n of the data. A version is given by its number, or by the id of its"
    " patch."
)

_Path = Annotated[str, PathParameter(description="A number, or the id of a patch.", max_length=100)]
_Version = Annotated[str, Query(description="A number, or the id of a patch.", max_length=100)]


class LogServer:
    """An application (ASGI) that gives a patch log to others.

    Requests are served by several threads, each with a `PatchLog` of its own. Other processes may
    use the folder at the same time.

    Args:
        path: The folder of the log.
        tokens: Who may do what; None: everybody may do all.
        is_open: Whether requests are served without tokens that name another host than this
            machine. By default they are refused: a page in a browser could have made them.
        limits: The limits for reading patches, also those that are appended.
        timeout: The seconds to wait for others who write to the log.
        max_body: The largest patch that is taken, in bytes.
        rate: How many requests each client may make, as ``"100/second"``; None: any number.
        interval: The seconds between looks for the patches of other processes.
        max_followers: How many clients may follow at the same time.

    Raises:
        LogError: The folder is no log.
        ValueError: There is no such rate.
        OSError: There is no such folder.

    Examples:
        >>> import tempfile
        >>> from starlette.testclient import TestClient
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog.create(folder)
        ...     client = TestClient(LogServer(folder).app, base_url="http://localhost")
        ...     client.get("/").json()["version"]
        0
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        tokens: Tokens | None = None,
        is_open: bool = False,
        limits: Limits | None = None,
        timeout: float = 30.0,
        max_body: int = 1 << 28,
        rate: str | None = None,
        interval: float = 0.1,
        max_followers: int = 1000,
    ) -> None:
        self._path = os.path.abspath(path)
        self._tokens = tokens
        self._is_open = is_open
        self._limits = limits or Limits()
        self._timeout = timeout
        self._max_body = max_body
        self._rate = None if rate is None else parse_rate(rate)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._own = threading.local()
        self.feed = Feed(
            lambda: self._open().version,
            lambda since: self._between(since, None, _PAGE),
            interval=interval,
            most=max_followers,
        )
        self._open()
        self.app = self._make_app()

    def __repr__(self) -> str:
        return f"<LogServer {self._path!r}>"

    def _open(self) -> PatchLog:
        """Return the log as it is now, for this thread."""
        if not hasattr(self._own, "log"):
            self._own.log = PatchLog(self._path, limits=self._limits, timeout=self._timeout)
        else:
            self._own.log.refresh()
        found: PatchLog = self._own.log
        return found

    @property
    def _history(self) -> History:
        """The folder of the log, for this thread."""
        if not hasattr(self._own, "history"):
            history = History(self._path, self._limits, self._timeout)
            # It tells whether new files are compressed.
            history.read_log()
            self._own.history = history
        found: History = self._own.history
        return found

    @contextlib.contextmanager
    def _resolving(self, *versions: Version) -> Iterator[tuple[Any, list[int]]]:
        """Yield a connection to the log's database, and the numbers of versions in it."""
        history = self._history
        with history.database.reading() as connection:
            head = history.newest(connection)
            newest = 0 if head is None else head.version
            yield connection, [history.resolve(connection, each, newest) for each in versions]

    def _between(self, since: Version, upto: Version, most: int) -> list[LogEntry]:
        """Return the patches that lead from one version to another, so many at most."""
        with self._resolving(since, upto) as (connection, (start, end)):
            return self._history.between(connection, start, end, most)

    def _latest(self, upto: Version, count: int) -> list[LogEntry]:
        """Return the last patches up to a version, so many at most."""
        with self._resolving(upto) as (connection, (end,)):
            return self._history.latest(connection, end, count)

    def _snapshots(self, log: PatchLog) -> list[Snapshot]:
        history = self._history
        with history.database.reading() as connection:
            return history.usable_snapshots(connection, log.version)

    def _make_app(self) -> FastAPI:
        app = FastAPI(
            title="Patch log",
            version=__version__,
            description=_DESCRIPTION,
            lifespan=self._live,
            exception_handlers={JellyError: _explain, OSError: _explain},
        )
        app.add_middleware(GZipMiddleware, minimum_size=_MIN_GZIP)
        bodies: dict[str, Any] = {
            media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in CHANGES
        }
        schema: dict[str, Any] = {"requestBody": {"content": bodies, "required": True}}
        self._add(app, "/", self.get_log)
        self._add(app, "/patches", self.get_patches)
        self._add(
            app, "/patches", self.append, Right.APPEND, methods=["POST"], openapi_extra=schema
        )
        self._add(app, "/patches/{version}", self.get_patch)
        self._add(app, "/snapshots/{version}", self.get_snapshot)
        self._add(app, "/snapshots", self.snapshot, Right.MANAGE, methods=["POST"])
        self._add(app, "/squash", self.squash, Right.MANAGE, methods=["POST"])
        self._add(app, "/problems", self.verify, Right.MANAGE)
        self._add(app, "/events", self.follow)
        return app

    def _add(
        self,
        app: FastAPI,
        path: str,
        endpoint: Callable[..., Any],
        right: Right = Right.READ,
        **options: Any,
    ) -> None:
        gate = _Gate(right, self._tokens, self._is_within_rate, is_open=self._is_open)
        app.add_api_route(
            path, endpoint, dependencies=[Depends(gate)], response_class=JSONResponse, **options
        )

    def _is_within_rate(self, client: str) -> bool:
        return self._rate is None or self._limiter.hit(self._rate, client)

    @contextlib.asynccontextmanager
    async def _live(self, app: FastAPI) -> AsyncIterator[None]:
        self.feed.open()
        yield
        self.feed.close()

    def get_log(
        self, if_none_match: Annotated[str | None, Header(max_length=1000)] = None
    ) -> Response:
        """The id of the log, its version, and its snapshots. The ETag names the newest patch."""
        log = self._open()
        headers = {"ETag": etag(_head_of(log))}
        snapshots = self._snapshots(log)
        if if_none_match == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        fields = {
            "id": log.log_id,
            "version": log.version,
            "compression": log.compression,
            "head": None if log.head is None else entry_fields(log.head),
            "snapshots": [{"version": each.version, "digest": each.digest} for each in snapshots],
        }
        return JSONResponse(fields, headers=headers)

    def get_patches(
        self,
        request: Request,
        since: _Version = "0",
        upto: Annotated[_Version | None, Query()] = None,
        last: Annotated[int | None, Query(ge=0, le=MOST_ENTRIES)] = None,
        most: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = MOST_ENTRIES,
    ) -> Response:
        """The patches that lead from one version to another: as a list, or as one stream.

        There are `most` patches at most; `next` says from which version on there are more. With
        `last` they are the last ones up to a version, so many.
        """
        log = self._open()
        media_type = accepted(request, [JSON, *CHANGES])
        end = log.version if upto is None else _version(upto)
        if last is not None:
            entries = self._latest(end, last)
        else:
            entries = self._between(_version(since), end, most + 1)
        part, headers = entries[:most], {"Vary": "Accept"}
        more = part[-1].version if len(entries) > most else None
        if media_type != JSON:
            if more is not None:
                headers["Link"] = f'<?since={more}&upto={end}&most={most}>; rel="next"'
            return send_changes(part, media_type, headers)
        patches = [entry_fields(entry) for entry in part]
        return JSONResponse({"patches": patches, "next": more}, headers=headers)

    def get_patch(self, version: _Path, request: Request) -> Response:
        """A patch: in a format of changes, or as JSON what the log knows of it."""
        log = self._open()
        entry = log.entry(_version(version))
        media_type = accepted(request, [*CHANGES, JSON])
        if media_type == JSON:
            return JSONResponse(entry_fields(entry), headers={"Vary": "Accept"})
        if media_type != CHANGES[0]:
            return send_changes([entry], media_type, {"Vary": "Accept"})
        # Weak: the patch is the same, whatever its coding is.
        headers = {"ETag": f'W/"{entry.digest}"'}
        source: Any = entry.stored()
        return send_stored(source, media_type, request, headers, log.compression)

    async def append(
        self,
        request: Request,
        if_match: Annotated[
            str | None,
            Header(description='The ETag of the log: the patch must follow it; "*": any.'),
        ] = None,
    ) -> Response:
        """Append a patch; its answer comes when it is on the disk.

        A 412 says that another patch was appended meanwhile, and which one is the newest.
        """
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in CHANGES:
            raise HTTPException(415, f"a patch is one of: {', '.join(CHANGES)}")
        body = await take_body(request, self._max_body)
        try:
            entry = await run_in_threadpool(self._append, body, media_type, if_match)
        finally:
            body.close()
        self.feed.look()
        headers = {"ETag": etag(entry.id), "Location": f"patches/{entry.version}"}
        return JSONResponse(entry_fields(entry), 201, headers)

    def _append(self, body: IO[bytes], format: Any, if_match: str | None) -> LogEntry:
        with open_incoming(body, self._limits, format) as incoming:
            if if_match is None and incoming.prev is None:
                raise HTTPException(
                    428, "say in If-Match which patch this one follows: the ETag of the log"
                )
            expected = incoming.prev
            if if_match is not None:
                expected = self._expected(if_match, incoming.prev)
            return self._history.append(
                incoming,
                id=incoming.id or make_patch_id(),
                prev=expected,
                options=incoming.options or PatchOptions(),
            )

    def _expected(self, if_match: str, prev: URIRef | None) -> URIRef | None:
        """Return the id of the patch that a patch with a header ``prev``, or None, must follow."""
        log = self._open()
        head = _head_of(log)
        if if_match.strip() == "*":
            return head if prev is None else prev
        tags = parse_etags(if_match)
        if not tags:
            raise LogConflict(
                f"a weak ETag matches nothing; the newest patch is <{head}>",
                head=head,
                version=log.version,
            )
        if prev is not None and prev not in tags:
            raise HTTPException(400, f"If-Match says {if_match}, but the patch says {prev}")
        return prev or (head if head in tags else tags[0])

    def get_snapshot(self, version: int, request: Request) -> Response:
        """The whole data of a version that has a snapshot, as Jelly-RDF."""
        log = self._open()
        found = {each.version: each for each in self._snapshots(log)}.get(version)
        if found is None:
            raise HTTPException(404, f"version {version} has no snapshot")
        accepted(request, [JELLY])
        source = read_stored(self._history.snapshot_path(found), found.digest)
        return send_stored(source, JELLY, request, {"ETag": f'W/"{found.digest}"'}, log.compression)

    def snapshot(self, version: _Version) -> dict[str, int]:
        """Store the whole data of a version, which makes checkouts faster."""
        log = self._open()
        entry = log.entry(_version(version))
        log.snapshot(entry.version)
        return {"version": entry.version}

    def squash(self, first: _Version, last: _Version) -> dict[str, Any]:
        """Replace the patches from one version to another by one with the same effect."""
        return entry_fields(self._open().squash(_version(first), _version(last)))

    def verify(self, deep: bool = False) -> dict[str, list[dict[str, Any]]]:
        """Check the log: read every file to its end. The answer names no path of the server's."""
        folder = f"{Path(self._path)}{os.sep}"
        problems = [
            {
                "path": str(each.path).replace(folder, ""),
                "message": each.message.replace(folder, ""),
                "version": each.version,
                "advice": each.advice,
            }
            for each in self._open().verify(deep=deep)
        ]
        return {"problems": problems}

    def follow(
        self,
        since: Annotated[_Version | None, Query()] = None,
        last_event_id: Annotated[str | None, Header(max_length=100)] = None,
    ) -> Response:
        """Follow the log: server-sent events, one for each patch after a version, without an end.

        An event's id is the version, and its data are those of `/patches/{version}` as JSON; a
        patch of up to 64 KiB comes with it, as base64. By default the first event is that of the
        next patch. An event `gone` says that the version was squashed.
        """
        start = last_event_id or since
        with self._resolving(_version(start)) as (_, (version,)):
            events = self.feed.follow(version)
        if self.feed.is_full:
            raise HTTPException(503, "there are too many followers", {"Retry-After": "60"})
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(events, media_type=EVENTS, headers=headers)


class _Gate:
    """Lets a request through that has the right, and is one of not too many."""

    _bearer = HTTPBearer(auto_error=False)

    def __init__(
        self,
        right: Right,
        tokens: Tokens | None,
        is_within_rate: Callable[[str], bool],
        *,
        is_open: bool,
    ) -> None:
        self._is_open = is_open
        self._right = right
        self._tokens = tokens
        self._is_within_rate = is_within_rate

    async def __call__(
        self,
        request: Request,
        credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    ) -> None:
        self._check_browser(request)
        client = request.client.host if request.client else ""
        if not self._is_within_rate(client):
            raise HTTPException(429, "too many requests", {"Retry-After": "1"})
        if self._tokens is None:
            return
        found = None if credentials is None else self._tokens.right(credentials.credentials)
        if found is None:
            raise HTTPException(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})
        if found < self._right:
            raise HTTPException(
                403,
                f"this needs a token with the right {self._right.name.lower()}",
                {"WWW-Authenticate": 'Bearer error="insufficient_scope"'},
            )

    def _check_browser(self, request: Request) -> None:
        """Refuse what a page of another site may have made a browser ask for."""
        host = request.url.hostname or ""
        if self._tokens is None and not self._is_open and not is_local(host):
            raise HTTPException(403, "without tokens this serves programs of its machine alone")
        if request.method == "GET":
            return
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "none")
        is_own = origin is None or urlsplit(origin).netloc == request.url.netloc
        if not is_own or site not in ("none", "same-origin"):
            raise HTTPException(403, "pages of other sites can't change the log")


def is_local(host: str) -> bool:
    """Do only programs of this machine reach a server of this host name?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _head_of(log: PatchLog) -> URIRef | None:
    return None if log.head is None else log.head.id


def _version(text: str | None) -> Version:
    """Read a version: its number, or the id of its patch."""
    if text is not None and text.isascii() and text.isdigit():
        return int(text)
    return text


async def _explain(request: Request, error: Exception) -> Response:
    """Answer a request that failed; what only the server's owner may know goes to the log."""
    if isinstance(error, LogConflict):
        if error.expected is None and error.head is None:
            # The log stayed locked.
            busy = {"detail": "others are writing to the log"}
            return JSONResponse(busy, 503, {"Retry-After": "1"})
        fields = {"detail": str(error), "head": error.head, "version": error.version}
        return JSONResponse(fields | {"expected": error.expected}, 412, {"ETag": etag(error.head)})
    if isinstance(error, MissingVersion):
        return JSONResponse({"detail": str(error)}, 404)
    if isinstance(error, LimitError):
        return JSONResponse({"detail": str(error)}, 413)
    if isinstance(error, UnfitPatch | InvalidId | DecodeError | EncodeError):
        return JSONResponse({"detail": str(error)}, 400)
    _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return JSONResponse(
        {"detail": "the server can't do that now: its standard error says why"}, 500
    )

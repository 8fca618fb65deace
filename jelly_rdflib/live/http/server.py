"""A patch log for others, by HTTP: ``jellyp log serve``."""

# FastAPI reads the annotations of the methods below while it runs: they are no strings.

import logging
import os
from dataclasses import KW_ONLY, asdict, dataclass
from typing import IO, Annotated, Any

from fastapi import FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from prometheus_client.exposition import choose_encoder
from pydantic import Field
from rdflib.term import URIRef
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from werkzeug.http import parse_etags, quote_etag

from jelly_rdflib.errors import JellyError, LogConflict
from jelly_rdflib.live.http import wire
from jelly_rdflib.live.http.access import Gate, Right, Tokens, client_of
from jelly_rdflib.live.http.answers import CHANGES, Bodies, accepted, send_changes, send_stored
from jelly_rdflib.live.http.events import Feed
from jelly_rdflib.live.http.metrics import Metrics
from jelly_rdflib.log import LogEntry, PatchLog
from jelly_rdflib.log.history import History
from jelly_rdflib.log.incoming import open_incoming
from jelly_rdflib.log.names import make_patch_id, parse_patch_id
from jelly_rdflib.log.tables import entry_fields
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.version import __version__

_log = logging.getLogger(__name__)

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_BODY = {"requestBody": {"content": dict.fromkeys(CHANGES, _BINARY), "required": True}}
_Version = Annotated[
    int | Annotated[str, Field(max_length=100)],
    Field(description="A number, or the id of a patch.", union_mode="left_to_right"),
]


@dataclass(eq=False, repr=False)
class LogServer:
    """An application (ASGI) that gives a patch log to others.

    Requests are served by several threads. Other processes may use the folder at the same time.

    Raises:
        LogError, OSError: The folder is no log, or there is none.
        ValueError: There is no such rate.

    Examples:
        >>> import tempfile
        >>> from starlette.testclient import TestClient
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog.create(folder)
        ...     client = TestClient(LogServer(folder).app, base_url="http://localhost")
        ...     client.get("/").json()["version"]
        0
    """

    path: str | os.PathLike[str]  # the folder of the log
    _: KW_ONLY
    tokens: Tokens | None = None  # who may do what; None: everybody may do all
    # Without tokens, requests that name another host than this machine are refused, unless this
    # is set: a page in a browser could have made them.
    is_open: bool = False
    limits: Limits | None = None  # for reading patches, also those that are appended
    timeout: float = 30.0  # seconds to wait for others who write to the log
    max_body: int = 1 << 28  # bytes of a patch; all that come at once may have four times as many
    rate: str | None = None  # requests of each client: "100/second"; None: any number
    max_followers: int = 1000  # half of them from one host

    def __post_init__(self) -> None:
        self._history = History(self.path, self.limits or Limits(), self.timeout)
        self._history.read_log()
        self.feed = Feed(self._history, self.max_followers)
        self.metrics = Metrics({self._history.path.name: self.feed})
        self._bodies = Bodies(self.max_body, self.metrics.received)
        # The key and the certificate that gRPC takes from now on; None: those it has.
        self.certificate: tuple[bytes, bytes] | None = None
        handlers: Any = {JellyError: _explain, OSError: _explain}
        description = (
            "A log of changes of an RDF dataset. The n-th patch makes version n of the data."
        )
        self.app = FastAPI(
            title="Patch log",
            version=__version__,
            description=description,
            exception_handlers=handlers,
        )
        # Answers that are smaller gain nothing.
        streams = wire.EVENTS, wire.EVENTS_WITH_PATCHES
        self.app.add_middleware(GZipMiddleware, minimum_size=1000, exclude_content_types=streams)
        self.app.add_middleware(self.metrics.counting)
        self._gate = Gate(self.tokens, self.rate, is_open=self.is_open)
        for method, place, endpoint, right in (
            ("GET", "/", self.get_log, Right.READ),
            ("GET", "/patches", self.get_patches, Right.READ),
            ("POST", "/patches", self.append, Right.APPEND),
            ("GET", "/patches/{version}", self.get_patch, Right.READ),
            ("GET", "/snapshots/{version}", self.get_snapshot, Right.READ),
            ("POST", "/snapshots", self.snapshot, Right.MANAGE),
            ("POST", "/squash", self.squash, Right.MANAGE),
            ("GET", "/problems", self.verify, Right.MANAGE),
            ("GET", "/events", self.follow, Right.READ),
            ("GET", "/metrics", self.get_metrics, Right.READ),
            ("GET", "/health", self.get_health, None),
            ("GET", "/ready", self.get_ready, None),
        ):
            needs = [] if right is None else [self._gate.needs(right)]
            extra = _BODY if right == Right.APPEND else None
            self.app.add_api_route(
                place, endpoint, methods=[method], dependencies=needs, openapi_extra=extra
            )

    def _open(self) -> PatchLog:
        return PatchLog(self.path, limits=self.limits, timeout=self.timeout)

    def get_log(
        self, if_none_match: Annotated[str | None, Header(max_length=1000)] = None
    ) -> Response:
        """The id of the log, its version, and its snapshots. The ETag names the newest patch."""
        id, compression, head = self._history.read_log()
        version = 0 if head is None else head.version
        with self._history.reading() as state:
            snapshots = state.snapshots(version)
        headers = {"ETag": wire.etag(None if head is None else head.id)}
        if if_none_match == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        fields = {
            "id": id,
            "version": version,
            "compression": compression,
            "head": head and entry_fields(head),
            "snapshots": [{"version": each.version, "digest": each.digest} for each in snapshots],
        }
        return JSONResponse(fields, headers=headers)

    def get_patches(
        self,
        request: Request,
        since: _Version = 0,
        upto: _Version | None = None,
        last: Annotated[int | None, Query(ge=0, le=wire.MOST_ENTRIES)] = None,
        most: Annotated[int, Query(ge=1, le=wire.MOST_ENTRIES)] = wire.MOST_ENTRIES,
    ) -> Response:
        """The patches that lead from one version to another: as a list, or as one stream.

        There are `most` patches at most; `next` says from which version on there are more. With
        `last` they are the last ones up to a version, so many.
        """
        media_type = accepted(request, [wire.JSON, *CHANGES])
        with self._history.reading() as state:
            end = state.locate(upto)
            if last is None:
                found = state.between(state.locate(since), end, most + 1)
            else:
                found = state.latest(end.version, last)
        entries = found[:most]
        more = entries[-1].version if len(found) > most else None
        if media_type == wire.JSON:
            fields = {"patches": list(map(entry_fields, entries)), "next": more}
            return JSONResponse(fields, headers={"Vary": "Accept"})
        link = f'<?since={more}&upto={end.version}&most={most}>; rel="next"'
        return send_changes(entries, media_type, **({} if more is None else {"Link": link}))

    def get_patch(self, version: _Version, request: Request) -> Response:
        """A patch: in a format of changes, or as JSON what the log knows of it."""
        with self._history.reading() as state:
            entry = state.entry(version)
        media_type = accepted(request, [*CHANGES, wire.JSON])
        if media_type == wire.JSON:
            return JSONResponse(entry_fields(entry), headers={"Vary": "Accept"})
        if media_type != CHANGES[0]:
            return send_changes([entry], media_type)
        source: Any = entry.stored()
        is_compressed = self._history.is_compressed
        return send_stored(source, media_type, request, entry.digest, is_compressed)

    async def append(
        self,
        request: Request,
        if_match: Annotated[str | None, Header(description="The ETag of the log; *: any")] = None,
    ) -> Response:
        """Append a patch; its answer comes when it is on the disk.

        A 412 says that another patch was appended meanwhile, and which one is the newest.
        """
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in CHANGES:
            raise HTTPException(415, f"a patch is one of: {', '.join(CHANGES)}")
        async with self._bodies.take(request) as body:
            with self.feed.appending():
                entry = await run_in_threadpool(self._append, body, media_type, if_match)
        headers = {"ETag": wire.etag(entry.id), "Location": f"patches/{entry.version}"}
        return JSONResponse(entry_fields(entry), 201, headers)

    def _append(self, body: IO[bytes], format: Any, if_match: str | None) -> LogEntry:
        while True:
            with open_incoming(body, self._history.limits, format) as incoming:
                try:
                    return self._history.append(
                        incoming,
                        id=incoming.id or make_patch_id(),
                        prev=self._expected(if_match, incoming.prev),
                        options=incoming.options or PatchOptions(),
                    )
                except LogConflict as error:
                    # "*" takes any newest patch, also one that came meanwhile.
                    is_late = not error.is_locked and error.expected != error.head
                    if if_match != "*" or incoming.prev is not None or not is_late:
                        raise
            body.seek(0)

    def _expected(self, if_match: str | None, prev: URIRef | None) -> URIRef | None:
        """Return the id of the patch that a patch with a header ``prev``, or None, must follow."""
        if if_match is None:
            if prev is None:
                what = "say in If-Match which patch this one follows: the ETag of the log"
                raise HTTPException(428, what)
            return prev
        with self._history.reading() as state:
            newest = state.newest()
        head = None if newest is None else newest.id
        # Weak ones match nothing.
        tags = parse_etags(if_match)
        if tags.star_tag:
            return prev or head
        ids = [None if each == wire.EMPTY else parse_patch_id(each) for each in tags]
        if not all(quote_etag(each) in if_match for each in tags):
            raise HTTPException(400, "the ETags in If-Match stand in quotation marks")
        if not ids:
            what = f"a weak ETag matches nothing; the newest patch is <{head}>"
            raise LogConflict(what, head=head, version=newest.version if newest else 0)
        if prev is not None and prev not in ids:
            raise HTTPException(400, f"If-Match says {if_match}, but the patch says {prev}")
        return prev or (head if head in ids else ids[0])

    def get_snapshot(self, version: int, request: Request) -> Response:
        """The whole data of a version that has a snapshot, as Jelly-RDF."""
        with self._history.reading() as state:
            found = {each.version: each for each in state.snapshots(version)}.get(version)
        if found is None:
            raise HTTPException(404, f"version {version} has no snapshot")
        media_type = accepted(request, [wire.JELLY])
        source = self._history.open_snapshot(found)
        return send_stored(source, media_type, request, found.digest, self._history.is_compressed)

    def snapshot(self, version: _Version) -> dict[str, int]:
        """Store the whole data of a version, which makes checkouts faster."""
        log = self._open()
        entry = log.entry(version)
        log.snapshot(entry.version)
        return {"version": entry.version}

    def squash(self, first: _Version, last: _Version) -> dict[str, Any]:
        """Replace the patches from one version to another by one with the same effect."""
        return entry_fields(self._open().squash(first, last))

    def verify(self, deep: bool = False) -> dict[str, list[dict[str, Any]]]:
        """Check the log: read every file to its end. The answer names no path of the server's."""
        folder = f"{self._history.path}{os.sep}"
        problems = [asdict(each) for each in self._open().verify(deep=deep)]
        for each in problems:
            for key in ("path", "message"):
                each[key] = str(each[key]).replace(folder, "")
        return {"problems": problems}

    def follow(
        self,
        request: Request,
        since: _Version | None = None,
        last_event_id: Annotated[_Version | None, Header()] = None,
    ) -> Response:
        """Follow the log: an event for each patch after a version, without an end.

        These are server-sent events: the id of each is the version, and its data are those of
        `/patches/{version}` as JSON. By default the first event is that of the next patch. An event
        `gone` says that the version was squashed, and `failed` that the log can't be read: each is
        the last one. `idle` comes after 15 seconds without another.

        As `application/x-jelly-patch-events` each event is a line of such JSON, with its kind as
        `event`. As many bytes as `inline` says come behind it: the patch as it is stored, if that
        has up to 64 KiB, else nothing.
        """
        media_type = accepted(request, [wire.EVENTS, wire.EVENTS_WITH_PATCHES])
        with self._history.reading() as state:
            point = state.locate(since if last_event_id is None else last_event_id)
        host = client_of(request)
        self.feed.check_room(host)
        headers = {
            "Cache-Control": "no-store, no-transform",
            "X-Accel-Buffering": "no",
            "Vary": "Accept",
            wire.LOG_ID: self._history.read_log()[0],
        }
        events = self.feed.follow(point, host, media_type)
        return StreamingResponse(events, media_type=media_type, headers=headers)

    async def get_health(self) -> dict[str, str]:
        """Does the server answer? This takes no token."""
        return {"status": "ok"}

    async def get_ready(self) -> dict[str, str]:
        """Can each log be read, and is the server not ending? This takes no token."""
        if problem := await self.metrics.problem():
            raise HTTPException(503, problem, {"Retry-After": "1"})
        return {"status": "ready"}

    async def get_metrics(self, request: Request) -> Response:
        """What the server counts, as Prometheus reads it."""
        await self.metrics.problem()
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(self.metrics.registry), media_type=media_type)


async def _explain(request: Request, error: Exception) -> Response:
    """Answer a request that failed; what only the server's owner may know goes to the log."""
    status, fields = wire.answer_to(error)
    headers = {412: {"ETag": wire.etag(fields.get("head"))}, 503: {"Retry-After": "1"}}.get(status)
    if status == 500:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return JSONResponse(fields, status, headers)

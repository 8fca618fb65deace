"""A server of patch logs over HTTP: ``jellyp log serve``."""

# FastAPI evaluates the annotations of the methods below, so they must not be strings.

import logging
import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from werkzeug.http import parse_etags

from jelly_rdflib.errors import JellyError, MissingVersion
from jelly_rdflib.live.http import wire
from jelly_rdflib.live.http.access import ALL, Gate, Right, Tokens, client_of
from jelly_rdflib.live.http.answers import (
    CHANGES,
    Bodies,
    ConditionalRequests,
    accepted,
    send_changes,
    send_json,
    send_stored,
)
from jelly_rdflib.live.http.appending import append
from jelly_rdflib.live.http.events import Followers
from jelly_rdflib.live.http.logs import Logs, Served
from jelly_rdflib.live.http.metrics import MEDIA_TYPES, Metrics
from jelly_rdflib.log.tables import entry_fields
from jelly_rdflib.log.versions import point_of
from jelly_rdflib.options import Limits
from jelly_rdflib.version import __version__

_log = logging.getLogger(__name__)

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_BODY = {"requestBody": {"content": dict.fromkeys(CHANGES, _BINARY), "required": True}}
_Version = Annotated[
    int | Annotated[str, Field(max_length=100)],
    Field(description="A number, or the id of a patch.", examples=[2], union_mode="left_to_right"),
]
_Digest = Annotated[
    str | None,
    Query(description="Return the file only if it has this SHA-256: the response never changes."),
]
_IfMatch = Annotated[str | None, Header(description="The ETag that the log must have; *: any")]
_IfNoneMatch = Annotated[str | None, Header(description="An ETag that it must not have; *: any")]

_NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
# The server itself has the page's scripts and styles: the page must not load any from other hosts.
_PAGE = get_swagger_ui_html(
    openapi_url="openapi.json",
    title="Patch log",
    swagger_js_url="swagger/swagger-ui-bundle.js",
    swagger_css_url="swagger/swagger-ui.css",
    swagger_favicon_url="swagger/favicon-32x32.png",
    swagger_ui_parameters={"validatorUrl": None},
)
# The errors that any request may get.
_FAULTS = 400, 401, 403, 404, 429, 500, 503


class _Fault(BaseModel):
    """The response to a request that failed; some have more fields."""

    detail: str


def _served(request: Request) -> Served:
    found: Served = request.app.state.server.logs.find(request.path_params.get("name"))
    return found


_Log = Annotated[Served, Depends(_served)]


@dataclass(eq=False, repr=False)
class LogServer:
    """An ASGI application that serves patch logs.

    A single log is served at ``/``. Several logs, or the logs in a folder that isn't itself a log,
    are served at ``/NAME/``, where the name is that of the log's folder. Logs that are created in
    that folder later are served, too.

    Requests are served by several threads. Other processes may use the folders at the same time.

    Raises:
        LogError, OSError: A folder is not a log, or does not exist.
        ValueError: The rate is invalid; a folder's name can't be the name of a log, or two folders
            have the same name.

    Examples:
        >>> import tempfile
        >>> from jelly_rdflib import PatchLog
        >>> from starlette.testclient import TestClient
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = PatchLog.create(folder)
        ...     client = TestClient(LogServer(folder).app, base_url="http://localhost")
        ...     client.get("/").json()["version"]
        0
    """

    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]  # a folder, or several
    _: KW_ONLY
    tokens: Tokens | None = None  # who may do what; None: everybody may do everything
    # Without tokens, a request whose Host header names another machine is refused, since a page in
    # a browser could have caused it. This setting allows such requests.
    is_open: bool = False
    limits: Limits | None = None  # for reading patches, including those that are appended
    timeout: float = 30.0  # seconds to wait for other writers of the log
    max_body: int = 1 << 28  # bytes of one patch; four times as many for all arriving at once
    rate: str | None = None  # request limit per client, such as "100/second"; None: no limit
    max_followers: int = 1000  # at most half of them from one host

    def __post_init__(self) -> None:
        self.followers = Followers(self.max_followers)
        self.logs = Logs(self.path, self.limits, self.timeout, self.followers)
        self.metrics = Metrics(self.logs, self.followers)
        self._bodies = Bodies(self.max_body, self.metrics.received)
        # The new key and certificate for gRPC connections; None: no change.
        self.certificate: tuple[bytes, bytes] | None = None
        handlers: Any = {JellyError: _explain, OSError: _explain, 405: _refuse_method}
        description = (
            "A log of changes of an RDF dataset. The n-th patch makes version n of the data."
        )
        self.app = FastAPI(
            title="Patch log",
            version=__version__,
            description=description,
            exception_handlers=handlers,
            docs_url=None,
            redoc_url=None,
        )
        self.app.state.server = self
        # Don't compress small responses: they gain nothing.
        streams = wire.EVENTS, wire.EVENTS_WITH_PATCHES
        self.app.add_middleware(GZipMiddleware, minimum_size=1000, exclude_content_types=streams)
        self.app.add_middleware(ConditionalRequests, is_private=self.tokens is not None)
        self.app.add_middleware(self.metrics.counting)
        self.app.mount("/swagger", StaticFiles(packages=[("fastapi_swagger", "resources")]))
        self.app.add_route("/docs", lambda request: _PAGE)
        self._gate = Gate(self.tokens, self.rate, is_open=self.is_open)
        json, events = [wire.JSON], [wire.EVENTS, wire.EVENTS_WITH_PATCHES]
        add, prefix = self._add, "/{name}" if self.logs.single is None else ""
        add("GET", "/health", self.metrics.get_health, None, json)
        add("GET", "/ready", self.metrics.get_ready, None, json)
        add("GET", "/metrics", self.metrics.get_metrics, Right.READ, MEDIA_TYPES)
        add("GET", f"{prefix}/", self.get_log, Right.READ, json, 304)
        add("GET", f"{prefix}/patches", self.get_patches, Right.READ, [*json, *CHANGES], 304, 406)
        add("POST", f"{prefix}/patches", self.append, Right.APPEND, json, 408, 412, 413, 415, 428)
        one = f"{prefix}/patches/{{version}}"
        add("GET", one, self.get_patch, Right.READ, [*CHANGES, *json], 304, 406)
        one = f"{prefix}/snapshots/{{version}}"
        add("GET", one, self.get_snapshot, Right.READ, [wire.JELLY], 304, 406)
        add("POST", f"{prefix}/snapshots", self.snapshot, Right.MANAGE, json, 412, 413)
        add("POST", f"{prefix}/squash", self.squash, Right.MANAGE, json, 412, 413)
        add("GET", f"{prefix}/problems", self.verify, Right.MANAGE, json, 413)
        add("GET", f"{prefix}/events", self.follow, Right.READ, events, 406)
        if self.logs.single is None:
            add("GET", "/", self.get_logs, Right.READ, json, 304)
            add("PUT", f"{prefix}/", self.create, Right.MANAGE, json, 201, 405, 409, 412)

    def _add(
        self, method: str, place: str, work: Any, right: Right | None, types: list[str], *codes: int
    ) -> None:
        """Add a route, with the media types and further status codes of its responses."""
        status = 201 if work == self.append else 200
        answers: dict[int | str, Any] = {
            code: {"description": HTTPStatus(code).phrase, "model": _Fault}
            for code in (*_FAULTS, *codes)
        }
        for code in {status, 201} & {status, *codes}:
            answers[code] = {"description": "done", "content": {each: {} for each in types}}
        if 304 in codes:
            answers[304] = {"description": HTTPStatus(304).phrase}
        # The metrics show all logs, so they need a token that is valid for all of them.
        log = self.logs.single or (ALL if place == "/metrics" else None)
        extra: dict[str, Any] = _BODY if work == self.append else {}
        if place.startswith("/{name}") and work != self.create:
            extra = {"parameters": [_NAME], **extra}
        # Accept the address of a log with and without a trailing slash.
        for path in {place, place if place == "/" else place.rstrip("/")}:
            self.app.add_api_route(
                path,
                work,
                methods=[method],
                status_code=status,
                dependencies=[] if right is None else [self._gate.needs(right, log)],
                responses=answers,
                response_class=Response,
                openapi_extra=extra,
                include_in_schema=path == place,
            )

    def get_logs(self, request: Request) -> Response:
        """List the logs that the token is valid for. An unreadable log has no id or version."""
        logs: list[dict[str, Any]] = []
        for name, log in self.logs.all().items():
            if self._gate.may_see(request.state.token, name):
                logs.append({"name": name, "id": None, "version": None})
                try:
                    id, _, head = log.history.read_log()
                    logs[-1] |= {"id": id, "version": point_of(head).version}
                except (JellyError, OSError) as error:
                    # The link reports the error only once, on standard error.
                    log.history.link.set(error)
        return send_json({"logs": logs})

    def create(
        self,
        request: Request,
        name: str,
        compression: Literal["zst"] | None = None,
        if_none_match: Annotated[str | None, Header(description="*: only a new log")] = None,
    ) -> Response:
        """Create an empty log in the server's folder of logs, unless it exists."""
        is_new = self.logs.create(name, compression)
        log = self.logs.find(name)
        answer = self.get_log(log)
        if not is_new and parse_etags(if_none_match).star_tag:
            raise HTTPException(412, "the log exists")
        if compression is not None and not log.history.is_compressed:
            raise HTTPException(409, "the log exists, and is not compressed")
        if is_new:
            answer.status_code = 201
            answer.headers["Location"] = f"{request.url.path.rstrip('/')}/"
        return answer

    def get_log(self, log: _Log) -> Response:
        """Return the log's id, version and snapshots. The ETag names the newest patch."""
        id, compression, head = log.history.read_log()
        version = point_of(head).version
        with log.history.reading() as state:
            snapshots = [
                {"version": each.version, "id": each.id, "digest": each.digest}
                for each in state.snapshots(version)
            ]
        fields = {
            "id": id,
            "version": version,
            "compression": compression,
            "head": head and entry_fields(head),
            "snapshots": snapshots,
        }
        return send_json(fields, f"{wire.EMPTY if head is None else head.id};")

    def get_patches(
        self,
        log: _Log,
        request: Request,
        since: _Version = 0,
        upto: _Version | None = None,
        last: Annotated[int | None, Query(ge=0, le=wire.MOST_ENTRIES)] = None,
        most: Annotated[int, Query(ge=1, le=wire.MOST_ENTRIES)] = wire.MOST_ENTRIES,
    ) -> Response:
        """Return the patches that lead from one version to another: as a list, or as one stream.

        The response has at most `most` patches; `next` is the version after which the rest follow.
        With `last`, it has the newest `last` patches up to a version instead.
        """
        media_type = accepted(request, [wire.JSON, *CHANGES])
        with log.history.reading() as state:
            end = state.locate(upto)
            if last is None:
                found = state.between(state.locate(since), end, most + 1)
            else:
                found = state.latest(end, last)
        entries = found[:most]
        more = entries[-1].version if len(found) > most else None
        if media_type == wire.JSON:
            fields = {"patches": list(map(entry_fields, entries)), "next": more}
            return send_json(fields, Vary="Accept")
        link = f'<?since={more}&upto={end.version}&most={most}>; rel="next"'
        return send_changes(entries, media_type, **({} if more is None else {"Link": link}))

    def get_patch(
        self, log: _Log, version: _Version, request: Request, digest: _Digest = None
    ) -> Response:
        """Return a patch in a change format, or its fields as JSON."""
        with log.history.reading() as state:
            entry = state.entry(version)
        if digest not in (None, entry.digest):
            raise MissingVersion(f"version {version} has another file now: was it squashed?")
        media_type = accepted(request, [*CHANGES, wire.JSON])
        if media_type == wire.JSON:
            return send_json(entry_fields(entry), Vary="Accept")
        if media_type != CHANGES[0]:
            return send_changes([entry], media_type)
        source: Any = entry.stored()
        is_compressed = log.history.is_compressed
        return send_stored(source, media_type, request, entry.digest, is_compressed)

    async def append(
        self,
        log: _Log,
        request: Request,
        if_match: _IfMatch = None,
        if_none_match: _IfNoneMatch = None,
    ) -> Response:
        """Append a patch; respond when the patch is on disk.

        Status 412 means that another patch was appended first; the ETag names the newest one.
        """
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in CHANGES:
            types = ", ".join(CHANGES)
            raise HTTPException(415, f"a patch must be one of: {types}", {"Accept": types})
        async with self._bodies.receive(request) as body:
            with log.feed.appending():
                entry = await run_in_threadpool(
                    append, log.history, body, media_type, if_match, if_none_match
                )
        headers = {"ETag": wire.etag(entry.id), "Location": f"patches/{entry.version}"}
        return JSONResponse(entry_fields(entry), 201, headers)

    def get_snapshot(
        self, log: _Log, version: int, request: Request, digest: _Digest = None
    ) -> Response:
        """Return all data of a version that has a snapshot, as Jelly-RDF."""
        with log.history.reading() as state:
            newest = point_of(state.newest()).version
            found = {each.version: each for each in state.snapshots(newest)}.get(version)
        if found is None or digest not in (None, found.digest):
            raise HTTPException(404, f"version {version} has no snapshot, or one that differs")
        media_type = accepted(request, [wire.JELLY])
        source = log.history.open_snapshot(found)
        return send_stored(source, media_type, request, found.digest, log.history.is_compressed)

    def snapshot(self, log: _Log, version: _Version) -> Response:
        """Store a snapshot: all data of a version, which makes checkouts faster."""
        opened = log.open()
        entry = opened.entry(version)
        opened.snapshot(entry.version)
        return JSONResponse({"version": entry.version})

    def squash(self, log: _Log, first: _Version, last: _Version) -> Response:
        """Replace the patches from one version to another by one patch with the same effect."""
        return JSONResponse(entry_fields(log.open().squash(first, last)))

    def verify(self, log: _Log, deep: bool = False) -> Response:
        """Check the log: read every file to its end. The response reveals no server paths."""
        folder = f"{log.history.path}{os.sep}"
        problems = [asdict(each) for each in log.open().verify(deep=deep)]
        for each in problems:
            for key in ("path", "message"):
                each[key] = str(each[key]).replace(folder, "")
        return JSONResponse({"problems": problems})

    def follow(
        self,
        log: _Log,
        request: Request,
        since: _Version | None = None,
        last_event_id: Annotated[_Version | None, Header()] = None,
    ) -> Response:
        """Follow the log: get an event for each patch after a version, without end.

        These are server-sent events: the id of an event is the version, and its data is the JSON
        of `/patches/{version}`. By default the first event is the next patch. The event `gone`
        means that the version was squashed, and `failed` that the log can't be read: each is the
        last event. `idle` is sent after 15 seconds without another event.

        As `application/x-jelly-patch-events` each event is a line of such JSON, with its kind as
        `event`. A stored patch of up to 64 KiB follows the line; `inline` is its size in bytes, or
        0.
        """
        media_type = accepted(request, [wire.EVENTS, wire.EVENTS_WITH_PATCHES])
        with log.history.reading() as state:
            point = state.locate(since if last_event_id is None else last_event_id)
        host = client_of(request)
        self.followers.check_room(host)
        headers = {
            "Cache-Control": "no-store, no-transform",
            "X-Accel-Buffering": "no",
            "Vary": "Accept",
            wire.LOG_ID: log.history.id,
        }
        events = log.feed.follow(point, host, media_type)
        return StreamingResponse(events, media_type=media_type, headers=headers)


async def _refuse_method(request: Request, error: Any) -> Response:
    """Respond with 405, and name all methods of the path, since a route has only one."""
    routes = [each for each in request.app.routes if each.path_regex.match(request.url.path)]
    # The server's own paths, such as /docs, also match the route /NAME: prefer the exact one.
    routes = [each for each in routes if each.path == request.url.path] or routes
    allowed = {method for each in routes for method in getattr(each, "methods", ())}
    allowed |= {"HEAD"} if "GET" in allowed else set()
    return JSONResponse({"detail": error.detail}, 405, {"Allow": ", ".join(sorted(allowed))})


async def _explain(request: Request, error: Exception) -> Response:
    """Respond to a failed request; details that only the server's owner may see are logged."""
    status, fields = wire.answer_to(error)
    headers = {412: {"ETag": wire.etag(fields.get("head"))}, 503: {"Retry-After": "1"}}.get(status)
    if status == 500 or isinstance(error, OSError):
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return JSONResponse(fields, status, headers)

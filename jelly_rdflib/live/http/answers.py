"""Bodies of requests and responses: patches in the format that a client asks for."""

from __future__ import annotations

import asyncio
import hashlib
import io
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from fastapi import HTTPException, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from prometheus_client import Counter
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header, parse_etags, unquote_etag

from jelly_rdflib.core.zstd import zstd
from jelly_rdflib.formats import FORMATS
from jelly_rdflib.live.waiting import LEAST_SPEED
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.history import options_for
from jelly_rdflib.streams.writing import PatchWriter

# A body with more bytes is kept on disk.
_IN_MEMORY = 1 << 20
_CHUNK = 1 << 16
SILENCE = 60
"""The seconds within which the next part of a body must arrive."""
# The total size of all bodies held at once may be this many times the maximum size of one body.
_TOGETHER = 4


def patience(start: float, size: int) -> float:
    """Return how many seconds to wait for more; ``size`` bytes have arrived since ``start``."""
    left = start + SILENCE + size / LEAST_SPEED - time.monotonic()
    return max(0.0, min(SILENCE, left))


# Jelly as text is left out: it has no media type.
CHANGES = [
    format.media_types[0]
    for format in reversed(FORMATS)
    if format.holds_changes and format.media_types
]
"""The media types of change formats; the first is that of Jelly-Patch."""


def accepted(request: Request, offered: Sequence[str]) -> str:
    """Return the response's media type; raise an HTTPException if the client accepts none."""
    accept = parse_accept_header(request.headers.get("accept") or "*/*", MIMEAccept)
    found = accept.best_match(offered)
    if found is None:
        raise HTTPException(406, f"the available media types are: {', '.join(offered)}")
    return found


class Bodies:
    """Receives request bodies into files; a body may have up to ``most`` bytes.

    The bodies that are held at the same time may together have four times as many bytes.
    """

    def __init__(self, most: int, received: Counter) -> None:
        self._most, self._received = most, received
        self._held = 0

    def hold(self, size: int) -> None:
        """Count received bytes; a negative number is for bytes that are no longer held."""
        self._held += size
        self._received.inc(max(size, 0))
        if size > 0 and self._held > _TOGETHER * self._most:
            raise HTTPException(503, "too many patches arrive at once", {"Retry-After": "1"})

    @asynccontextmanager
    async def receive(self, request: Request) -> AsyncIterator[IO[bytes]]:
        """Read a body into a file, which exists while the block runs."""
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            headers = {"Accept-Encoding": "identity"}
            raise HTTPException(415, "a body must have no content coding", headers)
        too_large = HTTPException(413, f"the body has more than {self._most} bytes")
        told = request.headers.get("content-length", "")
        if told.isdecimal() and int(told) > self._most:
            raise too_large
        size, start = 0, time.monotonic()
        chunks = request.stream()
        try:
            with SpooledTemporaryFile(_IN_MEMORY) as file:
                while chunk := await asyncio.wait_for(anext(chunks, b""), patience(start, size)):
                    size += len(chunk)
                    self.hold(len(chunk))
                    if size > self._most:
                        raise too_large
                    file.write(chunk)
                file.seek(0)
                yield file
        except ClientDisconnect:
            # The client can't get this response, but the metrics count its status.
            raise HTTPException(499, "the client is gone") from None
        except asyncio.TimeoutError:
            raise HTTPException(408, f"too little arrived within {SILENCE} seconds") from None
        finally:
            self.hold(-size)


def send_json(fields: Any, prefix: str = "", status: int = 200, **headers: str) -> Response:
    """Return a JSON response; its ETag is ``prefix`` and a digest of the body."""
    answer = JSONResponse(fields, status, headers)
    digest = hashlib.sha256(answer.body).hexdigest()[:16]
    answer.headers["ETag"] = f'"{prefix}{digest}"'
    return answer


def send_stored(
    source: bytes | Path, media_type: str, request: Request, digest: str, is_compressed: bool
) -> Response:
    """Return a response with a stored file, decompressed if the client does not accept zstd."""
    # The ETag is weak, since the bytes depend on the coding, but the content does not.
    headers = {"ETag": f'W/"{digest}"', "Vary": "Accept, Accept-Encoding"}
    if request.query_params.get("digest") is not None:
        # The address names the digest of the content, so the response never changes.
        headers["Cache-Control"] = "max-age=31536000, immutable"
    codings = parse_accept_header(request.headers.get("accept-encoding") or "identity")
    is_plain = is_compressed and codings.quality("zstd") == 0
    if is_compressed and not is_plain:
        headers["Content-Encoding"] = "zstd"
    if isinstance(source, bytes) and not is_plain:
        return Response(source, media_type=media_type, headers=headers)
    if isinstance(source, Path) and not is_plain:
        headers["Content-Length"] = str(source.stat().st_size)

    # Don't use FileResponse: it serves ranges of bytes, but responses with the same ETag may have
    # different bytes, if their codings differ.
    def pieces() -> Iterator[bytes]:
        with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
            reader: Any = zstd.ZstdFile(file) if is_plain else file
            yield from iter(partial(reader.read, _CHUNK), b"")

    return StreamingResponse(pieces(), media_type=media_type, headers=headers)


def send_changes(entries: Sequence[LogEntry], media_type: Any, **headers: str) -> Response:
    """Return a response with patches as one stream."""

    def encoded() -> Iterator[bytes]:
        chunks = io.BytesIO()
        options = options_for(entries) if media_type == CHANGES[0] else None
        with PatchWriter(chunks, options, format=media_type) as writer:
            for entry in entries:
                with closing(entry.batches()) as batches:
                    for batch in batches:
                        writer.write_all(batch)
                        if chunks.tell() >= _CHUNK:
                            yield chunks.getvalue()
                            chunks.seek(0)
                            chunks.truncate()
        yield chunks.getvalue()

    headers["Vary"] = "Accept"
    # The ETag is weak, since other versions of this package may write the same patches
    # differently.
    digests = " ".join([media_type, *(entry.digest for entry in entries)])
    headers["ETag"] = f'W/"{hashlib.sha256(digests.encode()).hexdigest()}"'
    return StreamingResponse(encoded(), media_type=media_type, headers=headers)


class _Enough(Exception):
    """Ends a response whose rest is not sent, such as the body for HEAD."""


class ConditionalRequests:
    """Middleware: handles HEAD and If-None-Match wherever GET works, and sets Cache-Control."""

    def __init__(self, app: Any, *, is_private: bool) -> None:
        self._app = app
        self._is_private = is_private

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on to the application."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        known = parse_etags(Headers(scope=scope).get("if-none-match"))
        inner = {**scope, "method": "GET"}

        async def answer(message: Any) -> None:
            if message["type"] != "http.response.start":
                await send(message)
                return
            # Pass the route on to the metrics, which wrap this application and count by routes.
            scope["route"] = inner.get("route")
            headers = MutableHeaders(scope=message)
            self._tell_caches(headers)
            tag = headers.get("etag")
            if message["status"] == 200 and tag and known.contains_weak(unquote_etag(tag)[0]):
                message["status"] = 304
                for name in ("Content-Type", "Content-Length", "Content-Encoding", "Link"):
                    del headers[name]
            await send(message)
            if scope["method"] == "HEAD" or message["status"] == 304:
                await send({"type": "http.response.body"})
                raise _Enough

        with suppress(_Enough):
            await self._app(inner, receive, answer)

    def _tell_caches(self, headers: MutableHeaders) -> None:
        control = headers.get("cache-control", "no-cache")
        if "no-store" not in control:
            headers["Cache-Control"] = f"{'private' if self._is_private else 'public'}, {control}"
        if self._is_private:
            headers.add_vary_header("Authorization")
        if headers.get("content-encoding") == "gzip" and headers.get("etag", "W").startswith('"'):
            # A strong ETag identifies exact bytes, so a compressed body needs another one.
            headers["ETag"] = headers["ETag"].removesuffix('"') + '-gzip"'

"""Bodies of requests and answers: patches in the format that a client asks for."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import zstandard
from fastapi import HTTPException, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from prometheus_client import Counter
from starlette.requests import ClientDisconnect
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from jelly_rdflib.formats import FORMATS
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.history import options_for
from jelly_rdflib.streams.writing import PatchWriter

# A larger body goes to the disk.
_IN_MEMORY = 1 << 20
_CHUNK = 1 << 16
SILENCE = 60
"""The seconds in which the next part of a body must come."""
# All bodies together may be so many times as large as one.
_TOGETHER = 4

# The text of frames has no media type.
CHANGES = [
    format.media_types[0]
    for format in reversed(FORMATS)
    if format.holds_changes and format.media_types
]
"""The media types of changes; the first is Jelly-Patch's."""


def accepted(request: Request, offered: Sequence[str]) -> str:
    """Return the media type for the answer; an HTTPException if the client takes none of them."""
    accept = parse_accept_header(request.headers.get("accept") or "*/*", MIMEAccept)
    found = accept.best_match(offered)
    if found is None:
        raise HTTPException(406, f"there are: {', '.join(offered)}")
    return found


class Bodies:
    """Takes the bodies of requests into files; a body has ``most`` bytes at most.

    All that are held at once may have four times as many.
    """

    def __init__(self, most: int, received: Counter) -> None:
        self._most, self._received = most, received
        self._held = 0

    def hold(self, size: int) -> None:
        """Count bytes that came; a negative number counts those that are held no more."""
        self._held += size
        self._received.inc(max(size, 0))
        if size > 0 and self._held > _TOGETHER * self._most:
            raise HTTPException(503, "too many patches come at once", {"Retry-After": "1"})

    @asynccontextmanager
    async def take(self, request: Request) -> AsyncIterator[IO[bytes]]:
        """Read a body into a file, which is there in the block."""
        too_large = HTTPException(413, f"the body has more than {self._most} bytes")
        told = request.headers.get("content-length", "")
        if told.isdecimal() and int(told) > self._most:
            raise too_large
        size = 0
        chunks = request.stream()
        try:
            with SpooledTemporaryFile(_IN_MEMORY) as file:
                while chunk := await asyncio.wait_for(anext(chunks, b""), SILENCE):
                    size += len(chunk)
                    self.hold(len(chunk))
                    if size > self._most:
                        raise too_large
                    file.write(chunk)
                file.seek(0)
                yield file
        except ClientDisconnect:
            # Nobody gets it; metrics count it.
            raise HTTPException(499, "the client is gone") from None
        except asyncio.TimeoutError:
            raise HTTPException(408, f"nothing came for {SILENCE} seconds") from None
        finally:
            self.hold(-size)


def send_stored(
    source: bytes | Path, media_type: str, request: Request, digest: str, is_compressed: bool
) -> Response:
    """Answer with a file of a log as it is stored; without its zstd if the client takes none."""
    # Weak: the content is the same, whatever its coding is.
    headers = {"ETag": f'W/"{digest}"', "Vary": "Accept, Accept-Encoding"}
    codings = parse_accept_header(request.headers.get("accept-encoding") or "identity")
    if is_compressed and codings.quality("zstd") == 0:
        opened = source.open("rb") if isinstance(source, Path) else io.BytesIO(source)
        decompressed = zstandard.ZstdDecompressor().stream_reader(opened, closefd=True)
        pieces = iter(partial(decompressed.read, _CHUNK), b"")
        return StreamingResponse(pieces, media_type=media_type, headers=headers)
    if is_compressed:
        headers["Content-Encoding"] = "zstd"
    if isinstance(source, Path):
        return FileResponse(source, media_type=media_type, headers=headers)
    return Response(source, media_type=media_type, headers=headers)


def send_changes(entries: Sequence[LogEntry], media_type: Any, **headers: str) -> Response:
    """Answer with patches as one stream."""

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
    return StreamingResponse(encoded(), media_type=media_type, headers=headers)

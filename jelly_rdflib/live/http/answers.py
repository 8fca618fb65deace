"""Bodies of requests and answers: patches in the format that a client asks for."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Any

import zstandard
from fastapi import HTTPException, Request, Response
from fastapi.responses import FileResponse, StreamingResponse

from jelly_rdflib.formats import FORMATS
from jelly_rdflib.live.http.negotiation import choose
from jelly_rdflib.log import LogEntry
from jelly_rdflib.log.history import options_for
from jelly_rdflib.streams.writing import PatchWriter

# A larger body goes to the disk.
_IN_MEMORY = 1 << 20
_CHUNK = 1 << 16
# The seconds in which the next part of a body must come.
_SILENCE = 60

# The text of frames has no media type.
CHANGES = [
    format.media_types[0]
    for format in reversed(FORMATS)
    if format.holds_changes and format.media_types
]
"""The media types of changes; the first is Jelly-Patch's."""


def accepted(request: Request, offered: Sequence[str]) -> str:
    """Return the media type for the answer; an HTTPException if the client takes none of them."""
    found = choose(request.headers.get("accept"), offered)
    if found is None:
        raise HTTPException(406, f"there are: {', '.join(offered)}")
    return found


async def take_body(request: Request, most: int) -> IO[bytes]:
    """Read a body of so many bytes at most into a file, which the caller closes."""
    too_large = HTTPException(413, f"the body has more than {most} bytes")
    told = request.headers.get("content-length", "")
    if told.isascii() and told.isdigit() and (len(told) > 20 or int(told) > most):
        raise too_large
    size = 0
    chunks = request.stream()
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
    try:
        while (chunk := await asyncio.wait_for(anext(chunks, None), _SILENCE)) is not None:
            size += len(chunk)
            if size > most:
                raise too_large
            file.write(chunk)
    except asyncio.TimeoutError:
        file.close()
        raise HTTPException(408, f"nothing came for {_SILENCE} seconds") from None
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def send_stored(
    source: bytes | Path,
    media_type: str,
    request: Request,
    headers: dict[str, str],
    compression: Any,
) -> Response:
    """Answer with a file of a log as it is stored; without its zstd if the client takes none."""
    headers = {**headers, "Vary": "Accept, Accept-Encoding"}
    if compression is not None:
        if choose(request.headers.get("accept-encoding", "identity"), ["zstd"]) is None:
            return StreamingResponse(_decompressed(source), media_type=media_type, headers=headers)
        headers["Content-Encoding"] = "zstd"
    if isinstance(source, Path):
        return FileResponse(source, media_type=media_type, headers=headers)
    return Response(source, media_type=media_type, headers=headers)


def _decompressed(source: bytes | Path) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor()
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield from decompressor.read_to_iter(file)
    else:
        yield from decompressor.read_to_iter(source)


def send_changes(
    entries: Sequence[LogEntry], media_type: str, headers: dict[str, str]
) -> StreamingResponse:
    """Answer with patches as one stream."""
    return StreamingResponse(_encoded(entries, media_type), media_type=media_type, headers=headers)


def _encoded(entries: Sequence[LogEntry], media_type: Any) -> Iterator[bytes]:
    chunks = _Chunks()
    options = options_for(entries) if media_type == CHANGES[0] else None
    with PatchWriter(chunks, options, format=media_type) as writer:
        for entry in entries:
            with closing(entry.batches()) as batches:
                for batch in batches:
                    writer.write_all(batch)
                    if chunks.size >= _CHUNK:
                        yield chunks.take()
    yield chunks.take()


class _Chunks:
    """A destination whose bytes are taken away now and then."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._parts.append(bytes(data))
        self.size += len(data)

    def take(self) -> bytes:
        parts, self._parts, self.size = self._parts, [], 0
        return b"".join(parts)

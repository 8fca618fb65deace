"""The parts of a long file of frames, which can be read independently, and a saved index of them.

A part starts at a frame, with the state that the decoder had there. To find the parts, the file is
decoded once, which is much faster than any use of its rows; an index beside the file
(``FILE.idx``) saves that, too.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import zstandard

from jelly_rdflib.core.jelly_decoder import (
    BatchReader,
    FrameDecoder,
    PatchFrameDecoder,
    StatementFrameDecoder,
    StreamScanner,
)
from jelly_rdflib.core.source import ByteSource, is_compressed
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits

if TYPE_CHECKING:
    from jelly_rdflib.core.jelly_decoder import Place

SPACING = 64 << 20
"""Bytes of a part, about."""

MAGIC = b"jelly-index 1\n"
DIGEST_SIZE = 32
# Bytes of the start and of the end of a file that go into its digest.
SAMPLE = 1 << 16
# Some 10,000 parts: 640 GB with the usual spacing. As Python's objects a stranger's header may take
# 30 times as much.
MAX_HEADER = 1 << 20
MAX_STATE_OVERHEAD = 1 << 20


class StaleIndexError(DecodeError):
    """An index is damaged, or the file beside it has changed since it was written."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a file.

    Args:
        start: Its start, in bytes from the file's start.
        end: Its end.
        is_last: Whether the file ends there.
        place: The place of its first operation in the file, as `jelly_rdflib.arrow.ArrowRows` takes
            it; None at the start of the file.
        state: The decoder's state, compressed; None at the start of the file, or if it is in an
            index.
        stored: The place of the state in an index: the index's path, offset and size.
    """

    start: int
    end: int
    is_last: bool
    place: Place | None = None
    state: bytes | None = None
    stored: tuple[str, int, int] | None = None

    def load_state(self, limits: Limits | None = None) -> bytes | None:
        """Return the decoder's state; None at the start of the file.

        A state of an index is a DecodeError if it is damaged, or larger than any decoder's state
        within the limits.
        """
        state = self.state
        if self.stored is not None:
            path, offset, size = self.stored
            with open(path, "rb") as file:
                file.seek(offset)
                state = file.read(size)
        if state is None:
            return None
        try:
            # Decompression makes room for the size that the frame declares.
            size = zstandard.get_frame_parameters(state).content_size
            # The text of lookups, and of the last terms.
            max_size = 4 * (limits or Limits()).max_text_size + MAX_STATE_OVERHEAD
            if self.stored is not None and size > max_size:
                raise DecodeError(f"the checkpoint of a decoder is larger than {max_size} bytes")
            return zstandard.ZstdDecompressor().decompress(state)
        except zstandard.ZstdError as error:
            raise DecodeError(f"the checkpoint of a decoder is damaged: {error}") from error


def make_decoder(*, is_statements: bool, limits: Limits) -> FrameDecoder:
    """Make a decoder of Jelly-RDF, or of Jelly-Patch, that keeps lexical forms as they are."""
    factory = make_node_factory(False, limits)
    if is_statements:
        return StatementFrameDecoder(factory, limits)
    return PatchFrameDecoder(factory, limits)


def find_parts(
    path: str | os.PathLike[str],
    *,
    is_statements: bool = False,
    spacing: int = SPACING,
    limits: Limits | None = None,
    advance: Callable[[int], object] | None = None,
    keep_going: bool = True,
) -> list[Part]:
    """Find the parts of a file, by decoding it once.

    A compressed file is one part, and so is a bare frame.

    Args:
        path: The file.
        is_statements: Whether it is Jelly-RDF; else it is Jelly-Patch.
        spacing: Bytes of a part, at least; the last one may have fewer.
        limits: What to accept.
        advance: Called with the number of bytes that were read since the last call.
        keep_going: Whether an error in the file ends the search (the reader of the last part will
            raise it); else it is raised.

    Examples:
        >>> import tempfile, os
        >>> from jelly_rdflib import PatchOptions, PatchWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "changes.jellyp")
        >>> with PatchWriter(path, PatchOptions(frame_rows=1)) as writer:
        ...     for _ in range(10):
        ...         writer.begin()
        ...         writer.commit()
        ...         writer.end_patch()
        >>> [(part.start, part.end) for part in find_parts(path, spacing=64)]
        [(0, 68), (68, 133), (133, 168)]
    """
    limits = limits or Limits()
    size = os.path.getsize(path)
    found: list[tuple[int, Place, bytes]] = []
    if size > spacing and not is_compressed(path):
        decoder = make_decoder(is_statements=is_statements, limits=limits)
        with open(path, "rb", buffering=0) as file:
            scanner = StreamScanner(
                _counting(file.read, advance),
                decoder,
                limits,
                spacing=spacing,
                counts_frames=is_statements,
            )
            compressor = zstandard.ZstdCompressor(level=1)
            try:
                for start, place, state in scanner:
                    found.append((start, place, compressor.compress(state)))
            except DecodeError:
                if not keep_going:
                    raise
    ends = [*(start for start, _, _ in found), size]
    parts = [Part(start=0, end=ends[0], is_last=not found)]
    for (start, place, packed), end in zip(found, ends[1:], strict=True):
        parts.append(Part(start=start, end=end, is_last=end == size, place=place, state=packed))
    return parts


def _counting(
    read: Callable[[int], bytes | None], advance: Callable[[int], object] | None
) -> ByteSource:
    def read_and_tell(size: int) -> bytes:
        data = read(size) or b""
        if advance is not None:
            advance(len(data))
        return data

    return ByteSource(read_and_tell, lambda: None)


def read_part(
    path: str | os.PathLike[str],
    part: Part,
    *,
    is_statements: bool = False,
    limits: Limits | None = None,
) -> BatchReader:
    """Read a part of a file as batches.

    The file is closed at the end, at an error, and by ``close()``.
    """
    limits = limits or Limits()
    decoder = make_decoder(is_statements=is_statements, limits=limits)
    state = part.load_state(limits)
    if state is not None:
        decoder.restore(state)
    file = open(path, "rb", buffering=0)  # noqa: SIM115
    file.seek(part.start)
    left = part.end - part.start

    def read(size: int) -> bytes:
        nonlocal left
        data = file.read(min(size, left))
        left -= len(data)
        return data

    return BatchReader(
        ByteSource(read, file.close), decoder, limits, offset=part.start, is_last=part.is_last
    )


def index_path(path: str | os.PathLike[str]) -> str:
    """Return the path of a file's index."""
    return os.fspath(path) + ".idx"


def _identity(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the properties by which an index recognizes its file."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        digest = hashlib.blake2b(file.read(SAMPLE), digest_size=DIGEST_SIZE)
        file.seek(max(0, status.st_size - SAMPLE))
        digest.update(file.read(SAMPLE))
    return {
        "size": status.st_size,
        "modified": status.st_mtime_ns,
        "digest": digest.hexdigest(),
    }


def write_index(
    path: str | os.PathLike[str], parts: list[Part], *, is_statements: bool = False
) -> str:
    """Save the parts of a file in its index, which is replaced in one step; return its path.

    Too many parts for an index are a ValueError.
    """
    states = [part.load_state() or b"" for part in parts]
    packed = [zstandard.ZstdCompressor().compress(state) if state else b"" for state in states]
    entries = [
        [part.start, part.place, len(state)] for part, state in zip(parts, packed, strict=True)
    ]
    header = json.dumps(
        {**_identity(path), "is_statements": is_statements, "parts": entries},
        separators=(",", ":"),
    ).encode()
    if len(header) > MAX_HEADER:
        raise ValueError(f"{len(parts)} parts are too many for an index; take a wider spacing")
    target = index_path(path)
    # A secret name: other writers to the folder might have put a link at a known one.
    unfinished = f"{target}.{secrets.token_hex(8)}.tmp"
    try:
        with open(unfinished, "xb") as file:
            file.write(MAGIC)
            file.write(len(header).to_bytes(8, "little"))
            file.write(header)
            file.write(hashlib.blake2b(header, digest_size=DIGEST_SIZE).digest())
            for state in packed:
                file.write(state)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise
    return target


def load_index(
    path: str | os.PathLike[str], *, is_statements: bool = False, spacing: int = SPACING
) -> list[Part] | None:
    """Return the parts of a file by its index; None if there is no index.

    Parts of less than ``spacing`` bytes are merged. An index that is damaged, or older than the
    file, is a StaleIndexError.
    """
    source = index_path(path)
    try:
        file = open(source, "rb")  # noqa: SIM115
    except FileNotFoundError:
        return None
    with file:
        header, first_state = _read_header(file, source)
        index_size = os.fstat(file.fileno()).st_size
    identity = _identity(path)
    for key, value in {**identity, "is_statements": is_statements}.items():
        if header.get(key) != value:
            raise StaleIndexError(
                f"{source}: this index is not of the file beside it as it is now ({key}); make it"
                " anew with: jellyp index"
            )
    entries = _read_entries(header, source, size=identity["size"])
    parts: list[Part] = []
    offset = first_state
    kept: list[tuple[int, Place | None, tuple[str, int, int] | None]] = []
    for start, place, state_size in entries:
        if not kept or start - kept[-1][0] >= spacing:
            stored = None if place is None else (source, offset, state_size)
            kept.append((start, place, stored))
        offset += state_size
    if offset != index_size:
        raise StaleIndexError(f"{source}: the index is cut off, or has more than it says")
    for number, (start, place, stored) in enumerate(kept):
        is_last = number == len(kept) - 1
        end = identity["size"] if is_last else kept[number + 1][0]
        parts.append(Part(start=start, end=end, is_last=is_last, place=place, stored=stored))
    return parts


def _read_header(file: Any, source: str) -> tuple[dict[str, Any], int]:
    """Return the fields of the header, and the offset of the states."""
    start = file.read(len(MAGIC) + 8)
    if not start.startswith(MAGIC) or len(start) < len(MAGIC) + 8:
        raise StaleIndexError(f"{source}: this is no index, or of another version")
    size = int.from_bytes(start[len(MAGIC) :], "little")
    if size > MAX_HEADER:
        raise StaleIndexError(f"{source}: the index is damaged")
    header = file.read(size)
    digest = file.read(DIGEST_SIZE)
    if hashlib.blake2b(header, digest_size=DIGEST_SIZE).digest() != digest:
        raise StaleIndexError(f"{source}: the index is damaged")
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise StaleIndexError(f"{source}: the index is damaged: {error}") from error
    if not isinstance(fields, dict):
        raise StaleIndexError(f"{source}: the index is damaged")
    return fields, len(MAGIC) + 8 + size + DIGEST_SIZE


def _read_entries(
    header: dict[str, Any], source: str, *, size: int
) -> Iterator[tuple[int, Place | None, int]]:
    """Check and yield the entries: the digest reveals damage, but not a forged index."""
    last = -1
    parts = header.get("parts")
    if not isinstance(parts, list) or not parts:
        raise StaleIndexError(f"{source}: the index has no parts")
    for number, entry in enumerate(parts):
        is_good = (
            isinstance(entry, list)
            and len(entry) == 3
            and _is_count(entry[0])
            and last < entry[0] <= size
            and _is_count(entry[2])
            and (entry[0] == 0) == (number == 0) == (entry[1] is None)
            and (number == 0 or (isinstance(entry[1], list) and len(entry[1]) == 5))
            and (number == 0 or all(_is_count(each) or each == -1 for each in entry[1]))
        )
        if not is_good:
            raise StaleIndexError(f"{source}: the index is damaged: part {number}")
        last = entry[0]
        place = None if entry[1] is None else tuple(entry[1])
        yield entry[0], place, entry[2]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62

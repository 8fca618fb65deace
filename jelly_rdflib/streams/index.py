"""The independently readable parts of a long file of frames, and a saved index of them.

A part starts at a frame, with the state that the decoder had there. The parts are found by decoding
the file once, which is much faster than any use of its rows. With a saved index (``FILE.idx``, next
to the file) it need not even be decoded.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from jelly_rdflib.core.jelly_decoder import (
    BatchReader,
    FrameDecoder,
    PatchFrameDecoder,
    StatementFrameDecoder,
    StreamScanner,
)
from jelly_rdflib.core.source import ByteSource, starts_compressed
from jelly_rdflib.core.zstd import zstd
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, RepeatedOptions, as_limits
from jelly_rdflib.streams.destination import naming_target

if TYPE_CHECKING:
    from jelly_rdflib.core.jelly_decoder import Place

OpenIndex: TypeAlias = "Callable[[str], BinaryIO]"

SPACING = 64 << 20
"""The approximate size of a part, in bytes."""

MAGIC = b"jelly-index 1\n"
DIGEST_SIZE = 32
# How many bytes at the start and at the end of a file the digest covers.
SAMPLE = 1 << 16
# Enough for about 10,000 parts: 640 GB with the usual spacing. The limit is low, since a malicious
# header may need 30 times its size when it is parsed into Python objects.
MAX_HEADER = 1 << 20
MAX_STATE_OVERHEAD = 1 << 20


class StaleIndexError(DecodeError):
    """An index is damaged, or its file has changed since the index was written."""


@dataclass(frozen=True)
class FilePart:
    """A part of a file: the bytes from ``start`` to ``end``.

    Args:
        is_last: Whether the part ends the file.
        place: The position of the part's first operation in the file, in the form that
            `jelly_rdflib.arrow.ArrowRows` accepts; None at the start of the file.
        state: The decoder's state at the start of the part: its compressed bytes, or its location
            in an index, as the index's path, the offset and the size. None at the start of the
            file.
    """

    start: int
    end: int
    is_last: bool
    place: Place | None
    state: bytes | tuple[str, int, int] | None

    def load_state(
        self, limits: Limits | None = None, open_index: OpenIndex | None = None
    ) -> bytes | None:
        """Return the decoder's state at the start of the part, or None at the start of the file.

        ``open_index`` opens an index that is not a local file. A DecodeError is raised if a
        state from an index is damaged, or larger than the limits allow a decoder's state to be.
        """
        state, room = self.state, -1
        if state is None:
            return None
        decompressor = zstd.ZstdDecompressor()
        try:
            if isinstance(state, tuple):
                path, offset, size = state
                with open_index(path) if open_index else open(path, "rb") as file:
                    file.seek(offset)
                    state = file.read(size)
                # A state contains the strings of the lookups and of the last terms.
                room = 4 * as_limits(limits).max_text_size + MAX_STATE_OVERHEAD + 1
            found: bytes = decompressor.decompress(state, room)
        except zstd.ZstdError as error:
            raise DecodeError(f"the checkpoint of a decoder is damaged: {error}") from error
        if len(found) == room:
            raise DecodeError(f"the checkpoint of a decoder is larger than {room - 1} bytes")
        if not decompressor.eof:
            raise DecodeError("the checkpoint of a decoder is damaged: it is cut off")
        return found


def _make_decoder(
    is_statements: bool,
    limits: Limits,
    *,
    strict: bool,
    on_repeated_options: RepeatedOptions = "continue",
) -> FrameDecoder:
    """Make a decoder of Jelly-RDF or Jelly-Patch that keeps the lexical forms of literals.

    Without ``strict`` it accepts a logical type that doesn't fit, and gives no warning.
    """
    factory = make_node_factory(False, limits)
    if is_statements:
        return StatementFrameDecoder(
            factory,
            limits,
            strict=strict,
            is_quiet=not strict,
            on_repeated_options=on_repeated_options,
        )
    return PatchFrameDecoder(factory, limits, on_repeated_options=on_repeated_options)


def _make_parts(found: list[tuple[int, Any, Any]], size: int) -> list[FilePart]:
    """Make parts from starts, positions and states; each part ends where the next one starts."""
    ends = [*(start for start, _, _ in found[1:]), size]
    return [
        FilePart(start, end, start == found[-1][0], place, state)
        for (start, place, state), end in zip(found, ends, strict=True)
    ]


def _open(source: Any) -> tuple[BinaryIO, Callable[[], None]]:
    """Return the file at a path, and a function that closes it; a given file stays open."""
    if hasattr(source, "read"):
        return source, lambda: None
    file: Any = open(source, "rb", buffering=0)  # noqa: SIM115
    return file, file.close


def find_parts(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    is_statements: bool = False,
    spacing: int = SPACING,
    limits: Limits | None = None,
    advance: Callable[[int], object] | None = None,
    keep_going: bool = True,
    on_repeated_options: RepeatedOptions = "continue",
) -> list[FilePart]:
    """Find the parts of a file by decoding it once.

    The source is a path, or a binary file object with ``seek``, which stays open. A part has at
    least ``spacing`` bytes, but the last part may have fewer. A compressed file is one part, and
    so is a bare frame. With ``keep_going``, an error in the file only ends the search, and the
    reader of the last part raises it; otherwise it is raised here. ``advance`` is called with the
    number of bytes read since its last call. For ``on_repeated_options`` see
    `jelly_rdflib.PatchDecoder`.
    """
    limits = as_limits(limits)
    found: list[Any] = [(0, None, None)]
    file, close = _open(source)
    size = 0

    def read(size: int) -> bytes:
        data = file.read(size) or b""
        if advance is not None:
            advance(len(data))
        return data

    try:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if size <= spacing or starts_compressed(file.read(4)):
            return _make_parts(found, size)
        file.seek(0)
        # The readers of the parts decide whether the logical type must fit.
        decoder = _make_decoder(
            is_statements, limits, strict=False, on_repeated_options=on_repeated_options
        )
        scanner = StreamScanner(
            ByteSource(read, close), decoder, limits, spacing=spacing, counts_frames=is_statements
        )
        for start, place, state in scanner:
            found.append((start, place, zstd.compress(state)))
    except DecodeError:
        if not keep_going:
            raise
    finally:
        close()
    return _make_parts(found, size)


def read_part(
    source: str | os.PathLike[str] | BinaryIO,
    part: FilePart,
    *,
    is_statements: bool = False,
    limits: Limits | None = None,
    on_repeated_options: RepeatedOptions = "continue",
    open_index: OpenIndex | None = None,
) -> BatchReader:
    """Read a part of a file as batches.

    The source and ``on_repeated_options`` are as for `find_parts`, ``open_index`` is as for
    `FilePart.load_state`. A file that this function opens is closed at the end of the part, after
    an error, and by ``close()``.
    """
    limits = as_limits(limits)
    state = part.load_state(limits, open_index)
    # Only the first part has the options, so only this part is refused if the logical type doesn't
    # fit.
    decoder = _make_decoder(
        is_statements, limits, strict=state is None, on_repeated_options=on_repeated_options
    )
    if state is not None:
        decoder.restore(state)
    # The first part may be a bare frame; all later parts have delimited frames.
    offset = part.start or None
    return BatchReader(
        _open_part(source, part), decoder, limits, offset=offset, is_last=part.is_last
    )


def _open_part(source: str | os.PathLike[str] | BinaryIO, part: FilePart) -> ByteSource:
    file, close = _open(source)
    file.seek(part.start)
    left = part.end - part.start

    def read(size: int) -> bytes:
        nonlocal left
        data = file.read(min(size, left))
        left -= len(data)
        return data

    return ByteSource(read, close)


def index_path(path: str | os.PathLike[str]) -> str:
    """Return the path of a file's index."""
    return os.fspath(path) + ".idx"


def _identity(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the properties by which an index recognizes its file."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        digest = _digest(file.read(SAMPLE))
        file.seek(max(0, status.st_size - SAMPLE))
        digest.update(file.read(SAMPLE))
    size, modified = status.st_size, status.st_mtime_ns
    return {"size": size, "modified": modified, "digest": digest.hexdigest()}


def _digest(data: bytes) -> hashlib.blake2b:
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE)


def write_index(
    path: str | os.PathLike[str], parts: list[FilePart], *, is_statements: bool = False
) -> str:
    """Atomically save the parts from `find_parts` in an index; return the index's path.

    Too many parts for an index raise a ValueError.
    """
    content = pack_index(parts, _identity(path), is_statements=is_statements)
    target = index_path(path)
    # A random name, since another user of the folder could put a link at a predictable one.
    unfinished = f"{target}.{secrets.token_hex(8)}.tmp"
    try:
        with naming_target(unfinished, target):
            with open(unfinished, "xb") as file:
                file.writelines(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, target)
    except BaseException:
        # Raise the first error, not one that follows from it.
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    return target


def pack_index(
    parts: list[FilePart], identity: Mapping[str, Any], *, is_statements: bool = False
) -> list[bytes]:
    """Return the bytes of an index for a file with this identity; errors as for `write_index`."""
    if any(isinstance(part.state, tuple) for part in parts):
        raise ValueError("these parts were loaded from an index: give parts from find_parts")
    states = [part.state if isinstance(part.state, bytes) else b"" for part in parts]
    entries = [
        (part.start, part.place, len(state)) for part, state in zip(parts, states, strict=True)
    ]
    fields = {**identity, "is_statements": is_statements, "parts": entries}
    header = json.dumps(fields, separators=(",", ":")).encode()
    if len(header) > MAX_HEADER:
        raise ValueError(f"{len(parts)} parts are too many for an index: use a larger spacing")
    return [MAGIC, len(header).to_bytes(8, "little"), header, _digest(header).digest(), *states]


def load_index(
    path: str | os.PathLike[str], *, is_statements: bool = False, spacing: int = SPACING
) -> list[FilePart] | None:
    """Return the parts that a file's index lists, or None if the file has no index.

    Parts of less than ``spacing`` bytes are merged. An index that is damaged, or older than the
    file, raises a StaleIndexError.
    """
    source = index_path(path)
    try:
        file = open(source, "rb")  # noqa: SIM115
    except FileNotFoundError:
        return None
    with file:
        return unpack_index(
            file, source, _identity(path), is_statements=is_statements, spacing=spacing
        )


def unpack_index(
    file: BinaryIO,
    name: str,
    identity: Mapping[str, Any],
    *,
    is_statements: bool = False,
    spacing: int = SPACING,
) -> list[FilePart]:
    """Return the parts that an open index lists, for the file with this identity.

    ``name`` is the path of the index. The other arguments and the error are as for `load_index`.
    """
    try:
        return _read_index(file, name, identity, is_statements, spacing)
    except StaleIndexError as error:
        raise StaleIndexError(f"{name}: {error}") from error


def _read_index(
    file: BinaryIO, name: str, identity: Mapping[str, Any], is_statements: bool, spacing: int
) -> list[FilePart]:
    header = _read_header(file)
    offset = file.tell()
    for key, value in {**identity, "is_statements": is_statements}.items():
        if header.get(key) != value:
            raise StaleIndexError(
                f"the index does not match the file as it is now ({key}); recreate it with:"
                " jellyp inspect --index"
            )
    found: list[Any] = []
    for start, place, state_size in _read_entries(header, identity["size"]):
        if not found or start - found[-1][0] >= spacing:
            found.append((start, place, place and (name, offset, state_size)))
        offset += state_size
    if offset != file.seek(0, os.SEEK_END):
        raise StaleIndexError("the index is cut off, or has bytes after its end")
    return _make_parts(found, identity["size"])


def _read_header(file: BinaryIO) -> dict[str, Any]:
    """Return the fields of the header; the decoders' states follow the header in the file."""
    start = file.read(len(MAGIC) + 8)
    if not start.startswith(MAGIC) or len(start) < len(MAGIC) + 8:
        raise StaleIndexError("this is not an index, or an index of another version")
    size = int.from_bytes(start[len(MAGIC) :], "little")
    header = file.read(min(size, MAX_HEADER))
    if len(header) < size or _digest(header).digest() != file.read(DIGEST_SIZE):
        raise StaleIndexError("the index is damaged")
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise StaleIndexError(f"the index is damaged: {error}") from error
    if not isinstance(fields, dict):
        raise StaleIndexError("the index is damaged")
    return fields


def _read_entries(header: dict[str, Any], size: int) -> Iterator[tuple[int, Place | None, int]]:
    """Check and yield the entries: the digest reveals damage, but not a forged index."""
    last = -1
    parts = header.get("parts")
    if not isinstance(parts, list) or not parts:
        raise StaleIndexError("the index has no parts")
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
            raise StaleIndexError(f"the index is damaged: part {number}")
        last, place, state_size = entry
        yield last, place and tuple(place), state_size


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62

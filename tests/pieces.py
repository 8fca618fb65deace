"""Sources that return their bytes in pieces."""

import io
from collections.abc import Iterable, Iterator
from typing import Any


class Pieces:
    """A source that returns at most `size` bytes at a time, however many are requested."""

    def __init__(self, data: bytes, size: int = 1) -> None:
        self.data = data
        self.size = size
        self.at = 0

    def read(self, size: int) -> bytes:
        start = self.at
        self.at = min(start + min(self.size, size), len(self.data))
        return self.data[start : self.at]


class Chunks:
    """A source whose chunks are made while it is read, so its data may be larger than memory."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""
        self.asked = 0

    def read(self, size: int) -> bytes:
        self.asked += 1
        if not self._rest:
            self._rest = next(self._chunks, b"")
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


def breaking(error: BaseException, *chunks: bytes) -> Chunks:
    """Return a source of chunks that ends with an error."""

    def make() -> Iterator[bytes]:
        yield from chunks
        raise error

    return Chunks(make())


class Trickle(io.RawIOBase):
    """A raw file that returns one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.data[self.at : self.at + 1]
        buffer[: len(piece)] = piece
        self.at += len(piece)
        return len(piece)

"""Sources that give their bytes in pieces."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Chunks", "Pieces"]


class Pieces:
    """A source that gives so many bytes at a time, however many are asked for."""

    def __init__(self, data: bytes, size: int = 1) -> None:
        self.data = data
        self.size = size
        self.at = 0

    def read(self, size: int) -> bytes:
        start = self.at
        self.at = min(start + min(self.size, size), len(self.data))
        return self.data[start : self.at]


class Chunks:
    """A source of chunks that are made as it is read: it may be longer than memory."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def read(self, size: int) -> bytes:
        if not self._rest:
            self._rest = next(self._chunks, b"")
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece

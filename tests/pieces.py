"""A source that gives its bytes in pieces."""

from __future__ import annotations

__all__ = ["Pieces"]


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

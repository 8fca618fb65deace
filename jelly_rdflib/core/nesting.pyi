"""Watches how deep a text nests and what it will take, on its way to a parser that trusts it."""

from collections.abc import Callable
from typing import final

class NestingWatch:
    def __init__(self, limit: int, *, max_held: int = ...) -> None: ...
    @property
    def depth(self) -> int: ...
    def look(self, piece: bytes) -> None: ...

@final
class TurtleNesting(NestingWatch):
    def __init__(
        self,
        limit: int,
        *,
        max_held: int = ...,
        max_quoted: int = 1000,
        has_arrows: bool = False,
        base_size: int = 0,
    ) -> None: ...

@final
class JsonNesting(NestingWatch):
    def __init__(
        self,
        limit: int,
        *,
        max_held: int = ...,
        measure_context: Callable[[bytes], tuple[int, int, int, bool]] | None = None,
        is_lenient: bool = False,
    ) -> None: ...

@final
class XmlNesting(NestingWatch):
    def __init__(self, limit: int, *, max_held: int = ..., base_size: int = 0) -> None: ...
    expansion: int

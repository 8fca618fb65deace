"""Watches how deep a text nests, on its way to a parser that trusts its stack and its memory."""

from typing import final

class NestingWatch:
    def __init__(self, limit: int) -> None: ...
    @property
    def depth(self) -> int: ...
    def look(self, piece: bytes) -> None: ...

@final
class TurtleNesting(NestingWatch):
    def __init__(self, limit: int, *, has_arrows: bool = False) -> None: ...

@final
class JsonNesting(NestingWatch): ...

@final
class XmlNesting(NestingWatch):
    expansion: int

"""Watches how deep a text nests, on its way to a parser that trusts its stack and its memory."""

from typing import final

class NestingWatch:
    def __init__(self, limit: int) -> None: ...
    def look(self, piece: bytes) -> None: ...

@final
class TurtleNesting(NestingWatch): ...

@final
class JsonNesting(NestingWatch): ...

@final
class XmlNesting(NestingWatch):
    expansion: int

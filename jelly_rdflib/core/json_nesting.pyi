"""Watches the nesting of JSON-LD."""

from collections.abc import Callable
from typing import Any, final

from jelly_rdflib.core.nesting import NestingWatch

@final
class JsonNesting(NestingWatch):
    def __init__(
        self,
        limit: int,
        *,
        max_held: int = ...,
        measure_context: Callable[[bytes], Any] | None = None,
        is_lenient: bool = False,
    ) -> None: ...
    @property
    def made(self) -> int: ...

"""Watches the nesting of N-Triples, N-Quads, Turtle, TriG and N3."""

from typing import final

from jelly_rdflib.core.nesting import NestingWatch

@final
class TurtleNesting(NestingWatch):
    def __init__(
        self,
        limit: int,
        *,
        max_held: int = ...,
        max_quoted: int = 1000,
        has_arrows: bool = False,
        is_lenient: bool = False,
        base_size: int = 0,
    ) -> None: ...

"""Tells which rows of a batch are wanted, by its distinct terms, before any row is made."""

from collections.abc import Iterable
from typing import final

from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.options import Limits

@final
class TermCondition:
    def __init__(
        self,
        factory: NodeFactory,
        limits: Limits,
        values: Iterable[str] | None,
        *,
        is_negated: bool = False,
        accepts_null: bool = False,
    ) -> None: ...
    @property
    def accepts_null(self) -> bool: ...
    @property
    def unknown(self) -> list[str]: ...

@final
class RowFilter:
    def __init__(
        self,
        *,
        ops: Iterable[int] | None = None,
        s: Iterable[TermCondition] = (),
        p: Iterable[TermCondition] = (),
        o: Iterable[TermCondition] = (),
        g: Iterable[TermCondition] = (),
    ) -> None: ...

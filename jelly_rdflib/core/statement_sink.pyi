"""Takes statements for an encoder of any kind."""

from typing import Any

from rdflib.term import Node

from jelly_rdflib.operations import Statement

class StatementSink:
    def __init__(self, encoder: Any) -> None: ...
    @property
    def encoder(self) -> Any: ...
    def add(self, s: Node, p: Node, o: Node, g: Node | None = None) -> None: ...
    def write(self, statement: Statement) -> None: ...

"""Watches the nesting of RDF/XML."""

from typing import final

from jelly_rdflib.core.nesting import NestingWatch

@final
class XmlNesting(NestingWatch):
    def __init__(self, limit: int, *, max_held: int = ..., base_size: int = 0) -> None: ...
    expansion: int

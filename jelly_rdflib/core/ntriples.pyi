"""Terms as N-Triples text: one spelling for each term, and the way back."""

from typing import final

from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.core.term_table import TermTable
from jelly_rdflib.options import Limits

@final
class TermParser:
    def __init__(self, factory: NodeFactory, limits: Limits) -> None: ...

def find_texts(table: TermTable, max_size: int) -> list[str | None]: ...

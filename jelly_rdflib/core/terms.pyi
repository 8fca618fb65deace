"""The distinct terms of a batch as columns: what a term is, and finding and adding one."""

from enum import IntEnum

class TermKind(IntEnum):
    NONE = 0
    IRI = 1
    BLANK_NODE = 2
    SIMPLE_LITERAL = 3
    LANGUAGE_LITERAL = 4
    TYPED_LITERAL = 5
    TRIPLE_TERM = 6
    DEFAULT_GRAPH = 7
    STRING = 8

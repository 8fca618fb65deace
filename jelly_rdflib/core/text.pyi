"""RDF Patch text and N-Triples, to batches and back."""

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, final

from jelly_rdflib.core.batch import Batch, BatchBuilder, BatchSource, TermTable
from jelly_rdflib.core.io import Output
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes.conversion import NodeFactory, NodeTypes
from jelly_rdflib.options import Limits

@final
class LineBatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        factory: NodeFactory,
        limits: Limits,
        *,
        has_graphs: bool,
        strict: bool,
    ) -> None: ...

@final
class TextBatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        factory: NodeFactory,
        limits: Limits,
        *,
        faults: list[DecodeError] | None = None,
    ) -> None: ...
    @property
    def position(self) -> int: ...
    @property
    def line_count(self) -> int: ...
    def locate(self, rows: Iterable[int]) -> list[tuple[int, int, int]]: ...

@final
class QuadCount:
    made: int
    read: int

@final
class QuadReader:
    def __init__(
        self,
        quads: Iterator[Any],
        builder: BatchBuilder,
        library: Any,
        *,
        has_graphs: bool,
        max_nesting_depth: int,
        max_expansion: int,
        free_text: int,
        count: QuadCount,
    ) -> None: ...
    def read(self, first: Any, rows: int, text: int) -> bool: ...

def find_texts(table: TermTable, max_size: int) -> list[str | None]: ...

class TextPatchEncoder(Output):
    def __init__(self, types: NodeTypes, sink: Callable[[bytes], object]) -> None: ...
    def flush(self) -> None: ...
    def finish(self) -> None: ...

class LineEncoder(Output):
    def __init__(
        self,
        types: NodeTypes,
        sink: Callable[[bytes], object],
        *,
        title: str,
        check_text: Callable[[int, bytes], None],
        check_statement: Callable[[str, str, str], None] | None,
        has_graphs: bool,
        has_triple_terms: bool,
    ) -> None: ...
    def put_lines(self) -> None: ...
    def put_prefix(self, prefix: str, iri: str) -> None: ...
    def take_lines(self) -> bytes: ...

class TermFault(IntEnum):
    NO_FAULT = ...
    RELATIVE_IRI = ...
    BAD_CHARACTER = ...
    BAD_ESCAPE = ...
    BAD_PORT = ...
    BAD_ADDRESS = ...
    LABEL = ...
    LANGUAGE_TAG = ...
    UNTAGGED_LANGUAGE_STRING = ...

class TermFaults:
    def __init__(self, batch: Batch) -> None: ...
    def find(self) -> list[tuple[int, int, int]]: ...

def find_generalized_statement(batch: Batch) -> int | None: ...

"""RDF Patch text and N-Triples, to batches and back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, final

from jelly_rdflib.core.batch import Batch, BatchBuilder, BatchSource, HasDefaultGraph, NodeMaker
from jelly_rdflib.core.io import Output
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.options import Limits

@final
class TextBatchReader(BatchSource):
    def __init__(
        self,
        source: Any,
        factory: NodeMaker,
        limits: Limits,
        *,
        faults: list[DecodeError] | None = None,
        is_patch: bool = True,
        has_graphs: bool = True,
        strict: bool = True,
        by_grammar: bool = False,
        generalized: bool = False,
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
class NodeLabels:
    def __init__(
        self,
        prefix: str,
        made_prefix: str,
        digest: Callable[[], str],
        open_file: Callable[[], Any],
    ) -> None: ...
    def keep(self, labels: list[bytes]) -> None: ...

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
        drops_directions: bool,
        by_grammar: bool,
        count: QuadCount,
        labels: NodeLabels,
    ) -> None: ...
    def iri_number(self, iri: str) -> int: ...
    def read(self, first: Any, rows: int, text: int) -> bool: ...

@final
class TurtleEscapes:
    def find_fault(self, text: bytes) -> int: ...

class TextEncoder(Output):
    def flush(self) -> None: ...
    def finish(self) -> None: ...
    def put_lines(self) -> None: ...
    def put_end(self) -> None: ...

class TextPatchEncoder(TextEncoder):
    def __init__(self, types: HasDefaultGraph, sink: Callable[[bytes], object]) -> None: ...

class LineEncoder(TextEncoder):
    def __init__(
        self,
        types: HasDefaultGraph,
        sink: Callable[[bytes], object],
        syntax: Any,
        *,
        checks_statements: bool = False,
    ) -> None: ...
    def end_frame(self, metadata: Mapping[str, bytes] | None = None) -> None: ...
    def abandon(self) -> None: ...
    def check_statement(self, s: str, p: str, o: str) -> None: ...
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

def find_term_faults(batch: Batch) -> list[tuple[int, int, int]]: ...
def find_generalized_statement(batch: Batch) -> int | None: ...

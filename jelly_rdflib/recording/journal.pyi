from types import TracebackType

from rdflib.graph import Graph

from jelly_rdflib.operations import Operation
from jelly_rdflib.recording.sinks import Sink
from jelly_rdflib.recording.tap import Tap
from jelly_rdflib.stores.undoing import Undoer, UndoLog

class Block:
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

class Journal(Undoer):
    failure: BaseException | None
    added: int
    deleted: int
    is_open: bool
    @property
    def log(self) -> UndoLog: ...
    def __init__(self, target: Graph, tap: Tap, sink: Sink, *, is_atomic: bool) -> None: ...
    def write(self, operations: list[Operation]) -> None: ...
    def expect_prefix(self, prefix: str, iri: str | None) -> None: ...
    def tell_prefixes(self) -> None: ...
    def tell_committed(self) -> None: ...
    def tell_rolled_back(self) -> None: ...

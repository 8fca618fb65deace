"""A foreign Jelly-RDF producer: turns frames into messages, and exercises every choice.

In addition to the choices of `term_producer`, it repeats or delays options. It opens and closes
graphs needlessly or twice, leaves some empty, and continues some in the next frame.
"""

import random
from collections.abc import Iterable
from typing import Any

from tests.oracle import rdf_build as build
from tests.oracle import schema as pb
from tests.oracle.rdf_build import GRAPHS, QUADS
from tests.oracle.rdf_decoder import Frame
from tests.oracle.term_producer import TermProducer, needs, spelled
from tests.oracle.terms import DEFAULT_GRAPH, Plain

__all__ = ["messages", "needs", "spelled"]


class _Producer(TermProducer):
    def __init__(self, rng: random.Random, options: dict[str, Any]) -> None:
        super().__init__(rng, options, build)
        self.physical_type = options["physical_type"]
        self.graph: Plain | None = None
        # The producer may open these graphs needlessly.
        self.graphs = [DEFAULT_GRAPH]

    def rows(self, operation: Plain) -> list[Any]:
        """Return the row of an operation, preceded by the entries that the row needs."""
        if operation[0] == "PA":
            _, name, iri, _ = operation
            rows = self._entries({"v": iri})
            return [*rows, build.namespace(name, self._message(iri))]
        *triple, graph = operation[1:]
        terms = dict(zip("spo", triple, strict=True))
        rows = []
        if self.physical_type == QUADS:
            terms["g"] = graph
        elif self.physical_type == GRAPHS:
            rows += self._enter(graph)
        written = self._unless_repeated(terms)
        rows += self._entries(written)
        parts = [self._written(written, position) for position in terms]
        make_row = build.spog if self.physical_type == QUADS else build.spo
        return [*rows, make_row(*parts)]

    def idle(self) -> list[Any]:
        """Return rows that open or close graphs needlessly; a graph may stay open."""
        rows = []
        if self.physical_type == GRAPHS:
            if self.rng.random() < 0.1:
                rows += self._enter(self.rng.choice(self.graphs))
            if self.rng.random() < 0.1:
                rows += self._leave()
        return rows

    def _enter(self, graph: Plain) -> list[Any]:
        if self.graph == graph and self.rng.random() < 0.9:
            return []
        rows = self._leave()
        written = {"g": graph}
        rows += self._entries(written)
        self.graph = graph
        self.graphs.append(graph)
        return [*rows, build.start(self._written(written, "g"))]

    def _leave(self) -> list[Any]:
        is_open, self.graph = self.graph is not None, None
        return [build.end()] if is_open else []


def messages(frames: Iterable[Frame], options: dict[str, Any], rng: random.Random) -> list[Any]:
    """Return messages with the content of frames, one for each frame.

    Args:
        frames: The frames to write.
        options: Fields of the options row; the lookups must be large enough for each row (see
            `needs`).
        rng: The random generator.
    """
    producer = _Producer(rng, options)
    result = []
    has_options = False
    late = rng.random() < 0.5
    for frame in frames:
        rows = []
        if not has_options and not (late and not frame.operations and not frame.metadata):
            rows.append(build.options(**options))
            has_options = True
        for operation in frame.operations:
            rows += producer.idle()
            rows += producer.rows(operation)
            if rng.random() < 0.03:
                rows.append(build.options(**options))
        if has_options:
            rows += producer.idle()
        result.append(pb.RdfStreamFrame(rows=rows, metadata=frame.metadata))
    if not has_options:
        result.append(pb.RdfStreamFrame(rows=[build.options(**options)]))
    return result

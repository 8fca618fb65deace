"""A foreign producer: turns operations into frames, and exercises every choice of the format.

In addition to the choices of `term_producer`, it repeats options, and ends frames anywhere.
"""

import random
from typing import Any

from tests.oracle import build
from tests.oracle import schema as pb
from tests.oracle.build import FRAME, PUNCTUATED, QUADS
from tests.oracle.term_producer import TermProducer, needs, spelled
from tests.oracle.terms import DEFAULT_GRAPH, Plain

__all__ = ["frames", "needs", "spelled"]


class _Producer(TermProducer):
    def __init__(self, rng: random.Random, options: dict[str, Any]) -> None:
        super().__init__(rng, options, build)
        self.quads = options["statement_type"] == QUADS

    def rows(self, operation: Plain) -> list[Any]:
        """Return the row of an operation, preceded by the entries that the row needs."""
        code = operation[0]
        if code in ("TX", "TC", "TA", "END"):
            make = {"TX": build.begin, "TC": build.commit, "TA": build.abort}
            return [make.get(code, build.punctuation)()]
        written = self._terms(operation)
        rows = self._entries(written)
        if code == "H":
            return [*rows, build.header(operation[1], self._message(operation[2]))]
        if code in ("PA", "PD"):
            _, prefix, iri, _ = operation
            value = None if iri is None else self._message(iri)
            graph = self._graph(written) if self.quads else self._ignored_graph(iri)
            make_row = build.prefix_add if code == "PA" else build.prefix_delete
            return [*rows, make_row(prefix, value, graph)]
        parts = [self._written(written, n) for n in "spo"]
        make_row = build.add if code == "A" else build.delete
        return [*rows, make_row(*parts, self._graph(written))]

    def _terms(self, operation: Plain) -> dict[str, Plain]:
        code = operation[0]
        if code == "H":
            return {"h": operation[2]}
        g = operation[-1] or (DEFAULT_GRAPH if self.quads else None)
        if code in ("PA", "PD"):
            return self._unless_repeated({"v": operation[2], "g": g})
        return self._unless_repeated(dict(zip("spog", (*operation[1:4], g), strict=True)))

    def _graph(self, written: dict[str, Plain]) -> Any:
        if not self.quads:
            # A consumer has to ignore this graph.
            graphs = [None, None, None, None, "g", pb.RdfDefaultGraph(), build.iri(0, 0)]
            return self.rng.choice(graphs)
        return self._written(written, "g")

    def _ignored_graph(self, iri: Plain | None) -> Any:
        """Return a graph for a prefix in a stream of triples.

        Readers ignore the graph, but the ids of its IRI still count.
        """
        kind = self.rng.choice([None, None, None, "g", "default", "iri"])
        if kind == "iri":
            return None if iri is None else self._message(iri)
        return pb.RdfDefaultGraph() if kind == "default" else kind


def frames(
    operations: list[Plain], options: dict[str, Any], rng: random.Random, *, single: bool = False
) -> list[Any]:
    """Return frames (messages) with the operations.

    Args:
        operations: The operations, with each ``("END",)`` that the stream type requires.
        options: Fields of the options row; the lookups must be large enough for each row (see
            `needs`).
        rng: The random generator.
        single: Whether to write all operations in one frame.
    """
    stream_type = options["stream_type"]
    producer = _Producer(rng, options)
    result = [[build.options(**options)]]
    cut_chance = 0.0 if single else rng.choice([0.0, 0.1, 0.5])
    left_open = rng.random() < 0.5
    for n, operation in enumerate(operations):
        if operation == ("END",) and stream_type != PUNCTUATED:
            if stream_type == FRAME and n + 1 < len(operations):
                result.append([])
            continue
        if (
            operation == ("END",)
            and n + 1 == len(operations)
            and left_open
            and n > 0
            and operations[n - 1] != ("END",)
        ):
            continue
        for row in producer.rows(operation):
            while stream_type != FRAME and rng.random() < cut_chance:
                result.append([])
            if rng.random() < 0.03:
                result[-1].append(build.options(**options))
            result[-1].append(row)
    return [pb.RdfPatchFrame(rows=rows) for rows in result]

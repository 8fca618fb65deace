"""The Jelly-RDF reference decoder: frames of protobuf's classes to statements, rule by rule.

Like `decoder`, it follows the specification and the later rulings, and is slow.
"""

import warnings
from dataclasses import dataclass
from typing import Any

from google.protobuf.unknown_fields import UnknownFieldSet

from tests.oracle import schema as pb
from tests.oracle.rdf_build import GRAPHS, QUADS, TRIPLES
from tests.oracle.reference import Doubt, RuleError, TermReference, parse_as
from tests.oracle.terms import Plain
from tests.oracle.wire import WireError, split

SUPPORT = {TRIPLES: (0, 1, 3), QUADS: (0, 2, 4), GRAPHS: (0, 2, 4)}
"""The base logical types that each physical type allows (Jelly-RDF, "Consistency with …")."""

DRAFT_VERSION = 3
_MAX_INT32 = (1 << 31) - 1


@dataclass
class Frame:
    """The content of a frame.

    Attributes:
        operations: Statements and namespace declarations in order, in the plain form of patches:
            ``("A", s, p, o, g or None)`` and ``("PA", name, iri, None)``.
        metadata: The metadata of the frame.
    """

    operations: list[Plain]
    metadata: dict[str, bytes]

    @property
    def statements(self) -> list[Plain]:
        """The triples or quads of the frame."""
        return [op[1:] if op[4] is not None else op[1:4] for op in self.operations if op[0] == "A"]

    @property
    def namespaces(self) -> list[Plain]:
        """The pairs of names and IRIs."""
        return [op[1:3] for op in self.operations if op[0] == "PA"]


class Reference(TermReference):
    """A decoder of one stream.

    Args:
        strict: Whether to refuse a logical type that is incompatible with the physical type. If
            False, warn instead.
    """

    VERSION = 2

    def __init__(self, *, strict: bool = True) -> None:
        super().__init__()
        self.strict = strict
        # Outside of graphs, and in streams of QUADS or TRIPLES, the graph is None.
        self.graph: Plain | None = None

    def frame(self, frame: Any) -> Frame:
        """Return the content of one frame."""
        if any(field.field_number == 2 for field in UnknownFieldSet(frame)):
            raise RuleError("columns in a stream of rows")
        operations = [op for row in frame.rows if (op := self.row(row)) is not None]
        return Frame(operations, dict(frame.metadata))

    def finish(self) -> None:
        """Check that the input may end here."""
        if self.options is None:
            raise RuleError("no options row")

    def row(self, row: Any) -> Plain | None:
        """Return the statement or namespace of a row, or None for other kinds of rows."""
        kind = self._prelude(row)
        if kind is None:
            return None
        value = getattr(row, kind)
        if kind == "namespace":
            if not value.HasField("value"):
                raise RuleError("namespace without a value")
            return ("PA", value.name, self._iri(value.value), None)
        physical_type = self.options.physical_type
        if kind == "quad":
            if physical_type != QUADS:
                raise RuleError("quad in a stream that is not QUADS")
            return ("A", *self._triple(value), self._repeatable(value, "graph", "g"))
        if kind == "triple":
            if physical_type == QUADS:
                raise RuleError("triple in a stream of QUADS")
            if physical_type == GRAPHS and self.graph is None:
                raise RuleError("triple outside a graph")
            return ("A", *self._triple(value), self.graph)
        if physical_type != GRAPHS:
            raise RuleError(f"{kind} in a stream that is not GRAPHS")
        if kind == "graph_start":
            if self.graph is not None:
                raise RuleError("graph inside a graph")
            self.graph = self._term(value, "graph", "g", "graph")
            if self.graph is None:
                raise RuleError("graph_start without a graph")
        else:
            if self.graph is None:
                raise RuleError("graph_end outside a graph")
            self.graph = None
        return None

    def _triple(self, message: Any) -> tuple[Plain, ...]:
        positions = zip("spo", ("subject", "predicate", "object"), strict=True)
        return tuple(self._repeatable(message, oneof, letter) for letter, oneof in positions)

    def _check_options(self, options: Any) -> None:
        if options.version == DRAFT_VERSION:
            raise Doubt("a stream of Jelly-RDF 1.2, for `columns_decoder`")
        for field in UnknownFieldSet(options):
            if field.field_number in (5, 6) and field.data:
                raise RuleError("options of Jelly-RDF 1.2")
        supported = SUPPORT.get(options.physical_type)
        if supported is None:
            raise RuleError("physical type")
        if not 0 <= options.logical_type <= _MAX_INT32:
            raise Doubt("a logical type below 0")
        base = options.logical_type % 10
        if options.logical_type and base not in range(1, 5):
            raise Doubt("a logical type of no known base")
        if base not in supported:
            if self.strict:
                raise RuleError("the logical type does not go with the physical type")
            warnings.warn("the logical type does not go with the physical type", stacklevel=2)


def parse(data: bytes) -> Any:
    """Return the message of a bare frame, or raise like `parse_as`."""
    return parse_as(pb.RdfStreamFrame, data)


def read(data: bytes, *, strict: bool = True) -> list[Frame]:
    """Return the frames of `data`, delimited or bare.

    Raises:
        RuleError: The input breaks a rule.
        Doubt: Readers differ about the input.
    """
    try:
        parts = split(data)
    except WireError as error:
        raise RuleError(str(error)) from error
    reference = Reference(strict=strict)
    result = [reference.frame(parse(part)) for part in parts]
    reference.finish()
    return result

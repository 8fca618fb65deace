"""The reference decoder of Jelly-RDF: frames of protobuf's classes to statements, rule by rule.

Written from the specification and the later rulings, as `decoder` is, and as slow.
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
"""The base logical types that go with a physical type (Jelly-RDF, "Consistency with …")."""

DRAFT_VERSION = 3
_MAX_INT32 = (1 << 31) - 1


@dataclass
class Frame:
    """What a frame says.

    Attributes:
        operations: Statements and namespace declarations in order, in the plain form of patches:
            ``("A", s, p, o, g or None)`` and ``("PA", name, iri, None)``.
        metadata: Of the frame.
    """

    operations: list[Plain]
    metadata: dict[str, bytes]

    @property
    def statements(self) -> list[Plain]:
        """Triples, or quads."""
        return [op[1:] if op[4] is not None else op[1:4] for op in self.operations if op[0] == "A"]

    @property
    def namespaces(self) -> list[Plain]:
        """Pairs of name and IRI."""
        return [op[1:3] for op in self.operations if op[0] == "PA"]


class Reference(TermReference):
    """Decoder of one stream.

    Args:
        strict: Refuse a logical type that does not go with the physical type; warn if not.
    """

    VERSION = 2

    def __init__(self, *, strict: bool = True) -> None:
        super().__init__()
        self.strict = strict
        # None outside graphs; a stream of QUADS or TRIPLES has none
        self.graph: Plain | None = None

    def frame(self, frame: Any) -> Frame:
        """Return what one frame says."""
        if any(field.field_number == 2 for field in UnknownFieldSet(frame)):
            raise RuleError("columns in a stream of rows")
        operations = [op for row in frame.rows if (op := self.row(row)) is not None]
        return Frame(operations, dict(frame.metadata))

    def finish(self) -> None:
        """Check that the input may end here."""
        if self.options is None:
            raise RuleError("no options row")

    def row(self, row: Any) -> Plain | None:
        """Return the statement or the namespace of a row, None if it is of another kind."""
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
    """Return the message of a bare frame, or raise as `parse_as` does."""
    return parse_as(pb.RdfStreamFrame, data)


def read(data: bytes, *, strict: bool = True) -> list[Frame]:
    """Return the frames of an input of bytes, delimited or bare.

    Raises:
        RuleError: It breaks a rule.
        Doubt: Readers differ about it.
    """
    try:
        parts = split(data)
    except WireError as error:
        raise RuleError(str(error)) from error
    reference = Reference(strict=strict)
    result = [reference.frame(parse(part)) for part in parts]
    reference.finish()
    return result

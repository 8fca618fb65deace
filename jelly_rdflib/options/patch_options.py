"""Options of a Jelly-Patch stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jelly_rdflib.options.checks import SMALL, NamedEnum, check_frame, check_lookups, check_range


class PatchStreamType(NamedEnum):
    """How frames and patches relate (Jelly-Patch, "Patch stream types").

    Examples:
        >>> PatchStreamType("flat")
        <PatchStreamType.FLAT: 2>
    """

    FRAME = 1
    """Each frame is one patch."""
    FLAT = 2
    """The whole stream is one patch."""
    PUNCTUATED = 3
    """A punctuation mark ends each patch."""


class PatchStatementType(NamedEnum):
    """Whether statements have a graph (Jelly-Patch, "Statement types")."""

    TRIPLES = 1
    QUADS = 2


@dataclass(frozen=True, kw_only=True)
class PatchOptions:
    """Options of a Jelly-Patch stream (Jelly-Patch, "Patch stream options").

    The first eight have the names of the schema's fields and are written into the stream; the rest
    say how the writer cuts it into frames.

    Args:
        statement_type: Triples or quads.
        stream_type: How frames and patches relate.
        generalized_statements: Allow literals as subjects, anything as predicates, and so on.
        rdf_star: Allow quoted triples.
        max_name_table_size: Entries of the name lookup, at least 8.
        max_prefix_table_size: Entries of the prefix lookup; 0 for none.
        max_datatype_table_size: Entries of the datatype lookup; 0 for none, which rules out
            literals with a datatype (but for ``xsd:string``, written as simple literals then).
        version: Version tag of the protocol.
        frame_rows: Rows after which a frame is closed. A patch of a FRAME stream is never cut.
        frame_bytes: Bytes after which a frame is closed; the specification recommends frames
            below 1 MB. A patch of a FRAME stream is never cut.
        delimited: Write each frame's length before it, as files need; False for one bare frame.

    Raises:
        ValueError: A number is out of its range.

    Examples:
        >>> PatchOptions().max_name_table_size
        4000
        >>> PatchOptions.small(stream_type="FLAT").stream_type.name
        'FLAT'
    """

    statement_type: PatchStatementType = PatchStatementType.QUADS
    stream_type: PatchStreamType = PatchStreamType.PUNCTUATED
    generalized_statements: bool = False
    rdf_star: bool = False
    max_name_table_size: int = 4000
    max_prefix_table_size: int = 150
    max_datatype_table_size: int = 32
    version: int = 1
    frame_rows: int = 512
    frame_bytes: int = 1_000_000
    delimited: bool = True

    def __post_init__(self) -> None:
        for name, enum in (
            ("statement_type", PatchStatementType),
            ("stream_type", PatchStreamType),
        ):
            object.__setattr__(self, name, enum(getattr(self, name)))
        for name in ("generalized_statements", "rdf_star", "delimited"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        check_lookups(
            self.max_name_table_size, self.max_prefix_table_size, self.max_datatype_table_size
        )
        check_range("version", self.version, 1, 1)
        check_frame(self.frame_rows, self.frame_bytes)

    @classmethod
    def small(cls, **changes: Any) -> PatchOptions:
        """Options with small lookups (128 names, 16 prefixes, 16 datatypes), then ``changes``."""
        return cls(**{**SMALL, **changes})

    @classmethod
    def big(cls, **changes: Any) -> PatchOptions:
        """Options with big lookups (4000 names, 150 prefixes, 32 datatypes), then ``changes``."""
        return cls(**changes)

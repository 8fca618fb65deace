"""Options of a Jelly-RDF stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from jelly_rdflib.options.checks import SMALL, NamedEnum, check_frame, check_lookups, check_range

MAX_ENUM = (1 << 31) - 1
NEWEST_VERSION = 2
"""Version 2 has namespace declarations, version 1 has not (Jelly-RDF, "Versioning")."""


class PhysicalStreamType(NamedEnum):
    """How statements are encoded (Jelly-RDF, "Physical stream types").

    Examples:
        >>> PhysicalStreamType("graphs")
        <PhysicalStreamType.GRAPHS: 3>
    """

    TRIPLES = 1
    """Triples."""
    QUADS = 2
    """Quads."""
    GRAPHS = 3
    """Triples between the start and the end of a graph."""


class LogicalStreamType(NamedEnum):
    """The logical type of a stream: the meaning of its frames (Jelly-RDF, "Logical stream types").

    Examples:
        >>> LogicalStreamType.NAMED_GRAPHS.base
        <LogicalStreamType.DATASETS: 4>
    """

    UNSPECIFIED = 0
    """Nothing is said about it."""
    FLAT_TRIPLES = 1
    """One stream of triples; frames mean nothing."""
    FLAT_QUADS = 2
    """One stream of quads; frames mean nothing."""
    GRAPHS = 3
    """Each frame is a graph."""
    DATASETS = 4
    """Each frame is a dataset."""
    SUBJECT_GRAPHS = 13
    """Each frame is a graph that describes one subject."""
    NAMED_GRAPHS = 14
    """Each frame is a dataset with one named graph."""
    TIMESTAMPED_NAMED_GRAPHS = 114
    """Each frame is a dataset with one named graph, and its time in the default graph."""

    @property
    def base(self) -> LogicalStreamType:
        """The base type: one of the first five."""
        return LogicalStreamType(self % 10)

    @staticmethod
    def is_consistent(logical: int, physical: int) -> bool:
        """Do the types go together (Jelly-RDF, "Consistency with physical stream types")?

        Examples:
            >>> LogicalStreamType.is_consistent(
            ...     LogicalStreamType.SUBJECT_GRAPHS, PhysicalStreamType.QUADS
            ... )
            False
        """
        base = logical % 10
        if physical == PhysicalStreamType.TRIPLES:
            return base in (0, LogicalStreamType.FLAT_TRIPLES, LogicalStreamType.GRAPHS)
        return base in (0, LogicalStreamType.FLAT_QUADS, LogicalStreamType.DATASETS)


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """Options of a Jelly-RDF stream (Jelly-RDF, "Stream options").

    The first nine have the names of the schema's fields and are written into the stream; the rest
    say how the writer cuts it into frames.

    Args:
        stream_name: A name for the stream, for whatever use.
        physical_type: How statements are encoded.
        logical_type: What the stream means; None for the flat type that goes with
            ``physical_type``. A number that is no `LogicalStreamType` is allowed, as a subtype of
            the base type that its last digit says.
        generalized_statements: Allow literals as subjects, anything as predicates, and so on.
        rdf_star: Allow quoted triples.
        max_name_table_size: Entries of the name lookup, at least 8.
        max_prefix_table_size: Entries of the prefix lookup; 0 for none.
        max_datatype_table_size: Entries of the datatype lookup; 0 for none, which rules out
            literals with a datatype (but for ``xsd:string``, written as simple literals then).
        version: Version tag of the protocol; None for the lowest that has what is asked for: 2
            with ``namespace_declarations``, else 1. (Readers of version 1 skip frame metadata.)
        namespace_declarations: Allow namespaces to be written. True if ``version`` is 2.
        frame_rows: Rows after which a frame is closed, if frames mean nothing.
        frame_bytes: Bytes after which a frame is closed, if frames mean nothing; the specification
            recommends frames below 1 MB.
        delimited: Write each frame's length before it, as files need; False for one bare frame.

    Raises:
        ValueError: A number is out of its range, or types don't go together.

    Examples:
        >>> StreamOptions(physical_type="TRIPLES").logical_type
        <LogicalStreamType.FLAT_TRIPLES: 1>
        >>> StreamOptions.small(namespace_declarations=True).version
        2
    """

    stream_name: str = ""
    physical_type: PhysicalStreamType = PhysicalStreamType.QUADS
    logical_type: LogicalStreamType | int = cast("LogicalStreamType", None)  # noqa: RUF009
    generalized_statements: bool = False
    rdf_star: bool = False
    max_name_table_size: int = 4000
    max_prefix_table_size: int = 150
    max_datatype_table_size: int = 32
    version: int = cast("int", None)
    namespace_declarations: bool = False
    frame_rows: int = 256
    frame_bytes: int = 1_000_000
    delimited: bool = True

    def __post_init__(self) -> None:
        self._normalize()
        if not LogicalStreamType.is_consistent(self.logical_type, self.physical_type):
            raise ValueError(
                f"logical type {self.logical_type!r} does not go with {self.physical_type!r}"
            )

    def _normalize(self) -> None:
        """Give each field its own type, and check it by itself."""
        if not isinstance(self.stream_name, str):
            raise TypeError(f"stream_name must be a str, not {type(self.stream_name).__name__}")
        self._set("physical_type", PhysicalStreamType(self.physical_type))
        if self.logical_type is None:
            is_triples = self.physical_type == PhysicalStreamType.TRIPLES
            flat = LogicalStreamType.FLAT_TRIPLES if is_triples else LogicalStreamType.FLAT_QUADS
            self._set("logical_type", flat)
        else:
            self._set("logical_type", _logical_type(self.logical_type))
        for name in ("generalized_statements", "rdf_star", "namespace_declarations", "delimited"):
            self._set(name, bool(getattr(self, name)))
        if self.version is None:
            self._set("version", 2 if self.namespace_declarations else 1)
        check_range("version", self.version, 1, NEWEST_VERSION)
        if self.namespace_declarations and self.version == 1:
            raise ValueError("namespace declarations need version 2")
        self._set("namespace_declarations", self.version >= 2)
        check_lookups(
            self.max_name_table_size, self.max_prefix_table_size, self.max_datatype_table_size
        )
        check_frame(self.frame_rows, self.frame_bytes)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def is_grouped(self) -> bool:
        """Is each frame a graph or dataset of its own, by the logical type?"""
        return self.logical_type % 10 in (LogicalStreamType.GRAPHS, LogicalStreamType.DATASETS)

    @property
    def is_flat(self) -> bool:
        """Do frames mean nothing, by the logical type?"""
        flat = (LogicalStreamType.FLAT_TRIPLES, LogicalStreamType.FLAT_QUADS)
        return self.logical_type % 10 in flat

    @classmethod
    def of_stream(cls, **fields: Any) -> StreamOptions:
        """Make the options of a stream that was read: its types need not go together."""
        options = object.__new__(cls)
        defaults = {name: field.default for name, field in cls.__dataclass_fields__.items()}
        for name, value in {**defaults, **fields}.items():
            options._set(name, value)
        options._normalize()
        return options

    @classmethod
    def small(cls, **changes: Any) -> StreamOptions:
        """Options with small lookups (128 names, 16 prefixes, 16 datatypes), then ``changes``."""
        return cls(**{**SMALL, **changes})

    @classmethod
    def big(cls, **changes: Any) -> StreamOptions:
        """Options with big lookups (4000 names, 150 prefixes, 32 datatypes), then ``changes``."""
        return cls(**changes)


def _logical_type(value: Any) -> LogicalStreamType | int:
    try:
        return LogicalStreamType(value)
    except ValueError:
        if isinstance(value, str):
            raise ValueError(f"there is no logical stream type {value!r}") from None
        check_range("logical_type", value, 0, MAX_ENUM)
        return int(value)

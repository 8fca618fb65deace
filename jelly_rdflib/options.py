"""Options of streams, and the limits that a reader sets for untrusted input."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import IntEnum
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

RepeatedOptions: TypeAlias = Literal["continue", "restart", "error"]
"""See `jelly_rdflib.PatchDecoder`."""

Directions: TypeAlias = Literal["keep", "drop"]
"""See `jelly_rdflib.read_statements`."""


def drops_directions(directions: Directions) -> bool:
    """Return whether base directions are dropped; raise a ValueError for an unknown choice."""
    if directions not in ("keep", "drop"):
        raise ValueError(f"directions is 'keep' or 'drop', not {directions!r}")
    return directions == "drop"


# The names of the members of the enums below.
_StatementTypeName: TypeAlias = Literal["TRIPLES", "QUADS"]
_StreamTypeName: TypeAlias = Literal["FRAME", "FLAT", "PUNCTUATED"]
_PhysicalTypeName: TypeAlias = Literal["TRIPLES", "QUADS", "GRAPHS"]
_LogicalTypeName: TypeAlias = Literal[
    "UNSPECIFIED",
    "FLAT_TRIPLES",
    "FLAT_QUADS",
    "GRAPHS",
    "DATASETS",
    "SUBJECT_GRAPHS",
    "NAMED_GRAPHS",
    "TIMESTAMPED_NAMED_GRAPHS",
]

_MAX_TABLE_SIZE = 1 << 24
_MAX_COUNT = MAX_FRAME_SIZE = (1 << 31) - 1
_MAX_TOTAL = (1 << 63) - 1
_NEWEST_VERSION = 2  # the newest of Jelly-RDF; only this one has namespace declarations
_DRAFT_VERSION = 3  # the version of Jelly-RDF 1.2, which can only be read

# The highest values of limits; for a limit that is not listed here it is _MAX_COUNT.
_MAX_LIMITS = {
    "max_name_table_size": _MAX_TABLE_SIZE,
    "max_prefix_table_size": _MAX_TABLE_SIZE,
    "max_datatype_table_size": _MAX_TABLE_SIZE,
    "max_nesting_depth": 1000,
    "max_expansion": 1 << 24,
    "max_decompressed_size": _MAX_TOTAL,
    "max_held_operations": _MAX_TOTAL,
    "max_parser_memory": _MAX_TOTAL,
}
# The lowest and the highest value of each number among the options.
_OPTION_RANGES = {
    "max_name_table_size": (8, _MAX_TABLE_SIZE),
    "max_prefix_table_size": (0, _MAX_TABLE_SIZE),
    "max_datatype_table_size": (0, _MAX_TABLE_SIZE),
    "version": (1, 1),  # the version of Jelly-Patch
    "frame_rows": (1, 1 << 31),
    "frame_bytes": (1, MAX_FRAME_SIZE),
}
# Names that the command line uses, where they differ from those of Python.
_SHELL = {"stream_type": "physical_type"}
_SHELL |= dict.fromkeys(("names", "max_names"), "max_name_table_size")
# The lookup sizes of the small preset; the big preset has the defaults.
_SMALL = {"max_name_table_size": 128, "max_prefix_table_size": 16, "max_datatype_table_size": 16}


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}")


# Shortens values in messages: the name of a stream may be long.
_SHORT = reprlib.Repr()
_SHORT.maxstring = 100


def did_you_mean(name: str, names: list[str]) -> str:
    """Return a question about a name that does not exist; empty if no other name resembles it."""
    # The cutoff is low, so that names of the command line, as in --max-names, match the names in
    # Python.
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else ""


def _hint(name: str, names: list[str]) -> str:
    """Return the last part of a message about a name that does not exist."""
    return did_you_mean(name, names) or f"there are: {', '.join(names)}"


class _Settings:
    """Base of options and limits; the `repr` shows only fields that differ from the defaults."""

    def __new__(cls, *_: Any, **settings: Any) -> Self:
        names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        for name in settings.keys() - set(names):
            raise TypeError(
                f"{cls.__name__} has no {name!r}; {_hint(_SHELL.get(name, name), names)}"
            )
        return super().__new__(cls)

    def __repr__(self) -> str:
        changed = (f"{name}={_show(value)}" for name, value in self._changed().items())
        return f"{type(self).__name__}({', '.join(changed)})"

    def _changed(self) -> dict[str, Any]:
        """Return the fields that differ from the defaults."""
        defaults = vars(type(self)())
        return {name: value for name, value in vars(self).items() if value != defaults[name]}


def _show(value: Any) -> str:
    return _SHORT.repr(value.name if isinstance(value, IntEnum) else value)


@dataclass(frozen=True, kw_only=True, repr=False)
class Limits(_Settings):
    """Limits for untrusted input; each is checked before memory is allocated.

    With the defaults a reader needs less than 200 MB for a frame, rdflib's terms included.

    Args:
        max_name_table_size: Entries of the name lookup that a stream may ask for.
        max_prefix_table_size: Entries of the prefix lookup that a stream may ask for.
        max_datatype_table_size: Entries of the datatype lookup that a stream may ask for.
        max_frame_size: Bytes of one uncompressed frame; in a text, bytes of one row.
        max_frame_rows: Operations of one frame, and entries of its metadata.
        max_frame_terms: Distinct terms of one frame. When they become rdflib's terms, durations
            count twice.
        max_nesting_depth: Levels of quoted triples in quoted triples; 0 allows none.
        max_string_size: Bytes of one string, and of one IRI put together from prefix and name.
        max_text_size: Bytes of all distinct terms of one frame together, and of all lookup
            entries. The frame's size doesn't limit this, since lookups let a small frame expand to
            much text. It is also the limit for the bytes of a quoted triple in a decoder's
            checkpoint, repeated terms included; for the memory of the headers that
            `jelly_rdflib.concat` keeps, or a patch log for one patch; and for the characters of the
            prefixes of other RDF syntaxes.
        max_xml_tags: Tags and attributes of all XML literals of one frame; each literal counts as
            ten more. rdflib makes a tree from each literal, with a few hundred bytes for each tag
            or attribute. Batches have no trees.
        max_expansion: Ratio of decoded text to input, in bytes. Decoded text counts an IRI with
            its prefix in each frame, and a repeated term each time. The ratio covers the stream so
            far, without its first ``max_text_size`` bytes of text. A stream that stays below the
            ratio may catch up later, by up to 16 times ``max_text_size``. In RDF Patch in Thrift
            the limit is for each decimal number, whose text is its digits; in other RDF syntaxes it
            is for the text of all statements.
        max_decompressed_size: Bytes of gzip or zstd input after decompression. Also bytes of a
            pipe that are kept to compute the hash in the labels of unlabelled blank nodes.
        max_decompression_ratio: Ratio of decompressed to compressed bytes of such input, without
            its first 16 MiB.
        max_held_operations: Operations that a function may keep in memory: `jelly_rdflib.apply`
            those of an open transaction, `jelly_rdflib.read_patches` those of a patch,
            `jelly_rdflib.compact` the last one on each statement.
        max_prefixes: Prefixes that `jelly_rdflib.apply` may bind in a store. The more prefixes are
            bound, the longer rdflib takes for each.
        max_parser_memory: Bytes of memory that the child process of ``isolated=True`` may use, on
            Linux; Python itself uses some 20 MB. JSON-LD documents with one context around
            everything need about twenty times their size.
        max_parser_seconds: Seconds of processor time that the child may use for each 8 MiB of
            text or part thereof. In wall-clock time a batch may take ten times as long.

    Raises:
        ValueError: A number is out of its range.

    Examples:
        >>> Limits().max_frame_size
        16777216
        >>> Limits(max_nesting_depth=4).max_nesting_depth
        4
    """

    max_name_table_size: int = 4096
    max_prefix_table_size: int = 1024
    max_datatype_table_size: int = 256
    max_frame_size: int = 16 << 20
    max_frame_rows: int = 1 << 19
    max_frame_terms: int = 1 << 18
    max_nesting_depth: int = 100
    max_string_size: int = 6 << 20
    max_text_size: int = 12 << 20
    max_xml_tags: int = 1 << 17
    max_expansion: int = 256
    max_decompressed_size: int = 1 << 40
    max_decompression_ratio: int = 100
    max_held_operations: int = 1 << 24
    max_prefixes: int = 10_000
    max_parser_memory: int = 512 << 20
    max_parser_seconds: int = 30

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            _check_range(name, value, 0, _MAX_LIMITS.get(name, _MAX_COUNT))


def as_limits(limits: Limits | None) -> Limits:
    """Return the given limits, or the defaults for None; raise a TypeError for another type."""
    if limits is None:
        return Limits()
    if not isinstance(limits, Limits):
        raise TypeError(
            f"limits must be a Limits, such as Limits(max_frame_size=1 << 26), not"
            f" {type(limits).__name__}"
        )
    return limits


class _NamedEnum(IntEnum):
    """An enum that may also be called with a member's name, in upper or lower case."""

    if TYPE_CHECKING:

        def __new__(cls, value: int | str) -> Self: ...

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, str):
            return None
        name, names = value.upper(), list(cls.__members__)
        if name not in names:
            raise ValueError(f"{cls.__name__} has no {_SHORT.repr(value)}; {_hint(name, names)}")
        return cls[name]


class _Options(_Settings):
    """Base of the options of Jelly-Patch and Jelly-RDF: their checks and presets."""

    def __post_init__(self) -> None:
        """Give each field the type of its default, and check the ranges of numbers."""
        for name, value in vars(self).items():
            kind: Any = type(getattr(type(self), name))
            if kind is int:
                _check_range(name, value, *_OPTION_RANGES[name])
            elif kind is not NoneType:
                vars(self)[name] = kind(value)

    @classmethod
    def _small(cls, changes: Mapping[str, Any]) -> Self:
        return cls(**{**_SMALL, **changes})


class PatchStreamType(_NamedEnum):
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


class PatchStatementType(_NamedEnum):
    """Whether statements have a graph (Jelly-Patch, "Statement types").

    Examples:
        >>> PatchStatementType("triples")
        <PatchStatementType.TRIPLES: 1>
    """

    TRIPLES = 1
    """Statements have no graph."""
    QUADS = 2
    """Statements have a graph; it may be the default graph."""


class _FrameSettings(TypedDict, total=False):
    """The settings that both kinds of options share."""

    generalized_statements: bool
    rdf_star: bool
    max_name_table_size: int
    max_prefix_table_size: int
    max_datatype_table_size: int
    frame_rows: int
    frame_bytes: int
    delimited: bool


class PatchSettings(_FrameSettings, total=False):
    """The settings of `PatchOptions`."""

    statement_type: PatchStatementType | _StatementTypeName
    stream_type: PatchStreamType | _StreamTypeName
    version: int


@dataclass(frozen=True, kw_only=True, repr=False)
class PatchOptions(_Options):
    """Options of a Jelly-Patch stream (Jelly-Patch, "Patch stream options").

    The first eight have the names of the schema's fields and are written into the stream; the rest
    determine how the writer cuts it into frames.

    Args:
        statement_type: Triples or quads.
        stream_type: How frames and patches relate.
        generalized_statements: Allow literals as subjects, anything as predicates, and so on.
        rdf_star: Allow quoted triples.
        max_name_table_size: Entries of the name lookup, at least 8.
        max_prefix_table_size: Entries of the prefix lookup; 0 for none.
        max_datatype_table_size: Entries of the datatype lookup; 0 for none, which rules out
            literals with a datatype (except ``xsd:string``, then written as simple literals).
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

    if TYPE_CHECKING:
        # The generated signature, except that it also accepts the names of types.
        def __init__(
            self,
            *,
            statement_type: PatchStatementType | _StatementTypeName = PatchStatementType.QUADS,
            stream_type: PatchStreamType | _StreamTypeName = PatchStreamType.PUNCTUATED,
            generalized_statements: bool = False,
            rdf_star: bool = False,
            max_name_table_size: int = 4000,
            max_prefix_table_size: int = 150,
            max_datatype_table_size: int = 32,
            version: int = 1,
            frame_rows: int = 512,
            frame_bytes: int = 1_000_000,
            delimited: bool = True,
        ) -> None: ...

    @classmethod
    def small(cls, **changes: Unpack[PatchSettings]) -> Self:
        """Return options with ``changes`` and lookups of 128 names, 16 prefixes, 16 datatypes."""
        return cls._small(changes)

    @classmethod
    def big(cls, **changes: Unpack[PatchSettings]) -> Self:
        """Return options with ``changes`` and lookups of 4000 names, 150 prefixes, 32 datatypes."""
        return cls(**changes)


class PhysicalStreamType(_NamedEnum):
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


class LogicalStreamType(_NamedEnum):
    """The logical type of a stream: the meaning of its frames (Jelly-RDF, "Logical stream types").

    Examples:
        >>> LogicalStreamType.NAMED_GRAPHS.base
        <LogicalStreamType.DATASETS: 4>
    """

    UNSPECIFIED = 0
    """The stream does not declare a type."""
    FLAT_TRIPLES = 1
    """One stream of triples; frames have no meaning."""
    FLAT_QUADS = 2
    """One stream of quads; frames have no meaning."""
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
        """The base type: ``UNSPECIFIED``, a flat type, ``GRAPHS`` or ``DATASETS``."""
        return LogicalStreamType(self % 10)

    @staticmethod
    def is_consistent(logical: int, physical: int) -> bool:
        """Return whether types agree (Jelly-RDF, "Consistency with physical stream types").

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


def _flat_type(physical: PhysicalStreamType) -> LogicalStreamType:
    is_triples = physical == PhysicalStreamType.TRIPLES
    return LogicalStreamType.FLAT_TRIPLES if is_triples else LogicalStreamType.FLAT_QUADS


class StreamSettings(_FrameSettings, total=False):
    """The settings of `StreamOptions`."""

    stream_name: str
    physical_type: PhysicalStreamType | _PhysicalTypeName
    logical_type: LogicalStreamType | int | _LogicalTypeName | None
    version: int | None
    namespace_declarations: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class StreamOptions(_Options):
    """Options of a Jelly-RDF stream (Jelly-RDF, "Stream options").

    The first nine have the names of the schema's fields and are written into the stream; the rest
    determine how the writer cuts it into frames.

    Args:
        stream_name: A name for the stream, for any use.
        physical_type: How statements are encoded.
        logical_type: What the stream means; None for the flat type that matches
            ``physical_type``. Any other number is allowed, too: it is a subtype of the base type
            whose number is its last digit.
        generalized_statements: Allow literals as subjects, anything as predicates, and so on.
        rdf_star: Allow quoted triples.
        max_name_table_size: Entries of the name lookup, at least 8.
        max_prefix_table_size: Entries of the prefix lookup; 0 for none.
        max_datatype_table_size: Entries of the datatype lookup; 0 for none, which rules out
            literals with a datatype (except ``xsd:string``, then written as simple literals).
        version: Version tag of the protocol; None for the lowest sufficient one: 2 with
            ``namespace_declarations``, else 1. (Readers of version 1 skip frame metadata.)
        namespace_declarations: Allow namespaces to be written. True if ``version`` is 2.
        frame_rows: Rows after which a frame is closed, if frames mean nothing.
        frame_bytes: Bytes after which a frame is closed, if frames mean nothing; the specification
            recommends frames below 1 MB.
        delimited: Write each frame's length before it, as files need; False for one bare frame.

    Raises:
        ValueError: A number is out of its range, or types are incompatible.

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

    if TYPE_CHECKING:
        # The generated signature, except that it also accepts the names of types.
        def __init__(
            self,
            *,
            stream_name: str = "",
            physical_type: PhysicalStreamType | _PhysicalTypeName = PhysicalStreamType.QUADS,
            logical_type: LogicalStreamType | int | _LogicalTypeName | None = None,
            generalized_statements: bool = False,
            rdf_star: bool = False,
            max_name_table_size: int = 4000,
            max_prefix_table_size: int = 150,
            max_datatype_table_size: int = 32,
            version: int | None = None,
            namespace_declarations: bool = False,
            frame_rows: int = 256,
            frame_bytes: int = 1_000_000,
            delimited: bool = True,
        ) -> None: ...

    @classmethod
    def small(cls, **changes: Unpack[StreamSettings]) -> Self:
        """Return options with ``changes`` and lookups of 128 names, 16 prefixes, 16 datatypes."""
        return cls._small(changes)

    @classmethod
    def big(cls, **changes: Unpack[StreamSettings]) -> Self:
        """Return options with ``changes`` and lookups of 4000 names, 150 prefixes, 32 datatypes."""
        return cls(**changes)

    def __post_init__(self) -> None:
        self._normalize()
        if not LogicalStreamType.is_consistent(self.logical_type, self.physical_type):
            raise ValueError(
                f"logical type {_show(self.logical_type)} does not go with"
                f" {_show(self.physical_type)}"
            )

    def _normalize(self, newest_version: int = _NEWEST_VERSION) -> None:
        """Convert each field to its type, and check each value alone."""
        if not isinstance(self.stream_name, str):
            raise TypeError(f"stream_name must be a str, not {type(self.stream_name).__name__}")
        super().__post_init__()
        logical, version = self.logical_type, self.version
        if logical is None:
            logical = _flat_type(self.physical_type)
        try:
            logical = LogicalStreamType(logical)
        except ValueError:
            if isinstance(logical, str):
                raise
            _check_range("logical_type", logical, 0, _MAX_COUNT)
        if version is None:
            version = 2 if self.namespace_declarations else 1
        _check_range("version", version, 1, newest_version)
        if self.namespace_declarations and version == 1:
            raise ValueError("namespace declarations need version 2")
        has_names = version >= 2
        vars(self).update(logical_type=logical, version=version, namespace_declarations=has_names)

    def _changed(self) -> dict[str, Any]:
        changed = super()._changed()
        # Values that follow from other fields are not shown either.
        changed.pop("namespace_declarations", None)
        if self.logical_type == _flat_type(self.physical_type):
            changed.pop("logical_type", None)
        else:
            changed["logical_type"] = self.logical_type
        return changed

    @property
    def is_grouped(self) -> bool:
        """Whether each frame is a separate graph or dataset, by the logical type."""
        return self.logical_type % 10 in (LogicalStreamType.GRAPHS, LogicalStreamType.DATASETS)

    @property
    def is_flat(self) -> bool:
        """Whether frames have no meaning, by the logical type."""
        flat = (LogicalStreamType.FLAT_TRIPLES, LogicalStreamType.FLAT_QUADS)
        return self.logical_type % 10 in flat

    @classmethod
    def of_stream(cls, **settings: Any) -> StreamOptions:
        """Make the options of a stream that was read; its types need not agree.

        The stream may have version 3, the draft of Jelly-RDF 1.2, which can't be written.
        """
        options = object.__new__(cls)
        vars(options).update(settings)
        options._normalize(_DRAFT_VERSION)
        return options

"""The options of the data sources. Case and underscores of names are ignored."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from jelly_rdflib.display.terms import show
from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits, PatchOptions, RepeatedOptions, StreamOptions

if TYPE_CHECKING:
    from jelly_rdflib.spark.kinds import Kind

FAILFAST, PERMISSIVE, DROPMALFORMED = "FAILFAST", "PERMISSIVE", "DROPMALFORMED"

NO_TERM = "null"
"""The value of the options ``s``, ``p``, ``o``, ``g`` that selects rows without such a term."""

SORT_BYTES = 64 << 20
_SUFFIXES = {"none": "", "gzip": ".gz", "zstd": ".zst"}

# Advice for options that only Spark's own sources have.
_INSTEAD = {
    "ignorecorruptfiles": "mode=DROPMALFORMED returns the rows before the damage",
    "basepath": "load a glob, such as log/day=2026-*, to get columns for its folders",
    "cleansource": "delete files when the query has read them and is stopped",
    "mergeschema": "all files have the same columns",
    "timezone": "give times with their zone",
}


class _Given:
    """The options that a user has given.

    Each method removes one option and returns its value, or raises a ValueError if the value is
    wrong. Options that are left at the end are unknown.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        self._left = {_plain(name): (name, text) for name, text in options.items()}
        self._known: dict[str, str] = {}

    def text(self, name: str) -> str | None:
        """Return the text of an option; None if it was not given."""
        self._known[_plain(name)] = name
        return self._left.pop(_plain(name), (name, None))[1]

    def choice(self, name: str, *choices: str) -> str:
        """Return one of the choices, given in upper or lower case; the first is the default."""
        text = self.text(name)
        for choice in choices:
            if text is None or text.lower() == choice.lower():
                return choice
        raise ValueError(f"the option {name} must be one of {', '.join(choices)}, not {text!r}")

    def flag(self, name: str) -> bool:
        """Return whether an option is true; false is the default."""
        return self.choice(name, "false", "true") == "true"

    def number(self, name: str, least: int) -> int | None:
        """Return a number of at least ``least``; None if it was not given."""
        text = self.text(name)
        if text is None:
            return None
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise ValueError(f"the option {name} must be a number >= {least}, not {text!r}")
        return int(text)

    def time(self, name: str) -> float | None:
        """Return a time, as a Unix timestamp; None if it was not given."""
        text = self.text(name)
        if text is None:
            return None
        with suppress(ValueError):
            # Python 3.10 does not know "Z" as the time zone.
            made = datetime.fromisoformat(re.sub("Z$", "+00:00", text))
            if made.tzinfo is not None:
                return made.timestamp()
        raise ValueError(
            f"the option {name} must be a time with a zone, like 2026-01-31T08:00:00Z, not {text!r}"
        )

    def duration(self, name: str, default: str) -> int:
        """Return a duration, in seconds."""
        text = self.text(name) or default
        found = re.fullmatch("([0-9]+)(s|min|m|h|d)", text.lower())
        if found is None:
            raise ValueError(
                f"the option {name} must be a time like 90s, 30min, 12h or {default}, not {text!r}"
            )
        return int(found[1]) * {"s": 1, "h": 3600, "d": 24 * 3600}.get(found[2], 60)

    def value(self, name: str, default: object) -> Any:
        """Return a value of the same type as its default; None if it was not given."""
        if isinstance(default, bool):
            return self.flag(name)
        if type(default) is int:
            return self.number(name, 0)
        text = self.text(name)
        if text is None or isinstance(default, str):
            return text
        # The rest are types of streams, given by number or by name.
        return int(text) if text.isascii() and text.isdigit() else text

    def check_all_taken(self, use: str) -> None:
        """Raise a ValueError for the first option that is left over, since it is unknown."""
        for plain, (name, _) in self._left.items():
            near = get_close_matches(plain, self._known, n=1, cutoff=0.75)
            there = ", ".join(known for known in self._known.values() if "_" not in known)
            hint = f"did you mean {self._known[near[0]]}?" if near else f"there are {there}"
            raise ValueError(f"there is no option {name!r} {use}: {_INSTEAD.get(plain, hint)}")


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def options_of_table(options: Mapping[str, str]) -> dict[str, str] | None:
    """Return the options of ``CREATE TABLE``; None if the options are those of a reader.

    Spark passes a new table's path, its options (as ``option.mode``) and its properties together.
    The properties are not for the source. The path has a scheme, but its characters are not
    escaped.
    """
    if not options.keys() >= {"provider", "owner"}:
        return None
    table = {
        name.removeprefix("option."): text
        for name, text in options.items()
        if name.startswith("option.")
    }
    path = options.get("path")
    return table if path is None else table | {"path": path.removeprefix("file:")}


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of a reader; None means unlimited, or for ``ops`` all operations.

    ``partition_bytes`` is the approximate size of a partition; the default suits the machine.
    ``pattern`` is a glob for the names of files in folders. Times are in seconds;
    ``modified_after`` and ``modified_before`` are Unix timestamps. ``corrupt`` is the name of the
    column that describes errors, in the mode PERMISSIVE. ``wanted`` maps a column to the term that
    its rows must have; a value of None means null.
    """

    mode: str = FAILFAST
    terms: str = "string"
    partition_bytes: int | None = None
    pattern: str = "*"
    is_recursive: bool = False
    max_files: int | None = None
    max_bytes: int | None = None
    max_age: int = 7 * 24 * 3600
    max_delay: int = 3600
    latest_first: bool = False
    modified_after: float | None = None
    modified_before: float | None = None
    ignores_missing: bool = False
    corrupt: str = "_corrupt"
    push_filters: bool = False
    ops: frozenset[int] | None = None
    wanted: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    limits: Limits = dataclasses.field(default_factory=Limits)
    on_repeated_options: RepeatedOptions = "continue"

    @classmethod
    def of(cls, options: Mapping[str, str]) -> ReadOptions:
        """Parse the options of a data source; raise a ValueError for an unknown name or value."""
        given = _Given(options)
        for name in ("path", "paths"):
            given.text(name)
        ops = given.text("op")
        terms = {column: given.text(column) for column in ("s", "p", "o", "g")}
        limits = {each.name: given.number(each.name, 0) for each in dataclasses.fields(Limits)}
        max_age = given.duration("maxFileAge", "7d")
        made = cls(
            mode=given.choice("mode", FAILFAST, PERMISSIVE, DROPMALFORMED),
            terms=given.choice("terms", "string", "struct"),
            partition_bytes=given.number("partitionBytes", 1),
            pattern=given.text("pathGlobFilter") or "*",
            is_recursive=given.flag("recursiveFileLookup"),
            max_files=given.number("maxFilesPerTrigger", 1),
            max_bytes=given.number("maxBytesPerTrigger", 1),
            max_age=max_age,
            max_delay=min(given.duration("maxFileDelay", "1h"), max_age),
            latest_first=given.flag("latestFirst"),
            modified_after=given.time("modifiedAfter"),
            modified_before=given.time("modifiedBefore"),
            ignores_missing=given.flag("ignoreMissingFiles"),
            corrupt=given.text("columnNameOfCorruptRecord") or "_corrupt",
            push_filters=given.flag("pushFilters"),
            ops=None if ops is None else frozenset(map(_op, ops.split(","))),
            wanted={
                column: None if term == NO_TERM else term
                for column, term in terms.items()
                if term is not None
            },
            limits=Limits(**{name: size for name, size in limits.items() if size is not None}),
            on_repeated_options=cast(
                "RepeatedOptions",
                given.choice("onRepeatedOptions", "continue", "restart", "error"),
            ),
        )
        given.check_all_taken("to read with")
        if made.max_files is not None and made.max_bytes is not None:
            raise ValueError("maxFilesPerTrigger and maxBytesPerTrigger: give only one of them")
        return made


def _op(text: str) -> Op:
    name = text.strip().upper()
    if name not in Op.__members__:
        raise ValueError(
            f"the option op must be names of operations, separated by commas, not {name!r}: there"
            f" are {', '.join(Op.__members__)}"
        )
    return Op[name]


@dataclasses.dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """The options of a writer.

    ``stream`` contains the options of the Jelly stream; it is None for text formats, which have no
    options. ``suffix`` follows the file extension. ``sort_bytes`` is how many bytes of rows are
    held in memory for sorting.
    """

    stream: PatchOptions | StreamOptions | None
    suffix: str
    sort_bytes: int

    @classmethod
    def of(cls, options: Mapping[str, str], kind: Kind) -> WriteOptions:
        """Parse the options of a data source; raise a ValueError for an unknown name or value."""
        given = _Given(options)
        for name in ("path", "checkpointLocation"):
            given.text(name)
        suffix = _SUFFIXES[given.choice("compression", *_SUFFIXES)]
        sort_bytes = given.number("sortBytes", 0)
        preset = given.choice("preset", "big", "small")
        stream = None
        if kind.has_frames:
            made = StreamOptions if kind.is_statements else PatchOptions
            fields = {each.name: each.default for each in dataclasses.fields(made)}
            del fields["delimited"], fields["version"]
            found = {name: given.value(name, default) for name, default in fields.items()}
            values = {name: value for name, value in found.items() if value is not None}
            stream = (made.small if preset == "small" else made.big)(**values)
            if isinstance(stream, StreamOptions) and stream.is_grouped:
                raise ValueError(
                    f"a stream of {show(stream.logical_type)} has a graph in each frame: files are"
                    " written with flat types only"
                )
        given.check_all_taken(f"to write {kind.name}")
        return cls(
            stream=stream,
            suffix=suffix,
            sort_bytes=SORT_BYTES if sort_bytes is None else sort_bytes,
        )

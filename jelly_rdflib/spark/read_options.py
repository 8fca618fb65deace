"""What a reader is asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits

PERMISSIVE, DROPMALFORMED, FAILFAST = "PERMISSIVE", "DROPMALFORMED", "FAILFAST"

NO_TERM = "null"
"""As a term that is wanted: the default graph, and what is no statement."""

_LIMITS = {field.name.replace("_", "").lower(): field.name for field in dataclasses.fields(Limits)}
_CONDITIONS = ("op", "s", "p", "o", "g")
_KNOWN = {
    "path",
    "paths",
    "mode",
    "terms",
    "partitionbytes",
    "pathglobfilter",
    "recursivefilelookup",
    "maxfilespertrigger",
    "pushfilters",
    *_CONDITIONS,
    *_LIMITS,
}


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What a reader is asked for.

    Args:
        mode: What becomes of damaged files: ``FAILFAST``, ``PERMISSIVE`` or ``DROPMALFORMED``.
        terms: ``string`` or ``struct``.
        partition_bytes: How many bytes of files a partition has, about; None: what suits the
            machine, and at most 64 MiB.
        pattern: Of the files in folders, those whose names match.
        is_recursive: Whether folders in folders are looked into.
        max_files: How many files a micro-batch has at the most; None: all.
        push_filters: Whether Spark may hand its filters over; see `register`.
        ops: Names of the operations that are wanted; None: all.
        wanted: Terms that are wanted: pairs of a column and a term, None for no term.
        limits: What to accept.
    """

    mode: str = FAILFAST
    terms: str = "string"
    partition_bytes: int | None = None
    pattern: str = "*"
    is_recursive: bool = False
    max_files: int | None = None
    push_filters: bool = False
    ops: tuple[str, ...] | None = None
    wanted: tuple[tuple[str, str | None], ...] = ()
    limits: Limits = dataclasses.field(default_factory=Limits)

    @classmethod
    def of(cls, options: Mapping[str, str]) -> ReadOptions:
        """Read the options of a data source, whose names may be in any case of letters.

        Limits have the names that `jelly_rdflib.Limits` has, also as in ``maxFrameSize``.

        Raises:
            ValueError: There is no such option, or no such value of it.
        """
        given = {key.replace("_", "").lower(): value for key, value in options.items()}
        for key in options:
            if key.replace("_", "").lower() not in _KNOWN:
                raise ValueError(f"there is no option {key!r}")
        mode = given.get("mode", FAILFAST).upper()
        if mode not in (PERMISSIVE, DROPMALFORMED, FAILFAST):
            raise ValueError(
                f"the mode is {PERMISSIVE}, {DROPMALFORMED} or {FAILFAST}, not {mode!r}"
            )
        terms = given.get("terms", "string").lower()
        if terms not in ("string", "struct"):
            raise ValueError(f"the option terms is string or struct, not {terms!r}")
        limits = {
            field: _number(key, given[key], 0) for key, field in _LIMITS.items() if key in given
        }
        return cls(
            mode=mode,
            terms=terms,
            partition_bytes=_number_or_none("partitionBytes", given),
            pattern=given.get("pathglobfilter", "*"),
            is_recursive=_flag("recursiveFileLookup", given.get("recursivefilelookup", "false")),
            max_files=_number_or_none("maxFilesPerTrigger", given),
            push_filters=_flag("pushFilters", given.get("pushfilters", "false")),
            ops=_ops(given["op"]) if "op" in given else None,
            wanted=tuple(
                (column, None if given[column] == NO_TERM else given[column])
                for column in _CONDITIONS[1:]
                if column in given
            ),
            limits=Limits(**limits),
        )


def _ops(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().upper() for name in text.split(","))
    for name in names:
        if name not in Op.__members__:
            raise ValueError(
                f"the option op has names of operations, with commas between them, not {name!r}:"
                f" there are {', '.join(Op.__members__)}"
            )
    return names


def _number(name: str, text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ValueError(f"the option {name} is a number from {least} on, not {text!r}")
    return int(text)


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"the option {name} is true or false, not {text!r}")
    return text.lower() == "true"


def _number_or_none(name: str, given: Mapping[str, str]) -> int | None:
    text = given.get(name.lower())
    return None if text is None else _number(name, text, 1)

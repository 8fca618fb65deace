"""The options of readers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from jelly_rdflib.operations import Op
from jelly_rdflib.options import Limits

PERMISSIVE, DROPMALFORMED, FAILFAST = "PERMISSIVE", "DROPMALFORMED", "FAILFAST"

NO_TERM = "null"
"""The value of an option for rows that have no term in its column."""

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
    """The options of a reader.

    Args:
        mode: The treatment of damaged files: ``FAILFAST``, ``PERMISSIVE`` or ``DROPMALFORMED``.
        terms: ``string`` or ``struct``.
        partition_bytes: The approximate number of bytes of a partition; None: a number that suits
            the machine, at most 64 MiB.
        pattern: A glob for the names of files in folders.
        is_recursive: Whether to read folders in folders.
        max_files: The largest number of files of a micro-batch; None: all.
        push_filters: Whether Spark may hand over its filters; see `register`.
        ops: The names of the wanted operations; None: all.
        wanted: The wanted terms: pairs of a column and a term, None for no term.
        limits: The limits of the input.
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
        """Parse the options of a data source; names are compared without case and underscores.

        Raises:
            ValueError: An option or its value does not exist.
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
            field: to_number(key, given[key], 0) for key, field in _LIMITS.items() if key in given
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


def to_number(name: str, text: str, least: int) -> int:
    """Parse the number of an option.

    Raises:
        ValueError: The text is no number, or the number is too small.
    """
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ValueError(f"the option {name} is a number from {least} on, not {text!r}")
    return int(text)


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"the option {name} is true or false, not {text!r}")
    return text.lower() == "true"


def _number_or_none(name: str, given: Mapping[str, str]) -> int | None:
    text = given.get(name.lower())
    return None if text is None else to_number(name, text, 1)

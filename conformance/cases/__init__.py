"""Collect all cases, from one module for each part of the specification."""

from __future__ import annotations

from conformance.cases import (
    frames,
    lookups,
    matrix,
    options,
    patches,
    statements,
    terms,
    writing,
)
from conformance.cases.case import Case

__all__ = ["Case", "all_cases"]


def all_cases() -> list[Case]:
    """Return the cases: first those to read, then those to write."""
    read = (frames, options, lookups, statements, terms, patches, matrix)
    return [case for module in (*read, writing) for case in module.cases()]

"""The former place of `jelly_rdflib.inspection.validation`."""

from __future__ import annotations

import warnings
from typing import Any

from jelly_rdflib.inspection import validation


def __getattr__(name: str) -> Any:
    if name not in validation.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(validation, name)
    warnings.warn(
        f"jelly_rdflib.validation.{name} has moved to jelly_rdflib.inspection.validation.{name}",
        DeprecationWarning,
        stacklevel=2,
    )
    return value

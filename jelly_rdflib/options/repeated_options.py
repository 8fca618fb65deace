"""The meaning of options that a stream repeats."""

from __future__ import annotations

from typing import Literal, TypeAlias

RepeatedOptions: TypeAlias = Literal["continue", "restart", "error"]
"""See `jelly_rdflib.PatchDecoder`."""

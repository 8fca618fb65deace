"""The table of limits in the documentation says what the code has."""

from __future__ import annotations

import dataclasses

import jelly_rdflib as jr
from tests.hostile.table import DEFAULTS


def test_names_and_defaults() -> None:
    limits = jr.Limits()
    fields = dataclasses.fields(limits)
    assert list(DEFAULTS.items()) == [(each.name, getattr(limits, each.name)) for each in fields]

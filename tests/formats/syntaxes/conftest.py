"""Runs tests twice: with the parser in this process, and in its own process."""

from functools import partial

import pytest

import jelly_rdflib as jr
from tests.formats.syntaxes.support import ISOLATED


@pytest.fixture(
    params=[
        pytest.param(False, id="here"),
        pytest.param(True, id="isolated", marks=[ISOLATED, pytest.mark.slow]),
    ]
)
def isolated(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Set the default of the readers; return whether the parser runs in its own process."""
    is_isolated: bool = request.param
    for name in ("read_statements", "read_batches"):
        monkeypatch.setattr(jr, name, partial(getattr(jr, name), isolated=is_isolated))
    return is_isolated

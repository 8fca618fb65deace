"""Runs tests twice: with the parser in this process, and in a separate process."""

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
    """Set the readers' default; return whether the parser runs in a separate process."""
    is_isolated: bool = request.param
    for name in ("read_statements", "read_batches"):
        monkeypatch.setattr(jr, name, partial(getattr(jr, name), isolated=is_isolated))
    return is_isolated

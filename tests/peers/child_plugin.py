"""A plugin of pytest for the tests of others: which store is rdflib's default, and what came out.

It runs in a child process, whose environment says the store and the file for the outcomes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import rdflib.plugin
from rdflib.store import Store

OUTCOMES: dict[str, str] = {}

_PLUGINS = rdflib.plugin._plugins
_OWN = {key for key, one in _PLUGINS.items() if not isinstance(one, rdflib.plugin.PKGPlugin)}

if os.environ["PEERS_STORE"] == "JellyStore":
    import jelly_rdflib.plugins.store as _plugin

    rdflib.plugin.register("default", Store, _plugin.__name__, "JellyStore")

# The tests try each format and store that rdflib knows: those of other packages are not tried.
for _key in set(_PLUGINS) - _OWN:
    del _PLUGINS[_key]


def pytest_runtest_logreport(report: Any) -> None:
    """Note the outcome of a test, or that it could not start or end."""
    if report.when == "call" or report.outcome != "passed":
        has_expected = hasattr(report, "wasxfail") and report.outcome != "failed"
        OUTCOMES[report.nodeid] = "passed" if has_expected else report.outcome


def pytest_collectreport(report: Any) -> None:
    """Note that a module could not be imported."""
    if report.failed:
        OUTCOMES[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    """Write what came out."""
    Path(os.environ["PEERS_OUTCOMES"]).write_text(json.dumps(OUTCOMES), encoding="utf-8")

"""A pytest plugin that sets rdflib's default store and records the outcomes.

It runs in a child process, whose environment names the store and the file for the outcomes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import rdflib.plugin
from rdflib.store import Store
from rdflib.term import URIRef

OUTCOMES: dict[str, str] = {}


def pytest_configure() -> None:
    """Set the default store, and hide formats and stores of packages other than rdflib."""
    plugins = rdflib.plugin._plugins
    own = {key for key, one in plugins.items() if not isinstance(one, rdflib.plugin.PKGPlugin)}
    if os.environ["PEERS_STORE"] == "JellyStore":
        import jelly_rdflib.plugins.store as plugin

        rdflib.plugin.register("default", Store, plugin.__name__, "JellyStore")
        own.add(("default", Store))
    for key in set(plugins) - own:
        del plugins[key]


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a test by its full IRI; pytest leaves out long ones, and a checkout's path is long."""
    return str(val) if isinstance(val, URIRef) else None


def pytest_runtest_logreport(report: Any) -> None:
    """Record the outcome of a test, or an error of its set-up or tear-down."""
    if report.when == "call" or report.outcome != "passed":
        has_expected = hasattr(report, "wasxfail") and report.outcome != "failed"
        OUTCOMES[report.nodeid] = "passed" if has_expected else report.outcome


def pytest_collectreport(report: Any) -> None:
    """Record that a module could not be imported."""
    if report.failed:
        OUTCOMES[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    """Write the outcomes."""
    Path(os.environ["PEERS_OUTCOMES"]).write_text(json.dumps(OUTCOMES), encoding="utf-8")

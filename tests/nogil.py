"""A pytest plugin for a Python without the GIL: ``pytest -p tests.nogil``.

Some packages have no build for such a Python. Tests that need one of them are skipped, and the
summary names the package and counts the tests. The GIL must be off, and no module may turn it on.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest
from rdflib.plugin import PluginException

MISSING = (ModuleNotFoundError, PluginException)


def is_off() -> bool:
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def pytest_configure() -> None:
    if not is_off():
        raise pytest.UsageError("the GIL is on: run a free-threaded Python with -X gil=0")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    report = yield
    if report.failed and "ImportError while importing" in (text := str(report.longrepr)):
        reason = text.splitlines()[-1].removeprefix("E  ").strip()
        if "jelly_rdflib" not in reason:
            report.outcome = "skipped"
            report.longrepr = (str(collector.path), 0, reason)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
    report = yield
    error = None if call.excinfo is None else call.excinfo.value
    if isinstance(error, MISSING) and "jelly_rdflib" not in str(error):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, str(error))
    return report

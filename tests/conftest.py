"""Settings that all tests share."""

from __future__ import annotations

import logging
import os
import signal
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

# Everyone tests the same examples: a change should fail because of its own faults, not because a
# random example reveals an older fault.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=40,
    print_blob=True,
    report_multiple_bugs=False,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("quick", settings.get_profile("default"), max_examples=10)
# `make test-random` uses this profile. Each failing example that it finds is added to its test.
settings.register_profile(
    "random", settings.get_profile("default"), derandomize=False, max_examples=200
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# A process that a shell starts in the background ignores Ctrl+C, and with `nohup` also hangups. All
# processes that the tests start would inherit that. Handlers are not inherited, so set them here.
signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name != "nt" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.fixture(autouse=True, scope="session")
def _quiet_rdflib() -> None:
    """Keep rdflib from logging each invalid IRI and ill-typed literal that the tests make."""
    logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print one sentence about the number of skipped tests and the reasons."""
    reasons = Counter(
        str(each.longrepr[2] if isinstance(each.longrepr, tuple) else each.longrepr)
        for each in terminalreporter.stats.get("skipped", [])
    )
    if reasons:
        told = "; ".join(
            f"{reason.removeprefix('Skipped: ')} ({count})" for reason, count in reasons.items()
        )
        terminalreporter.write_line(f"{reasons.total()} tests were skipped: {told}.")

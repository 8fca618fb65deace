"""Failures of power: whatever had not been brought to the disk is lost, and the log is whole."""

from __future__ import annotations

import pytest

from tests.log.live.campaign import ask
from tests.log.live.child import Child


def test_a_failure_of_power_at_any_moment(driver: Child) -> None:
    outages = ask(driver, "cut_power")
    assert not outages.faults, "\n".join(
        [f"{len(outages.faults)} of {outages.states}:", *outages.faults[:10]]
    )
    assert outages.calls > 100
    assert outages.states > 300


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("journal_deleted", "was acknowledged as version"),
        ("commits_not_synced", "was acknowledged as version"),
        ("files_not_synced", "is damaged"),
    ],
)
def test_what_is_not_on_the_disk_is_found(driver: Child, broken: str, words: str) -> None:
    """Else the test above would say nothing; and SQLite's defaults are not enough."""
    outages = ask(driver, "cut_power", broken, [("append", 100)])
    assert any(words in fault for fault in outages.faults), outages.faults[:10]

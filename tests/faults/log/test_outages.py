"""Failures of power: whatever had not been brought to the disk is lost, and the log is whole."""

from __future__ import annotations

import pytest

from tests.faults.log.campaign import ask
from tests.faults.log.child import Child


@pytest.mark.slow
@pytest.mark.parametrize("change", [None, "nothing_in_memory"])
def test_a_failure_of_power_at_any_moment(driver: Child, change: str | None) -> None:
    outages = ask(driver, "cut_power", change)
    assert not outages.faults, "\n".join(
        [f"{len(outages.faults)} of {outages.states}:", *outages.faults[:10]]
    )
    assert outages.calls > 100
    assert outages.states > 300


@pytest.mark.parametrize(
    ("broken", "work", "words"),
    [
        ("journal_deleted", "append", "was acknowledged as version"),
        ("commits_not_synced", "append", "was acknowledged as version"),
        ("files_not_synced", "append", "is damaged"),
        ("large_files_not_synced", "append", "is damaged"),
        ("large_files_not_synced", "snapshot", "is damaged"),
        ("commits_not_synced", "keep", "the store's file has"),
    ],
)
def test_what_is_not_on_the_disk_is_found(
    driver: Child, broken: str, work: str, words: str
) -> None:
    """Else the test above would say nothing; and SQLite's defaults are not enough."""
    outages = ask(driver, "cut_power", broken, [(work, 1 if work == "keep" else 100)])
    assert any(words in fault for fault in outages.faults), outages.faults[:10]

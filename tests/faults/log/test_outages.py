"""Tests power failures: the log stays intact, although unsynced data is lost."""

import pytest

from tests.faults.log.campaign import ask
from tests.faults.log.child import Child
from tests.faults.log.outage import STEPS, Steps


@pytest.mark.parametrize(
    ("steps", "is_large"),
    [
        ([("append", 100)], False),
        ([("append", 100)], True),
        ([("keep", 1)], False),
        *(pytest.param(STEPS, is_large, marks=pytest.mark.slow) for is_large in (False, True)),
    ],
)
def test_a_failure_of_power_at_any_moment(driver: Child, steps: Steps, is_large: bool) -> None:
    outages = ask(driver, "cut_power", steps, is_large)
    assert not outages.faults, "\n".join(
        [f"{len(outages.faults)} of {outages.states}:", *outages.faults[:10]]
    )
    assert outages.calls > 6 * len(steps)
    assert outages.states > 20 * len(steps)

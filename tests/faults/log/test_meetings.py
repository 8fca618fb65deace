"""Tests two live processes: whatever happens to one, the log keeps the other's patches.

These tests run some interleavings at each system call; ``make test-log-live`` runs all of them.
"""

import functools

import pytest

from tests.faults.log.campaign import ask, quick_cases, run_cases
from tests.faults.log.child import Child


@pytest.mark.parametrize(
    ("a", "b", "after_crash"),
    [
        ("append", "squash", False),
        pytest.param("append", "append", False, marks=pytest.mark.slow),
        pytest.param("create", "create", False, marks=pytest.mark.slow),
        pytest.param("append", "append", True, marks=pytest.mark.slow),
        pytest.param("snapshot", "append", False, marks=pytest.mark.slow),
        pytest.param("squash", "append", False, marks=pytest.mark.slow),
        pytest.param("update", "append", False, marks=pytest.mark.slow),
    ],
)
def test_whatever_becomes_of_one(driver: Child, a: str, b: str, after_crash: bool) -> None:
    count = functools.partial(ask, driver, "count")
    outcomes = list(run_cases([driver], quick_cases(a, b, count, after_crash=after_crash)))
    faults = [f"{each.case}, {each.call}: {each.faults}" for each in outcomes if each.faults]
    assert not faults, "\n".join([f"{len(faults)} of {len(outcomes)}:", *faults[:10]])
    # The process was stopped at each call, not only while it had the lock.
    assert all(each.call for each in outcomes)
    assert len(outcomes) > 40
    assert {each.blocked for each in outcomes} == {False, True}

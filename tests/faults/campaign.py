"""Injects a fault at every possible point, one after another, for each kind of target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jelly_rdflib import RollbackError
from jelly_rdflib.operations import Operation
from tests.faults.injection import ERRORS, FOLDERS, Fuse, interrupted_at, wired
from tests.faults.scenario import OPERATIONS, MakeTarget, Scenario


@dataclass
class Tally:
    """The number of injected faults, and how many of them could not be rolled back.

    Args:
        injected: The number of faults.
        told: The number of faults that could not be rolled back, as the error reported.
    """

    injected: int = 0
    told: int = 0

    def __iadd__(self, other: Tally) -> Tally:
        self.injected += other.injected
        self.told += other.told
        return self


def at_each_call(
    make: MakeTarget,
    *,
    errors: tuple[type[BaseException], ...] = ERRORS,
    ways: tuple[bool, ...] = (False, True),
    stride: int = 1,
) -> Tally:
    """Make the store raise at each call of each method, before and after the call's effect.

    Args:
        make: Makes a target.
        errors: The exceptions to raise.
        ways: Whether the call takes effect before the exception is raised.
        stride: 1 for each call; n for every n-th call.
    """
    scenario = Scenario(make)
    tally = Tally()
    for error in errors:
        for does_it in ways:
            turn = 0
            while at_one_call(scenario, Fuse(turn, error=error, does_it=does_it), tally):
                turn += stride
    return tally


def twice(make: MakeTarget, *, stride: int = 1) -> Tally:
    """Make the store raise twice: at one call, and at another while the first is rolled back."""
    scenario = Scenario(make)
    tally = Tally()
    turn = 0
    while True:
        later = 1
        fuse = Fuse(turn, turn + later)
        if not at_one_call(scenario, fuse, tally):
            return tally
        while fuse.blown == 2:
            later += stride
            fuse = Fuse(turn, turn + later, error=ERRORS[later % len(ERRORS)])
            at_one_call(scenario, fuse, tally)
        turn += stride


def at_one_call(scenario: Scenario, fuse: Fuse, tally: Tally) -> bool:
    """Apply to a store whose calls go through `fuse`; check the state; return whether it blew."""
    with scenario.make() as target:
        scenario.prepare(target)
        caught: BaseException | None = None
        with wired(target.store, fuse):
            try:
                scenario.run(target)
            except BaseException as error:
                caught = error
        if not fuse.blown:
            assert caught is None
            return False
        # A fault may be harmless if the store itself expects the exception.
        if caught is not None:
            _check(scenario, target, caught, tally)
        else:
            assert scenario.committed == len(scenario.states) - 1
        tally.injected += fuse.blown
        return True


def at_each_request(make: MakeTarget, *, stride: int = 1) -> Tally:
    """Make a SPARQL endpoint fail at each request, before and after it executes the request."""
    scenario = Scenario(make)
    tally = Tally()
    for does_it in (False, True):
        turn, is_over = 0, False
        while not is_over:
            with scenario.make() as target:
                scenario.prepare(target)
                endpoint: Any = target.endpoint
                endpoint.turn, endpoint.does_it = endpoint.requests + turn, does_it
                try:
                    scenario.run(target)
                    is_over = True
                except Exception as error:
                    endpoint.turn = None
                    _check(scenario, target, error, tally)
                    tally.injected += 1
            turn += stride
    return tally


def at_each_place(
    make: MakeTarget,
    *,
    stride: int = 1,
    within: tuple[str, ...] = FOLDERS,
    operations: Iterable[Operation] = OPERATIONS,
) -> Tally:
    """Interrupt `apply` at each point where Python checks for signals.

    Args:
        make: Makes a target.
        stride: 1 for each point; n for every n-th point.
        within: Only points in files whose paths start with one of these count.
    """
    scenario = Scenario(make, operations=operations)
    tally = Tally()
    turn = 0
    while True:
        with scenario.make() as target:
            scenario.prepare(target)
            places, error = interrupted_at(turn, lambda: scenario.run(target), within)
            if places <= turn:
                assert error is None
                return tally
            if error is not None:
                assert isinstance(error, KeyboardInterrupt | RollbackError), repr(error)
                _check(scenario, target, error, tally)
            tally.injected += 1
            turn += stride


def _check(scenario: Scenario, target: Any, error: BaseException, tally: Tally) -> None:
    scenario.check(target, error)
    tally.told += isinstance(error, RollbackError)

"""Generates the cases of interleaved processes, and runs many of them."""

from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any

from tests.faults.log.child import Child
from tests.faults.log.meeting import Case, End, Meets, Outcome

WRITES = ("append", "open_and_append", "squash", "snapshot", "update")
"""The tasks of A and B that change something."""

ENDS = (End.KILLED, End.FAILS, End.INTERRUPTED_AFTER, End.FAILS_FOR_GOOD, End.GOES_ON)
"""The ends that the quick tests use, one per call in turn."""

Count = Callable[[str, bool, bool], int]


def quick_cases(a: str, b: str, count: Count, *, after_crash: bool) -> Iterator[Case]:
    """Yield a few cases for each call that A makes."""
    for turn in range(count(a, False, after_crash)):
        if (a, b) == ("append", "append") and not after_crash:
            yield Case(a, b, Meets.OPEN, turn, End.GOES_ON)
        meets = list(Meets)[turn % 3]
        yield Case(a, b, meets, turn, ENDS[turn % 5], after_crash=after_crash)


def every_case(count: Count) -> Iterator[Case]:
    """Yield every combination."""
    pairs = [(a, b) for a in WRITES for b in (*WRITES, "read") if b != "open_and_append"]
    for a, b in [*pairs, ("create", "create")]:
        for turn in range(count(a, False, False)):
            for meets in Meets:
                yield from (Case(a, b, meets, turn, end) for end in End)
    for a, b in [*pairs, ("read", "append"), ("read", "squash"), ("read", "update")]:
        # A call that only reads can fail in only one way, and does no harm.
        for turn in range(count(a, True, False)):
            for end in (End.GOES_ON, End.FAILS):
                yield Case(a, b, Meets.OPEN, turn, end, with_reads=True)
    for a in ("append", "squash", "snapshot"):
        for turn in range(count(a, False, True)):
            for meets in Meets:
                for end in ENDS:
                    yield Case(a, "append", meets, turn, end, after_crash=True)


def ask(driver: Child, name: str, *arguments: Any) -> Any:
    """Call the method `name` of a driver, which must not fail, and return its value."""
    answer = driver.call(name, *arguments)
    if answer.error:
        raise RuntimeError(f"{name} in the driver: {answer}")
    return answer.value


def run_cases(drivers: list[Child], cases: Iterable[Case]) -> Iterator[Outcome]:
    """Make drivers run cases in parallel; yield each outcome as soon as it is known."""
    rest = iter(cases)
    busy: dict[Any, Child] = {}
    idle = list(drivers)
    while True:
        while idle and (case := next(rest, None)) is not None:
            driver = idle.pop()
            driver.send("meet", case)
            busy[driver.connection] = driver
        if not busy:
            return
        for connection in wait(list(busy)):
            driver = busy.pop(connection)
            answer = driver.receive()
            if answer is None or answer.error:
                raise RuntimeError(f"the driver: {answer}")
            yield answer.value
            idle.append(driver)

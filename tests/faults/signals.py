"""Ctrl-C at any time: a timer's signal, which raises KeyboardInterrupt wherever Python looks."""

from __future__ import annotations

import gc
import random
import signal
import sys
import time
from types import FrameType

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op
from jelly_rdflib.graph.apply import apply
from tests.faults.campaign import Tally
from tests.faults.no_memory import encoded
from tests.faults.scenario import Scenario, state_of
from tests.faults.targets import TARGETS

__all__ = ["interrupted_by_a_timer", "main"]

SIZE = 100
PREFIX = (Op.PA, "p", URIRef("urn:p#"), None)
OPERATIONS: list[jr.Operation] = []
for number in range(4):
    OPERATIONS.append((Op.TX,))
    OPERATIONS.extend(
        (
            Op.D if n % 3 == 2 else Op.A,
            URIRef(f"urn:s{(n - n % 3) % 40}"),
            URIRef(f"urn:p{n % 2}"),
            Literal(f"o{n // 3 + number}", lang="en" if n % 5 else None),
            URIRef(f"urn:g{number}{n % 4}"),
        )
        for n in range(SIZE)
    )
    OPERATIONS.append((Op.PA, f"p{number}", URIRef(f"urn:p{number}#"), None))
    OPERATIONS.append((Op.TA,) if number == 2 else (Op.TC,))


def interrupted_by_a_timer(target: str, times: int, seed: int) -> Tally:
    """Apply a patch until so many interrupts came, or 20 times as often as that."""
    scenario = Scenario(TARGETS[target], operations=OPERATIONS)
    data = encoded(scenario.operations)
    timing = random.Random(seed)
    tally = Tally()
    # The time of one into which nothing came. The very first takes longer than all others.
    whole = 0.0
    with scenario.make() as graph:
        scenario.prepare(graph)
        apply(data, graph)

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    for turn in range(20 * times):
        if tally.injected == times:
            break
        with scenario.make() as graph:
            scenario.prepare(graph)
            caught: BaseException | None = None
            # An exception in a callback of the collector would be swallowed.
            gc.disable()
            start = time.perf_counter()
            try:
                if turn > 0:
                    signal.setitimer(signal.ITIMER_REAL, timing.uniform(1e-6, whole))
                apply(data, graph)
            except BaseException as error:
                caught = error
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt as error:
                # At the last moment.
                caught = caught or error
            if caught is None:
                whole = time.perf_counter() - start
            gc.enable()
            state = state_of(graph)
            assert caught is None or isinstance(caught, KeyboardInterrupt), repr(caught)
            assert state in scenario.states if caught else state == scenario.states[-1]
            apply(data, graph)
            tally.injected += caught is not None
    return tally


def main() -> None:
    """Print how many interrupts came: arguments are a target, how many, and a seed."""
    target, times, seed = sys.argv[1:]
    print(interrupted_by_a_timer(target, int(times), int(seed)).injected, 0)


if __name__ == "__main__":
    main()

"""Interleave two processes on a log: ``python -m tests.faults.log [--jobs N] [--only A,B]``."""

import argparse
import functools
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.faults.log.campaign import ask, every_case, run_cases
from tests.faults.log.driver import start_driver
from tests.faults.log.shim import WHY_NOT

MEMORY = Path("/dev/shm")


def main() -> int:
    """Run all cases; return the exit code, which is 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.log", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="the number of parallel cases")
    parser.add_argument("--only", metavar="A,B", help="only these tasks of the two processes")
    parser.add_argument("--sample", type=int, metavar="N", help="only N cases, chosen at random")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random choice")
    arguments = parser.parse_args()
    if WHY_NOT:
        sys.exit(f"This can't be run here: {WHY_NOT}")
    start, faulty, number = time.monotonic(), 0, 0
    with ExitStack() as stack:
        memory = MEMORY if MEMORY.is_dir() else None
        drivers = []
        for _ in range(arguments.jobs):
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=memory))
            drivers.append(start_driver(Path(folder)))
            stack.callback(drivers[-1].end)
        cases = list(every_case(functools.cache(functools.partial(ask, drivers[0], "count"))))
        if arguments.only:
            cases = [each for each in cases if f"{each.a},{each.b}" == arguments.only]
        if arguments.sample:
            random.Random(arguments.seed).shuffle(cases)
            del cases[arguments.sample :]
        for number, outcome in enumerate(run_cases(drivers, cases), 1):
            if outcome.faults:
                faulty += 1
                print(f"{outcome.case}, {outcome.call}: {outcome.faults[0]}", flush=True)
            if number % 1000 == 0:
                print(f"{number:,} of {len(cases):,} meetings", file=sys.stderr)
    print(f"{faulty} of {number:,} meetings went wrong; {time.monotonic() - start:.0f} s")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())

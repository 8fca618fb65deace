"""Let two processes meet in every way: ``python -m tests.faults.log [--jobs N] [--only A,B]``."""

from __future__ import annotations

import argparse
import functools
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.faults.log.campaign import ask, every_case, run_cases
from tests.faults.log.driver import start_driver
from tests.faults.log.shim import WHY_NOT

MEMORY = Path("/dev/shm")
MOST_SHOWN = 30


def main() -> int:
    """Run all; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.log", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="how many side by side")
    parser.add_argument("--only", metavar="A,B", help="only what these two do")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many, chosen by chance")
    parser.add_argument("--seed", type=int, default=1, help="of that chance")
    arguments = parser.parse_args()
    console = Console(stderr=True)
    if WHY_NOT:
        console.print(f"This can't be run here: {WHY_NOT}")
        return 2
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name,
        Progress(*columns, TimeRemainingColumn(), console=console) as bar,
    ):
        drivers = []
        try:
            for number in range(arguments.jobs):
                folder = Path(name, str(number))
                folder.mkdir()
                drivers.append(start_driver(folder))
            cases = list(every_case(functools.cache(functools.partial(ask, drivers[0], "count"))))
            if arguments.only:
                cases = [each for each in cases if f"{each.a},{each.b}" == arguments.only]
            if arguments.sample:
                random.Random(arguments.seed).shuffle(cases)
                del cases[arguments.sample :]
            task = bar.add_task("meetings", total=len(cases))
            start = time.monotonic()
            met: Counter[str] = Counter()
            faulty: list[str] = []
            for outcome in run_cases(drivers, cases):
                bar.advance(task)
                case = outcome.case
                met[f"A {case.a}, B {case.b}"] += 1
                met["B was kept waiting"] += outcome.blocked
                if outcome.faults:
                    faulty.append(f"{case}, {outcome.call}: {outcome.faults[0]}")
                    if len(faulty) <= MOST_SHOWN:
                        console.print(faulty[-1], soft_wrap=True, markup=False)
        except KeyboardInterrupt:
            console.print("interrupted: this is what was done")
        finally:
            for driver in drivers:
                driver.end()
    for key, number in met.items():
        print(f"{number:8,} {key}")
    total = sum(number for key, number in met.items() if key.startswith("A "))
    print(f"{len(faulty)} of {total:,} meetings went wrong; {time.monotonic() - start:.0f} s")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())

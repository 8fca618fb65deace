"""Run the tests of other projects: ``python -m tests.peers --w3c CHECKOUT``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.peers.outcomes import Outcome, explain

# The option for a checkout, the module of the suite, and the project to check out.
SUITES = {
    "w3c": ("tests.peers.w3c", "github.com/w3c/rdf-tests"),
    "rdflib": ("tests.peers.rdflib_tests", "github.com/RDFLib/rdflib, of the installed version"),
    "pyshacl": ("tests.peers.pyshacl_tests", "github.com/RDFLib/pySHACL"),
}

ALL_EXPLAINED, SOME_UNEXPLAINED, WRONG_USE = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Run the suites whose checkouts are given, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.peers",
        description="Run other projects' own tests, and show the differences.",
        epilog="Exit code: 0 if all differences are explained, 1 if some are not, 2 for wrong use.",
    )
    for name, (_, source) in SUITES.items():
        parser.add_argument(
            f"--{name}", metavar="CHECKOUT", type=Path, help=f"a checkout of {source}"
        )
    checkouts = vars(parser.parse_args(arguments))
    given = {name: path for name, path in checkouts.items() if path is not None}
    if not given:
        parser.print_usage(sys.stderr)
        return WRONG_USE
    for name, path in given.items():
        if not path.is_dir():
            print(f"{parser.prog}: --{name}: {path} is not a folder", file=sys.stderr)
            return WRONG_USE
    unexplained = sum(_run(name, path.resolve()) for name, path in given.items())
    return SOME_UNEXPLAINED if unexplained else ALL_EXPLAINED


def _run(name: str, checkout: Path) -> int:
    """Run a suite, print the differences, and return how many of them are unexplained."""
    suite = importlib.import_module(SUITES[name][0])
    tests: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for outcome, reason in explain(_counted(suite.run(checkout), tests), suite.KNOWN):
        if reason is None:
            tests["unexplained"] += 1
            print(f"{name}: DIFFERS {outcome.test}: {outcome.difference}", flush=True)
        else:
            reasons[reason] += 1
    for reason, times in reasons.items():
        print(f"{name}: {times} differ as is known: {reason}")
    print(f"{name}: {tests['run']} tests, {tests['unexplained']} differ for no known reason")
    if tests["run"] == 0:
        print(f"{name}: {checkout} has none of the tests", file=sys.stderr)
        return 1
    return tests["unexplained"]


def _counted(outcomes: Iterable[Outcome], tests: Counter[str]) -> Iterator[Outcome]:
    for outcome in outcomes:
        tests["run"] += 1
        yield outcome


if __name__ == "__main__":
    sys.exit(main())

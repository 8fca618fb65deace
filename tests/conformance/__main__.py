"""Runs ``python -m tests.conformance [SUITE_DIR] --report out.ttl``."""

import argparse
import datetime
import sys
from pathlib import Path

from tests.conformance.manifest import (
    CASES,
    SUITE,
    SuiteError,
    commit,
    digest,
    find_suite,
    read_suite,
)
from tests.conformance.report import turtle
from tests.conformance.run import run

ALL_PASS, SOME_FAIL, WRONG_USE = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Run the suite, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance",
        description="Run all cases of the Jelly-RDF conformance test suite.",
        epilog="Exit code: 0 if all cases pass, 1 if some fail or are missing, 2 for wrong use.",
    )
    parser.add_argument(
        "suite",
        metavar="SUITE_DIR",
        type=Path,
        nargs="?",
        default=SUITE,
        help="a checkout of the suite's repository, or a folder with manifest.ttl files below it;"
        " by default the cases of this project",
    )
    parser.add_argument("--report", metavar="FILE", type=Path, help="write an EARL report (Turtle)")
    parser.add_argument(
        "--at-least",
        metavar="NUMBER",
        type=int,
        help=f"fail if there are fewer cases; by default {CASES}, only for the project's cases",
    )
    parser.add_argument(
        "--date",
        metavar="YYYY-MM-DD",
        type=datetime.date.fromisoformat,
        default=datetime.datetime.now(datetime.timezone.utc).date(),
        help="date of the report (default: today)",
    )
    options = parser.parse_args(arguments)
    suite = find_suite(options.suite)
    try:
        cases = read_suite(suite)
    except SuiteError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return WRONG_USE
    version = digest(suite, cases)
    revision = commit(suite)
    directions = [case.direction for case in cases]
    print(
        f"{options.date}, suite sha256:{version}"
        f"{'' if revision is None else f', commit {revision}'}: {len(cases)} cases,"
        f" {directions.count('from_jelly')} from Jelly and {directions.count('to_jelly')} to Jelly,"
        " none skipped"
    )
    outcomes = [run(case) for case in cases]
    for outcome in outcomes:
        if outcome.reason is not None:
            # A report is for other people, so it must not contain paths of this machine.
            for path in (suite.resolve(), suite):
                outcome.reason = outcome.reason.replace(f"{path}/", "")
            print(f"FAILED {outcome.case.id}: {outcome.reason}")
        for note in outcome.case.notes:
            print(f"note on {outcome.case.id}: {note}")
    passed = sum(outcome.passed for outcome in outcomes)
    print(f"{passed} of {len(outcomes)} cases pass")
    least = options.at_least
    if least is None:
        least = CASES if suite.resolve() == SUITE else 0
    is_whole = len(cases) >= least
    if not is_whole:
        print(f"FAILED: the suite has {len(cases)} cases instead of {least}")
    if options.report is not None:
        try:
            options.report.write_text(
                turtle(outcomes, options.date, version, revision), encoding="utf-8"
            )
        except OSError as error:
            print(f"{parser.prog}: the report can't be written: {error}", file=sys.stderr)
            return WRONG_USE
    return ALL_PASS if is_whole and passed == len(outcomes) else SOME_FAIL


if __name__ == "__main__":
    sys.exit(main())

"""Run the suite with ``python -m conformance RUNNER``."""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
from collections import Counter
from pathlib import Path

from conformance import VERSION
from conformance.check import check
from conformance.manifest import CASES, SuiteError, read_suite
from conformance.report import turtle
from conformance.runner import Commands, Patience, Server

ALL_PASS, SOME_FAIL, WRONG_USE = 0, 1, 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance",
        description="Give all cases of the Jelly-Patch conformance suite to a runner.",
        epilog="Exit status: 0 if all cases pass, 1 if some fail or are not supported, 2 for wrong"
        " usage. The README says what a runner has to do.",
    )
    parser.add_argument("runner", metavar="RUNNER", help="a command with its arguments")
    parser.add_argument("--serve", action="store_true", help="start the command once for all cases")
    parser.add_argument("--cases", metavar="FOLDER", type=Path, default=CASES, help="other cases")
    parser.add_argument("--only", metavar="TEXT", default="", help="only cases with TEXT in a name")
    parser.add_argument("--rule", metavar="NAME", help="only cases that test this rule")
    parser.add_argument(
        "--allow-unsupported",
        action="store_true",
        help="exit with 0 even if the runner does not support some cases",
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=60, help="per case (default: 60)"
    )
    parser.add_argument("--report", metavar="FILE", type=Path, help="write an EARL report (Turtle)")
    parser.add_argument("--name", default="unnamed", help="implementation's name in the report")
    parser.add_argument(
        "--revision", default="unknown", help="implementation's version in the report"
    )
    parser.add_argument(
        "--subject",
        default="urn:x-tried",
        help="implementation's IRI in the report",
        metavar="IRI",
    )
    parser.add_argument(
        "--date",
        type=datetime.date.fromisoformat,
        default=datetime.datetime.now(datetime.timezone.utc).date(),
        help="date of the report (default: today)",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the suite, and return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        entries = read_suite(options.cases)
    except SuiteError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return WRONG_USE
    chosen = [
        entry
        for entry in entries
        if options.only in entry.name and (options.rule is None or options.rule in entry.rules)
    ]
    if not chosen:
        print(f"{parser.prog}: there is no case of that name, or of that rule", file=sys.stderr)
        return WRONG_USE
    print(
        f"{options.date}, Jelly-Patch conformance suite {VERSION}: {len(chosen)} of {len(entries)}"
        " cases"
    )
    words = shlex.split(options.runner)
    make: type[Commands] | type[Server] = Server if options.serve else Commands
    runner = Patience(make(words, options.timeout))
    try:
        outcomes = [check(entry, runner) for entry in chosen]
    except OSError as error:
        print(f"{parser.prog}: the runner can't be started: {error}", file=sys.stderr)
        return WRONG_USE
    finally:
        runner.close()
    for outcome in outcomes:
        if outcome.verdict != "passed":
            rules = ", ".join(outcome.entry.rules)
            print(f"{outcome.verdict.upper()} {outcome.entry.name} [{rules}]: {outcome.info}")
    counts = Counter(outcome.verdict for outcome in outcomes)
    print(
        f"{counts['passed']} of {len(outcomes)} cases pass, {counts['failed']} fail,"
        f" {counts['unsupported']} are not supported"
    )
    if options.report is not None:
        report = turtle(
            outcomes,
            name=options.name,
            revision=options.revision,
            subject=options.subject,
            date=options.date,
        )
        try:
            options.report.write_text(report, encoding="utf-8")
        except OSError as error:
            print(f"{parser.prog}: the report can't be written: {error}", file=sys.stderr)
            return WRONG_USE
    is_good = counts["failed"] == 0 and (options.allow_unsupported or not counts["unsupported"])
    return ALL_PASS if is_good else SOME_FAIL


if __name__ == "__main__":
    sys.exit(main())

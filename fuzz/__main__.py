"""Fuzz with ``python -m fuzz run``, or try one input with ``python -m fuzz try TARGET FILE``."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from . import campaign
from .targets import TARGETS


def main() -> int:
    """Run the command that the arguments name, and return the exit code: 1 after a finding."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="fuzz targets, with the modules built for fuzzing")
    run.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of {', '.join(TARGETS)}")
    run.add_argument("--time", type=float, default=120, metavar="SECONDS", help="for all targets")
    run.add_argument("--jobs", type=int, default=1, metavar="N", help="targets to run in parallel")
    run.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the random numbers; 0 for a new one each time",
    )
    commands.add_parser("build", help="build the modules for fuzzing")
    for name, help in (
        ("try", "run a target on an input, with the installed modules"),
        ("reproduce", "run a target on an input, with the modules built for fuzzing"),
    ):
        command = commands.add_parser(name, help=help)
        command.add_argument("target", choices=TARGETS)
        command.add_argument("input", type=Path)
    arguments = parser.parse_args()

    # Otherwise rdflib would log each invalid IRI and literal.
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)
    if arguments.command == "build":
        campaign.prepare()
        return 0
    if arguments.command == "try":
        TARGETS[arguments.target].check(arguments.input.read_bytes())
        print("nothing is wrong")
        return 0
    if arguments.command == "reproduce":
        return campaign.reproduce(arguments.target, arguments.input)
    names = arguments.targets or list(TARGETS)
    for name in set(names) - set(TARGETS):
        parser.error(f"there is no target {name!r}; there are {', '.join(TARGETS)}")
    reports = campaign.run_targets(names, arguments.time, arguments.jobs, arguments.seed)
    return 0 if campaign.print_table(reports) else 1


if __name__ == "__main__":
    sys.exit(main())

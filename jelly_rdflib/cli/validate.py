"""``jellyp validate``: checks files."""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.inputs import InputArgument, open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    answer_by_exit_status,
    chosen_limits,
    format_option,
    from_option,
    is_log,
    isolated_option,
    read_range,
)
from jelly_rdflib.cli.printable import count, say, tell

if TYPE_CHECKING:
    from jelly_rdflib.cli.comparison import Expected


def _show_rules(context: click.Context, option: click.Option, is_wanted: bool) -> None:
    if is_wanted:
        from jelly_rdflib.rules import Rule

        for rule in Rule:
            say(f"{rule}: {rule.severity}. {rule.text}")
        context.exit()


@click.command("validate")
@click.argument("files", metavar="[FILE-OR-LOG]...", nargs=-1, type=CHANGES)
@from_option("FILE")
@click.option("--fail-on-warning", is_flag=True, help="Exit with 1 for warnings too.")
@click.option("--errors", "only_errors", is_flag=True, help="Show errors, but no warnings.")
@click.option(
    "--max-faults", type=click.IntRange(min=1), help="Stop reading a file after this many faults."
)
@click.option("--json", "as_json", is_flag=True, help="Print each fault as JSON, one per line.")
@click.option(
    "--rules",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_rules,
    help="Show the rules and exit.",
)
@click.option(
    "--compare-to-rdf-file",
    "compare_to",
    metavar="OTHER",
    type=click.Path(exists=True, dir_okay=False),
    help="A FILE without errors must have the statements of OTHER, a file of any format, in any"
    " order and with any blank-node labels. Changes must be the same, in the same order.",
)
@format_option("--compare-to-format", "compare_format", "OTHER")
@click.option(
    "--compare-ordered", is_flag=True, help="Statements must also be in the order of OTHER."
)
@click.option(
    "--compare-frames",
    "frames",
    metavar="RANGE",
    type=read_range,
    help="The frames of FILE to compare: 3, 2..5, 2.. or ..5.",
)
@click.option(
    "--options-file",
    metavar="OTHER",
    type=click.Path(exists=True, dir_okay=False),
    help="A FILE without errors must have the options of OTHER, a Jelly file.",
)
@click.option(
    "--delimited/--no-delimited",
    default=None,
    help="Jelly frames must, or must not, be prefixed with their length.",
)
@click.option(
    "--deep",
    is_flag=True,
    help="Also replay the patches of a LOG: compare snapshots with their versions, and warn of"
    " operations that change nothing.",
)
@isolated_option
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    from_: str | None,
    fail_on_warning: bool,
    only_errors: bool,
    max_faults: int | None,
    as_json: bool,
    compare_to: str | None,
    compare_format: str | None,
    compare_ordered: bool,
    frames: range | None,
    options_file: str | None,
    delimited: bool | None,
    deep: bool,
) -> None:
    """Check files against the rules of their format.

    A fault is an error if readers refuse it or if a stream must not have it. It is a warning if a
    stream should not have it. With the --compare options, FILE is compared with another file, too.
    Without FILE, standard input is read. Every file of a patch log is read to its end, and each
    problem is shown.

    Exit status: 0 no errors, 1 errors, 2 trouble.

    \b
    Examples:
      jellyp validate changes.jellyp
      jellyp validate --fail-on-warning *.rdfp && echo good
      jellyp validate --json changes.rdfp | jq -r .rule | sort | uniq -c
      jellyp validate --deep history
      jellyp validate data.jelly --compare-to-rdf-file data.ttl --delimited
    """
    from jelly_rdflib.inspection.validation.validator import find_faults

    answer_by_exit_status(context)
    if compare_to is None and (compare_ordered or compare_format or frames):
        raise click.UsageError(
            "--compare-ordered, --compare-to-format and --compare-frames need --compare-to-rdf-file"
        )
    expected = None
    if (compare_to, options_file, delimited) != (None, None, None):
        from jelly_rdflib.cli.comparison import Expected

        expected = Expected(
            compare_to,
            compare_format,
            compare_ordered,
            frames or range(1, sys.maxsize),
            options_file,
            delimited,
        )
    is_good = True
    for file in files or ("-",):
        if is_log(file):
            is_good &= _check_log(file, deep=deep, as_json=as_json)
            continue
        counts: Counter[str] = Counter()
        with open_argument(file, from_) as input_, ExitStack() as stack:
            name = input_.name
            copy: Any = None if expected is None else stack.enter_context(TemporaryFile())
            source = input_.file if expected is None else _Copying(input_.file, copy)
            faults = find_faults(source, isolated=input_.isolated, **input_.reading)
            if only_errors:
                faults = (fault for fault in faults if fault.severity == "error")
            for fault in itertools.islice(faults, max_faults):
                counts[fault.severity] += 1
                if as_json:
                    say(json.dumps({"file": name, **fault.as_dict()}, ensure_ascii=False))
                elif fault.line is None:
                    say(f"{name}: {fault}")
                else:
                    # Print the fault as compilers do, since editors understand that format.
                    message = f"{fault.severity}: {fault.message} [{fault.rule}]"
                    say(f"{name}:{fault.line}:{fault.column}: {message}")
            is_whole = max_faults is None or counts.total() < max_faults
            if expected is not None and counts["error"] == 0 and is_whole:
                copy.seek(0)
                counts["error"] = _compare(input_, copy, expected, as_json=as_json)
        if not as_json:
            words = [count(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
            tell(f"{name}: {', '.join(words) or 'no faults'}")
        is_good &= counts["error"] == 0 and not (fail_on_warning and counts["warning"] > 0)
    context.exit(0 if is_good else 1)


def _check_log(path: str, *, deep: bool, as_json: bool) -> bool:
    """Show each problem of a patch log, and return whether the log is free of problems."""
    from jelly_rdflib.log import PatchLog

    log = PatchLog(path, limits=chosen_limits())
    problems = log.verify(deep=deep)
    for problem in problems:
        fields = {"file": path, "severity": "error", "rule": "log", "message": str(problem)}
        say(json.dumps(fields, ensure_ascii=False) if as_json else problem)
    if not as_json:
        snapshots = count(len(log.snapshots), "snapshot")
        found = count(len(problems), "error") if problems else "no faults"
        tell(f"{path}: {found}; version {log.version}, {snapshots}")
    return not problems


class _Copying:
    """A binary file; the bytes that are read from it are also written to another file."""

    def __init__(self, file: Any, copy: Any) -> None:
        self._file, self._copy = file, copy

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(size)
        self._copy.write(data)
        return data


def _compare(input_: InputArgument, copy: Any, expected: Expected, *, as_json: bool) -> int:
    """Show how an input differs from what is expected; return the number of differences."""
    from jelly_rdflib.cli.comparison import find_differences

    arguments = {"isolated": input_.isolated, **input_.reading}
    messages = list(find_differences(copy, expected, input_.name, **arguments))
    for message in messages:
        if as_json:
            fields = {"severity": "error", "rule": "expected", "message": message}
            say(json.dumps({"file": input_.name, **fields}, ensure_ascii=False))
        else:
            say(f"{input_.name}: error: {message} [expected]")
    return len(messages)

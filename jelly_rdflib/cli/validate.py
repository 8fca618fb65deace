"""``jellyp validate``: checks files."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import TYPE_CHECKING

import click

from jelly_rdflib.cli.formats import from_option
from jelly_rdflib.cli.inputs import INPUT, open_argument
from jelly_rdflib.cli.limits import reading_options
from jelly_rdflib.cli.printable import say

if TYPE_CHECKING:
    from jelly_rdflib.inspection.validation import Fault


def show_rules(context: click.Context, option: click.Option, is_wanted: bool) -> None:
    """Print the rules and exit."""
    if not is_wanted:
        return
    from jelly_rdflib.inspection.validation import RULES

    for name, rule in RULES.items():
        click.echo(f"{name}: {rule.severity}. {rule.text}")
    context.exit()


@click.command("validate")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=INPUT)
@from_option("FILE")
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@click.option("--errors", "only_errors", is_flag=True, help="Show errors, and no warnings.")
@click.option(
    "--max-faults", type=click.IntRange(min=1), help="Stop reading a file after this many faults."
)
@click.option("--json", "as_json", is_flag=True, help="Print each fault as a JSON object a line.")
@click.option(
    "--rules",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_rules,
    help="Show the rules and exit.",
)
@reading_options
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    from_: str | None,
    strict: bool,
    only_errors: bool,
    max_faults: int | None,
    as_json: bool,
) -> None:
    """Check files against every rule of the format and show each fault with its place.

    A fault is an error if readers refuse it or if a stream must not have it, and a warning if a
    stream should not have it. Without FILE, standard input is read. The exit code is 1 if there are
    errors.

    \b
    Examples:
      jellyp validate changes.jellyp
      jellyp validate --strict *.rdfp && echo good
      jellyp validate --json changes.rdfp | jq -r .rule | sort | uniq -c
    """
    from jelly_rdflib.inspection.validation import validate

    is_good = True
    for file in files or ("-",):
        counts: Counter[str] = Counter()
        with open_argument(file, from_) as input_:
            faults = validate(
                input_.file,
                limits=input_.limits,
                format=input_.format_name,
                isolated=input_.isolated,
            )
            if only_errors:
                faults = (fault for fault in faults if fault.severity == "error")
            for fault in itertools.islice(faults, max_faults):
                counts[fault.severity] += 1
                say(describe(fault, input_.name, as_json=as_json))
        if not as_json:
            say(f"{input_.name}: {summarize(counts)}")
        is_good &= counts["error"] == 0 and not (strict and counts["warning"] > 0)
    context.exit(0 if is_good else 1)


def describe(fault: Fault, name: str, *, as_json: bool) -> str:
    """Return the line that shows a fault of an input."""
    if as_json:
        return json.dumps({"file": name, **fault.as_dict()}, ensure_ascii=False)
    if fault.line is None:
        return f"{name}: {fault}"
    # The format of compilers, which editors understand.
    return f"{name}:{fault.line}:{fault.column}: {fault.severity}: {fault.message} [{fault.rule}]"


def summarize(counts: Counter[str]) -> str:
    """Return the number of faults of each severity, in words.

    Examples:
        >>> summarize(Counter(error=1, warning=2))
        '1 error, 2 warnings'
    """
    parts = [
        f"{counts[severity]:,} {severity}{'s' * (counts[severity] != 1)}"
        for severity in ("error", "warning")
        if counts[severity] > 0
    ]
    return ", ".join(parts) or "no faults"

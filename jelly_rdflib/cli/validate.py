"""``jellyp validate``: checks files."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import click

from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import INPUT, from_option, reading_options
from jelly_rdflib.cli.printable import count, say, tell


def _show_rules(context: click.Context, option: click.Option, is_wanted: bool) -> None:
    if is_wanted:
        from jelly_rdflib.inspection.validation import RULES

        for name, rule in RULES.items():
            say(f"{name}: {rule.severity}. {rule.text}")
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
    callback=_show_rules,
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
            name = input_.name
            faults = validate(input_.file, isolated=input_.isolated, **input_.reading)
            if only_errors:
                faults = (fault for fault in faults if fault.severity == "error")
            for fault in itertools.islice(faults, max_faults):
                counts[fault.severity] += 1
                if as_json:
                    say(json.dumps({"file": name, **fault.as_dict()}, ensure_ascii=False))
                elif fault.line is None:
                    say(f"{name}: {fault}")
                else:
                    # The format of compilers, which editors understand.
                    message = f"{fault.severity}: {fault.message} [{fault.rule}]"
                    say(f"{name}:{fault.line}:{fault.column}: {message}")
        if not as_json:
            words = [count(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
            tell(f"{name}: {', '.join(words) or 'no faults'}")
        is_good &= counts["error"] == 0 and not (strict and counts["warning"] > 0)
    context.exit(0 if is_good else 1)

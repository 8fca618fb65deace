"""``jellyp patch merge``: merges two patches that were made on the same base."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.input_errors import naming
from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    DATASET,
    answer_by_exit_status,
    base_format_option,
    from_option,
    output_option,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.printable import count, say

if TYPE_CHECKING:
    from jelly_rdflib.patch.merge import Conflict


@click.command("merge")
@click.argument("ours", metavar="OURS", type=CHANGES)
@click.argument("theirs", metavar="THEIRS", type=CHANGES)
@output_option("OUT", "the patch", "standard output, as RDF Patch text")
@click.option(
    "--base",
    metavar="BASE",
    type=DATASET,
    help="The dataset that both patches change: leave out operations that change nothing in it.",
)
@click.option("--ours", "keeps_ours", is_flag=True, help="In a conflict keep the changes of OURS.")
@click.option(
    "--theirs", "keeps_theirs", is_flag=True, help="In a conflict keep the changes of THEIRS."
)
@click.option(
    "--by-value",
    is_flag=True,
    help="Also report a conflict if both delete the same value of a subject's property, but do"
    " not add the same values.",
)
@click.option("--json", "as_json", is_flag=True, help="List conflicts as JSON, one per line.")
@from_option("OURS and THEIRS", is_plural=True)
@to_option("OUT")
@base_format_option
@reading_options
@click.pass_context
def command(
    context: click.Context,
    ours: str,
    theirs: str,
    output: str,
    base: str | None,
    keeps_ours: bool,
    keeps_theirs: bool,
    by_value: bool,
    as_json: bool,
    from_: str | None,
    to: str | None,
    base_format: str | None,
) -> None:
    """Merge two patches that were made on the same base.

    The result has the net effect of each patch. If both make the same change, the result has it
    once. Two changes are a conflict if one adds a statement that the other deletes, or if both
    change the same prefix, or the prefix of the same IRI, in different ways. If there are
    conflicts, the command lists them and writes no patch. With --ours or --theirs it writes the
    patch, and keeps the changes of that side in each conflict. The list goes to standard output,
    or to standard error if the patch would go to standard output.

    The result has no id. Its prev is that of both patches, and it keeps their other headers. The
    distinct statements of both patches are held in memory, and so is BASE. OURS and THEIRS may be
    folders of patch logs.

    Exit status: 0 merged, 1 conflicts, 2 trouble.

    \b
    Examples:
      jellyp patch merge mine.jellyp yours.jellyp -o both.jellyp
      jellyp patch merge --base base.nq --by-value mine.rdfp yours.rdfp -o both.rdfp
      jellyp patch merge --json mine.jellyp yours.jellyp -o both.jellyp | jq -r .ours[]
    """
    from jelly_rdflib.cli.changes import source_of, start_changes, write_changes
    from jelly_rdflib.cli.datasets import load
    from jelly_rdflib.cli.options import chosen_limits
    from jelly_rdflib.errors import MergeConflict
    from jelly_rdflib.patch.merge import merge

    answer_by_exit_status(context)
    if keeps_ours and keeps_theirs:
        raise click.UsageError("--ours and --theirs exclude each other")
    favor: Any = "ours" if keeps_ours else "theirs" if keeps_theirs else None
    check_stdin_once(ours, theirs, *([] if base is None else [base]))
    inputs = [start_changes(path, from_) for path in (ours, theirs)]
    dataset = None
    if base is not None:
        with open_argument(base, base_format) as input_:
            dataset = load(input_)
    try:
        with naming(*(each.name for each in inputs)):
            merged = merge(
                *map(source_of, inputs),
                base=dataset,
                favor=favor,
                by_value=by_value,
                limits=chosen_limits(),
            )
    except MergeConflict as error:
        conflicts: Sequence[Conflict] = error.conflicts
        _show(conflicts, as_json=as_json, err=output == "-")
        say(
            f"jellyp: {count(len(conflicts), 'conflict')}: nothing is written; choose whose changes"
            " to keep with --ours or --theirs",
            err=True,
        )
        context.exit(1)
    write_changes(merged, inputs, output, to)


def _show(conflicts: Sequence[Conflict], *, as_json: bool, err: bool) -> None:
    from jelly_rdflib.cli.tables import print_side_by_side
    from jelly_rdflib.patch.patch import Patch

    rows: list[tuple[str, str, str]] = []
    for conflict in conflicts:
        # Convert single operations to text, since the text of a long patch would be cut.
        ours, theirs = (
            [str(Patch([operation])) for operation in side]
            for side in (conflict.ours, conflict.theirs)
        )
        if as_json:
            fields = {"kind": conflict.kind, "ours": ours, "theirs": theirs}
            say(json.dumps(fields, ensure_ascii=False), err=err)
        kinds = [conflict.kind]
        rows += zip_longest(kinds, ours, theirs, fillvalue="")
    if not as_json:
        columns = (("conflict", ""), ("ours", "green"), ("theirs", "cyan"))
        print_side_by_side(rows, columns=columns, err=err)

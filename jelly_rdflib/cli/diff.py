"""``jellyp diff``: compares two datasets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.coloring import color_option, make_printer
from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    DATASET,
    answer_by_exit_status,
    from_option,
    output_option,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, patch_format
from jelly_rdflib.cli.printable import say

if TYPE_CHECKING:
    from jelly_rdflib.operations import Operation
    from jelly_rdflib.patch import Patch


@click.command("diff")
@click.argument("old", metavar="OLD", type=DATASET)
@click.argument("new", metavar="NEW", type=DATASET)
@output_option("PATCH", "the patch", "standard output, as RDF Patch text")
@click.option(
    "--canonical/--by-label",
    "canonical",
    default=None,
    help="Compare blank nodes by the statements about them, or by their labels. [default: by the"
    " statements if a file is in a syntax that has nodes without labels, else by label]",
)
@click.option("--json", "as_json", is_flag=True, help="Print each change as JSON, one per line.")
@click.option(
    "--side-by-side", is_flag=True, help="Print what only OLD has next to what only NEW has."
)
@color_option
@from_option("OLD and NEW", is_plural=True)
@to_option("PATCH")
@reading_options
@click.pass_context
def command(
    context: click.Context,
    old: str,
    new: str,
    output: str,
    from_: str | None,
    to: str | None,
    canonical: bool | None,
    as_json: bool,
    side_by_side: bool,
    color: str,
) -> None:
    """Write the patch that turns OLD into NEW.

    Both may be in any RDF syntax or Jelly-RDF, and are held in memory. Blank nodes are the same if
    their labels are the same. But in Turtle, TriG, N3, RDF/XML and JSON-LD nodes need no label: if
    either file is one of these, blank nodes are compared by the statements about them. Prefixes
    are compared if both syntaxes have them.

    The patch is printed even with -q.

    Exit status: 0 no differences, 1 differences, 2 trouble, also with -o. In a script with set -e,
    allow 1, as in the first example.

    \b
    Examples:
      jellyp diff old.nq new.nq -o changes.jellyp || [ $? -eq 1 ]
      jellyp diff old.ttl new.ttl | less
      jellyp diff old.nq new.nq > /dev/null && echo "no differences"
      jellyp diff --json old.nq new.nq | jq -r .p | sort | uniq -c
    """
    from jelly_rdflib.streams.writing import PatchWriter

    if as_json or side_by_side:
        if as_json and side_by_side:
            raise click.UsageError("--json and --side-by-side exclude each other")
        if output != "-" or to is not None:
            raise click.UsageError("--json and --side-by-side are for standard output")
    answer_by_exit_status(context)
    check_stdin_once(old, new)
    format = patch_format(output, to, for_file="jelly-patch")
    patch = _compare(old, new, from_, canonical=canonical)
    if as_json:
        for operation in _changes(patch):
            say(json.dumps(_as_dict(operation), ensure_ascii=False))
    elif side_by_side:
        from jelly_rdflib.cli.tables import print_side_by_side

        if len(patch) > 0:
            print_side_by_side(_pair(_changes(patch)), color)
    else:
        with open_output(output) as file:
            destination: Any = file
            if output == "-" and format.name == "rdf-patch":
                destination = SimpleNamespace(write=make_printer(color, by_row=True))
            with PatchWriter(destination, format=format.name) as writer:
                writer.write_all(patch)
    context.exit(1 if len(patch) > 0 else 0)


def _compare(old: str, new: str, from_: str | None, *, canonical: bool | None) -> Patch:
    from jelly_rdflib.cli.datasets import load
    from jelly_rdflib.patch.diff import diff_read

    with open_argument(old, from_) as before:
        datasets = [load(before)]
    with open_argument(new, from_) as after:
        datasets.append(load(after))
    return diff_read(*datasets, formats=[before.format, after.format], canonical=canonical)


def _changes(patch: Patch) -> Iterator[Operation]:
    """Return the operations that change something: all but the transaction's start and end."""
    return (operation for operation in patch if len(operation) > 1)


def _texts(operation: Any) -> list[str | None]:
    """Return the terms of a change as text; a default or missing graph is None."""
    from jelly_rdflib.display.terms import spell

    # The name of a prefix is a plain str, not a term, so it stays as it is.
    return [item if item is None or type(item) is str else spell(item) for item in operation[1:]]


def _as_dict(operation: Any) -> dict[str, Any]:
    from jelly_rdflib.operations import Op

    is_statement = operation[0] in (Op.A, Op.D)
    names = ("s", "p", "o", "g") if is_statement else ("prefix", "iri", "g")
    return {"op": operation[0].name, **dict(zip(names, _texts(operation), strict=True))}


def _pair(operations: Iterable[Any]) -> Iterator[tuple[str | None, str | None]]:
    """Pair deletions with additions that have the same graph, subject and predicate."""
    from jelly_rdflib.operations import Op

    pairs: dict[Any, tuple[list[str], list[str]]] = {}
    for operation in operations:
        is_statement = operation[0] in (Op.A, Op.D)
        texts = _texts(operation)
        key = (operation[-1], *operation[1 : 3 if is_statement else 2])
        line = " ".join(text for text in texts if text is not None)
        if not is_statement:
            line = f"PREFIX {texts[0]}: {texts[1]}"
        side = operation[0] in (Op.A, Op.PA)
        pairs.setdefault(key, ([], []))[side].append(line)
    for deleted, added in pairs.values():
        yield from zip_longest(deleted, added)

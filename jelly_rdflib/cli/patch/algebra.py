"""``jellyp patch invert``, ``compact``, ``concat`` and ``effective``: the algebra of patches."""

from __future__ import annotations

import click

from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    DATASET,
    base_format_option,
    from_option,
    output_option,
    reading_options,
    repeated_option,
    to_option,
)

patch_argument = click.argument("patch", metavar="[PATCH]", default="-", type=CHANGES)
patch_output = output_option("OUT", "the patch", "standard output, as RDF Patch text")


@click.command("invert")
@patch_argument
@patch_output
@from_option("PATCH")
@to_option("OUT")
@repeated_option
def invert(patch: str, output: str, from_: str | None, to: str | None) -> None:
    """Write the patch that undoes PATCH.

    Adds become deletes, and deletes become adds, in reverse order. If PATCH has several patches,
    the last one comes first. The id of PATCH becomes the prev of the result. The result restores
    the dataset if each operation of PATCH changed something in it, as in patches of diff, record
    and effective.

    A long PATCH is kept in a temporary file until the end. PATCH may be the folder of a patch log;
    without it, standard input is read.

    \b
    Examples:
      jellyp patch invert monday.jellyp -o undo.jellyp
      jellyp patch effective base.nq monday.rdfp | jellyp patch invert
    """
    from jelly_rdflib.algebra.invert import invert
    from jelly_rdflib.cli.changes import source_of, start_changes, write_changes
    from jelly_rdflib.cli.options import chosen_limits

    input_ = start_changes(patch, from_)
    write_changes(invert(source_of(input_), limits=chosen_limits()), [input_], output, to)


@click.command("compact")
@patch_argument
@patch_output
@click.option(
    "--assume-effective",
    is_flag=True,
    help="Assume that each operation of PATCH changes something. Leave out statements that are"
    " first added and last deleted, or first deleted and last added.",
)
@from_option("PATCH")
@to_option("OUT")
@repeated_option
def compact(
    patch: str, output: str, assume_effective: bool, from_: str | None, to: str | None
) -> None:
    """Write the smallest patch with the effect of PATCH.

    The result keeps the last operation on each statement, in one transaction, and leaves out
    aborted transactions. Several patches in PATCH become one. Each distinct statement is held in
    memory. PATCH may be the folder of a patch log; without it, standard input is read.

    \b
    Examples:
      jellyp patch compact year.jellyp -o small.jellyp
      jellyp patch concat *.jellyp --to jellyp | jellyp patch compact - -o net.jellyp
    """
    from jelly_rdflib.algebra.compact import compact
    from jelly_rdflib.cli.changes import source_of, start_changes, write_changes
    from jelly_rdflib.cli.options import chosen_limits

    input_ = start_changes(patch, from_)
    operations = compact(
        source_of(input_), assume_effective=assume_effective, limits=chosen_limits()
    )
    write_changes(operations, [input_], output, to)


@click.command("concat")
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=CHANGES)
@patch_output
@from_option("the PATCHes", is_plural=True)
@to_option("OUT")
@repeated_option
def concat(patches: tuple[str, ...], output: str, from_: str | None, to: str | None) -> None:
    """Join patches into one patch with the same effect.

    The result has the prev of the first patch and the id of the last. It keeps the other headers,
    without duplicates. The exit status is 1 if the prev of a patch is not the id of the patch
    before it. Each file is read twice, since all headers come first; for that, a pipe is kept in a
    temporary file. To put patches into one file without joining them, use jellyp convert. A
    PATCH may be the folder of a patch log.

    \b
    Examples:
      jellyp patch concat monday.jellyp tuesday.rdfp -o both.jellyp
      jellyp patch concat week-*.jellyp --to jellyp | jellyp patch compact - -o week.jellyp
    """
    from jelly_rdflib.algebra.concat import concat
    from jelly_rdflib.cli.changes import source_of, start_changes, write_changes
    from jelly_rdflib.cli.options import chosen_limits

    check_stdin_once(*patches)
    inputs = [start_changes(patch, from_) for patch in patches]
    joined = concat(*map(source_of, inputs), limits=chosen_limits())
    write_changes(joined, inputs, output, to)


@click.command("effective")
@click.argument("base", metavar="BASE", type=DATASET)
@patch_argument
@patch_output
@from_option("PATCH")
@to_option("OUT")
@base_format_option
@reading_options
def effective(
    base: str, patch: str, output: str, from_: str | None, to: str | None, base_format: str | None
) -> None:
    """Write the part of PATCH that changes something in a dataset.

    The result leaves out the adds of statements that BASE has, the deletes of statements that it
    lacks, and aborted transactions. It has the same effect on BASE as PATCH, and its inverse (see
    jellyp patch invert) undoes this effect. BASE may be in any RDF syntax or Jelly-RDF, and is
    held in memory. PATCH may be the folder of a patch log; without it, standard input is read.

    \b
    Examples:
      jellyp patch effective base.nq changes.jellyp -o real.jellyp
      jellyp patch effective base.nq changes.jellyp | grep -c '^A '
    """
    from jelly_rdflib.algebra.effective import effective
    from jelly_rdflib.cli.changes import source_of, start_changes, write_changes
    from jelly_rdflib.cli.datasets import load
    from jelly_rdflib.cli.options import chosen_limits

    check_stdin_once(base, patch)
    with open_argument(base, base_format) as input_:
        dataset = load(input_)
    changes = start_changes(patch, from_)
    operations = effective(source_of(changes), dataset, limits=chosen_limits())
    write_changes(operations, [changes], output, to)

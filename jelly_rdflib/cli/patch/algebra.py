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

    Adds become deletes, and deletes adds, in reverse order; of several patches the last one comes
    first. The result follows PATCH, whose id becomes its prev. It restores the dataset if each
    operation of PATCH changed something there, as in patches of diff, record and effective.

    A long PATCH is kept in a temporary file meanwhile. It may be the folder of a patch log; without
    it, standard input is read.

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
    help="Each operation of PATCH changes something where it is applied. Then what is first added"
    " and last deleted, or the other way round, is left out.",
)
@from_option("PATCH")
@to_option("OUT")
@repeated_option
def compact(
    patch: str, output: str, assume_effective: bool, from_: str | None, to: str | None
) -> None:
    """Write the smallest patch with the effect of PATCH.

    The last operation on each statement stays; aborted transactions are left out; the others become
    one. Several patches in PATCH become one. Each distinct statement is in memory. PATCH may be
    the folder of a patch log; without it, standard input is read.

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
    """Join patches into one that does the same as all of them, one after the other.

    The result has the prev of the first patch and the id of the last; other headers stay, equal
    ones once. The exit status is 1 if a patch names another one before it (prev) than the one that
    comes before it. Files are read twice, as headers come first; a pipe is kept in a temporary
    file meanwhile. To put patches into one file and keep them apart, use jellyp convert. A PATCH
    may be the folder of a patch log.

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

    Left out are adds of statements that are there, deletes of others, and aborted transactions. The
    result does to BASE what PATCH does, and invert undoes it. BASE has any RDF syntax, or
    Jelly-RDF, and is held in memory. PATCH may be the folder of a patch log; without it, standard
    input is read.

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

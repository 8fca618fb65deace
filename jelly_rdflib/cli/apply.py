"""``jellyp apply``: applies patches to a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    TARGET,
    base_format_option,
    chosen_limits,
    from_option,
    is_address,
    is_quiet,
    output_option,
    reading_options,
    strict_option,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format
from jelly_rdflib.cli.printable import count, say
from jelly_rdflib.operations import Op

if TYPE_CHECKING:
    from rdflib import Dataset

    from jelly_rdflib.graph.apply import ApplyResult


@click.command("apply")
@click.argument("base", metavar="BASE", type=TARGET)
@click.argument("patches", metavar="PATCH...", nargs=-1, required=True, type=CHANGES)
@output_option("OUT", "the dataset", "standard output")
@from_option("the PATCHes", is_plural=True)
@to_option("OUT", default=" [default for standard output: as BASE]")
@base_format_option
@strict_option("; nothing is written then.")
@reading_options
def command(
    base: str,
    patches: tuple[str, ...],
    output: str,
    from_: str | None,
    to: str | None,
    base_format: str | None,
    strict: bool,
) -> None:
    """Apply patches to a dataset, in order, and write the result.

    BASE may be the address of a dataset on Apache Jena Fuseki. The command changes it in place,
    with one request for each transaction, and writes no OUT. It reads a token from the environment
    variable JELLYP_FUSEKI_TOKEN, or a user and password from JELLYP_FUSEKI_USER and
    JELLYP_FUSEKI_PASSWORD.

    Otherwise BASE and OUT may be in any RDF syntax or Jelly-RDF; the dataset is held in memory.
    A blank node of a patch is the blank node with the same label in BASE. If a patch is invalid,
    nothing is written. A PATCH may be the folder of a patch log. The command reports on standard
    error how many statements were added and deleted, and how many operations changed nothing.

    \b
    Examples:
      jellyp apply base.nq monday.jellyp tuesday.jellyp -o now.nq.gz
      jellyp apply /dev/null changes.jellyp --to trig
      kcat -C -t changes | jellyp apply base.jelly - -o now.jelly
      jellyp apply http://localhost:3030/ds/patch monday.jellyp
    """
    from jelly_rdflib.cli.datasets import load, save
    from jelly_rdflib.graph.apply import apply, apply_read
    from jelly_rdflib.graph.stores.target import Target

    check_stdin_once(base, *patches)
    if is_address(base):
        given = {"-o": output != "-", "--base-format": base_format, "--to": to, "--strict": strict}
        for name, value in given.items():
            if value:
                raise click.UsageError(f"{name} can't be used if BASE is the address of a server")
        for patch in patches:
            with open_argument(patch, from_) as input_:
                apply(input_.operations(is_held=False), base)
        return
    with open_argument(base, base_format) as input_:
        dataset = load(input_)
    format = output_format(output, to, for_stdout=input_.format.name)
    report = _Report()
    for patch in patches:
        with open_argument(patch, from_) as input_:
            result = apply_read(
                input_.operations(is_held=True),
                Target(dataset),
                strict=strict,
                is_held=False,
                limits=chosen_limits(),
            )
        report.add(result, dataset)
    with open_output(output) as destination:
        save(dataset, destination, format)
    report.write()


class _Report:
    """The changes that patches made to a dataset."""

    def __init__(self) -> None:
        self._added = self._deleted = self._ineffective = 0
        # Notes about deletions that found their literal in another spelling.
        self._notes: list[str] = []

    def add(self, result: ApplyResult, dataset: Dataset) -> None:
        """Add the result of a patch that was applied to the dataset."""
        from jelly_rdflib.display.operations import operation_text
        from jelly_rdflib.display.terms import show
        from jelly_rdflib.graph.stores.statements import same_value
        from jelly_rdflib.graph.stores.target import Target

        self._added += result.added
        self._deleted += result.deleted
        self._ineffective += result.ineffective
        operation: Any
        for operation in result.missed:
            op, s, p, o, g = operation
            found = None if op == Op.A else same_value((s, p, o), Target(dataset).context(g))
            if found is not None:
                self._notes.append(
                    f"{operation_text(operation)} changed nothing: the value is there in another"
                    f" spelling, {show(found)}"
                )

    def write(self) -> None:
        """Write the report to standard error, unless ``--quiet`` was given."""
        if is_quiet():
            return
        line = f"+{self._added} −{self._deleted}"  # noqa: RUF001
        if self._ineffective:
            total = self._added + self._deleted + self._ineffective
            line += f"; {self._ineffective:,} of {count(total, 'operation')} changed nothing"
        for text in (line, *self._notes):
            say(text, err=True)

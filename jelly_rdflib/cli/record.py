"""``jellyp record``: records the changes of SPARQL Update as a patch."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.input_errors import InputError
from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    DATASET,
    INPUT,
    from_option,
    output_option,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format, patch_format

if TYPE_CHECKING:
    from rdflib.graph import Dataset


@click.command("record")
@click.argument("base", metavar="BASE", type=DATASET)
@click.argument("updates", metavar="UPDATE...", nargs=-1, required=True, type=INPUT)
@output_option("PATCH", "the patch", "standard output, as RDF Patch text")
@click.option(
    "--result",
    metavar="OUT",
    type=click.Path(dir_okay=False, writable=True),
    help="Where to write the changed dataset; it may be BASE itself.",
)
@from_option("BASE")
@to_option("PATCH")
@reading_options
def command(
    base: str,
    updates: tuple[str, ...],
    output: str,
    result: str | None,
    from_: str | None,
    to: str | None,
) -> None:
    """Run SPARQL Update on a dataset, and write the changes as a patch.

    BASE has any RDF syntax, or Jelly-RDF, and is held in memory. Each file UPDATE is a transaction;
    the patch has only operations that took effect. rdflib runs the updates. If one fails, no file
    is written.

    \b
    Examples:
      jellyp record base.nq fix.ru -o fix.jellyp
      jellyp record base.nq fix.ru -o fix.jellyp && jellyp log append history fix.jellyp
      echo 'CLEAR GRAPH <urn:g>' | jellyp record base.nq - --result base.nq
    """
    from jelly_rdflib.cli.datasets import load, save
    from jelly_rdflib.streams.writing import PatchWriter

    check_stdin_once(base, *updates)
    format = patch_format(output, to)
    result_format: Any = None
    if result is not None:
        result_format = output_format(result, None, advice="give it an extension that tells")
    with open_argument(base, from_) as input_:
        dataset = load(input_)
    with open_output(output) as destination:
        with PatchWriter(destination, format=format.name) as writer:
            _record(dataset, updates, writer)
        if result is not None:
            with open_output(result) as place:
                save(dataset, place, result_format)


def _record(dataset: Dataset, updates: Iterable[str], writer: Any) -> None:
    """Run files of SPARQL Update on a dataset, and write a transaction for each."""
    import rdflib.plugins.sparql
    from pyparsing import ParseException

    from jelly_rdflib.errors import RecordError
    from jelly_rdflib.recording.record import record

    # As in SPARQL. If the default graph were the union of all graphs, rdflib 7.6 could not insert
    # data into it either.
    rdflib.plugins.sparql.SPARQL_DEFAULT_GRAPH_UNION = False
    with record(dataset, writer) as recorder:
        for path in updates:
            with open_argument(path) as update:
                data = b"".join(iter(update.file.read, b""))
            try:
                text = data.decode()
            except UnicodeDecodeError as error:
                message = f"the text is not UTF-8 (byte {error.start})"
                raise InputError(update.name, message) from error
            # rdflib 7.6 raises for an update without any operation.
            if not re.sub("#.*", "", text).strip():
                raise InputError(update.name, "it has no SPARQL Update")
            with recorder.transaction():
                try:
                    dataset.update(text)
                except ParseException as error:
                    place = f"line {error.lineno}, column {error.column}"
                    raise InputError(update.name, f"{error.msg} ({place})") from error
                except RecordError:
                    raise
                except Exception as error:
                    # rdflib raises errors of any type for an update that it can't evaluate.
                    raise InputError(update.name, f"{type(error).__name__}: {error}") from error

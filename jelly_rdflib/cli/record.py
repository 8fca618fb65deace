"""``jellyp record``: records the changes of SPARQL Update as a patch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from jelly_rdflib.cli.input_errors import InputError
from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    DATASET,
    INPUT,
    base_format_option,
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
@click.option(
    "--network",
    is_flag=True,
    help="Let LOAD and SERVICE read from the files and servers that their IRIs name.",
)
@base_format_option
@to_option("PATCH")
@reading_options
def command(
    base: str,
    updates: tuple[str, ...],
    output: str,
    result: str | None,
    network: bool,
    base_format: str | None,
    to: str | None,
) -> None:
    """Run SPARQL Update on a dataset, and write the changes.

    BASE is in any RDF syntax or Jelly-RDF, and held in memory. Each file UPDATE is a transaction;
    the patch has only operations that took effect. USING names graphs of the dataset, and blank
    nodes of an update are new ones. If an update fails, no file is written.

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
        result_format = output_format(result, None, advice="its extension must determine it")
    with open_argument(base, base_format) as input_:
        dataset = load(input_)
    with open_output(output) as destination:
        with PatchWriter(destination, format=format.name) as writer:
            _record(dataset, updates, writer, network=network)
        if result is not None:
            with open_output(result) as place:
                save(dataset, place, result_format)


def _record(dataset: Dataset, updates: Iterable[str], writer: Any, *, network: bool) -> None:
    """Run files of SPARQL Update on a dataset, and write a transaction for each."""
    from pyparsing import ParseException

    from jelly_rdflib.errors import ApplyError, RecordError
    from jelly_rdflib.graph.update import run_update
    from jelly_rdflib.recording.record import record

    with record(dataset, writer) as recorder:
        for path in updates:
            with open_argument(path) as file:
                data = b"".join(iter(file.file.read, b""))
            try:
                text = data.decode()
            except UnicodeDecodeError as error:
                message = f"the text is not UTF-8 (byte {error.start})"
                raise InputError(file.name, message) from error
            with recorder.transaction():
                try:
                    operations = _parse(text, dict(dataset.namespaces()))
                    if not operations:
                        raise InputError(file.name, "it contains no SPARQL Update")
                    # As in SPARQL, the default graph is not the union of all graphs.
                    run_update(dataset, operations, network=network, union=False)
                except ParseException as error:
                    place = f"line {error.lineno}, column {error.column}"
                    raise InputError(file.name, f"{error.msg} ({place})") from error
                except ApplyError as error:
                    raise InputError(file.name, error.message) from error
                except (InputError, RecordError):
                    raise
                except Exception as error:
                    # rdflib raises errors of any type for an update that it can't evaluate.
                    raise InputError(file.name, f"{type(error).__name__}: {error}") from error


def _parse(text: str, namespaces: dict[str, Any]) -> list[Any]:
    """Return the operations of an update, with the lexical forms of its literals.

    The literals are not normalized: the literals of the dataset are not normalized either, and
    would not match them.
    """
    import rdflib

    from jelly_rdflib.graph.update import parse_update

    before = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        return parse_update(text, namespaces)
    finally:
        rdflib.NORMALIZE_LITERALS = before

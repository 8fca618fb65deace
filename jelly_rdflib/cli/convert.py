"""``jellyp convert``: from one encoding to another."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.formats import FORMAT, output_encoding
from jelly_rdflib.cli.inputs import INPUT, open_input
from jelly_rdflib.cli.limits import isolated_option, limit_option
from jelly_rdflib.cli.outputs import OUTPUT, open_output

STREAM_TYPES = ("flat", "frame", "punctuated", "triples", "quads", "graphs")


@click.command("convert")
@click.argument("source", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=OUTPUT)
@click.option("--from", "from_", type=FORMAT, help="What IN is, if its name does not say it.")
@click.option("--to", type=FORMAT, help="What OUT is to be, if its name does not say it.")
@click.option(
    "--stream-type",
    metavar="TYPE",
    shell_complete=lambda context, param, start: [
        name for name in STREAM_TYPES if name.startswith(start)
    ],
    help="Of Jelly-Patch: flat, frame or punctuated; of Jelly-RDF: triples, quads or graphs."
    " [default: as in IN, else punctuated, or triples if IN has no graphs, or quads]",
)
@click.option(
    "--preset",
    type=click.Choice(["small", "big"]),
    help="The size of Jelly's lookups. [default: as in IN, if that is Jelly, else big]",
)
@click.option(
    "--frame-rows",
    type=click.IntRange(min=1),
    help="Rows of a frame of Jelly. [default: 512 of Jelly-Patch, 256 of Jelly-RDF]",
)
@click.option(
    "--rdf-star/--no-rdf-star",
    default=None,
    help="Allow quoted triples in Jelly. [default: as in IN, if that is Jelly, else not]",
)
@click.option(
    "--generalized/--no-generalized",
    default=None,
    help="Allow literals as subjects and so on in Jelly. [default: as in IN, if that is Jelly,"
    " else not]",
)
@isolated_option
@limit_option
def command(
    source: str, target: str, from_: str | None, to: str | None, **output_options: Any
) -> None:
    """Convert changes, or statements, from one encoding to another.

    Changes: jelly-patch (.jellyp), rdf-patch (.rdfp), rdf-patch-thrift (.rdfpb). Statements:
    jelly-rdf (.jelly), N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), RDF/XML (.rdf)
    and more. Either goes to another of its kind; "-" is standard input or output. Terms stay as
    they are written: lexical forms and the labels of blank nodes too. Only what goes through
    N-Triples and the like gets its language tags in lower case.

    \b
    Examples:
      jellyp convert changes.jellyp changes.rdfp.gz
      curl -s https://example.org/changes | jellyp convert - changes.jellyp
      jellyp convert --preset small --stream-type flat changes.rdfp small.jellyp
      jellyp convert --to nq data.jelly - | wc -l
    """
    from jelly_rdflib.cli.conversion import convert

    encoding = output_encoding(target, to, "--to")
    with open_input(source, from_) as input_, open_output(target) as destination:
        convert(input_, destination, encoding, output_options)

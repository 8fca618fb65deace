"""``jellyp convert``: converts one format to another."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import (
    INPUT,
    OUTPUT,
    from_option,
    jelly_options,
    read_range,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format


@click.command("convert")
@click.argument("source", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=OUTPUT)
@from_option("IN")
@to_option("OUT")
@click.option(
    "--take-frames",
    "frames",
    metavar="RANGE",
    type=read_range,
    help="Convert only these frames of Jelly-RDF, from 0 on: 3, ..3, 3.., 1..3 (without 3), 1..=3"
    " (with 3).",
)
@click.option(
    "--merge-graphs",
    is_flag=True,
    help="Leave the graphs of statements out, so that N-Triples and the like can have all of them.",
)
@click.option("--base", metavar="IRI", help="What relative IRIs in Turtle and the like belong to.")
@jelly_options
@reading_options
def command(
    source: str,
    target: str,
    from_: str | None,
    to: str | None,
    frames: slice | None,
    merge_graphs: bool,
    base: str | None,
    **output_options: Any,
) -> None:
    """Convert changes, or statements, from one format to another.

    Changes: jelly-patch (.jellyp), rdf-patch (.rdfp), rdf-patch-thrift (.rdfpb). Statements:
    jelly-rdf (.jelly), N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), RDF/XML (.rdf)
    and more. Changes are converted to changes, and statements to statements; "-" is standard input
    or output. Terms keep their lexical forms, and blank nodes their labels. Only language tags that
    pass through N-Triples and the like become lower case.

    \b
    Examples:
      jellyp convert changes.jellyp changes.rdfp.gz
      curl -s https://example.org/changes | jellyp convert - changes.jellyp
      jellyp convert --preset small --stream-type flat changes.rdfp small.jellyp
      jellyp convert --to nq data.jelly - | wc -l
    """
    from jelly_rdflib.cli.conversion import convert

    format = output_format(target, to)
    with open_argument(source, from_) as input_, open_output(target) as destination:
        convert(
            input_,
            destination,
            format,
            output_options,
            frames=frames,
            merges_graphs=merge_graphs,
            base=base,
        )

"""``jellyp convert``: converts one format to another."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.filters import Filters, filter_options
from jelly_rdflib.cli.inputs import open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    OUTPUT,
    from_option,
    jelly_options,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format


@click.command("convert")
@click.argument("source", metavar="IN", type=CHANGES)
@click.argument("target", metavar="OUT", type=OUTPUT)
@from_option("IN")
@to_option("OUT")
@click.option(
    "--merge-graphs",
    is_flag=True,
    help="Leave the graphs of statements out, so that N-Triples and the like can have all of them.",
)
@click.option("--base", metavar="IRI", help="What relative IRIs in Turtle and the like belong to.")
@jelly_options
@filter_options
@reading_options
def command(
    source: str,
    target: str,
    from_: str | None,
    to: str | None,
    merge_graphs: bool,
    base: str | None,
    filters: Filters,
    **output_options: Any,
) -> None:
    """Convert changes, or statements, from one format to another.

    Changes: jelly-patch (.jellyp), rdf-patch (.rdfp), rdf-patch-thrift (.rdfpb). Statements:
    jelly-rdf (.jelly), N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), RDF/XML (.rdf),
    rdf-thrift (.rt), rdf-protobuf (.rpb) and more. jelly-text (.jelly.txt) and jelly-patch-text
    (.jellyp.txt) show the fields of frames, which stay as they are. Changes are converted to
    changes, and statements to statements; "-" is standard input or output. IN may be the folder of
    a patch log. Terms keep their lexical forms, and blank nodes their labels. Only language tags
    that are written as Turtle or TriG, or pass through N3, RDF/XML or JSON-LD, become lower case.

    \b
    Examples:
      jellyp convert changes.jellyp changes.rdfp.gz
      curl -s https://example.org/changes | jellyp convert - changes.jellyp
      jellyp convert --preset small --stream-type flat changes.rdfp small.jellyp
      jellyp convert --to nq data.jelly - | wc -l
      jellyp convert --to jelly-text data.jelly - | less
      jellyp convert --graph '<urn:g>' --patch 2..5 history part.jellyp
    """
    from jelly_rdflib.cli.conversion import convert

    format = output_format(target, to)
    with open_argument(source, from_) as input_, open_output(target) as destination:
        convert(
            input_,
            destination,
            format,
            filters,
            output_options,
            merges_graphs=merge_graphs,
            base=base,
        )

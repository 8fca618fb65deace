"""``jellyp convert``: converts one format to another, and joins Jelly streams."""

from __future__ import annotations

from typing import Any

import click

from jelly_rdflib.cli.filters import Filters, filter_options
from jelly_rdflib.cli.inputs import check_stdin_once, open_argument
from jelly_rdflib.cli.options import (
    CHANGES,
    from_option,
    jelly_options,
    output_option,
    reading_options,
    to_option,
)
from jelly_rdflib.cli.outputs import open_output, output_format


@click.command("convert")
@click.argument("sources", metavar="[IN]...", nargs=-1, type=CHANGES)
@output_option("OUT", "the result", "standard output")
@from_option("IN")
@to_option("OUT", default=" [default for standard output: as IN]")
@click.option(
    "--merge-graphs",
    is_flag=True,
    help="Write the statements of all graphs as triples, for formats such as N-Triples.",
)
@click.option(
    "--base-iri", metavar="IRI", help="The base IRI of relative IRIs in Turtle and the like."
)
@jelly_options
@filter_options
@reading_options
def command(
    sources: tuple[str, ...],
    output: str,
    from_: str | None,
    to: str | None,
    merge_graphs: bool,
    base_iri: str | None,
    filters: Filters,
    **output_options: Any,
) -> None:
    """Convert changes or statements to another format; join streams.

    Changes: jelly-patch (.jellyp), rdf-patch (.rdfp), rdf-patch-thrift (.rdfpb). Statements:
    jelly-rdf (.jelly), N-Triples (.nt), N-Quads (.nq), Turtle (.ttl), TriG (.trig), RDF/XML (.rdf),
    rdf-thrift (.rt), rdf-protobuf (.rpb) and more. jelly-text (.jelly.txt) and jelly-patch-text
    (.jellyp.txt) show the fields of frames, which stay as they are. (These two and rdf-protobuf
    need the extra protobuf.) Changes are converted to changes, and statements to statements. IN may
    be the folder of a patch log; without it, standard input is read. Terms keep their lexical
    forms, and blank nodes their labels. Only language tags that are written as Turtle or TriG, or
    pass through N3, RDF/XML or JSON-LD, become lower case.

    If several INs are given, all must be Jelly-Patch streams, or all Jelly-RDF streams. They become
    one stream with new lookups. Its options allow everything that any IN allows, unless you give
    other options; then a statement that these don't allow is an error. Frames of graphs and
    datasets, and frames with metadata, are kept. Patches stay separate: to join them into one,
    use jellyp patch concat. Blank nodes with the same label become the same blank node.

    \b
    Examples:
      jellyp convert changes.jellyp -o changes.rdfp.gz
      curl -s https://example.org/changes | jellyp convert -o changes.jellyp
      jellyp convert --preset small --stream-type flat changes.rdfp -o small.jellyp
      jellyp convert --to nq data.jelly | wc -l
      jellyp convert --to jelly-text data.jelly | less
      jellyp convert --graph '<urn:g>' --patch 2..5 history -o part.jellyp
      jellyp convert monday.jelly tuesday.jelly -o both.jelly
      cat *.jellyp | jellyp convert --repeated-options restart > all.jellyp
    """
    from jelly_rdflib.cli.conversion import convert, join

    # None: standard output gets the format of IN, which is known after its first batch.
    format = None if output == "-" and to is None else output_format(output, to)
    if len(sources) > 1:
        if merge_graphs or base_iri is not None or filters != Filters():
            raise click.UsageError(
                "several INs are joined as they are: --merge-graphs, --base-iri and filters are for"
                " one IN"
            )
        check_stdin_once(*sources)
        join(sources, from_, output, format, output_options)
        return
    (source,) = sources or ("-",)
    with open_argument(source, from_) as input_, open_output(output) as destination:
        convert(
            input_,
            destination,
            format,
            filters,
            output_options,
            merges_graphs=merge_graphs,
            base=base_iri,
        )

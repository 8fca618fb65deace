"""``jellyp log checkout``."""

from __future__ import annotations

import click

from jelly_rdflib.cli.formats import FORMAT, output_encoding
from jelly_rdflib.cli.limits import limit_option
from jelly_rdflib.cli.log.arguments import LOG, VERSION, open_log, timeout_option, track
from jelly_rdflib.cli.outputs import OUTPUT, open_output
from jelly_rdflib.cli.progress import show_progress


@click.command("checkout")
@click.argument("log", metavar="LOG", type=LOG)
@click.argument("version", metavar="[VERSION]", required=False, type=VERSION)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    default="-",
    type=OUTPUT,
    help="Where to write the data. [default: standard output]",
)
@click.option(
    "--to",
    type=FORMAT,
    help="What OUT is to be, if its name does not say it. [default for standard output: N-Quads]",
)
@limit_option
@timeout_option
def command(log: str, version: int | str | None, output: str, to: str | None) -> None:
    """Write the data of a version, of the newest by default.

    They are made from the nearest snapshot before it, see jellyp log snapshot.

    \b
    Examples:
      jellyp log checkout history -o now.trig
      jellyp log checkout history 3 | sort > then.nq
    """
    from jelly_rdflib.cli.datasets import save

    encoding = output_encoding(output, "nq" if output == "-" and to is None else to, "--to")
    opened = open_log(log)
    with show_progress("replaying", None, is_bytes=False) as progress:
        dataset = opened.checkout(version, progress=track(progress.advance))
    with open_output(output) as destination:
        save(dataset, destination, encoding)

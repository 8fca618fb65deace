"""``jellyp view``: writes an HTML page that shows a history."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jelly_rdflib.cli.inputs import LogArgument, argument_name, open_argument
from jelly_rdflib.cli.options import CHANGES, from_option, output_option, repeated_option
from jelly_rdflib.cli.outputs import check_not_input, check_terminal, open_output

if TYPE_CHECKING:
    from jelly_rdflib.viewer.history import PackedHistory


@click.command("view")
@click.argument("source", metavar="[FILE-OR-LOG]", default="-", type=CHANGES)
@output_option("PAGE", "the page", "standard output")
@click.option("--open", "is_opened", is_flag=True, help="Show the page in a browser.")
@click.option("--title", help="The title of the page. [default: the name of FILE or LOG]")
@click.option(
    "-n", "--last", metavar="N", type=click.IntRange(1), help="Show only the newest N versions."
)
@from_option("FILE")
@repeated_option
def command(
    source: str,
    output: str,
    is_opened: bool,
    title: str | None,
    last: int | None,
    from_: str | None,
) -> None:
    """Write an HTML page that shows the history of changes.

    A version is a patch of a log, or a transaction of a file of changes. Without FILE-OR-LOG,
    standard input is read. The page shows a time line, changes by graph, class and predicate, a
    search, the history of a statement, and the difference between any two versions. It contains
    all data, so it needs no network and may be sent by mail. Changes of aborted transactions are
    left out. With --open, but no -o, the page is a temporary file.

    \b
    Examples:
      jellyp view history -o history.html
      jellyp view --open changes.jellyp
      jellyp view -n 100 --title Products history -o products.html
      zcat changes.rdfp.gz | jellyp view --from rdf-patch -o changes.html
    """
    from jelly_rdflib.streams.destination import Destination
    from jelly_rdflib.viewer.page import page_of

    name = argument_name(source) if source == "-" else os.path.basename(os.path.abspath(source))
    if not is_opened:
        check_terminal(output, None)
    check_not_input(output, source)
    history, is_whole = _read(source, last, from_)
    if is_opened and output == "-":
        output = os.path.join(tempfile.mkdtemp(prefix="jellyp-"), "view.html")
    with open_output(output) as target:
        destination = Destination(target)
        destination.open()
        try:
            for piece in page_of(history, title=title or name, source=name, is_whole=is_whole):
                destination.write(piece)
        finally:
            destination.close()
    if is_opened and not webbrowser.open(Path(output).absolute().as_uri()):
        raise click.ClickException(f"no browser was found that could show {output}")


def _read(path: str, last: int | None, format: str | None) -> tuple[PackedHistory, bool]:
    """Read a history; also return whether it starts from an empty dataset."""
    from jelly_rdflib.viewer.history import PackedHistory
    from jelly_rdflib.viewer.versions import read_file, read_log

    with open_argument(path, format) as input_:
        if isinstance(input_, LogArgument):
            is_whole = last is None or input_.keep_last(last)
            return PackedHistory(read_log(entry for entry, _ in input_.read_patches())), is_whole
        input_.look_for_changes()
        return PackedHistory(read_file(input_.batches(), last)), False

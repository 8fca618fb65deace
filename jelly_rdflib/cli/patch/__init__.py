"""``jellyp patch``: commands that make patches from patches."""

from __future__ import annotations

import click

from jelly_rdflib.cli.commands import OrderedGroup
from jelly_rdflib.cli.patch import algebra, merge, split


@click.group(
    "patch",
    cls=OrderedGroup,
    commands=[
        algebra.compact,
        algebra.concat,
        algebra.effective,
        algebra.invert,
        merge.command,
        split.command,
    ],
)
def command() -> None:
    """Join, shorten, undo, merge or split patches.

    \b
    Examples:
      jellyp patch concat monday.jellyp tuesday.rdfp -o both.jellyp
      jellyp patch compact year.jellyp -o small.jellyp
      jellyp patch invert monday.jellyp | jellyp apply now.nq - -o before.nq
    """

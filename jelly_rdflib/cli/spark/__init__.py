"""``jellyp spark`` and its commands."""

from __future__ import annotations

import click

from jelly_rdflib.cli.lazy import Commands

__all__ = ["command"]

COMMANDS = ("replay", "diff", "compact", "ingest")


@click.command("spark", cls=Commands, package=__package__, names=COMMANDS)
def command() -> None:
    """Work with changes on Apache Spark: more than one processor, or one machine, can take.

    Each command starts a session on all cores of this machine, or uses the cluster that --master
    names. Files of changes are given as files, folders, globs or the folder of a log (see jellyp
    log). Patches are put in order by their headers id and prev, and the n-th makes version n of the
    data. What is written is a folder with a file for each part of the data, as Spark has it.

    \b
    Examples:
      jellyp spark replay history --upto 7 -o then.parquet
      jellyp spark replay 'changes/*.jellyp' | sort > now.nq
      jellyp spark diff history --old 3 --new 7 -o changes.jellyp
      jellyp spark compact history -o small.jellyp
      jellyp spark ingest incoming table --checkpoint table.checkpoint
    """

"""``jellyp spark``: the commands, their inputs and outputs, and the Spark session."""

from jelly_rdflib.cli.spark.commands import command

__all__ = ["command"]

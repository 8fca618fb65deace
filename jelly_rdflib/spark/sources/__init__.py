"""The data sources, as Spark's Python Data Source API has them."""

from jelly_rdflib.spark.sources.source import JellyPatchSource, JellySource, RdfPatchSource

__all__ = ["SOURCES", "JellyPatchSource", "JellySource", "RdfPatchSource"]

SOURCES = (JellyPatchSource, RdfPatchSource, JellySource)

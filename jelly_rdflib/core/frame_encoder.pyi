"""Encodes rows to frames of either format: what Jelly-RDF and Jelly-Patch share of a stream."""

from jelly_rdflib.core.output import Output

class FrameEncoder(Output): ...

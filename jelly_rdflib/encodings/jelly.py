"""Jelly-RDF as an encoding (Jelly-RDF, "Internet media type and file extension")."""

from __future__ import annotations

from jelly_rdflib.batches import read_batches
from jelly_rdflib.encodings.encoding import Encoding
from jelly_rdflib.rdf import StatementWriter, read_statement_operations

__all__ = ["JELLY"]

JELLY = Encoding(
    name="jelly-rdf",
    # A name that other packages have for it too, and may have a plugin of.
    aliases=("jelly",),
    extensions=("jelly",),
    media_types=("application/x-jelly-rdf",),
    holds_changes=False,
    read_operations=read_statement_operations,
    read_batches=read_batches,
    writer=StatementWriter,
)

"""The features of a syntax of RDF."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """A syntax of RDF.

    Args:
        title: Its name in messages.
        format: Its name in pyoxigraph's ``RdfFormat``; empty: this package reads and writes it.
        has_graphs: Whether statements may be in named graphs.
        has_triple_terms: Whether quoted triples can be written.
        has_prefixes: Whether it can declare prefixes.
        has_base: Whether it can have relative IRIs.
    """

    title: str
    format: str = ""
    has_graphs: bool = False
    has_triple_terms: bool = False
    has_prefixes: bool = False
    has_base: bool = False

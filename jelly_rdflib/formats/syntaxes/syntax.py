"""What a syntax of RDF can say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Syntax:
    """A syntax of RDF.

    Args:
        title: What messages call it.
        format: Its name in pyoxigraph's ``RdfFormat``; empty: this package reads and writes it.
        has_graphs: Whether statements may be in named graphs.
        has_triple_terms: Whether it is written with quoted triples.
        has_prefixes: Whether prefixes are declared in it, for people to read.
        has_base: Whether there may be relative IRIs.
    """

    title: str
    format: str = ""
    has_graphs: bool = False
    has_triple_terms: bool = False
    has_prefixes: bool = False
    has_base: bool = False

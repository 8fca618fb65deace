"""The settings of a reader, for every format."""

from __future__ import annotations

from dataclasses import dataclass

from jelly_rdflib.errors import DecodeError
from jelly_rdflib.nodes.conversion import NodeFactory
from jelly_rdflib.options import Limits, RepeatedOptions


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The settings of a reader; each format uses those that concern it.

    Args:
        factory: Makes the nodes of the batches.
        limits: What to accept.
        holds_changes: Whether it must be changes, or statements; None for either.
        strict: As for `jelly_rdflib.read_statements`.
        is_quiet: Whether to ignore the logical type of Jelly-RDF.
        base: As for `jelly_rdflib.read_statements`.
        isolated: As for `jelly_rdflib.read_statements`.
        on_repeated_options: As for `jelly_rdflib.PatchDecoder`.
        faults: A list that takes recoverable errors; None: the first one is raised.
    """

    factory: NodeFactory
    limits: Limits
    holds_changes: bool | None = None
    strict: bool = True
    is_quiet: bool = False
    base: str | None = None
    isolated: bool = False
    on_repeated_options: RepeatedOptions = "continue"
    faults: list[DecodeError] | None = None

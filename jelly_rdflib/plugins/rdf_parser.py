"""The parser plugin of Jelly-RDF: `Graph.parse` and `Dataset.parse` add the statements."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from rdflib.graph import Graph
from rdflib.parser import InputSource, Parser
from rdflib.term import BNode, Node

from jelly_rdflib.formats.jelly import JELLY
from jelly_rdflib.graph.apply import apply, apply_statements
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Directions, Limits
from jelly_rdflib.plugins.calls import find_target, get_bytes
from jelly_rdflib.plugins.parser_errors import raising_parser_errors
from jelly_rdflib.streams.open_input import open_input


class JellyParser(Parser):
    """Adds the statements of Jelly-RDF to the graph that parses it, and binds its namespaces.

    As with rdflib's own parsers, a prefix that the graph has for another IRI keeps that IRI.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Dataset, Literal, URIRef
        >>> dataset = Dataset()
        >>> graph = dataset.graph(URIRef("urn:g"))
        >>> _ = graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal("o")))
        >>> data = dataset.serialize(format="jelly-rdf", encoding="utf-8")
        >>> len(Dataset().parse(data=data, format="jelly-rdf"))
        1
    """

    def parse(
        self,
        source: InputSource,
        sink: Graph,
        *,
        limits: Limits | None = None,
        normalize: bool | None = None,
        strict: bool = False,
        directions: Directions = "keep",
        bnode_context: MutableMapping[str, BNode] | None = None,
        atomic: bool = True,
    ) -> None:
        """Add the statements of the stream to the sink: all of them, or none after an error.

        Args:
            source: The input that rdflib has opened.
            sink: The graph to add to. The default graph of a Dataset stands for the dataset.
            limits: The limits for the input; by default `jelly_rdflib.Limits()`.
            normalize: Whether literals get the normal form of their value; see
                `jelly_rdflib.read_statements`.
            strict: Whether to refuse a stream whose logical type does not fit; see
                `jelly_rdflib.read_statements`. False by default.
            directions: What to do with the base directions of literals: ``"keep"`` makes them an
                error here, ``"drop"`` leaves them out; see `jelly_rdflib.read_statements`.
            bnode_context: None to keep the labels of blank nodes, so that patches for the parsed
                data find them. Or a dict, even an empty one, that maps labels to blank nodes; a new
                node is added to it for each label that it lacks, as in rdflib's N-Quads parser.
            atomic: Whether a transaction that fails is undone; see `jelly_rdflib.apply`.

        Raises:
            TypeError: The source is text.
            ApplyError: The sink can't hold something: a quoted triple, a literal as subject, a
                named graph in a plain `Graph`.
            DecodeError: The input breaks a rule of the format.
            LimitError: The input exceeds ``limits``.
        """
        data = get_bytes(source, JELLY)
        target = find_target(sink)
        settings: Any = {
            "limits": limits,
            "normalize": normalize,
            "strict": strict,
            "directions": directions,
        }
        with raising_parser_errors():
            if bnode_context is None:
                apply_statements(data, target, atomic=atomic, **settings)
                return
            opened = open_input(data, format=JELLY.name, holds_changes=False, **settings)
            apply(_relabelled(opened.operations(), bnode_context), target, atomic=atomic)


def _relabelled(
    operations: Iterator[Operation], nodes: MutableMapping[str, BNode]
) -> Iterator[Operation]:
    def relabel(term: Node) -> Node:
        if isinstance(term, BNode):
            if (label := str(term)) not in nodes:
                nodes[label] = BNode()
            term = nodes[label]
        return term

    for operation in operations:
        if operation[0] == Op.A:
            _, s, p, o, g = operation
            yield (Op.A, relabel(s), relabel(p), relabel(o), None if g is None else relabel(g))
        else:
            yield operation

"""The seam between the core and rdflib: which classes terms become."""

from __future__ import annotations

import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import BNode, Literal, URIRef, _toPythonMapping

from jelly_rdflib.core.node_types import NodeTypes
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.terms import TripleTerm

__all__ = ["NODE_TYPES", "make_node_factory"]

NODE_TYPES = NodeTypes(
    iri=URIRef,
    blank_node=BNode,
    literal=Literal,
    triple_term=TripleTerm,
    default_graph=DATASET_DEFAULT_GRAPH_ID,
    # rdflib's own table: `rdflib.term.bind` adds to it.
    recognized_datatypes=_toPythonMapping,
)


def make_node_factory(normalize: bool | None = None) -> NodeFactory:
    """Return a factory of rdflib's terms; ``normalize`` as for `jelly_rdflib.read_operations`."""
    if normalize is None:
        normalize = rdflib.NORMALIZE_LITERALS
    return NodeFactory(NODE_TYPES, normalize=normalize)

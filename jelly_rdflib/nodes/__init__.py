"""Connects the core, which does not import rdflib, with rdflib's term classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import (
    BNode,
    Literal,
    Node,
    URIRef,
    XSDToPython,
    _GenericPythonToXSDRules,
    _OriginalGenericPythonToXSDRules,
    _OriginalSpecificPythonToXSDRules,
    _SpecificPythonToXSDRules,
    _toPythonMapping,
)

from jelly_rdflib.core.batch import BatchSlice, OperationReader
from jelly_rdflib.nodes.conversion import LiteralRules, NodeBatches, NodeFactory, NodeTypes
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.terms import TripleTerm

__all__ = ["NODE_TYPES", "as_iri", "make_node_factory", "rows_of"]

NODE_TYPES = NodeTypes(
    iri=URIRef,
    blank_node=BNode,
    literal=Literal,
    triple_term=TripleTerm,
    default_graph=DATASET_DEFAULT_GRAPH_ID,
    # rdflib's own table, so that datatypes added later by `rdflib.term.bind` are found.
    recognized_datatypes=_toPythonMapping,
    literal_rules=LiteralRules(
        converters=_toPythonMapping,
        original_converters=XSDToPython,
        specific=_SpecificPythonToXSDRules,
        original_specific=_OriginalSpecificPythonToXSDRules,
        generic=_GenericPythonToXSDRules,
        original_generic=_OriginalGenericPythonToXSDRules,
    ),
)


def make_node_factory(
    normalize: bool | None = None, limits: Limits | None = None, *, keeps_directions: bool = False
) -> NodeFactory:
    """Return a factory of rdflib's terms; ``normalize`` is as in `jelly_rdflib.read_operations`.

    The factory applies two limits, ``max_xml_tags`` and ``max_frame_terms``, to literals. With
    ``keeps_directions`` the language of a literal may end in a base direction, as in ``ar--rtl``;
    only encoders understand such a literal.
    """
    limits = as_limits(limits)
    return NodeFactory(
        NODE_TYPES,
        normalize=rdflib.NORMALIZE_LITERALS if normalize is None else normalize,
        max_xml_tags=limits.max_xml_tags,
        max_terms=limits.max_frame_terms,
        keeps_directions=keeps_directions,
    )


def rows_of(reader: OperationReader) -> Iterator[BatchSlice]:
    """Yield a reader's operations as rows, with literals in normal form if the reader normalizes.

    The reader's own rows have literals as in the input; only its nodes are normalized.
    """
    for part in reader._slices():
        if part.batch.terms.factory.normalize:
            yield from NodeBatches(NODE_TYPES, part)._slices()
        else:
            yield part


def as_iri(iri: Any) -> Any:
    """Return the URIRef of an rdflib Namespace or a str; return a node unchanged."""
    return URIRef(iri) if isinstance(iri, str) and not isinstance(iri, Node) else iri

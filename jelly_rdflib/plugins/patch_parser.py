"""The parser plugin: `Graph.parse` and `Dataset.parse` apply a patch to the graph or dataset."""

from __future__ import annotations

from rdflib.graph import Graph
from rdflib.parser import InputSource, Parser

from jelly_rdflib.formats import Format
from jelly_rdflib.formats.jelly import JELLY_PATCH
from jelly_rdflib.formats.rdf_patch import RDF_PATCH, RDF_PATCH_THRIFT
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.options import Limits
from jelly_rdflib.plugins.calls import find_target, get_bytes
from jelly_rdflib.plugins.parser_errors import raising_parser_errors


class PatchParser(Parser):
    """Applies patches to the graph that parses them. Each subclass has a format."""

    format: Format

    def parse(
        self,
        source: InputSource,
        sink: Graph,
        *,
        limits: Limits | None = None,
        normalize: bool | None = None,
        atomic: bool = True,
    ) -> None:
        """Apply the patches of the source to the sink; see `jelly_rdflib.apply`.

        Args:
            source: The input that rdflib has opened.
            sink: The graph to change. The default graph of a Dataset stands for the dataset.
            limits: The limits for the input; by default `jelly_rdflib.Limits()`.
            normalize: Whether literals get the normal form of their value; see `apply`.
            atomic: Whether a transaction that fails is undone; see `apply`.

        Raises:
            TypeError: The source is text, and the format is binary.
            ApplyError: An operation can't be applied to the target, or the patch is out of order;
                see `apply`.
            DecodeError: The input breaks a rule of the format.
            LimitError: The input exceeds ``limits``.
        """
        with raising_parser_errors():
            apply(
                get_bytes(source, self.format),
                find_target(sink),
                atomic=atomic,
                limits=limits,
                normalize=normalize,
                format=self.format.name,
            )


class RdfPatchParser(PatchParser):
    """Applies RDF Patch text to the graph that parses it.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Dataset
        >>> dataset = Dataset()
        >>> _ = dataset.parse(data="TX . A <urn:s> <urn:p> 'o' . TC .", format="rdf-patch")
        >>> len(dataset)
        1
    """

    format = RDF_PATCH


class JellyPatchParser(PatchParser):
    """Applies Jelly-Patch to the graph that parses it.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Dataset, Literal, URIRef
        >>> dataset = Dataset()
        >>> graph = dataset.graph(URIRef("urn:g"))
        >>> _ = graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal("o")))
        >>> data = dataset.serialize(format="jelly-patch", encoding="utf-8")
        >>> len(Dataset().parse(data=data, format="jelly-patch"))
        1
    """

    format = JELLY_PATCH


class RdfPatchThriftParser(PatchParser):
    """Applies RDF Patch in Thrift to the graph that parses it."""

    format = RDF_PATCH_THRIFT

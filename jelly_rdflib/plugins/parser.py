"""The parser plugin: `Graph.parse` and `Dataset.parse` apply a patch to the graph or dataset."""

from __future__ import annotations

import inspect
import io
from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.parser import BytesIOWrapper, InputSource, Parser

from jelly_rdflib.apply import apply
from jelly_rdflib.options import Limits
from jelly_rdflib.stores.target import get_default_graph

__all__ = ["JellyPatchParser"]


class JellyPatchParser(Parser):
    """Applies Jelly-Patch to the graph that parses it.

    Examples:
        >>> import jelly_rdflib
        >>> from rdflib import Dataset, Literal, URIRef
        >>> dataset = Dataset()
        >>> _ = dataset.add((URIRef("urn:s"), URIRef("urn:p"), Literal("o"), URIRef("urn:g")))
        >>> data = dataset.serialize(format="jelly-patch", encoding="utf-8")
        >>> len(Dataset().parse(data=data, format="jelly-patch"))
        1
    """

    def parse(
        self,
        source: InputSource,
        sink: Graph,
        *,
        limits: Limits | None = None,
        normalize: bool | None = None,
        atomic: bool = True,
    ) -> None:
        """Apply the patches that the source has to the sink; see `jelly_rdflib.apply`.

        Args:
            source: Where rdflib found the bytes.
            sink: What to apply them to. The default graph of a Dataset stands for the dataset.
            limits: As for `apply`.
            normalize: As for `apply`.
            atomic: As for `apply`.

        Raises:
            TypeError: The source is text.
            ApplyError, DecodeError, LimitError: As for `apply`.
        """
        apply(
            _bytes_of(source), _target_of(sink), atomic=atomic, limits=limits, normalize=normalize
        )


def _target_of(sink: Graph) -> Graph:
    """Return the dataset that is parsing, where there is one.

    It gives its parsers its default graph and no way to itself, but for its place among the
    callers. And it has to be the dataset: a Dataset binds rdflib's own prefixes when it is first
    asked for any, so those that a patch unbinds would be back if it had not been asked before.
    """
    frame = inspect.currentframe()
    while frame is not None and frame.f_code is not Graph.parse.__code__:
        frame = frame.f_back
    caller = frame and frame.f_back
    if caller and caller.f_code is ConjunctiveGraph.parse.__code__:
        dataset = caller.f_locals.get("self")
        if isinstance(dataset, ConjunctiveGraph) and get_default_graph(dataset) is sink:
            return dataset
    return sink


def _bytes_of(source: InputSource) -> Any:
    stream = source.getByteStream()
    # For text rdflib has a stream of its bytes in some encoding, which never were a patch.
    if stream is None or isinstance(stream, BytesIOWrapper | io.TextIOBase):
        raise TypeError("Jelly-Patch is binary: give bytes, a path, or a file opened with 'rb'")
    return stream

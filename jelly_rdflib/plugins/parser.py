"""The parser plugin: `Graph.parse` and `Dataset.parse` apply a patch to the graph or dataset."""

from __future__ import annotations

import io
from typing import Any

from rdflib.graph import Graph
from rdflib.parser import BytesIOWrapper, InputSource, Parser

from jelly_rdflib.apply import apply
from jelly_rdflib.options import Limits

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

        A Dataset binds rdflib's own prefixes when it is first asked for any, which may be after
        it parsed; where a patch deletes some of those, ask for ``dataset.namespace_manager``
        before.

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
        apply(_bytes_of(source), sink, atomic=atomic, limits=limits, normalize=normalize)


def _bytes_of(source: InputSource) -> Any:
    stream = source.getByteStream()
    # For text rdflib has a stream of its bytes in some encoding, which never were a patch.
    if stream is None or isinstance(stream, BytesIOWrapper | io.TextIOBase):
        raise TypeError("Jelly-Patch is binary: give bytes, a path, or a file opened with 'rb'")
    return stream

"""What rdflib does not tell its plugins, found where rdflib calls them."""

from __future__ import annotations

import inspect
import io
from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.parser import BytesIOWrapper, InputSource

from jelly_rdflib.graph.stores.target import get_default_graph


def find_target(sink: Graph) -> Graph:
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


def get_bytes(source: InputSource, what: str) -> Any:
    """Return the stream of bytes that rdflib has found; ``what`` is to be read from it."""
    stream = source.getByteStream()
    # For text rdflib has a stream of its bytes in some encoding, which never were a patch.
    if stream is None or isinstance(stream, BytesIOWrapper | io.TextIOBase):
        raise TypeError(f"{what} is binary: give bytes, a path, or a file opened with 'rb'")
    return stream


def check_not_decoded(what: str) -> None:
    """Raise if `Graph.serialize` is about to decode what is binary.

    It passes on the same encoding whether it was given none or UTF-8, so there is no other way to
    know than to look at its variables. Where they are not as expected, rdflib's own error comes:
    a UnicodeDecodeError, which says nothing of how to do better.
    """
    frame = inspect.currentframe()
    caller = frame and frame.f_back and frame.f_back.f_back
    if (
        caller
        and caller.f_code is Graph.serialize.__code__
        and caller.f_locals.get("destination", ...) is None
        and caller.f_locals.get("encoding", ...) is None
    ):
        raise TypeError(
            f"{what} is binary and can't be returned as a str: give a destination, or any "
            "encoding (encoding='utf-8') to get bytes"
        )

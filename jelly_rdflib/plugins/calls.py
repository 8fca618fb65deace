"""Looks at the callers of a plugin for arguments that rdflib does not pass on."""

from __future__ import annotations

import inspect
import io
from types import SimpleNamespace
from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.parser import BytesIOWrapper, InputSource

from jelly_rdflib.formats import Format
from jelly_rdflib.graph.stores.target import get_default_graph


def find_target(sink: Graph) -> Graph:
    """Return the dataset that is parsing, if there is one; else the sink.

    A dataset gives its parsers only its default graph, so it is looked for among the callers. The
    dataset itself is needed: it binds rdflib's own prefixes when it is first asked for any. If that
    came later, prefixes that the patch has unbound would be back.
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


def get_bytes(source: InputSource, format: Format) -> Any:
    """Return the stream of bytes that rdflib has found, or made by encoding text."""
    # Where there is text alone, rdflib may have it as the bytes.
    stream: Any = source.getByteStream() or source.getCharacterStream()
    is_text = isinstance(stream, io.TextIOBase)
    if (is_text or isinstance(stream, BytesIOWrapper)) and not format.is_text:
        raise TypeError(f"{format.title} is binary: give bytes, a path, or a file opened with 'rb'")
    # The `read1` that it has, too, fails for text.
    return SimpleNamespace(read=BytesIOWrapper(stream).read) if is_text else stream


def check_not_decoded(format: Format) -> None:
    """Raise a TypeError if `Graph.serialize` is about to decode a binary format.

    It passes on the same encoding for none and for UTF-8, so its variables are looked at. If they
    are not as expected, rdflib's own UnicodeDecodeError comes, which does not say what to do.
    """
    frame = inspect.currentframe()
    caller = frame and frame.f_back and frame.f_back.f_back
    if (
        not format.is_text
        and caller
        and caller.f_code is Graph.serialize.__code__
        and caller.f_locals.get("destination", ...) is None
        and caller.f_locals.get("encoding", ...) is None
    ):
        raise TypeError(
            f"{format.title} is binary and can't be returned as a str: give a destination, or any "
            "encoding (encoding='utf-8') to get bytes"
        )

"""Inspects the callers of a plugin, to find arguments that rdflib does not pass on."""

from __future__ import annotations

import codecs
import inspect
import io
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from rdflib.graph import ConjunctiveGraph, Graph
from rdflib.parser import BytesIOWrapper, InputSource

from jelly_rdflib.formats import Format
from jelly_rdflib.graph.stores.target import get_default_graph


def find_caller(method: Any) -> Any:
    """Return the object whose ``method`` is running, from the innermost such frame; else None."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code is not method.__code__:
        frame = frame.f_back
    return frame and frame.f_locals.get("self")


def find_target(sink: Graph) -> Graph:
    """Return the dataset that is parsing, if any; otherwise the sink.

    A dataset passes only its default graph to its parsers, so this looks for the dataset among the
    callers. The dataset itself is needed: when it is first asked for a prefix, it binds rdflib's
    own prefixes. If this happened after the patch, prefixes that the patch has unbound would be
    bound again.
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
    """Return the stream of bytes that rdflib has found; text is encoded as UTF-8."""
    stream: Any = source.getByteStream()
    if stream is None:
        stream = source.getCharacterStream()
    # Look at the stream's type: for a StringIO, rdflib may give the text as the stream of bytes.
    is_text = isinstance(stream, io.TextIOBase | codecs.StreamReader)
    if (is_text or stream is None or isinstance(stream, BytesIOWrapper)) and not format.is_text:
        raise TypeError(f"{format.title} is binary: give bytes, a path, or a file opened with 'rb'")
    if isinstance(stream, BytesIOWrapper) and stream.name in ("string", "stream"):
        # Leave out rdflib's own name for text without a name: errors would begin with it.
        return SimpleNamespace(read=stream.read, wrapped=stream.wrapped)
    return SimpleNamespace(read=_encoding_reader(stream)) if is_text else stream


def _encoding_reader(stream: Any) -> Callable[[int], bytes]:
    """Return a ``read`` function that encodes the stream's text as UTF-8."""
    rest = b""

    def read(size: int) -> bytes:
        nonlocal rest
        # Ask for 8 or more: a StreamReader counts bytes, and returns no text for a part of a
        # character, which would look like the end.
        rest = rest or stream.read(max(size, 8)).encode()
        piece, rest = rest[:size], rest[size:]
        return piece

    return read


def check_not_decoded(format: Format) -> None:
    """Raise a TypeError if `Graph.serialize` is about to decode a binary format.

    rdflib passes on the same encoding for None and for UTF-8, so this looks at the variables of
    `Graph.serialize`. If they are not as expected, this does nothing, and rdflib will raise its
    own UnicodeDecodeError, without advice.
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

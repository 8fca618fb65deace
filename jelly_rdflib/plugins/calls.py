"""Inspects the callers of a plugin for arguments that rdflib does not pass on."""

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
    """Return the object whose method is the nearest one among the callers; None without one."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code is not method.__code__:
        frame = frame.f_back
    return frame and frame.f_locals.get("self")


def find_target(sink: Graph) -> Graph:
    """Return the dataset that is parsing, if any; otherwise the sink.

    A dataset gives its parsers only its default graph, so this looks for the dataset among the
    callers. The dataset itself is needed, since it binds rdflib's own prefixes when it is first
    asked for any: if that came later, it would restore prefixes that the patch has unbound.
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
    # For a StringIO, rdflib may use the stream of text as the stream of bytes, too.
    is_text = isinstance(stream, io.TextIOBase | codecs.StreamReader)
    if (is_text or stream is None or isinstance(stream, BytesIOWrapper)) and not format.is_text:
        raise TypeError(f"{format.title} is binary: give bytes, a path, or a file opened with 'rb'")
    if isinstance(stream, BytesIOWrapper) and stream.name in ("string", "stream"):
        # Errors must not begin with rdflib's name for text that has none.
        return SimpleNamespace(read=stream.read, wrapped=stream.wrapped)
    return SimpleNamespace(read=_encoding_reader(stream)) if is_text else stream


def _encoding_reader(stream: Any) -> Callable[[int], bytes]:
    """Return a ``read`` function that encodes the stream's text as UTF-8."""
    rest = b""

    def read(size: int) -> bytes:
        nonlocal rest
        # A StreamReader counts bytes: it returns no text for a part of a character.
        rest = rest or stream.read(max(size, 8)).encode()
        piece, rest = rest[:size], rest[size:]
        return piece

    return read


def check_not_decoded(format: Format) -> None:
    """Raise a TypeError if `Graph.serialize` is about to decode a binary format.

    rdflib passes on the same encoding for None and for UTF-8, so this looks at its variables. If
    they are unexpected, rdflib's own UnicodeDecodeError follows, which gives no advice.
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

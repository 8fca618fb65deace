"""The child process of `jelly_rdflib.formats.syntaxes.isolated`: a parser within limits."""

from __future__ import annotations

import functools
import json
import os
import resource
import signal
import sys

from jelly_rdflib.core.jelly_encoder import StatementFrameEncoder
from jelly_rdflib.errors import DecodeError, LimitError
from jelly_rdflib.formats import Format, find_format
from jelly_rdflib.formats.format import Reading
from jelly_rdflib.formats.syntaxes import messages
from jelly_rdflib.formats.syntaxes.reader import StatementBatches
from jelly_rdflib.nodes.conversion import NodeFactory, NodeTypes
from jelly_rdflib.options import Limits, PhysicalStreamType, StreamOptions


class _SourceError(DecodeError):
    """The parent could not read the source; the parent itself knows the reason."""


class _NoNode(str):
    """A stand-in for the classes of rdflib's nodes, since this process makes no nodes."""

    __slots__ = ("_datatype", "_ill_typed", "_language", "_value")


_NO_NODES = NodeTypes(
    iri=_NoNode,
    blank_node=_NoNode,
    literal=_NoNode,
    triple_term=_NoNode,
    # An IRI equal to this text would be taken for the default graph; no IRI contains a NUL.
    default_graph=_NoNode("\0"),
    recognized_datatypes=(),
)


def main() -> None:
    """Parse the text that the parent sends after the settings."""
    # Ignore Ctrl+C: the parent gets it, too, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    # The parent reads stderr only after this process has ended, so writing to a full pipe would
    # block for ever.
    os.set_blocking(sys.stderr.fileno(), False)
    _limit(resource.RLIMIT_CORE, 0)
    name, most, strict, base, directions, label_prefix, made_label_prefix = json.loads(_receive())
    limits = Limits(**most)
    # At least 1, since to Linux 0 means no limit.
    _limit(resource.RLIMIT_DATA, max(limits.max_parser_memory, 1))
    try:
        reading = Reading(
            factory=NodeFactory(_NO_NODES),
            limits=limits,
            strict=strict,
            base=base,
            directions=directions,
            label_prefix=label_prefix,
            made_label_prefix=made_label_prefix,
        )
        _parse(find_format(name), reading)
    except MemoryError:
        os._exit(messages.NO_MEMORY)


class _Text:
    """The text, whose bytes come from the parent; the parent closes the source."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._size = 0
        _allow_time(0, limits)

    def read(self, size: int) -> bytes:
        _send(messages.WANT, size)
        data = _receive()
        self._size += len(data)
        _allow_time(self._size, self._limits)
        return data

    def digest(self) -> str:
        _send(messages.HASH, 0)
        return _receive().decode()

    def close(self) -> None:
        pass


def _parse(format: Format, reading: Reading) -> None:
    options = StreamOptions(
        physical_type=PhysicalStreamType.QUADS if format.has_graphs else PhysicalStreamType.TRIPLES,
        rdf_star=True,
        namespace_declarations=True,
    )
    tell_dropped = functools.partial(_send, messages.DROPPED, 0)
    batches = StatementBatches(format, _Text(reading.limits), reading, tell_dropped)
    try:
        for batch in batches:
            encoder = StatementFrameEncoder(_NO_NODES, options)
            encoder.keep_directions()
            frame = encoder.encode_frame(functools.partial(encoder.write_batch, batch))
            _send(messages.FRAME, len(frame), frame)
    except DecodeError as error:
        kinds = isinstance(error, LimitError), isinstance(error, _SourceError)
        places = (error.offset, error.line, error.column)
        told = messages.TOLD.pack(*kinds, *(-1 if place is None else place for place in places))
        limit = getattr(error, "limit", None) or ""
        told += f"{limit}\n{error.message}".encode(errors="replace")
        _send(messages.ERROR, len(told), told)
    else:
        _send(messages.END, 0)


def _allow_time(text_size: int, limits: Limits) -> None:
    """Raise this process's limit on processor time in proportion to the size of the text.

    A limit for each batch would be too strict for nested elements: there, the time that pyoxigraph
    takes for each statement grows with the depth.
    """
    pieces = 1 + (text_size >> 20) // messages.TEXT_PER_TIME
    # One second more, for the start of Python.
    _limit(resource.RLIMIT_CPU, 1 + pieces * limits.max_parser_seconds)


def _limit(what: int, most: int) -> None:
    """Set a limit of the operating system, unless a lower hard limit applies already."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _receive() -> bytes:
    (size,) = messages.INPUT.unpack(_read_exactly(messages.INPUT.size))
    if size == messages.SOURCE_FAILED:
        raise _SourceError("the source failed")
    return _read_exactly(size)


def _read_exactly(size: int) -> bytes:
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        # The parent has ended.
        os._exit(1)
    return data


def _send(kind: bytes, size: int, body: bytes = b"") -> None:
    sys.stdout.buffer.write(messages.ANSWER.pack(kind, size) + body)
    sys.stdout.buffer.flush()

"""Reading batches: columns of numbers, of every encoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.batch_reader import BatchReader, BatchSource, ChosenBatches
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.core.patch_decoder import PatchFrameDecoder
from jelly_rdflib.core.source import open_source
from jelly_rdflib.core.statement_decoder import StatementFrameDecoder
from jelly_rdflib.encodings import (
    Encoding,
    find_encoding,
    find_encoding_of_changes,
    guess_by_name,
    guess_by_start,
)
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.encodings.jelly_patch import JELLY_PATCH
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits

__all__ = ["look_at_batches", "open_patch_batches", "read_batches"]


def read_batches(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = False,
    strict: bool = True,
    format: str | None = None,
) -> BatchSource:
    """Iterate over the batches of a stream of changes or of Jelly-RDF: one for each frame.

    A batch has the operations as columns of numbers, and a table with each distinct term once:
    what is fast, and what Arrow and numpy take without a copy. If the end of the input ends a
    patch, a last batch says so. Of a text some hundred rows are a batch. In Jelly-RDF a statement
    is an `Op.A`, a namespace declaration an `Op.PA`.

    Args:
        source: As for `read_operations`.
        limits: As for `read_operations`.
        normalize: As for `read_operations`, but False by default. It concerns only the nodes that
            ``batch.terms`` makes on request.
        strict: As for `jelly_rdflib.read_statements`; for changes it means nothing.
        format: As for `read_operations`, and ``"jelly-rdf"``.

    Returns:
        An iterator of `Batch`.

    Raises:
        DecodeError, LimitError, TypeError, OSError: As for `read_operations`.

    Examples:
        >>> from rdflib import Literal, URIRef
        >>> from jelly_rdflib import Op, PatchEncoder
        >>> frame = PatchEncoder().encode_frame(
        ...     [(Op.A, URIRef("urn:s"), URIRef("urn:p"), Literal("o"), None)]
        ... )
        >>> batch = next(read_batches(frame))
        >>> [Op(code).name for code in batch.ops]
        ['A']
        >>> batch.terms[batch.o[0]]
        rdflib.term.Literal('o')
    """
    factory = make_node_factory(normalize)
    encoding = None if format is None else find_encoding(format)
    return _open(source, factory, limits or Limits(), encoding, _read_either(strict=strict))


def look_at_batches(source: Any, *, limits: Limits | None, format: str | None) -> BatchSource:
    """Read batches as `read_batches` does, before they are read in earnest: without warnings."""
    encoding = None if format is None else find_encoding(format)
    read_jelly = _read_either(strict=False, is_quiet=True)
    return _open(source, make_node_factory(False), limits or Limits(), encoding, read_jelly)


def open_patch_batches(
    source: Any, factory: NodeFactory, limits: Limits, format: str | None
) -> BatchSource:
    """Open a source of changes as batches; arguments as for `jelly_rdflib.read_operations`."""
    encoding = None if format is None else find_encoding_of_changes(format)
    return _open(source, factory, limits, encoding, JELLY_PATCH.open_batches)


_OpenBatches = Callable[[Any, NodeFactory, Limits], BatchSource]


def _read_either(*, strict: bool, is_quiet: bool = False) -> _OpenBatches:
    """Return what opens Jelly-Patch and Jelly-RDF, and tells them apart by their options."""

    def open_batches(source: Any, factory: NodeFactory, limits: Limits) -> BatchReader:
        statements = StatementFrameDecoder(factory, limits, strict=strict, is_quiet=is_quiet)
        return BatchReader(source, PatchFrameDecoder(factory, limits), limits, statements)

    return open_batches


def _open(
    source: Any,
    factory: NodeFactory,
    limits: Limits,
    encoding: Encoding | None,
    open_jelly: _OpenBatches,
) -> BatchSource:
    """Open a source as batches of an encoding: the one given, or the one it looks like."""

    def opener(encoding: Encoding) -> _OpenBatches:
        return open_jelly if encoding in (JELLY_PATCH, JELLY) else encoding.open_batches

    if encoding is None:
        encoding = guess_by_name(source)
    if encoding is not None:
        return opener(encoding)(source, factory, limits)
    opened = open_source(source)
    if isinstance(opened, memoryview):
        encoding = guess_by_start(bytes(opened[:64]))
        return opener(encoding)(source, factory, limits)

    def choose(start: bytes) -> Callable[[Any], BatchSource]:
        open_batches = opener(guess_by_start(start))
        return lambda source: open_batches(source, factory, limits)

    return ChosenBatches(opened, choose)

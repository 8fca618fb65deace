"""Reading batches: columns of numbers, of either format."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch_reader import BatchReader
from jelly_rdflib.core.patch_decoder import PatchFrameDecoder
from jelly_rdflib.core.statement_decoder import StatementFrameDecoder
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits

__all__ = ["look_at_batches", "read_batches"]


def read_batches(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = False,
    strict: bool = True,
) -> BatchReader:
    """Iterate over the batches of a Jelly-Patch or Jelly-RDF stream: one for each frame.

    A batch has the operations as columns of numbers, and a table with each distinct term once:
    what is fast, and what Arrow and numpy take without a copy. If the end of the input ends a
    patch, a last batch says so. In Jelly-RDF a statement is an `Op.A`, a namespace declaration an
    `Op.PA`.

    Args:
        source: As for `read_operations`.
        limits: As for `read_operations`.
        normalize: As for `read_operations`, but False by default. It concerns only the nodes that
            ``batch.terms`` makes on request.
        strict: As for `jelly_rdflib.read_statements`; for Jelly-Patch it means nothing.

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
    return _read(source, limits, normalize, strict=strict)


def look_at_batches(source: Any, *, limits: Limits | None) -> BatchReader:
    """Read batches as `read_batches` does, before they are read in earnest: without warnings."""
    return _read(source, limits, False, strict=False, is_quiet=True)


def _read(
    source: Any,
    limits: Limits | None,
    normalize: bool | None,
    *,
    strict: bool,
    is_quiet: bool = False,
) -> BatchReader:
    limits = limits or Limits()
    factory = make_node_factory(normalize)
    return BatchReader(
        source,
        PatchFrameDecoder(factory, limits),
        limits,
        StatementFrameDecoder(factory, limits, strict=strict, is_quiet=is_quiet),
    )

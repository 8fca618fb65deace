"""Reading batches: columns of numbers, of every encoding."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.open_input import open_input
from jelly_rdflib.options import Limits, RepeatedOptions

__all__ = ["read_batches"]


def read_batches(
    source: Any,
    *,
    limits: Limits | None = None,
    normalize: bool | None = False,
    strict: bool = True,
    format: str | None = None,
    base: str | None = None,
    isolated: bool = False,
    on_repeated_options: RepeatedOptions = "continue",
) -> BatchSource:
    """Iterate over the batches of a stream of changes or of statements: one for each frame.

    A batch has the operations as columns of numbers, and a table with each distinct term once:
    what is fast, and what Arrow and numpy take without a copy. If the end of the input ends a
    patch, a last batch says so. Of a text some hundred rows are a batch. A statement is an `Op.A`,
    a namespace or prefix that is declared an `Op.PA`.

    Args:
        source: As for `read_operations`.
        limits: As for `read_operations`.
        normalize: As for `read_operations`, but False by default. It concerns only the nodes that
            ``batch.terms`` makes on request.
        strict: As for `jelly_rdflib.read_statements`; for changes it means nothing.
        format: As for `read_operations` and `jelly_rdflib.read_statements`.
        base: As for `jelly_rdflib.read_statements`.
        isolated: As for `jelly_rdflib.read_statements`.
        on_repeated_options: As for `jelly_rdflib.PatchDecoder`.

    Returns:
        An iterator of `Batch`.

    Raises:
        DecodeError, LimitError, TypeError, OSError: As for `read_operations`.
        ImportError, ValueError, NotImplementedError: As for `jelly_rdflib.read_statements`.

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
    return open_input(
        source,
        limits=limits,
        normalize=normalize,
        strict=strict,
        format=format,
        base=base,
        isolated=isolated,
        on_repeated_options=on_repeated_options,
    ).batches()

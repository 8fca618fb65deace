"""Batches of any source: a stream, a graph or a dataset."""

from __future__ import annotations

from typing import Any

from rdflib.graph import Graph

from jelly_rdflib.core.batch import BatchSource
from jelly_rdflib.graph.stores.contents import Contents
from jelly_rdflib.options import Directions, Limits, RepeatedOptions
from jelly_rdflib.streams.open_input import open_input
from jelly_rdflib.types import ChangeFormat, Readable, StatementFormat


def read_batches(
    source: Readable | Graph,
    *,
    limits: Limits | None = None,
    normalize: bool | None = False,
    strict: bool = True,
    format: ChangeFormat | StatementFormat | None = None,
    base: str | None = None,
    isolated: bool = False,
    generalized: bool = False,
    directions: Directions = "keep",
    on_repeated_options: RepeatedOptions = "continue",
) -> BatchSource:
    """Iterate over the batches of a stream of changes or statements, or of a graph or dataset.

    A batch is one frame of a stream, or a few hundred rows of a text. It has the operations as
    columns of numbers, and a table with each distinct term once: this is fast, and Arrow and numpy
    use it without a copy. A statement is an `Op.A`, a declared namespace or prefix is an `Op.PA`.
    If the input ends a patch without an `Op.END`, the last batch has one.

    The batches of a graph or dataset have its statements, sorted by graph, subject, predicate and
    object. For a `JellyStore` they show its state at the call, and no node is made. Any other store
    is read while you iterate, so do not change it until you are done.

    Args:
        source: Bytes, a path or a binary file; or a Graph or Dataset, for which all other arguments
            must be left out.
        limits: The limits for the input; by default `jelly_rdflib.Limits()`.
        normalize: Whether literals get the normal form of their value; see
            `jelly_rdflib.read_operations`. False by default. It affects only the nodes that
            ``batch.terms`` makes on request.
        strict: Whether to refuse a stream whose logical type does not fit its physical type; see
            `jelly_rdflib.read_statements`. It has no effect on a stream of changes.
        format: The name of the format, an extension or a media type; see
            `jelly_rdflib.read_operations` and `jelly_rdflib.read_statements`.
        base: The IRI for resolving relative IRIs of a text.
        isolated: Whether to parse a text in a child process; see `jelly_rdflib.read_statements`.
        generalized: Whether N-Triples and N-Quads may have any term in any position; see
            `jelly_rdflib.read_statements`.
        directions: Whether to keep the base directions of literals or to drop them; see
            `jelly_rdflib.read_statements`.
        on_repeated_options: How to handle a frame that repeats the options; see
            `jelly_rdflib.PatchDecoder`.

    Returns:
        An iterator of `Batch`.

    Raises:
        DecodeError: The input breaks a rule of the format.
        LimitError: The input exceeds ``limits``.
        TypeError: ``source`` has the wrong type.
        LookupError: The format is unknown.
        OSError: The path can't be opened or read.
        ImportError: The format needs a package that is missing; the message names the extra.
        ValueError: An argument is incompatible with the others; see `jelly_rdflib.read_statements`.
        NotImplementedError: ``isolated`` is not possible here; see `jelly_rdflib.read_statements`.
        ValueError: Other arguments are given for a graph or dataset.
        PatchError: The store of a graph is not open.

    See Also:
        - `read_operations` and `read_statements`: the same as tuples.

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
    settings: dict[str, Any] = {
        "limits": limits,
        "normalize": normalize,
        "strict": strict,
        "format": format,
        "base": base,
        "isolated": isolated,
        "generalized": generalized,
        "directions": directions,
        "on_repeated_options": on_repeated_options,
    }
    if not isinstance(source, Graph):
        return open_input(source, **settings).batches()
    given = [name for name, value in settings.items() if value != _DEFAULTS[name]]
    if given:
        raise ValueError(f"{given[0]} can't be given with a graph")
    return Contents(source).batches()


_DEFAULTS: dict[str, Any] = read_batches.__kwdefaults__ or {}

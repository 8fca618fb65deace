"""Reading batches: columns of numbers, of every encoding."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jelly_rdflib.core.batch_reader import BatchReader
from jelly_rdflib.core.batch_source import BatchSource, ChosenBatches
from jelly_rdflib.core.input_start import look_at_start
from jelly_rdflib.core.nodes import NodeFactory
from jelly_rdflib.core.patch_decoder import PatchFrameDecoder
from jelly_rdflib.core.source import open_source
from jelly_rdflib.core.statement_decoder import StatementFrameDecoder
from jelly_rdflib.encodings import (
    Encoding,
    check_kind,
    find_encoding,
    find_encoding_of_changes,
    find_encoding_of_statements,
    guess_by_name,
    guess_by_start,
)
from jelly_rdflib.encodings.jelly import JELLY
from jelly_rdflib.encodings.jelly_patch import JELLY_PATCH
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, RepeatedOptions

__all__ = ["look_at_batches", "open_patch_batches", "open_statement_batches", "read_batches"]


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
    return _open(
        source,
        None if format is None else find_encoding(format),
        None,
        make_node_factory(normalize, limits),
        limits or Limits(),
        _read_either(strict=strict, on_repeated_options=on_repeated_options),
        strict=strict,
        base=base,
        isolated=isolated,
    )


def look_at_batches(source: Any, *, limits: Limits | None, format: str | None) -> BatchSource:
    """Read batches as `read_batches` does, before they are read in earnest: without warnings."""
    return _open(
        source,
        None if format is None else find_encoding(format),
        None,
        make_node_factory(False, limits),
        limits or Limits(),
        _read_either(strict=False, is_quiet=True),
    )


def open_patch_batches(
    source: Any,
    factory: NodeFactory,
    limits: Limits,
    format: str | None,
    *,
    on_repeated_options: RepeatedOptions = "continue",
) -> BatchSource:
    """Open a source of changes as batches; arguments as for `jelly_rdflib.read_operations`."""
    encoding = None if format is None else find_encoding_of_changes(format)
    open_jelly = functools.partial(
        JELLY_PATCH.open_batches, on_repeated_options=on_repeated_options
    )
    return _open(source, encoding, True, factory, limits, open_jelly)


def open_statement_batches(
    source: Any,
    factory: NodeFactory,
    limits: Limits,
    format: str | None,
    *,
    strict: bool,
    base: str | None,
    isolated: bool = False,
    on_repeated_options: RepeatedOptions = "continue",
) -> BatchSource:
    """Open a source of statements as batches; arguments as for `jelly_rdflib.read_statements`."""
    encoding = None if format is None else find_encoding_of_statements(format)
    open_jelly = functools.partial(
        JELLY.open_batches, strict=strict, on_repeated_options=on_repeated_options
    )
    return _open(
        source,
        encoding,
        False,
        factory,
        limits,
        open_jelly,
        strict=strict,
        base=base,
        isolated=isolated,
    )


_OpenBatches = Callable[[Any, NodeFactory, Limits], BatchSource]


def _read_either(
    *, strict: bool, is_quiet: bool = False, on_repeated_options: RepeatedOptions = "continue"
) -> _OpenBatches:
    """Return what opens Jelly-Patch and Jelly-RDF, and tells them apart by their options."""

    def open_batches(source: Any, factory: NodeFactory, limits: Limits) -> BatchReader:
        statements = StatementFrameDecoder(
            factory,
            limits,
            strict=strict,
            is_quiet=is_quiet,
            on_repeated_options=on_repeated_options,
        )
        patches = PatchFrameDecoder(factory, limits, on_repeated_options=on_repeated_options)
        return BatchReader(source, patches, limits, statements)

    return open_batches


def _open(
    source: Any,
    encoding: Encoding | None,
    holds_changes: bool | None,
    factory: NodeFactory,
    limits: Limits,
    open_jelly: _OpenBatches,
    *,
    strict: bool = True,
    base: str | None = None,
    isolated: bool = False,
) -> BatchSource:
    """Open a source as batches of an encoding: the one given, or the one it looks like.

    Args:
        source: The source.
        encoding: The encoding, if it is known.
        holds_changes: Whether only encodings of changes will do, or of statements; None for any.
        factory: Makes the nodes of the batches.
        limits: What to accept.
        open_jelly: Opens Jelly of either kind.
        strict: For encodings of statements.
        base: For those that have one.
        isolated: For those that another library parses.
    """

    def opener(encoding: Encoding) -> _OpenBatches:
        if base is not None and not encoding.has_base:
            raise ValueError(f"a base is given, but {encoding.name} has no relative IRIs")
        if encoding in (JELLY_PATCH, JELLY):
            return open_jelly
        if encoding.holds_changes:
            return encoding.open_batches
        options = {"base": base} if encoding.has_base else {}
        return functools.partial(encoding.open_batches, strict=strict, isolated=isolated, **options)

    if encoding is None:
        encoding = guess_by_name(source)
        # Jelly tells its kind by itself, whatever its name says.
        if encoding not in (None, JELLY_PATCH, JELLY) and holds_changes is not None:
            check_kind(encoding, holds_changes=holds_changes)
    if encoding is not None:
        return opener(encoding)(source, factory, limits)
    opened = open_source(source, limits)
    if isinstance(opened, memoryview):
        encoding = guess_by_start(look_at_start(opened)[0], holds_changes=holds_changes)
        return opener(encoding)(source, factory, limits)

    def choose(start: bytes) -> Callable[[Any], BatchSource]:
        open_batches = opener(guess_by_start(start, holds_changes=holds_changes))
        return lambda source: open_batches(source, factory, limits)

    return ChosenBatches(opened, choose)

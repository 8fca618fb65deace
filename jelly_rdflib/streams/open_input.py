"""The one place where an input is opened, and is told what it is."""

from __future__ import annotations

from typing import Any

from jelly_rdflib.core.batch import BatchSource, LateBatches, OperationReader
from jelly_rdflib.core.input_start import look_at_start
from jelly_rdflib.core.source import ByteSource, Meter, open_source
from jelly_rdflib.errors import DecodeError
from jelly_rdflib.formats import (
    Encoding,
    check_kind,
    find_encoding,
    guess_by_name,
    guess_by_start,
)
from jelly_rdflib.formats.reading import Reading
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, RepeatedOptions


class Input:
    """An open input.

    Args:
        source: What `jelly_rdflib.core.source.open_source` returned.
        encoding: What it is; None if its first bytes say.
        reading: How it is read.

    Attributes:
        source: Its bytes, none of which is gone as long as there are no batches.
        encoding: What it is; None before anything says it. Jelly may turn out to be the other.
    """

    def __init__(
        self, source: memoryview | ByteSource, encoding: Encoding | None, reading: Reading
    ) -> None:
        self.source = source
        self.encoding = encoding
        self._reading = reading

    def look(self) -> Encoding:
        """Look at the first bytes, if nothing else says what it is; return what it is.

        Raises:
            DecodeError: The bytes can't be unpacked.
            UntoldEncodingError: They may be of more than one syntax of RDF.
        """
        if self.encoding is None:
            start, self.source = look_at_start(self.source)
            self.encoding = guess_by_start(start, holds_changes=self._reading.holds_changes)
        return self.encoding

    def open(self) -> BatchSource:
        """Return the batches, once; `look` comes first, and its errors.

        Raises:
            ValueError: There is a base, and the encoding has none; or it is no absolute IRI.
            ImportError, NotImplementedError: As by `jelly_rdflib.read_statements`.
        """
        try:
            encoding = self.look()
            if self._reading.base is not None and not encoding.has_base:
                raise ValueError(f"a base is given, but {encoding.name} has no relative IRIs")
            return encoding.open_batches(self.source, self._reading)
        except BaseException:
            self.close()
            raise

    def batches(self) -> BatchSource:
        """Return the batches, once, without waiting for a live source.

        If its first bytes are to say what it is, they are asked for with the first batch, and that
        raises what `open` would.
        """
        is_told = self.encoding is not None or isinstance(self.source, memoryview)
        return self.open() if is_told else LateBatches(self)

    def operations(self, *, is_held: bool = False) -> OperationReader:
        """Return the operations, once; as for `batches`.

        Args:
            is_held: Whether what a transaction has is kept until it ends: ``max_held_operations``
                is for that.
        """
        return OperationReader(self.batches(), limits=self._reading.limits if is_held else None)

    def close(self) -> None:
        """Close the file, if it was opened here and there are no batches to close."""
        if isinstance(self.source, ByteSource):
            self.source.close()


def open_input(
    source: Any,
    *,
    format: str | None = None,
    holds_changes: bool | None = None,
    is_exact: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = False,
    strict: bool = True,
    is_quiet: bool = False,
    base: str | None = None,
    isolated: bool = False,
    on_repeated_options: RepeatedOptions = "continue",
    faults: list[DecodeError] | None = None,
    meter: Meter | None = None,
) -> Input:
    """Open a source as an input of an encoding: the one that is named, or the one it looks like.

    Args:
        source: As for `jelly_rdflib.read_operations`.
        format: A name of its encoding. None: what a path's name says, else the first bytes.
        holds_changes: Whether it must be changes, or statements; None for either.
        is_exact: Whether Jelly-Patch that is called so, by ``format`` or by its name, must not be
            Jelly-RDF, or the other way round.
        limits: What to accept; by default `Limits`' own defaults.
        normalize: As for `jelly_rdflib.read_operations`.
        strict, is_quiet, base, isolated, on_repeated_options, faults: As for `Reading`.
        meter: Is told what is read of the source, as it is stored.

    Raises:
        LookupError: There is no such format, or it is not for changes, or statements, as is wanted.
        TypeError: ``source`` is of another kind.
        OSError: The path can't be opened.

    Examples:
        >>> input = open_input(b"TX . TC .")
        >>> input.look().name
        'rdf-patch'
        >>> [len(batch) for batch in input.batches()]
        [2, 1]
    """
    encoding = guess_by_name(source) if format is None else find_encoding(format)
    if encoding is not None:
        if is_exact:
            holds_changes = encoding.holds_changes
        # What tells its kind by itself does so whatever a path's name says.
        if holds_changes is not None and (format is not None or not encoding.tells_kind):
            check_kind(encoding, holds_changes=holds_changes)
    limits = limits or Limits()
    reading = Reading(
        factory=make_node_factory(normalize, limits),
        limits=limits,
        holds_changes=holds_changes,
        strict=strict,
        is_quiet=is_quiet,
        base=base,
        isolated=isolated,
        on_repeated_options=on_repeated_options,
        faults=faults,
    )
    return Input(open_source(source, limits, meter), encoding, reading)

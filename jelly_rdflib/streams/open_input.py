"""Opens inputs, finds their formats, and closes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from jelly_rdflib.core.batch import (
    BatchSource,
    LateBatches,
    OperationReader,
)
from jelly_rdflib.core.input_start import look_at_start
from jelly_rdflib.core.source import ByteSource, Meter, open_source
from jelly_rdflib.errors import ApplyError, DecodeError
from jelly_rdflib.formats import Format, check_kind, find_format, guess_by_name, guess_by_start
from jelly_rdflib.formats.format import Reading
from jelly_rdflib.nodes import make_node_factory
from jelly_rdflib.options import Limits, as_limits
from jelly_rdflib.streams.sources import OpenedElsewhere, is_readable, name_of

_DIFF = "diff(before, file) makes a patch, where before may be a file, a Dataset or log.checkout()"


@dataclass(eq=False)
class Input:
    """An open source and its format, which is None until the first bytes have shown it.

    ``name`` is the path or address of the source, for error messages.

    Input that is opened as Jelly-RDF may turn out to be Jelly-Patch, or vice versa. Until the
    batches are opened, ``source`` has all the bytes.
    """

    source: memoryview | ByteSource
    format: Format | None
    reading: Reading
    name: str | None = None

    def look(self) -> Format:
        """Return the format; look at the first bytes if the format is not known yet."""
        if self.format is None:
            start, self.source = look_at_start(self.source)
            try:
                self.format = guess_by_start(start, holds_changes=self.reading.holds_changes)
            except DecodeError as error:
                self.close()
                error.source = self.name
                raise
        return self.format

    def open(self) -> BatchSource:
        """Open and return the batches; call this once.

        This raises the errors of `look` and `read_statements`.
        """
        try:
            format = self.look()
            if self.reading.base is not None and not format.parser:
                raise ValueError(f"a base is given, but {format.name} has no relative IRIs")
            batches = format.open_batches(format, self.source, self.reading)
            batches.name = self.name
            return batches
        except BaseException as error:
            self.close()
            if isinstance(error, DecodeError) and error.source is None:
                error.source = self.name
            raise

    def batches(self) -> BatchSource:
        """Return the batches without waiting for a live source; call this once.

        If the format depends on the first bytes, they are read for the first batch, and the errors
        of `open` are raised then.
        """
        is_told = self.format is not None or isinstance(self.source, memoryview)
        return self.open() if is_told else LateBatches(self)

    def operations(self, *, is_held: bool = False) -> OperationReader:
        """Return the operations without waiting, as `batches` does; call this once.

        Args:
            is_held: Whether the operations of a transaction are kept in memory until it ends. If
                so, ``max_held_operations`` bounds their number.
        """
        return OperationReader(self.batches(), limits=self.reading.limits if is_held else None)

    def close(self) -> None:
        """Close the file if `open_input` opened it; after `open`, the batches close it instead."""
        if isinstance(self.source, ByteSource):
            self.source.close()


def open_input(
    source: Any,
    *,
    name: str | None = None,
    format: str | None = None,
    holds_changes: bool | None = None,
    is_exact: bool = False,
    limits: Limits | None = None,
    normalize: bool | None = False,
    keeps_directions: bool = False,
    meter: Meter | None = None,
    **settings: Any,
) -> Input:
    """Open a source as an input; raises the errors of `jelly_rdflib.read_operations`.

    Args:
        source, normalize: As for `jelly_rdflib.read_operations`.
        keeps_directions: As for `make_node_factory`.
        name: The path of the source, if ``source`` is not a path itself.
        format: The name of the format. None: the path's extension decides, or else the first bytes.
        is_exact: Whether to refuse Jelly-RDF if ``format`` or the path is for Jelly-Patch, and vice
            versa.
        meter: Counts the bytes that are read from the source, before decompression.
        limits, holds_changes: As for `Reading`.
        settings: Further settings of a `Reading`.
    """
    found = guess_by_name(name or source) if format is None else find_format(format)
    if found is not None:
        if is_exact:
            holds_changes = found.holds_changes
        # For Jelly the first bytes decide, not the path's extension.
        is_told = format is not None or found.is_text or found.options_type is None
        if holds_changes is not None and is_told:
            advice = _DIFF if holds_changes else "apply() them to a Dataset"
            check_kind(found, advice, holds_changes=holds_changes)
    limits = as_limits(limits)
    factory = make_node_factory(normalize, limits, keeps_directions=keeps_directions)
    reading = Reading(factory=factory, limits=limits, holds_changes=holds_changes, **settings)
    name = name_of(source) if name is None else name
    return Input(open_source(source, limits, meter), found, reading, name)


def open_read(source: Any, *, normalize: bool | None = None, **reading: Any) -> BatchSource | None:
    """Open a source of changes; return None if it has operations instead of bytes."""
    if isinstance(source, OpenedElsewhere):
        opened: BatchSource = source.open()
        return opened
    if not is_readable(source):
        return None
    return open_input(source, holds_changes=True, normalize=normalize, **reading).batches()


@contextmanager
def closing_reader(opened: Any, *, is_ahead: bool = False) -> Iterator[None]:
    """Close a reader after the block, and add its position in the input to an error of the block.

    An iterator of the caller is not closed. With ``is_ahead`` the reader has already read past the
    operation that an ApplyError is about: that error gets the source's name, but no position.
    """
    if not isinstance(opened, OperationReader | BatchSource):
        yield
        return
    with closing(opened):
        try:
            yield
        except (ApplyError, DecodeError) as error:
            if error.offset is None:
                opened.place_error(error)
                if is_ahead and isinstance(error, ApplyError):
                    error.offset = error.frame = error.line = error.row = None
            raise

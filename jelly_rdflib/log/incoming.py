"""A patch to append, from batches, from operations or from a source that is read."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from itertools import chain
from typing import IO, Any

from rdflib.graph import Graph
from rdflib.term import Node, URIRef

from jelly_rdflib.algebra.headers import HeaderRoom, header_rows
from jelly_rdflib.algebra.sources import (
    cut_patches,
    ends_patch,
    is_held,
    open_rows,
    rows_of_patch,
)
from jelly_rdflib.core.batch import Batch, BatchSlice, BatchSource
from jelly_rdflib.core.input_start import is_delimited
from jelly_rdflib.errors import LogError
from jelly_rdflib.headers import ID, PREV, PREVIOUS
from jelly_rdflib.log.files import Place, segment_options, write_segment
from jelly_rdflib.log.names import make_patch_id, parse_patch_id
from jelly_rdflib.operations import Header, Op
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.open_input import closing_reader, open_read
from jelly_rdflib.types import ChangeFormat


class UnfitPatch(LogError):
    """The input to append is not exactly one patch, or has headers that no log accepts."""


# Patches with fewer operations get small lookups, since a reader of a segment allocates lookups of
# the sizes in its options.
_FEW_OPERATIONS = 100


def default_options(patch: Any) -> PatchOptions:
    """Return options for a patch: with small lookups if it is known to be short."""
    if isinstance(patch, list | tuple | Patch) and len(patch) <= _FEW_OPERATIONS:
        return PatchOptions.small()
    return PatchOptions()


class IncomingPatch:
    """The rows of one patch, whose first headers have been read; it gets an id if it lacks one.

    The first headers and the keys of later ones are kept until the patch is written. They may take
    ``limits.max_text_size`` bytes; ``limits`` is None if they are in memory anyway. ``opened`` is
    the open reader of a source, which must have a patch. ``stored`` is the source's file if it can
    be copied into the log: delimited Jelly-Patch frames that nobody else changes. ``added`` are
    headers that follow the patch's own.
    """

    def __init__(
        self,
        patch: Any,
        limits: Limits | None,
        opened: BatchSource | None,
        stored: Any,
        added: list[Header],
    ) -> None:
        self.is_in_memory = limits is None
        self._rows = cut_patches(open_rows(patch, opened, rows_of_patch))
        self._opened, self._stored = opened, stored
        self._place: dict[str, URIRef] = {}
        # The first headers without those of the place, and all headers of the first batch.
        self._headers: list[Header] = []
        self._first: list[Header] = []
        self._spellings: dict[str, str] = {}
        self._room = None if limits is None else HeaderRoom(limits)
        for header in chain(self._take_headers(), added):
            _, spelled, value = header
            key = spelled.lower()
            if key not in (ID, PREV):
                self._check_spelling(key, spelled)
                if self._room is not None:
                    self._room.reserve(spelled, value)
                self._headers.append(header)
            elif key in self._place:
                raise UnfitPatch(f"the patch has more than one header {key}")
            else:
                self._place[key] = parse_patch_id(value)
        self.options: PatchOptions | None = None if opened is None else opened.options
        # Without a header "prev", the header "previous" means the same.
        self._has_prev = PREV in self._place
        if not self._has_prev:
            found = [header for header in self._headers if header[1].lower() == PREVIOUS]
            if len(found) > 1:
                raise UnfitPatch(f"the patch has more than one header {PREVIOUS}")
            for header in found:
                self._place[PREV] = parse_patch_id(header[2])
                self._headers.remove(header)
        self.id, self.prev = self._place.get(ID) or make_patch_id(), self._place.get(PREV)

    def _take_headers(self) -> Iterator[Header]:
        """Yield the headers before the first row of another kind."""
        for number, part in enumerate(self._rows):
            others = bytes(part.batch.ops[part.start : part.stop]).lstrip(bytes([Op.H]))
            row = part.stop - len(others)
            headers = BatchSlice(part.batch, part.start, row).headers()
            self._first = headers if number == 0 else self._first
            yield from headers
            if others:
                self._rows = chain([BatchSlice(part.batch, row, part.stop)], self._rows)
                return
        if self._opened is not None and not (self._place or self._headers):
            raise UnfitPatch("there is no patch to append: the input has none")

    def _check_spelling(self, key: str, spelled: str) -> None:
        if self._spellings.setdefault(key, spelled) != spelled:
            raise UnfitPatch(
                f"the patch has headers {self._spellings[key]!r} and {spelled!r}: to Jena, keys"
                " that differ only in case are the same, so it can't read both"
            )

    def _check_header(self, header: Header) -> None:
        """Check the key of a header after the first ones, and the memory that all keys use."""
        spelled = header[1]
        key = spelled.lower()
        if key in (ID, PREV) or (key == PREVIOUS and not self._has_prev):
            raise UnfitPatch(
                f"headers {ID} and {PREV} must be the first rows of a patch, and occur only once:"
                f" {spelled!r} comes later"
            )
        if key not in self._spellings and self._room is not None:
            self._room.reserve(spelled, key)
        self._check_spelling(key, spelled)

    def _changes(self) -> Iterator[Batch]:
        """Yield the rows after the first headers, up to the END."""
        for part in self._rows:
            is_last = ends_patch(part)
            part = BatchSlice(part.batch, part.start, part.stop - is_last)
            for header in part.headers():
                self._check_header(header)
            yield part.as_batch()
            if is_last:
                return

    def write(self, sink: Any, place: Place, options: PatchOptions) -> bool:
        """Write the patch as a segment; return whether the segment has not been checked yet.

        If the source's bytes already are this segment, they are read as a check, and copied.
        """
        start = place.headers()
        is_fit = self.options == segment_options(options) and self._first[: len(start)] == start
        stored = self._stored if is_fit else None
        if stored is None:
            write_segment(sink, chain([self._headers], self._changes()), place, options)
        else:
            for _ in self._changes():
                pass
        if next(self._rows, None) is not None:
            raise UnfitPatch(
                "there is more than one patch; append them one by one:"
                " for patch in read_patches(source): log.append(patch)"
            )
        if stored is not None:
            stored.seek(0)
            shutil.copyfileobj(stored, sink)
            getattr(sink, "flush", bool)()  # as a writer does, so that zstd makes the same bytes
        return stored is None


@contextmanager
def open_incoming(
    patch: Any,
    limits: Limits,
    format: ChangeFormat | None,
    *,
    file: IO[bytes] | None = None,
    header: Mapping[str, Node | str] | None = None,
) -> Iterator[IncomingPatch]:
    """Open anything that `PatchLog.append` accepts; nobody but the caller may change ``file``."""
    file = BytesIO(patch) if type(patch) is bytes else file
    added = header_rows(header)
    stored = file if file is not None and not added and is_delimited(file) else None
    opened = open_read(patch, limits=limits, normalize=False, format=format)
    with closing_reader(opened):
        if opened is None and (not isinstance(patch, Iterable) or isinstance(patch, Graph)):
            raise TypeError(
                f"can't append {type(patch).__name__}: give a Patch, operations, bytes, a path or"
                " a binary file"
            )
        if opened is None and format is not None:
            raise ValueError("format is only for bytes, a path or a file, not for operations")
        yield IncomingPatch(patch, None if is_held(patch) else limits, opened, stored, added)

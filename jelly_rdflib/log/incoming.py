"""A patch to append: operations, or a source that is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import Any

from rdflib.graph import Graph
from rdflib.term import URIRef

from jelly_rdflib.algebra.headers import HeaderRoom
from jelly_rdflib.algebra.sources import is_held
from jelly_rdflib.errors import LimitError, LogError
from jelly_rdflib.headers import ID, PREV, PREVIOUS
from jelly_rdflib.log.names import make_patch_id, parse_patch_id
from jelly_rdflib.operations import Header, Op, Operation
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.reading import read_operations
from jelly_rdflib.streams.sources import is_readable
from jelly_rdflib.types import ChangeFormat, Readable


class UnfitPatch(LogError):
    """What is to be appended is not one patch, or has headers that no log takes."""


_END: Operation = (Op.END,)
# Marks the end of the operations: an iterator may yield None, which is an error.
_NOTHING: Any = object()
# Every reader of a segment allocates lookups of the sizes in its options.
_FEW_OPERATIONS = 100


def default_options(patch: Any) -> PatchOptions:
    """Return options for a patch: with small lookups if it is known to be short."""
    if isinstance(patch, list | tuple | Patch) and len(patch) <= _FEW_OPERATIONS:
        return PatchOptions.small()
    return PatchOptions()


class IncomingPatch:
    """The operations of one patch, whose first headers have been read; it gets an id if need be.

    ``max_text_size`` of ``limits`` limits the first headers and the keys of all others, which are
    kept until the patch is written and checked; ``limits`` is None if they are in memory anyway.
    ``place_error`` gives an error in the first headers its place in a source that is read. Such a
    source must have a patch. ``options`` are those of a source that has options.
    """

    options: PatchOptions | None = None

    def __init__(
        self,
        operations: Iterator[Operation],
        limits: Limits | None,
        place_error: Callable[[LimitError], None] | None = None,
    ) -> None:
        self.is_in_memory = limits is None
        self._place: dict[str, URIRef] = {}
        self._headers: list[Header] = []
        self._spellings: dict[str, str] = {}
        self._room = None if limits is None else HeaderRoom(limits)
        first: Any = next(operations, _NOTHING)
        if first is _NOTHING and place_error is not None:
            raise UnfitPatch("there is no patch to append: the input has none")
        # The writer reports anything that is no operation.
        while (
            isinstance(first, tuple)
            and len(first) == 3
            and first[0] == Op.H
            and isinstance(first[1], str)
        ):
            _, spelled, value = first
            key = spelled.lower()
            if key not in (ID, PREV):
                self._check_spelling(key, spelled)
                if self._room is not None:
                    self._room.take(spelled, value, place_error=place_error)
                self._headers.append(first)
            elif key in self._place:
                raise UnfitPatch(f"the patch has more than one header {key}")
            else:
                self._place[key] = parse_patch_id(value)
            first = next(operations, _NOTHING)
        # Without a prev, the header previous has its meaning.
        self._has_prev = PREV in self._place
        if not self._has_prev:
            found = [header for header in self._headers if header[1].lower() == PREVIOUS]
            if len(found) > 1:
                raise UnfitPatch(f"the patch has more than one header {PREVIOUS}")
            if found:
                self._place[PREV] = parse_patch_id(found[0][2])
                self._headers.remove(found[0])
        self.id, self.prev = self._place.get(ID) or make_patch_id(), self._place.get(PREV)
        self._rest = operations if first is _NOTHING else chain([first], operations)

    def _check_spelling(self, key: str, spelled: str) -> None:
        if self._spellings.setdefault(key, spelled) != spelled:
            raise UnfitPatch(
                f"the patch has headers {self._spellings[key]!r} and {spelled!r}: keys that"
                " differ in the case of their letters are one to Jena, which can't read both"
            )

    def check_header(self, header: Header) -> None:
        """Check a header after those of the place: its key, and the memory of all keys."""
        spelled = header[1]
        key = spelled.lower()
        if key in (ID, PREV) or (key == PREVIOUS and not self._has_prev):
            raise UnfitPatch(
                f"headers {ID} and {PREV} come before all else in a patch, and once:"
                f" {spelled!r} comes later"
            )
        if key not in self._spellings and self._room is not None:
            self._room.take(spelled, key)
        self._check_spelling(key, spelled)

    def operations(self) -> Iterator[Operation]:
        """Iterate over the operations up to the END, without the headers ``id`` and ``prev``."""
        return chain(self._headers, iter(self._rest.__next__, _END))

    def check_end(self) -> None:
        """Check, after all `operations` were taken, that no other patch follows."""
        if next(self._rest, _NOTHING) is not _NOTHING:
            raise UnfitPatch(
                "there is more than one patch; append them one by one:"
                " for patch in read_patches(source): log.append(patch)"
            )


@contextmanager
def open_incoming(
    patch: Readable | Iterable[Operation], limits: Limits, format: ChangeFormat | None
) -> Iterator[IncomingPatch]:
    """Open a patch: a source as for `jelly_rdflib.read_operations`, or operations."""
    if is_readable(patch):
        reader = read_operations(patch, limits=limits, normalize=False, format=format)
        with closing(reader):
            incoming = IncomingPatch(reader, limits, reader.place_error)
            incoming.options = reader.options
            yield incoming
    elif isinstance(patch, Iterable) and not isinstance(patch, Graph):
        if format is not None:
            raise ValueError("a format is for bytes, and operations are given")
        yield IncomingPatch(iter(patch), None if is_held(patch) else limits)
    else:
        raise TypeError(
            f"can't append a {type(patch).__name__}: give a Patch, operations, bytes, a path or a"
            " binary file"
        )

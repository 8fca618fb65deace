"""A patch that is to be appended, whatever it comes as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, TypeGuard

from rdflib.graph import Graph
from rdflib.term import URIRef

from jelly_rdflib.algebra.header_room import HeaderRoom
from jelly_rdflib.algebra.sources import is_held
from jelly_rdflib.errors import LimitError, LogError
from jelly_rdflib.headers import ID, PREV, PREVIOUS
from jelly_rdflib.log.names import parse_patch_id
from jelly_rdflib.operations import Op, Operation
from jelly_rdflib.options import Limits, PatchOptions
from jelly_rdflib.patch.patch import Patch
from jelly_rdflib.streams.reading import read_operations
from jelly_rdflib.streams.sources import is_readable

_END: Operation = (Op.END,)
# None is no operation, and not the end either.
_NOTHING: Any = object()
# Whoever reads a segment makes lookups as large as it asks for.
_FEW_OPERATIONS = 100


def default_options(patch: Any) -> PatchOptions:
    """Return options for a patch: with small lookups if it is seen to be short."""
    if isinstance(patch, list | tuple | Patch) and len(patch) <= _FEW_OPERATIONS:
        return PatchOptions.small()
    return PatchOptions()


class IncomingPatch:
    """The operations of one patch, of which the headers at its start have been read.

    Args:
        operations: They, with or without an `Op.END`.
        limits: ``max_text_size`` is for the headers at the start, and for the keys of all others:
            they are kept until the patch is written and checked. None if they are in memory anyway.
        place_error: Tells an error where in the input it is, while the headers at the start are
            read.
        must_be_there: Whether no operation at all, and no END, is no patch.

    Attributes:
        is_in_memory: Whether there are no limits, since all operations are in memory.
        id: The patch's id; None if it has none.
        prev: The id of the patch it is to follow; None if it does not say.

    Raises:
        LogError: There is no patch, or its ids are none.
        LimitError: The headers take more memory than they may.
    """

    def __init__(
        self,
        operations: Iterator[Operation],
        limits: Limits | None,
        *,
        must_be_there: bool,
        place_error: Callable[[LimitError], None] | None = None,
    ) -> None:
        self.is_in_memory = limits is None
        self.id: URIRef | None = None
        self.prev: URIRef | None = None
        self._headers: list[Operation] = []
        self._spellings: dict[str, str] = {}
        self._room = None if limits is None else HeaderRoom(limits)
        first = next(operations, _NOTHING)
        if first is _NOTHING and must_be_there:
            raise LogError("there is no patch to append: the input has none")
        while _is_header(first):
            self._take_header(first, place_error)
            first = next(operations, _NOTHING)
        # It counts where there is no prev; else it is a header like others.
        self._has_prev = self.prev is not None
        if not self._has_prev:
            self._take_previous()
        self._rest = operations if first is _NOTHING else chain([first], operations)

    def _take_header(
        self, header: Operation, place_error: Callable[[LimitError], None] | None
    ) -> None:
        _, spelled, value = header
        key = spelled.lower()
        if key not in (ID, PREV):
            self._check_spelling(key, spelled)
            if self._room is not None:
                self._room.take(spelled, value, place_error=place_error)
            self._headers.append(header)
        elif getattr(self, key) is not None:
            raise LogError(f"the patch has more than one header {key}")
        else:
            setattr(self, key, parse_patch_id(value))

    def _take_previous(self) -> None:
        found = [header for header in self._headers if header[1].lower() == PREVIOUS]
        if len(found) > 1:
            raise LogError(f"the patch has more than one header {PREVIOUS}")
        if found:
            self.prev = parse_patch_id(found[0][2])
            self._headers.remove(found[0])

    def _check_spelling(self, key: str, spelled: str) -> None:
        if self._spellings.setdefault(key, spelled) != spelled:
            raise LogError(
                f"the patch has headers {self._spellings[key]!r} and {spelled!r}: keys that"
                " differ in the case of their letters are one to Jena, which can't read both"
            )

    def check_header(self, header: Operation) -> None:
        """Check a header that was written after those of its place.

        Raises:
            LogError: It says a place too late, or its key was spelled in another way before.
            LimitError: The keys take more memory than they may.
        """
        spelled = header[1]
        key = spelled.lower()
        if key in (ID, PREV) or (key == PREVIOUS and not self._has_prev):
            raise LogError(
                f"headers {ID} and {PREV} come before all else in a patch, and once:"
                f" {spelled!r} comes later"
            )
        if key not in self._spellings and self._room is not None:
            self._room.take(spelled, key)
        self._check_spelling(key, spelled)

    def operations(self) -> Iterator[Operation]:
        """Iterate over the operations that are neither of the headers ``id`` and ``prev``."""
        # Up to the first END.
        return chain(self._headers, iter(self._rest.__next__, _END))

    def check_end(self) -> None:
        """Check, once the operations were taken, that nothing follows them.

        Raises:
            LogError: There is another patch.
        """
        if next(self._rest, _NOTHING) is not _NOTHING:
            raise LogError(
                "there is more than one patch; append them one by one:"
                " for patch in read_patches(source): log.append(patch)"
            )


def _is_header(operation: Any) -> TypeGuard[Operation]:
    """Is this a header? What is no operation at all, whoever writes it will tell."""
    return (
        isinstance(operation, tuple)
        and len(operation) == 3
        and operation[0] == Op.H
        and isinstance(operation[1], str)
    )


@contextmanager
def open_incoming(patch: Any, limits: Limits, format: str | None) -> Iterator[IncomingPatch]:
    """Hold a patch open.

    Args:
        patch: What `jelly_rdflib.read_operations` takes, or operations.
        limits: What to accept of what is read.
        format: What it is, as for `jelly_rdflib.read_operations`.

    Raises:
        TypeError: ``patch`` is neither.
        ValueError: ``format`` is given for operations.
    """
    if is_readable(patch):
        reader = read_operations(patch, limits=limits, normalize=False, format=format)
        try:
            yield IncomingPatch(reader, limits, must_be_there=True, place_error=reader.place_error)
        finally:
            reader.close()
    elif isinstance(patch, Iterable) and not isinstance(patch, Graph):
        if format is not None:
            raise ValueError("a format is for bytes, and operations are given")
        kept_limits = None if is_held(patch) else limits
        yield IncomingPatch(iter(patch), kept_limits, must_be_there=False)
    else:
        raise TypeError(
            f"can't append a {type(patch).__name__}: give a Patch, operations, bytes, a path or a"
            " binary file"
        )

"""Following a source of patches that come live."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol

from jelly_rdflib.patch.patch import Patch

# The seconds without a patch after which is looked whether anything is due.
_INTERVAL = 0.25


class PatchSource(Protocol):
    """A source of patches that come live, see `jelly_rdflib.live.Source`."""

    @property
    def position(self) -> str | None:
        """The place after the last patch."""

    @property
    def version(self) -> int | None:
        """The version that the last patch makes, if the source is a patch log."""

    @property
    def must_be_acknowledged(self) -> bool:
        """Whether no more patches will come soon, before `acknowledge` is called."""
        ...

    def resume(self, position: str) -> None:
        """Go on from a position."""

    def acknowledge(self) -> None:
        """Say that all patches so far have been kept."""

    def listen(self, interval: float) -> Iterator[Patch | None]:
        """Yield patches, and None after an interval in seconds without one."""
        ...


def follow(
    source: PatchSource,
    take: Callable[[Patch], object],
    store: Callable[[], object],
    *,
    store_every: float,
) -> None:
    """Take the patches of a source as they come, until it ends.

    Args:
        source: The source.
        take: Called with each patch. It takes it wholly, or raises an error and has none of it.
        store: Called when something was taken: from time to time, at the end, and after an error.
            Patches are acknowledged after that.
        store_every: The seconds between two calls of ``store``, or more; less if the source asks
            for it.
    """
    is_stored, last = True, time.monotonic()
    try:
        for patch in source.listen(_INTERVAL):
            if patch is not None:
                take(patch)
                is_stored = False
            is_due = time.monotonic() >= last + store_every or source.must_be_acknowledged
            if is_due:
                if not is_stored:
                    try:
                        store()
                    except Exception:
                        # Below it would only fail again.
                        is_stored = True
                        raise
                    is_stored, last = True, time.monotonic()
                # Also without a patch: messages that were left out count as kept.
                source.acknowledge()
    except BaseException:
        # Not acknowledged: after an interrupt the last patch may not have been taken.
        if not is_stored:
            store()
        raise
    if not is_stored:
        store()
    source.acknowledge()

"""Following a source of patches that come live."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jelly_rdflib.errors import ApplyError
from jelly_rdflib.graph.apply import apply
from jelly_rdflib.headers import SQUASHED
from jelly_rdflib.patch.committed import committed
from jelly_rdflib.patch.patch import Patch

if TYPE_CHECKING:
    from jelly_rdflib.log.source import Source

# The seconds without a patch after which is looked whether anything is due.
_INTERVAL = 0.25


def follow(
    source: Source,
    take: Callable[[Patch], object],
    store: Callable[[], object],
    *,
    store_every: float,
) -> None:
    """Take the patches of a source as they come, until it ends.

    Args:
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
            if time.monotonic() >= last + store_every or source.must_be_acknowledged:
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
    finally:
        if not is_stored:
            store()
    # Not after an interrupt: the last patch may not have been taken.
    source.acknowledge()


def check_positions(source: Source) -> None:
    """Check that a source can go on from a position: if not, a ValueError says so."""
    if not source.has_positions:
        raise ValueError(f"{source.url}: without positions, each patch can't be taken once")


def follow_into(
    target: Any,
    source: Source,
    taken: Callable[[Patch], object],
    store: Callable[[], object],
    *,
    store_every: float,
    strict: bool = False,
) -> None:
    """Apply the patches of a source as `follow` takes them, each wholly or not at all.

    Args:
        target: A graph or dataset, or the address of one: see `jelly_rdflib.apply`.
        taken: Called with each patch after it was applied.
        store: Stores the target, and the position of the source at the last patch ``taken``, both
            or none; with a LogConflict, if others have stored something since.
        strict: Refuse a patch with an operation that changes nothing, unless it was squashed: such
            a one also deletes what came and went in between.
    """
    check_positions(source)

    def take(patch: Patch) -> None:
        is_checked = strict and SQUASHED not in patch.header
        # A strict one is whole in any case, and its error has a place in it.
        try:
            apply(patch if is_checked else committed(patch), target, strict=is_checked)
        except ApplyError as error:
            error.source = f"{source.url}: the patch at {source.position}"
            raise
        taken(patch)

    follow(source, take, store, store_every=store_every)

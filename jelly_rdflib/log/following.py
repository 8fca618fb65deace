"""Takes the patches of a live source, and stores their effect."""

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

# The seconds without a patch after which to check whether something must be stored.
_INTERVAL = 0.25


def follow(
    source: Source,
    take: Callable[[Patch], object],
    store: Callable[[], object],
    *,
    store_every: float,
) -> None:
    """Take the patches of a source as they arrive, until the source ends.

    Args:
        take: Called with each patch. It processes the whole patch, or raises an error and changes
            nothing.
        store: Called from time to time, at the end and after an error, if a patch was taken since
            the last call. Afterwards the patches are acknowledged.
        store_every: The minimum number of seconds between two calls of ``store``, unless the
            source asks for an earlier call.
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
                        # Keep `finally` from calling `store` again, which would only fail again.
                        is_stored = True
                        raise
                    is_stored, last = True, time.monotonic()
                # Do this even if no patch was taken: skipped messages are acknowledged, too.
                source.acknowledge()
    finally:
        if not is_stored:
            store()
    # This is not in `finally`: after an interrupt the last patch may not have been taken.
    source.acknowledge()


def check_positions(source: Source) -> None:
    """Raise a ValueError if a source can't resume from a position."""
    if not source.has_positions:
        raise ValueError(f"{source.url} has no positions, so a patch might be applied twice")


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
        taken: Called with each patch once it is applied.
        store: Stores the target together with the source's position after the last patch that was
            passed to ``taken``. Raises a LogConflict if another process has stored data since.
        strict: Refuse a patch with an operation that changes nothing. Squashed patches are exempt:
            they also delete statements that were added in between.
    """
    check_positions(source)

    def take(patch: Patch) -> None:
        is_checked = strict and SQUASHED not in patch.header
        # A strict `apply` applies the whole patch or nothing anyway, and without `committed` its
        # error can name the operation.
        try:
            apply(patch if is_checked else committed(patch), target, strict=is_checked)
        except ApplyError as error:
            error.source = f"{source.url}: the patch at {source.position}"
            raise
        taken(patch)

    follow(source, take, store, store_every=store_every)

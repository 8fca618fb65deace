"""Waiting times between retries."""

from __future__ import annotations

import random
from collections.abc import Iterator

LEAST_SPEED = 1024
"""A transfer's time limit is extended by one second for each of this many bytes."""

# The first and the longest wait between two tries, in seconds.
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0

# Don't use the shared generator of Python's module: the program may have seeded it.
_random = random.Random()


def waits() -> Iterator[float]:
    """Yield the seconds to wait before each retry: they grow, and vary at random."""
    wait = _FIRST_WAIT
    while True:
        # Clients that have lost the same server should not all reconnect at the same time.
        yield wait * _random.uniform(0.5, 1.0)
        wait = min(wait * 2, _LONGEST_WAIT)

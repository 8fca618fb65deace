"""Waiting times before something is tried again."""

from __future__ import annotations

import random
from collections.abc import Iterator

LEAST_SPEED = 1024
"""The bytes per second that a transfer must bring to get more time than its other limits."""

# The seconds between two tries, at first and at most.
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0

# Don't use the generator that Python's module shares: the program may have seeded it.
_random = random.Random()


def waits() -> Iterator[float]:
    """Yield the seconds to wait before each further try: growing, and with random differences."""
    wait = _FIRST_WAIT
    while True:
        # Many clients that have lost one server should not come back at the same time.
        yield wait * _random.uniform(0.5, 1.0)
        wait = min(wait * 2, _LONGEST_WAIT)

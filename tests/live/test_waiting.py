"""Tests how long a client waits before it retries."""

import random
from itertools import islice

from jelly_rdflib.live import waiting


def test_waits_grow_up_to_the_longest() -> None:
    found = list(islice(waiting.waits(), 12))
    first, last = waiting._FIRST_WAIT, waiting._LONGEST_WAIT
    longest = [min(first * 2**number, last) for number in range(12)]
    assert all(most / 2 <= each <= most for each, most in zip(found, longest, strict=True))


def test_two_clients_wait_differently() -> None:
    assert list(islice(waiting.waits(), 12)) != list(islice(waiting.waits(), 12))


def test_a_wait_leaves_the_programs_random_numbers_alone() -> None:
    random.seed(1)
    state = random.getstate()
    next(waiting.waits())
    assert random.getstate() == state

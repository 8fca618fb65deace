"""Tests that following a source stores each patch exactly once."""

from collections.abc import Iterator
from typing import Any

import pytest

from jelly_rdflib.log.following import follow
from jelly_rdflib.patch.patch import Patch


class Source:
    """A source of three patches, optionally followed by an error."""

    must_be_acknowledged = False
    position = version = None

    def __init__(self, error: BaseException | None) -> None:
        self.error = error
        self.acknowledged = 0

    def resume(self, position: str) -> None:
        raise AssertionError(position)

    def acknowledge(self) -> None:
        self.acknowledged += 1

    def listen(self, interval: float) -> Iterator[Patch | None]:
        yield from [Patch([])] * 3
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("error", [None, ValueError(), KeyboardInterrupt()])
@pytest.mark.parametrize("every", [0.0, 99.0])
@pytest.mark.parametrize("fault", [OSError("full"), KeyboardInterrupt()])
def test_a_store_that_fails_is_not_tried_again(error: Any, every: float, fault: Any) -> None:
    """A store function that fails is not called again, but one that was interrupted is."""
    calls = []

    def store() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise fault

    source = Source(error)
    with pytest.raises(type(fault)):
        follow(source, lambda _: None, store, store_every=every)
    assert len(calls) == 1 + (every == 0 and isinstance(fault, KeyboardInterrupt))
    assert source.acknowledged == 0

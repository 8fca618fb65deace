"""Makes and receives patches identified by numbers."""

from collections.abc import Iterable
from typing import Any

from rdflib import Literal, URIRef

import jelly_rdflib as jr
from jelly_rdflib import Op, live
from tests.log.support import patch_id

P, G = URIRef("urn:p"), URIRef("urn:g")


def patch_of(number: int, size: int = 1, name: str = "s") -> jr.Patch:
    """Return a patch that adds `size` statements with `number` as their object."""
    rows = [(Op.A, URIRef(f"urn:{name}/{number}/{n}"), P, Literal(number), G) for n in range(size)]
    return jr.Patch([(Op.TX,), *rows, (Op.TC,)])


def with_id(number: int, prev: int | None = None) -> jr.Patch:
    """Return a patch with its id and the id of its predecessor."""
    headers: list[Any] = [(Op.H, "id", patch_id(number))]
    if prev is not None:
        headers.append((Op.H, "prev", patch_id(prev)))
    return jr.Patch([*headers, *patch_of(number)])


def numbers(patches: Iterable[Iterable[Any]]) -> list[int]:
    return [int(next(row[3] for row in patch if row[0] == Op.A)) for patch in patches]


def receive(source: live.Source, count: int) -> list[jr.Patch]:
    """Receive `count` patches, each within 30 seconds."""
    found = []
    for _ in range(count):
        patch = source.receive(30)
        assert patch is not None, f"{count} patches were to come, and {len(found)} came"
        found.append(patch)
    return found


def receive_all(source: live.Source, count: int) -> list[jr.Patch]:
    """Receive `count` patches, and check that no other patch follows."""
    found = receive(source, count)
    assert source.receive(0.3) is None
    return found


def take(source: live.Source, count: int) -> list[int]:
    """Receive `count` patches; return their numbers."""
    return numbers(receive(source, count))


def take_all(source: live.Source, count: int) -> list[int]:
    """Return the numbers of `count` patches, and check that no other patch follows."""
    return numbers(receive_all(source, count))

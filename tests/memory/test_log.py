"""Tests that a log needs no more memory than for a frame, however long a patch is."""

from pathlib import Path

import pytest

from tests.support import run

CODE = """
from rdflib import Literal, URIRef
from jelly_rdflib import Op, PatchLog

s, p = URIRef("urn:s"), URIRef("urn:p")

def patch(count):
    yield (Op.TX,)
    for number in range(count):
        yield (Op.A, s, p, Literal(f"{number} " + "x" * 100), None)
    yield (Op.TC,)

def work(name, count):
    log = PatchLog.create(f"{sys.argv[1]}/{name}", compression=sys.argv[2] or None)
    entry = log.append(patch(count))
    assert log.verify() == []
    assert sum(map(len, entry.batches())) > count
    copy = PatchLog.create(f"{sys.argv[1]}/copy of {name}")
    copy.append(entry.operations())
    assert copy.verify() == []
    return entry.size

work("small", 1000)
before = peak()
size = work("large", 150_000)
print(size, peak() - before)
"""


@pytest.mark.parametrize(("compression", "sizes"), [("", (16e6, 32e6)), ("zst", (0, 2e6))])
def test_a_patch_may_be_larger_than_memory(
    compression: str, sizes: tuple[float, float], tmp_path: Path
) -> None:
    size, more = map(int, run(CODE, str(tmp_path), compression).split())
    assert sizes[0] < size < sizes[1]
    assert more < 12_000_000

"""Bad input of Jelly-Patch alone, and limits on time and memory.

What both formats refuse is in `test_bad_input`.
"""

from __future__ import annotations

import pytest

import jelly_rdflib as jr
from tests.oracle import build as b
from tests.support import read, refuse, run


class TestBombs:
    """Small input that stands for much."""

    @pytest.mark.parametrize("is_one_frame", [True, False])
    def test_a_datatype_that_is_looked_up_again_and_again(self, is_one_frame: bool) -> None:
        """A few bytes that make a reader look at a megabyte, a million times."""
        head = b.frame(b.options(), b.name("n"), b.datatype("d" * (1 << 20)))
        typed = b.add("s", b.iri(0, 1), b.literal("a", datatype=1))
        # either way the number of the datatype's term is forgotten
        once = [b.prefix("", 1), typed] if is_one_frame else [typed, b.add("s", b.iri(0, 1), "o")]
        frames = [b.frame(*once * 2000)] if is_one_frame else [b.frame(*once)] * 2000
        error = refuse(b.delimited([head, *frames]), jr.LimitError, row=True)
        assert "max_expansion" in str(error)

    def test_a_large_term_that_each_frame_repeats(self) -> None:
        """Legal, and what our own writer makes of it: a limit that can be set."""
        head = b.frame(b.options(), b.name("n"), b.add("s", b.iri(0, 1), "x" * 500_000))
        again = b.frame(b.add("t"))
        data = b.delimited([head, *[again] * 3000])
        assert len(again) < 10
        limits = jr.Limits(max_expansion=1 << 16)
        assert sum(map(len, jr.read_batches(data, limits=limits))) == 3002
        with pytest.raises(jr.LimitError, match="max_expansion"):
            sum(map(len, jr.read_batches(data)))

    def test_quoted_triples_that_share_parts(self) -> None:
        """A tree of many leaves, but few distinct terms, costs little when it is repeated."""
        out = run(
            """
import time
import jelly_rdflib as jr
from tests.oracle import build as b
from tests.oracle import wire
iri = b.iri(0, 1).SerializeToString()
leaf = wire.field(1, iri) + wire.field(5, iri) + wire.field(9, iri)
tree = leaf
for level in range(14):
    tree = wire.field(4, tree) + wire.field(5, iri) + wire.field(12, tree)
head = b.frame(b.options(rdf_star=True), b.name("n"))
first = wire.field(1, wire.field(2, wire.field(4, tree) + wire.field(5, iri) + wire.field(9, iri)))
again = wire.field(1, wire.field(2, b""))
data = b.delimited([head + first])
start = time.process_time()
assert sum(map(len, jr.read_batches(data))) == 2
once = time.process_time() - start
start = time.process_time()
assert sum(map(len, jr.read_batches(data + b.delimited([again]) * 500))) == 502
print(once, time.process_time() - start)
"""
        )
        once, often = map(float, out.split())
        assert often < 20 * once + 1

    def test_a_string_beyond_the_limit(self) -> None:
        limits = jr.Limits(max_string_size=10)
        for content in (
            b.header("x" * 11, "s"),
            b.header("k", "x" * 11),
            b.header("k", b.literal("x" * 11)),
            b.header("k", b.literal("x", "a" * 11)),
            b.prefix_add("x" * 11, b.iri(0, 1)),
        ):
            data = b.stream([b.options(), b.name("p"), content])
            refuse(data, jr.LimitError, limits=limits, row=True)
            assert read(data, limits=jr.Limits(max_string_size=11))

"""Bad input of Jelly-Patch alone, and limits on time and memory.

What both formats refuse is in `test_bad_input`.
"""

from __future__ import annotations

import pytest

import jelly_rdflib as jr
from tests.oracle import build as b
from tests.support import read, refuse, run


class TestLengths:
    """Lengths that reach beyond what is there, up to 2**64."""

    @pytest.mark.parametrize(
        "length", ["80 80 80 08", "81 80 80 08", "ff ff ff ff 0f", "ff" * 9 + "01"]
    )
    def test_memory_stays_small_whatever_the_length_says(self, length: str) -> None:
        """Endless input behind a length over the limit; and little behind one just below it."""
        size = bytes.fromhex(length)
        out = run(
            """
import jelly_rdflib as jr
size = bytes.fromhex(sys.argv[1])
class Endless:
    def __init__(self):
        self.data = size
        self.left = 1 << 20 if size == bytes.fromhex("80808008") else 1 << 62
    def read(self, n):
        piece, self.data = self.data[:n], self.data[n:]
        if not piece and self.left > 0:
            piece = bytes(n)
            self.left -= n
        return piece
before = peak()
try:
    list(jr.read_operations(Endless()))
except jr.DecodeError as error:
    print(type(error).__name__, error.offset, error.frame, peak() - before)
""",
            size.hex(),
        )
        kind, offset, frame, grown = out.split()
        assert kind == ("DecodeError" if size == bytes.fromhex("80808008") else "LimitError")
        assert 0 <= int(offset) <= len(size)
        assert frame == "0"
        assert int(grown) < 16 << 20

    def test_a_bare_frame_beyond_the_limit(self) -> None:
        """An endless bare frame is read up to the limit and no further."""
        out = run(
            """
import jelly_rdflib as jr
from tests.oracle import build as b
class Endless:
    data = b.frame(b.options())
    count = 0
    def read(self, n):
        piece, self.data = self.data[:n], self.data[n:]
        piece = piece or bytes(n)
        self.count += len(piece)
        return piece
before = peak()
source = Endless()
try:
    list(jr.read_operations(source, limits=jr.Limits(max_frame_size=4 << 20)))
except jr.LimitError as error:
    print(error.offset, error.frame, source.count, peak() - before)
"""
        )
        _, frame, count, grown = map(int, out.split())
        assert frame == 0
        assert count < 16 << 20
        assert grown < 32 << 20


class TestBombs:
    """Small input that stands for much."""

    def test_texts_that_expand_by_the_default_limits(self) -> None:
        """6 MB of prefix and 4000 names in 6 MB of input would be 24 GB of text."""
        out = run(
            """
import jelly_rdflib as jr
from tests.oracle import build as b
head = [b.options(max_name_table_size=4000), b.prefix("x" * 6_000_000)]
names = [b.name(str(n)) for n in range(4000)]
uses = [b.header("", b.iri(1, n + 1)) for n in range(4000)]
data = b.stream(head + names, uses)
del head, names, uses
before = peak()
try:
    list(jr.read_operations(data))
except jr.LimitError as error:
    print(error.frame, error.row, peak() - before)
"""
        )
        frame, _, grown = map(int, out.split())
        assert frame == 1
        assert grown < 100 << 20

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

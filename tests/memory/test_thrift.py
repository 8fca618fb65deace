"""Memory that is taken is given back, after errors too."""

from __future__ import annotations

import io
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import jelly_rdflib as jr
from tests import support as jelly
from tests.core.thrift.oracle import rows_to_bytes
from tests.core.thrift.support import ThriftWriter, attempt, batches, read, write, write_batches
from tests.core.thrift.test_batch_reader import DATA
from tests.pieces import Pieces

LONG = DATA + rows_to_bytes([("H", "k", ("literal", "x" * 50_000, None, None))])
ROW = rows_to_bytes([("A", ("iri", "s"), ("iri", "p"), ("literal", "text", None, None), None)])


def read_all() -> None:
    for source in (LONG, io.BytesIO(LONG), Pieces(LONG, 1000)):
        read(source)


def read_bad() -> None:
    for data in (DATA[:-5], DATA[:200], b"\x1e", DATA + b"\xff", b"\x2c\x1c" + b"\x9c\x1c" * 90):
        for source in (data, io.BytesIO(data), Pieces(data, 9)):
            assert attempt(source)[1] is not None
    for name in ("max_string_size", "max_text_size", "max_frame_size"):
        assert attempt(LONG, **{name: 10})[1] is not None


def read_parts() -> None:
    reader = batches(io.BytesIO(LONG))
    view = next(reader).ops
    del reader
    assert len(view) > 1


def write_all() -> None:
    write(read(LONG))
    write_batches(batches(LONG))


def write_bad() -> None:
    encoder = ThriftWriter(bytes)
    term: Any = ("iri", "o" * 1000)
    for _ in range(31):
        term = ("triple", ("iri", "s"), ("iri", "p"), term)
    bad = jelly.write(
        [("A", ("iri", "s"), ("iri", "p"), term, None)], jr.PatchOptions(rdf_star=True)
    )
    for _ in range(3):
        for batch in jr.read_batches(bad):
            with pytest.raises(jr.EncodeError):
                encoder.write_all(batch)
        with pytest.raises(jr.EncodeError):
            encoder.write((jr.Op.A, "s" * 1000, "p", "o", None))


@pytest.mark.slow
@pytest.mark.parametrize("work", [read_all, read_bad, read_parts, write_all, write_bad])
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    jelly.assert_nothing_is_kept(work)


def test_threads_that_share_a_reader() -> None:
    """They may be refused, but each row is read once and no batch is half one."""
    for _ in range(5):
        reader = batches(io.BytesIO(ROW * 5_000))
        counts: list[int] = []

        def work(reader: Any = reader, counts: list[int] = counts) -> None:
            while True:
                try:
                    batch = next(reader)
                except ValueError:
                    continue
                except StopIteration:
                    return
                counts.append(len(list(batch)))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(counts) == 5_001


def test_batches_need_no_more_memory_in_a_longer_input() -> None:
    class Rows:
        """Rows that are made as they are read, each with terms of its own."""

        def __init__(self, count: int) -> None:
            self.count = count
            self.rest = b""
            self.at = 0

        def read(self, size: int) -> bytes:
            while len(self.rest) < size and self.at < self.count:
                name = str(self.at)
                self.rest += rows_to_bytes([("H", name, ("literal", name * 50, None, None))])
                self.at += 1
            piece, self.rest = self.rest[:size], self.rest[size:]
            return piece

    def peak(count: int) -> int:
        source = Rows(count)
        tracemalloc.start()
        try:
            rows = sum(len(batch) for batch in batches(source))
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert rows == count + 1
        return most

    assert peak(6_000) < peak(2_000) * 1.5

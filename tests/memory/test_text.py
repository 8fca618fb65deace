"""Memory that is taken is given back, after errors too; threads that share a reader do no harm."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import pytest

import jelly_rdflib as jr
from tests import support as jelly
from tests.core.text.support import TextWriter, attempt, batches, read, write, write_batches
from tests.core.text.test_text_reader import SAMPLE
from tests.pieces import Pieces

LONG = SAMPLE + b'A <s> <p> "%s" .\n' % (b"\\n" * 50_000)


def read_all() -> None:
    for source in (LONG, io.BytesIO(LONG), Pieces(LONG, 1000)):
        read(source)


def read_bad() -> None:
    for data in (SAMPLE[:-5], SAMPLE[:200], b"B .", SAMPLE + b"\xff", b"A <s> <p> << <s> <p> ."):
        for source in (data, io.BytesIO(data), Pieces(data)):
            assert attempt(source)[1] is not None
    attempt(LONG, max_string_size=10)
    attempt(LONG, max_text_size=10)


def read_parts() -> None:
    reader = batches(io.BytesIO(LONG))
    view = next(reader).ops
    del reader
    assert len(view) > 1


def write_all() -> None:
    write(read(LONG))
    write_batches(batches(LONG))


def write_bad() -> None:
    encoder = TextWriter(bytes)
    bad = jelly.write([("A", ("iri", "s"), ("iri", "p"), ("iri", "_:" + "o" * 1000), None)])
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
    row = b"A <s> <p> 'some text' <g> .\n"
    for _ in range(20):
        reader = batches(io.BytesIO(row * 20_000))
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
        assert sum(counts) == 20_001

"""RDF Patch as text and in Thrift: memory that is taken is given back, after errors too."""

from __future__ import annotations

import io
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import jelly_rdflib as jr
from tests import support as jelly
from tests.core.text import support as text
from tests.core.text.test_text_reader import SAMPLE
from tests.core.thrift import support as thrift
from tests.core.thrift.oracle import rows_to_bytes
from tests.core.thrift.test_batch_reader import DATA
from tests.oracle.terms import Plain
from tests.pieces import Chunks, Pieces


@dataclass
class Form:
    """One of the two forms, and what is read in it.

    Args:
        package: Reads and writes it; both have the same functions.
        writer: The class that writes it.
        row: A statement.
        long: Whole, with a long literal.
        bad: Each is refused.
        limits: What the long one is too large for.
        unwritable: A term that it has no way to write.
    """

    package: Any
    writer: Any
    row: bytes
    long: bytes
    bad: list[bytes]
    limits: list[str]
    unwritable: Plain


def nested(depth: int) -> Plain:
    term: Plain = ("iri", "o" * 1000)
    for _ in range(depth):
        term = ("triple", ("iri", "s"), ("iri", "p"), term)
    return term


FORMS = {
    "text": Form(
        text,
        text.TextWriter,
        b"A <s> <p> 'some text' <g> .\n",
        SAMPLE + b'A <s> <p> "%s" .\n' % (b"\\n" * 50_000),
        [SAMPLE[:-5], SAMPLE[:200], b"B .", SAMPLE + b"\xff", b"A <s> <p> << <s> <p> ."],
        ["max_string_size", "max_text_size"],
        ("iri", "_:" + "o" * 1000),
    ),
    "thrift": Form(
        thrift,
        thrift.ThriftWriter,
        rows_to_bytes([("A", ("iri", "s"), ("iri", "p"), ("literal", "text", None, None), None)]),
        DATA + rows_to_bytes([("H", "k", ("literal", "x" * 50_000, None, None))]),
        [DATA[:-5], DATA[:200], b"\x1e", DATA + b"\xff", b"\x2c\x1c" + b"\x9c\x1c" * 90],
        ["max_string_size", "max_text_size", "max_frame_size"],
        nested(31),
    ),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    return FORMS[request.param]


def read_all(form: Form) -> None:
    for source in (form.long, io.BytesIO(form.long), Pieces(form.long, 1000)):
        form.package.read(source)


def read_bad(form: Form) -> None:
    for data in form.bad:
        for source in (data, io.BytesIO(data), Pieces(data, 9)):
            assert form.package.attempt(source)[1] is not None
    for name in form.limits:
        assert form.package.attempt(form.long, **{name: 10})[1] is not None


def read_parts(form: Form) -> None:
    reader = form.package.batches(io.BytesIO(form.long))
    view = next(reader).ops
    del reader
    assert len(view) > 1


def write_all(form: Form) -> None:
    form.package.write(form.package.read(form.long))
    form.package.write_batches(form.package.batches(form.long))


def write_bad(form: Form) -> None:
    encoder = form.writer(bytes)
    operation = ("A", ("iri", "s"), ("iri", "p"), form.unwritable, None)
    bad = jelly.write([operation], jr.PatchOptions(rdf_star=True))
    for _ in range(3):
        for batch in jr.read_batches(bad):
            with pytest.raises(jr.EncodeError):
                encoder.write_all(batch)
        with pytest.raises(jr.EncodeError):
            encoder.write((jr.Op.A, "s" * 1000, "p", "o", None))


@pytest.mark.slow
@pytest.mark.parametrize("work", [read_all, read_bad, read_parts, write_all, write_bad])
def test_nothing_is_kept(form: Form, work: Any) -> None:
    jelly.assert_nothing_is_kept(lambda: work(form))


def test_threads_that_share_a_reader(form: Form) -> None:
    """They may be refused, but each row is read once and no batch is half one."""
    for _ in range(5):
        reader = form.package.batches(io.BytesIO(form.row * 5_000))
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
    def rows(count: int) -> Iterator[bytes]:
        """Yield rows as they are read, each with terms of its own."""
        for number in map(str, range(count)):
            yield rows_to_bytes([("H", number, ("literal", number * 50, None, None))])

    def peak(count: int) -> int:
        source = Chunks(rows(count))
        tracemalloc.start()
        try:
            found = sum(len(batch) for batch in thrift.batches(source))
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert found == count + 1
        return most

    assert peak(6_000) < peak(2_000) * 1.5

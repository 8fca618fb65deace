"""Tests that a decoder is safe with several threads, since it releases the GIL."""

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from tests.oracle import build as b
from tests.support import run


def test_a_decoder_that_threads_share_does_no_harm() -> None:
    """A decoder may refuse one of two simultaneous calls, but never returns part of a batch."""
    run(
        """
import threading
import jelly_rdflib as jr
from tests.oracle import build as b

def frame(k):
    rows = [b.header(f"{k}", b.literal(f"{k}-{n}")) for n in range(3000)]
    return b.frame(b.options(stream_type=3), *rows)

frames = [frame(k) for k in range(4)]
for _ in range(4):
    decoder = jr.PatchDecoder()
    def work(k):
        for _ in range(5):
            try:
                batch = decoder.decode_frame(frames[k])
            except (ValueError, RuntimeError):
                continue
            assert len(batch) == 3000
            assert all(op[1] == str(k) for op in batch), "a batch of two threads"
    errors = []
    def guarded(k):
        try:
            work(k)
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join(60)
    assert not errors, errors
"""
    )


@pytest.mark.parametrize("format", ["jelly-patch", "rdf-patch", "rdf-patch-thrift"])
def test_threads_that_share_a_reader(format: Any) -> None:
    """A reader may refuse a thread, but each row is read exactly once, in a complete batch."""
    file = io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:
        for n in range(5_000):
            writer.add(URIRef("urn:s"), URIRef("urn:p"), Literal(n))
    for _ in range(5):
        reader = jr.read_batches(io.BytesIO(file.getvalue()), format=format)

        def work(reader: Any = reader) -> int:
            count = 0
            while True:
                try:
                    count += len(list(next(reader)))
                except ValueError:  # noqa: PERF203
                    continue
                except StopIteration:
                    return count

        with ThreadPoolExecutor(3) as pool:
            assert sum(each.result() for each in [pool.submit(work) for _ in range(3)]) == 5_001


def test_a_batch_that_threads_share() -> None:
    """Several threads that ask for the same node get the same object."""
    rows = [b.header(str(n), b.literal("é" * n)) for n in range(500)]
    for _ in range(8):
        batch = jr.PatchDecoder().decode_frame(b.frame(b.options(), *rows))
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(list, [batch] * 4))
        assert all(result == results[0] for result in results)


def test_bytes_that_change_while_they_are_decoded_do_no_harm() -> None:
    """The decoder uses the bytes that it has checked, and never reads a byte again unchecked."""
    run(
        """
import random, threading
import jelly_rdflib as jr
from tests.oracle import build as b

rows = [b.add(str(n), b.iri(0, 1), b.literal("x" * (n % 50), "en")) for n in range(4000)]
good = b.frame(b.options(), b.name("urn:p"), *rows)
data = bytearray(good)
stop = False
def scribble():
    rng = random.Random(1)
    while not stop:
        at = rng.randrange(40, len(data))
        data[at] = rng.randrange(256)
        data[at] = good[at]
thread = threading.Thread(target=scribble)
thread.start()
outcomes = set()
for _ in range(60):
    try:
        batch = jr.PatchDecoder().decode_frame(data)
        len(list(batch))
        outcomes.add("read")
    except (jr.DecodeError, UnicodeDecodeError):
        outcomes.add("refused")
stop = True
thread.join()
print(outcomes)
"""
    )


def test_while_a_frame_is_decoded_others_run() -> None:
    """The switch interval is 1,000 s, so other threads run only if the decoder releases the GIL."""
    out = run(
        """
import sys, threading, time
import jelly_rdflib as jr
from tests.oracle import build as b

rows = [b.header(str(n), b.literal("x" * 20)) for n in range(20_000)]
text = b"".join(b"A <urn:s> <urn:p> <urn:%d> .\\n" % n for n in range(50_000))
turns = 0
is_over = False

def count():
    global turns
    while not is_over:
        turns += 1
        time.sleep(0)

def advances(read):
    # The other thread may be late; but without being let in it would never come.
    for _ in range(100):
        before = turns
        read()
        if turns > before:
            return True
    return False

sys.setswitchinterval(1000)
thread = threading.Thread(target=count)
thread.start()
decoder = jr.PatchDecoder()
frame = b.frame(b.options(stream_type=b.PUNCTUATED), *rows)
print(advances(lambda: decoder.decode_frame(frame)), advances(lambda: sum(range(1000))))
print(advances(lambda: list(jr.read_batches(text, format="rdf-patch"))))
is_over = True
thread.join()
"""
    )
    assert out.split() == ["True", "False", "True"]

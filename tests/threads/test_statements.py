"""Readers, decoders and writers that are used while they are in use."""

from __future__ import annotations

from tests.support import run


def test_statements_that_write_to_their_own_writer_do_no_harm() -> None:
    """Terms and iterables may run anyone's code."""
    run(
        """
import io
import jelly_rdflib as jr
from rdflib import URIRef, Literal
S, P = URIRef("urn:s"), URIRef("urn:p")

for physical_type in ("TRIPLES", "QUADS", "GRAPHS"):
    file = io.BytesIO()
    options = jr.StreamOptions(physical_type=physical_type, frame_rows=3)
    with jr.StatementWriter(file, options) as writer:
        def statements():
            for n in range(20):
                writer.add(S, P, Literal(f"inner {n}"))
                yield S, P, Literal(f"outer {n}")
        writer.write_all(statements())
    assert len(list(jr.read_statements(file.getvalue()))) == 40
"""
    )


def test_a_decoder_that_threads_share_does_no_harm() -> None:
    """It may refuse one of two calls at once; nothing may crash, and no frame may be half one."""
    run(
        """
import threading
import jelly_rdflib as jr
from tests.oracle import rdf_build as b

def frame(k):
    rows = [b.spo(f"{k}", b.iri(0, 1), b.literal(f"{k}-{n}")) for n in range(3000)]
    graph = [b.start(f"g{k}"), *rows, b.end()]
    return b.frame(b.options(physical_type=3), b.name("urn:p"), *graph, metadata={"k": bytes([k])})

frames = [frame(k) for k in range(4)]
errors = []
for _ in range(5):
    decoder = jr.StatementDecoder()
    def work(k):
        for _ in range(5):
            try:
                frame = decoder.decode_frame(frames[k])
            except (ValueError, RuntimeError):
                continue
            assert frame.metadata == {"k": bytes([k])}
            assert len(frame) == 3000
            graphs = {str(g) for _, _, _, g in frame}
            assert graphs == {f"g{k}"}, "a frame of two threads"
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


def test_bytes_that_change_while_they_are_decoded_do_no_harm() -> None:
    """What is checked is what is used: nothing is read twice and trusted the second time."""
    run(
        """
import random, threading
import jelly_rdflib as jr
from tests.oracle import rdf_build as b

sys.unraisablehook = lambda _: None
rows = [b.spo(str(n), b.iri(0, 1), b.literal("x" * (n % 50), "en")) for n in range(1500)]
more = [b.start("g"), *rows, b.end()]
metadata = {str(n): b"x" * n for n in range(100)}
good = b.frame(b.options(physical_type=3), b.name("urn:p"), *more, metadata=metadata)
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
for _ in range(100):
    try:
        frame = jr.StatementDecoder().decode_frame(data)
        len(frame.statements), frame.metadata
    except (jr.DecodeError, UnicodeDecodeError):
        pass
stop = True
thread.join()
"""
    )

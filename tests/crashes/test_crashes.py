"""Tests calls that once crashed the process, or raised a nonsensical error."""

import re

import pytest

from tests.support import run

PRELUDE = """
import gzip, io, threading, types, warnings
from unittest.mock import Mock
from rdflib import BNode, Dataset, Literal, URIRef
import jelly_rdflib as jr
from tests.crashes.sweep import some_patch

u = URIRef("urn:u")
patch = some_patch()

def attempt(call, *kinds):
    try:
        call()
    except kinds as error:
        print(type(error).__name__, error)
    else:
        print("done")
"""

CALLS = {
    "nine bytes of zstd": """
attempt(lambda: jr.apply(bytes.fromhex("28b52ffd0088010000"), Dataset()), jr.DecodeError)
""",
    "compressed, and nothing allowed": """
limits = jr.Limits(max_decompressed_size=1)
attempt(lambda: jr.apply(gzip.compress(patch), Dataset(), limits=limits), jr.LimitError)
""",
    "the place of an error before anything was read": """
for options in ({}, {"format": "jelly-patch"}, {"format": "rdf-patch"}):
    error = jr.DecodeError("x")
    jr.read_operations(io.BytesIO(b""), **options).place_error(error)
    print(error)
    error = jr.DecodeError("x")
    jr.read_operations(patch, **options).place_error(error)
    print(error)
""",
    "two threads that apply one file": """
import sys
sys.setswitchinterval(1e-6)
for _ in range(100):
    file = io.BytesIO(patch)
    def work():
        attempt(lambda: jr.apply(file, Dataset()), jr.JellyError, ValueError)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
""",
    "what only says that it is a term": """
for format in ("jelly-patch", "rdf-patch", "rdf-patch-thrift"):
    for cls in (URIRef, BNode, Literal):
        for place in range(4):
            terms = [u, u, u, u]
            terms[place] = Mock(spec=cls)
            writer = jr.PatchWriter(io.BytesIO(), jr.PatchOptions(generalized_statements=True)
                if format == "jelly-patch" else None, format=format)
            attempt(lambda: writer.add(*terms), jr.EncodeError, TypeError)
for format in ("jelly-rdf", "n-quads", "turtle"):
    for cls in (URIRef, BNode, Literal):
        for place in range(3):
            terms = [u, u, u]
            terms[place] = Mock(spec=cls)
            writer = jr.StatementWriter(io.BytesIO(), format=format)
            attempt(lambda: writer.add(*terms), jr.EncodeError, TypeError, AttributeError)
""",
    "a literal whose language is not text": """
literal = Literal("x", lang="en")
literal._language = 5
for format in ("jelly-patch", "rdf-patch"):
    attempt(lambda: jr.PatchWriter(io.BytesIO(), format=format).add(u, u, literal), jr.EncodeError)
""",
    "a warning that decodes the next frame": """
options = jr.StreamOptions(physical_type="TRIPLES")
frame = jr.StatementEncoder(options).encode_frame([(u, u, u)])
frame = frame.replace(b"\\x70\\x01", b"\\x70\\x02", 1)
decoder = jr.StatementDecoder(strict=False)
def decode_again(*arguments, **more):
    decoder.decode_frame(frame)
warnings.showwarning = decode_again
warnings.simplefilter("always")
frames = decoder.decode_frame(frame)
print(len(frames))
""",
    "a source that calls back": """
class File:
    def __init__(self):
        self.file = io.BytesIO(patch)
    def read(self, size):
        for call in (lambda: next(reader), reader.close,
                     lambda: reader.place_error(jr.DecodeError("x")),
                     lambda: reader.options, lambda: reader.__init__(patch)):
            attempt(call, Exception)
        return self.file.read(min(size, 7))
for options in ({}, {"format": "jelly-patch"}, {"format": "rdf-patch"}):
    reader = jr.read_operations(File(), **options)
    attempt(lambda: list(reader), Exception)
    attempt(reader.close, Exception)
""",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_it_ends_with_an_error_at_most(call: str) -> None:
    printed = run(PRELUDE + call)
    assert printed
    # This once decremented an unsigned number below zero.
    assert not re.search(r"1844674407\d{10}", printed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_call_of_a_compiled_class_ends_the_process(seed: int) -> None:
    printed = run(
        f"import sys; sys.argv = ['sweep', '{seed}']\nfrom tests.crashes.sweep import main\nmain()",
        timeout=600,
    )
    assert not printed

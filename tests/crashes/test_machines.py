"""Tests calls of the methods of readers, decoders, encoders and writers in any order."""

import contextlib
import io
import random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from rdflib import Literal, URIRef

import jelly_rdflib as jr
from fuzz.entries import extreme_limits
from jelly_rdflib.nodes import NODE_TYPES
from tests.crashes.sweep import some_patch

PATCH = some_patch()
S, P = URIRef("urn:s"), URIRef("urn:p")
REFUSALS = (jr.JellyError, ValueError, RuntimeError)

SOURCES = st.sampled_from(
    [
        b"",
        PATCH,
        PATCH[:-1],
        PATCH + b"\x05",
        b"A <urn:s> <urn:p> <urn:o> .\nTX .\n",
        b"TC .",
        b"\n\n",
    ]
)
SEEDS = st.integers(0, 1 << 32).map(random.Random)


class Reading(RuleBasedStateMachine):
    """A reader of any kind, which returns nothing after it has been closed or has failed."""

    @initialize(
        read=st.sampled_from(
            [jr.read_operations, jr.read_batches, jr.read_statements, jr.read_frames]
        ),
        source=SOURCES,
        seed=SEEDS,
    )
    def open(self, read: Any, source: bytes, seed: random.Random) -> None:
        self.is_over = False
        self.reader: Any = read(io.BytesIO(source), limits=extreme_limits(seed))

    @rule()
    def go_on(self) -> None:
        try:
            next(self.reader)
        except StopIteration:
            self.is_over = True
        except jr.JellyError:
            self.is_over = True
        else:
            assert not self.is_over

    @rule()
    def close(self) -> None:
        self.reader.close()
        self.is_over = True

    @rule()
    def look(self) -> None:
        assert self.reader.options is None or self.reader.options.version >= 1

    @rule()
    def place(self) -> None:
        place_error = getattr(self.reader, "place_error", None)
        error = jr.DecodeError("an error")
        if place_error is not None:
            place_error(error)
        assert error.frame is None or error.frame < 1 << 32


class Decoding(RuleBasedStateMachine):
    """A decoder of frames, which decodes nothing after an error."""

    @initialize(make=st.sampled_from([jr.PatchDecoder, jr.StatementDecoder]), seed=SEEDS)
    def make(self, make: Any, seed: random.Random) -> None:
        self.has_failed = False
        self.decoder: Any = make(extreme_limits(seed))

    @rule(source=SOURCES)
    def decode(self, source: bytes) -> None:
        try:
            self.decoder.decode_frame(source[1:])
        except jr.JellyError:
            self.has_failed = True
        else:
            assert not self.has_failed

    @rule()
    def finish(self) -> None:
        with contextlib.suppress(jr.JellyError):
            self.decoder.finish()
        self.has_failed = True

    @rule()
    def look(self) -> None:
        assert self.decoder.options is None or self.decoder.options.version >= 1


class Writing(RuleBasedStateMachine):
    """A writer of changes, whose output contains all changes that it accepted."""

    @initialize(format=st.sampled_from(["jelly-patch", "rdf-patch", "rdf-patch-thrift"]))
    def open(self, format: str) -> None:
        self.file = io.BytesIO()
        self.format = format
        self.tried = self.taken = 0
        self.writer = jr.PatchWriter(self.file, format=format)

    @rule(o=st.sampled_from([S, Literal("o"), None, 5, "x", Literal("x", lang="en")]))
    def add(self, o: Any) -> None:
        self.tried += 1
        with contextlib.suppress(*REFUSALS):
            self.writer.add(S, P, o)
            self.taken += 1

    @rule(
        name=st.sampled_from(["begin", "commit", "abort", "end_patch", "close", "__enter__"]),
    )
    def call(self, name: str) -> None:
        with contextlib.suppress(*REFUSALS):
            getattr(self.writer, name)()

    @rule()
    def make_anew(self) -> None:
        """Call ``__init__`` again, which continues the stream or starts another."""
        with contextlib.suppress(*REFUSALS):
            self.writer.encoder.__init__(NODE_TYPES, jr.PatchOptions())

    @rule()
    def write_back(self) -> None:
        self.tried += 1
        with contextlib.suppress(*REFUSALS):
            for batch in jr.read_batches(PATCH):
                self.writer.write_all(batch)
                self.taken += 1

    def teardown(self) -> None:
        if not hasattr(self, "writer"):
            return
        with contextlib.suppress(*REFUSALS):
            self.writer.close()
        read = jr.read_operations(self.file.getvalue(), format=self.format)
        found = 0
        with contextlib.suppress(jr.DecodeError):
            found = sum(1 for operation in read if operation[0] == jr.Op.A)
        # If a batch fails, the rows before the failure are written.
        assert self.taken <= found <= self.tried


TestReading = Reading.TestCase
TestDecoding = Decoding.TestCase
TestWriting = Writing.TestCase
for case in (TestReading, TestDecoding, TestWriting):
    case.settings = settings(max_examples=30, stateful_step_count=15)

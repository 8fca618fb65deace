"""The seeds of fuzzing: inputs made by the tests' producers, the same each time."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import zstandard
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import jelly_rdflib as jr
from jelly_rdflib.formats.syntaxes import messages
from tests import strategies
from tests.core.columns import stream_strategies as columns_strategies
from tests.core.jelly import statement_strategies as rdf_strategies
from tests.core.jelly.draft_streams import DRAFT_STREAMS
from tests.core.jelly.streams import PATCH_BARE, PATCH_REALISTIC, PATCH_SMALL, RDF_TYPES, SMALL
from tests.core.patch_wires import TEXT
from tests.core.test_round_trips import as_rdf_patch_says, sayable
from tests.core.text import soup
from tests.core.thrift import oracle as thrift
from tests.formats.syntaxes import texts
from tests.oracle import columns_producer, producer, rdf_producer, wire

from .looking import make_decoder

__all__ = ["SEEDS", "write_seeds"]

COUNT = 60

# Literals that rdflib converts to values, or must not convert.
VALUES = {
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral": [
        "<a b='c' d=\"/>\">d<e/><!-- </a> --><![CDATA[</a>]]><?x </a> ?></a>",
        "<a>" * 100 + "</a>" * 100,
        "<a>" * 990 + "</a>" * 990,
        "</a><a b='",
        "<a/>" * 20,
    ],
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML": ["<p>x<b id=i>y<p>z"],
    "http://www.w3.org/2001/XMLSchema#duration": [
        *("P1Y2M3DT4H5M6.7S", "-P1D"),
        *("-P1Y1D", f"P{10**29 - 1}Y"),
    ],
    "http://www.w3.org/2001/XMLSchema#decimal": ["1E99", "1E999999", "01.50"],
    "http://www.w3.org/2001/XMLSchema#dateTime": ["2001-02-03T04:05:06.7Z"],
    "http://www.w3.org/2001/XMLSchema#base64Binary": ["AAA=", "A"],
}


def _values(format: jr.ChangeFormat) -> bytes:
    """Return rows with the literals in `VALUES`, without making rdflib nodes."""
    rows = "".join(
        f"A <urn:s> <urn:p> {json.dumps(lexical)}^^<{datatype}> .\n"
        for datatype, texts in VALUES.items()
        for lexical in texts
    )
    file = io.BytesIO()
    with jr.PatchWriter(file, format=format) as writer:
        for batch in jr.read_batches(rows.encode(), format="rdf-patch"):
            writer.write_all(batch)
    return file.getvalue()


def _draw(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Draw examples, the same each time."""
    drawn: list[Any] = []

    @settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=count,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def keep(example: Any) -> None:
        drawn.append(example)

    keep()
    return drawn


def _patches() -> Iterator[bytes]:
    yield from (PATCH_SMALL, PATCH_REALISTIC, PATCH_BARE, b"", _values("jelly-patch"))
    rng = random.Random(1)
    for stream in _draw(strategies.streams(), COUNT):
        yield producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)


def _statements() -> Iterator[bytes]:
    yield from (SMALL[f] for f in RDF_TYPES)
    rng = random.Random(2)
    for stream in _draw(rdf_strategies.streams(), COUNT):
        yield rdf_producer.spelled(rdf_producer.messages(stream.frames, stream.options, rng), rng)


def _columns() -> Iterator[bytes]:
    yield from (stream.data for stream in DRAFT_STREAMS.values())
    rng = random.Random(5)
    for stream in _draw(columns_strategies.streams(), 2 * COUNT):
        yield columns_producer.write_columns(stream, rng)


def _texts() -> Iterator[bytes]:
    yield _values("rdf-patch")
    rng = random.Random(3)
    for stream in _draw(strategies.streams(), COUNT):
        yield TEXT.write([operation for operation in stream.operations if sayable(operation)])
        yield soup.rows(rng)
        yield soup.tokens(rng)


def _thrift() -> Iterator[bytes]:
    for stream in _draw(strategies.streams(), COUNT):
        yield thrift.rows_to_bytes(map(as_rdf_patch_says, stream.operations))


def _frames() -> Iterator[bytes]:
    yield from _patches()
    yield from _statements()
    yield from _columns()


def _any() -> Iterator[bytes]:
    for make in (_patches, _statements, _columns, _texts, _thrift):
        some = list(make())[: COUNT // 2]
        yield from some
        for data in some[:3]:
            yield gzip.compress(data, mtime=0)
            yield zstandard.compress(data)


def _states() -> Iterator[bytes]:
    for is_patch, make in ((True, _patches), (False, _statements), (False, _columns)):
        for data in make():
            decoder = make_decoder(is_patch)
            try:
                for part in wire.split(data):
                    decoder.decode_frame(part)
                yield decoder.save()
            except (jr.DecodeError, wire.WireError):
                continue


def _terms() -> Iterator[bytes]:
    from tests.spelling import spell

    for term in _draw(strategies.terms(generalized=True, depth=3), 4 * COUNT):
        yield spell(term).encode()


def _syntaxes() -> Iterator[bytes]:
    rng = random.Random(4)
    for make in (texts.lines, texts.turtle, texts.n3, texts.xml):
        for _ in range(COUNT):
            whole = make(rng)
            yield whole.encode()
            yield texts.mutate(rng, whole).encode()


def _answers() -> Iterator[bytes]:
    """Yield answers of a child process: a frame, a request for bytes, then the end or an error."""
    error = messages.TOLD.pack(True, False, -1, 3, 14) + b"it has too much"
    for frame in (part for data in _statements() for part in wire.split(data)[:2]):
        answers = messages.ANSWER.pack(messages.FRAME, len(frame)) + frame
        answers += messages.ANSWER.pack(messages.WANT, 100)
        yield answers + messages.ANSWER.pack(messages.END, 0)
        yield answers + messages.ANSWER.pack(messages.ERROR, len(error)) + error


SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {
    "patch": _patches,
    "rdf": _statements,
    "columns": _columns,
    "frames": _frames,
    "text": _texts,
    "thrift": _thrift,
    "any": _any,
    "state": _states,
    "terms": _terms,
    "syntaxes": _syntaxes,
    "answers": _answers,
}


def write_seeds(name: str, folder: Path) -> int:
    """Write the named seeds, each to a file of its own; return their number."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = {hashlib.sha1(data).hexdigest(): data for data in SEEDS[name]()}
    for digest, data in seeds.items():
        (folder / digest).write_bytes(data)
    return len(seeds)

"""Seeds: inputs to start from, made by the tests' producers. The same each time."""

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
from tests import strategies
from tests.oracle import producer, rdf_producer, wire
from tests.rdf import strategies as rdf_strategies
from tests.rdf.test_bad_input import SMALL as SMALL_RDF
from tests.syntaxes import test_balance as balance
from tests.test_bad_input import BARE, REALISTIC, SMALL
from tests.text import soup
from tests.text import support as text
from tests.text.test_round_trips import sayable
from tests.thrift import oracle as thrift
from tests.thrift.test_round_trips import as_thrift_says

from .documents import make_document
from .looking import make_decoder

__all__ = ["SEEDS", "write_seeds"]

COUNT = 60

NESTING = [
    b"[ ( { } ) ] <<( <s> <p> <<( <s> <p> 'o' )>> )>> . ''' ( ''' \"\"\"[\"\"\" # ( \n <a> => <b>",
    b'@prefix ex: <http://e/> . ex:a\\( a [ ex:b ( 1 2 ) ] ; ex:c "x\\"("@en , \'\' .',
    b'{"@context": {"e": "http://e/"}, "@graph": [{"@id": "e:[", "e:p": ["\\"[", {}]}]}',
    b"<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e \"http://e/\"><!ENTITY f '&e;&e;'>]>"
    b"<r xmlns:e='&e;' a=\"<>\"><![CDATA[<b>]]><!-- <c> --><b/><?p <d> ?><e:d>&f;</e:d></r>",
    b'{"@context": [{"a": "e:b", "e": "http://e/"}, {"a": {"@id": "e:c", "@context": {"e": "a:"}}}'
    b', null], "\\u0040context": {"x": "a:y z"}, "a": [{"@value": "\\n"}, 1.5, true, {"x": []}]}',
    b"<rdf:RDF xmlns:rdf='r' xml:base='b' xmlns='c'><a rdf:ID='i'><p rdf:parseType='Collection'>"
    b"<b/><b/></p><p rdf:parseType='Literal'><q xmlns:x='y' x:z='&lt;&e;'/></p></a></rdf:RDF>",
]


# Literals of which rdflib makes more than a text, or of which it must not.
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


def _values(format: str) -> bytes:
    """Return rows with those literals, whose nodes are not made here."""
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
    yield from (SMALL, REALISTIC, BARE, b"", _values("jelly-patch"))
    rng = random.Random(1)
    for stream in _draw(strategies.streams(), COUNT):
        yield producer.spelled(producer.frames(stream.operations, stream.options, rng), rng)


def _statements() -> Iterator[bytes]:
    yield from SMALL_RDF.values()
    rng = random.Random(2)
    for stream in _draw(rdf_strategies.streams(), COUNT):
        yield rdf_producer.spelled(rdf_producer.messages(stream.frames, stream.options, rng), rng)


def _texts() -> Iterator[bytes]:
    yield _values("rdf-patch")
    rng = random.Random(3)
    for stream in _draw(strategies.streams(), COUNT):
        yield text.write([operation for operation in stream.operations if sayable(operation)])
        yield soup.rows(rng)
        yield soup.tokens(rng)


def _thrift() -> Iterator[bytes]:
    for stream in _draw(strategies.streams(), COUNT):
        yield thrift.rows_to_bytes(map(as_thrift_says, stream.operations))


def _frames() -> Iterator[bytes]:
    yield from _patches()
    yield from _statements()


def _any() -> Iterator[bytes]:
    for make in (_patches, _statements, _texts, _thrift):
        some = list(make())[: COUNT // 2]
        yield from some
        for data in some[:3]:
            yield gzip.compress(data, mtime=0)
            yield zstandard.compress(data)


def _states() -> Iterator[bytes]:
    for is_patch, make in ((True, _patches), (False, _statements)):
        for data in make():
            decoder = make_decoder(is_patch)
            try:
                for part in wire.split(data):
                    decoder.decode_frame(part)
                yield decoder.save()
            except (jr.DecodeError, wire.WireError):
                continue


def _terms() -> Iterator[bytes]:
    from tests.arrow.spelling import spell

    for term in _draw(strategies.terms(generalized=True, depth=3), 4 * COUNT):
        yield spell(term).encode()


def _syntaxes() -> Iterator[bytes]:
    yield from NESTING
    rng = random.Random(4)
    for make in (balance.turtle, balance.n3, balance.xml, balance.json):
        for _ in range(COUNT):
            whole = make(rng).replace("<urn:>", "<http://e.org/>")
            yield whole.encode()
            yield balance.mutate(rng, whole).encode()
    for _ in range(2 * COUNT):
        yield json.dumps(make_document(rng)).encode()
    for declaration in balance.DECLARATIONS:
        yield declaration + b"<http://e.org/> . <urn:s> <urn:p> 'x' ."
    for arrow in balance.N3_ARROWS:
        yield b"<urn:s> <urn:p> " + arrow + b"#> . <urn:s> <urn:p> (\n 1 ) ."
        yield b"<urn:s> " + arrow + b" <urn:p> ( 1 #>\n ) ."


SEEDS: dict[str, Callable[[], Iterator[bytes]]] = {
    "patch": _patches,
    "rdf": _statements,
    "frames": _frames,
    "text": _texts,
    "thrift": _thrift,
    "any": _any,
    "state": _states,
    "terms": _terms,
    "syntaxes": _syntaxes,
    "nesting": lambda: iter(NESTING),
}


def write_seeds(name: str, folder: Path) -> int:
    """Write the seeds of a name, a file for each; return how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = {hashlib.sha1(data).hexdigest(): data for data in SEEDS[name]()}
    for digest, data in seeds.items():
        (folder / digest).write_bytes(data)
    return len(seeds)

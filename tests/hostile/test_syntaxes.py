"""Tests texts in RDF syntaxes that need much memory or time, or crash a parser.

A child process reads them within its limits or refuses them; this process is not affected.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from jelly_rdflib import Limits
from tests.formats.syntaxes.support import ISOLATED, PARSED
from tests.hostile.attacks import ATTACKS, MIB
from tests.hostile.support import read_hostile, write_pieces

pytestmark = ISOLATED


def long(size: int) -> bytes:
    return b"x" * size


def quoted(levels: int, size: int) -> bytes:
    """Return a statement with nested quoted triples, each with an IRI of this size."""
    start = b"<<( <urn:%s> <urn:p> " % long(size)
    return b"<urn:s> <urn:p> " + start * levels + b"1" + b" )>>" * levels + b" .\n"


def prefixed(size: int, levels: int, start: bytes, end: bytes) -> bytes:
    """Return a prefix declaration of this size, and a use of the prefix at each level."""
    declared = b"@prefix p: <urn:%s> .\np:s p:p " % long(size)
    return declared + start * levels + b"p:o" + end * levels + b" .\n"


def bases(count: int) -> bytes:
    """Return base declarations that each extend the previous base."""
    return b"@base <urn:a/> .\n" + b"@base <bcdefghi/> .\n" * count


def many_prefixes(count: int, size: int) -> Iterable[bytes]:
    for number in range(count):
        yield b"@prefix p%d: <urn:%s> .\n<urn:s> <urn:p> 1 .\n" % (number, long(size))


def xml(content: bytes, size: int = 1, declared: bytes = b"") -> bytes:
    """Return a document with a namespace of this size."""
    rdf = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    start = b'<rdf:RDF xmlns:rdf="%s" xmlns:p="urn:%s#">' % (rdf, long(size))
    return declared + start + content + b"</rdf:RDF>"


def xml_nested(levels: int) -> bytes:
    start, end = b"<rdf:Description><p:p>", b"</p:p></rdf:Description>"
    return start * levels + b"x" + end * levels


def collection(count: int) -> bytes:
    start = b"<rdf:Description><p:p rdf:parseType='Collection'>"
    return start + b"<p:T/>" * count + b"</p:p></rdf:Description>"


def bomb(levels: int) -> bytes:
    """Return entities that each expand to ten copies of the previous entity."""
    entities = (b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, levels))
    declared = b'<!DOCTYPE r [<!ENTITY e0 "%s">%s]>' % (long(100), b"".join(entities))
    return xml(b"<rdf:Description><p:p>&e%d;</p:p></rdf:Description>" % (levels - 1), 1, declared)


def values(count: int, value: bytes = b"1") -> bytes:
    return b"[%s]" % b",".join([value] * count)


def in_context(definition: bytes, content: bytes) -> bytes:
    return b'{"@context":{%s},"urn:p":%s}' % (definition, content)


def definitions(count: int) -> bytes:
    return b",".join(b'"t%d":"urn:%d"' % (number, number) for number in range(count))


# The memory that the limit does not count: code that the process shares with other processes.
PYTHON = 100_000_000

HOSTILE: list[tuple[str, str, Callable[[], bytes | Iterable[bytes]]]] = [
    ("turtle", "10 MB, deep", lambda: quoted(999, 10_000)),
    ("trig", "100,000 levels", lambda: quoted(100_000, 1)),
    ("turtle", "a prefix of 1 MB, quoted", lambda: prefixed(MIB, 99, b"<<( p:a p:b ", b" )>>")),
    ("n3", "formulas", lambda: prefixed(MIB, 400, b"{ p:s p:p ", b" }")),
    ("turtle", "long prefixes", lambda: many_prefixes(100, MIB)),
    ("turtle", "bases that grow", lambda: bases(100_000)),
    ("rdf-xml", "a namespace of 1 MB", lambda: xml(xml_nested(400), MIB)),
    ("rdf-xml", "a collection", lambda: xml(collection(800_000))),
    ("rdf-xml", "an entity bomb", lambda: bomb(12)),
    ("json-ld", "3 million values", lambda: b'{"urn:p":%s}' % values(3_000_000)),
    ("json-ld", "3,000 values of a long prefix", lambda: in_context(
        b'"p":"urn:%s/"' % long(100_000), values(3000, b'{"@id":"p:a"}')
    )),
    ("json-ld", "objects that copy a context", lambda: in_context(
        definitions(5000), values(5000, b'{"@context":{"a":"urn:a"}}')
    )),
    ("json-ld", "100,000 objects in each other", lambda: (
        b'{"urn:p":' * 100_000 + b"1" + b"}" * 100_000
    )),
]  # fmt: skip


def pieces_of(text: bytes | Iterable[bytes]) -> Iterable[bytes]:
    return [text] if isinstance(text, bytes) else text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "name", "make"), HOSTILE, ids=[f"{each[0]}-{each[1]}" for each in HOSTILE]
)
def test_what_parsers_take_is_bounded(
    format: str,
    name: str,
    make: Callable[[], bytes | Iterable[bytes]],
    tmp_path: Path,
) -> None:
    path = write_pieces(tmp_path / "input", pieces_of(make()))
    limits = {"max_parser_memory": 256 * MIB, "max_parser_seconds": 2}
    [report] = read_hostile(["isolated"], format, path, limits=limits).values()
    assert report.error is not None or report.result > 0
    assert report.children < limits["max_parser_memory"] + PYTHON


READ: list[tuple[str, str, Callable[[], bytes]]] = [
    ("trig", "lists", lambda: prefixed(2000, 900, b"( ", b" )")),
    ("json-ld", "155,000 values", lambda: b'{"urn:p":%s}' % values(155_000)),
]


@pytest.mark.parametrize(
    ("format", "name", "make"), READ, ids=[f"{each[0]}-{each[1]}" for each in READ]
)
def test_what_is_not_that_bad_is_read(
    format: str, name: str, make: Callable[[], bytes], tmp_path: Path
) -> None:
    path = write_pieces(tmp_path / "input", [make()])
    [report] = read_hostile(["isolated"], format, path).values()
    assert report.error is None, report
    assert report.result > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ATTACKS if ATTACKS[name].format in PARSED])
def test_an_attack_in_isolation(name: str, tmp_path: Path) -> None:
    """Valid input is read within the default limits, except input with too many prefixes."""
    path = tmp_path / "input"
    ATTACKS[name].write(path, 3 * MIB if name == "turtle prefixes" else MIB)
    [report] = read_hostile(["isolated"], ATTACKS[name].format, path).values()
    assert report.error == ("LimitError" if name == "turtle prefixes" else None), report
    assert report.children < Limits().max_parser_memory + PYTHON

"""Texts of Turtle, RDF/XML, JSON-LD and the like that take much memory or time, or crash a parser.

In a child process they are read within its limits or refused, and this process takes no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from jelly_rdflib import Limits
from tests.formats.syntaxes.support import ISOLATED, PARSED
from tests.hostile.attacks import ATTACKS, MIB
from tests.hostile.support import read_hostile, write_pieces

pytestmark = ISOLATED

XML_HEAD = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:%s#"%s>\n'
)
XML_END = b"</rdf:RDF>"


def long(size: int) -> bytes:
    return b"x" * size


def quoted(levels: int, size: int) -> bytes:
    """A statement with quoted triples in each other, and an IRI of a size in each."""
    start = b"<<( <urn:%s> <urn:p> " % long(size)
    return b"<urn:s> <urn:p> " + start * levels + b"1" + b" )>>" * levels + b" .\n"


def prefixed(size: int, levels: int, start: bytes, end: bytes, more: bytes = b"") -> bytes:
    """A prefix of a size, which is used at each level."""
    return (
        b"@prefix p: <urn:%s> .\n" % long(size) + more + b"p:s p:p "
        + start * levels + b"p:o" + end * levels + b" .\n"
    )  # fmt: skip


def bases(count: int) -> bytes:
    """Each base is relative to the one before, and longer."""
    return b"@base <urn:a/> .\n" + b"@base <bcdefghi/> .\n" * count


def many_prefixes(count: int, size: int) -> Iterable[bytes]:
    for number in range(count):
        yield b"@prefix p%d: <urn:%s> .\n<urn:s> <urn:p> 1 .\n" % (number, long(size))


def xml(content: bytes, size: int = 1, more: bytes = b"") -> bytes:
    """A document with a namespace of a size."""
    return XML_HEAD % (long(size), more) + content + XML_END


def xml_nested(levels: int) -> bytes:
    start, end = b"<rdf:Description><p:p>", b"</p:p></rdf:Description>"
    return start * levels + b"x" + end * levels


def xml_property(kind: bytes, content: bytes) -> bytes:
    start = b"<rdf:Description><p:p rdf:parseType='%s'>" % kind
    return start + content + b"</p:p></rdf:Description>"


def xml_attributes(count: int) -> bytes:
    return b"<rdf:Description %s/>" % b" ".join(b"p:p%d=''" % n for n in range(count))


def identifiers(count: int) -> bytes:
    return b"".join(b"<p:T rdf:ID='i%d'/>" % number for number in range(count))


def values(count: int, value: bytes = b"1") -> bytes:
    return b"[%s]" % b",".join([value] * count)


def in_context(definition: bytes, content: bytes) -> bytes:
    return b'{"@context":{%s},"urn:p":%s}' % (definition, content)


def definitions(count: int) -> bytes:
    return b",".join(b'"t%d":"urn:%d"' % (number, number) for number in range(count))


def chained(count: int, size: int) -> bytes:
    """Definitions that each continue the one before."""
    rest = (b'"t%d":"t%d:%s"' % (n, n - 1, long(size)) for n in range(1, count))
    return b'"t0":"urn:a",' + b",".join(rest)


def referring(count: int, start: bytes) -> bytes:
    """Definitions that each refer to the one before, which the parser makes first."""
    rest = (b'"t%d":%s' % (n, start % (n - 1)) for n in range(count - 1, 0, -1))
    return b",".join(rest) + b',"t0":"urn:a"'


def scoped(count: int) -> bytes:
    """Definitions with a context in each."""
    one = b'"t%d":{"@id":"urn:%d","@context":{"x":"urn:x"}}'
    return b",".join(one % (number, number) for number in range(count))


def typed(terms: bytes, types: Iterable[bytes]) -> bytes:
    return b'{"@context":{%s},"@type":[%s]}' % (terms, b",".join(b'"%s"' % each for each in types))


def containing(container: bytes, content: bytes) -> bytes:
    return b'{"@context":{%s},"a":%s}' % (CONTAINER % container, content)


def json_nested(levels: int, start: bytes, content: bytes) -> bytes:
    return (b"{" + start + b'"urn:p":') * levels + content + b"}" * levels


# What a process has besides what its limit is for: the code that is shared with others.
PYTHON = 100_000_000

CONTEXT = b'"@context":{"a":"urn:a"},'
CONTAINER = b'"a":{"@id":"urn:a","@container":"%s"}'
LONG = b'"p":"urn:%s/"'
OF_A_TERM = b'{"@context":{"t":{"@id":"urn:t","@context":{%s}}},"t":%s}'
SCOPED = b',"t":{"@id":"urn:t","@context":{"x":"urn:x"}}'

HOSTILE: list[tuple[str, str, Callable[[], bytes | Iterable[bytes]]]] = [
    ("turtle", "10 MB, deep", lambda: quoted(999, 10_000)),
    ("trig", "100,000 levels", lambda: quoted(100_000, 1)),
    ("turtle", "15 MB", lambda: quoted(99, 150_000)),
    ("trig", "15 MB", lambda: quoted(99, 150_000)),
    *(
        (format, f"a prefix of {size}, quoted", lambda size=size: prefixed(
            size, 99, b"<<( p:a p:b ", b" )>>"
        ))
        for format in ("turtle", "trig")
        for size in (100_000, MIB)
    ),
    *(
        (format, "a prefix of 1 MB, blank nodes", lambda: prefixed(
            MIB, 400, b"[ p:p ", b" ]"
        ))
        for format in ("turtle", "trig", "n3")
    ),
    ("turtle", "the same of a base", lambda: prefixed(
        1, 400, b"[ <p> ", b" ]", b"@base <urn:%s/> .\n" % long(MIB)
    )),
    ("n3", "formulas", lambda: prefixed(MIB, 400, b"{ p:s p:p ", b" }")),
    ("turtle", "long prefixes", lambda: many_prefixes(100, MIB)),
    ("turtle", "bases that grow", lambda: bases(100_000)),
    ("turtle", "a prefix of 500 kB, and objects", lambda: prefixed(
        500_000, 100_000, b"1,", b""
    )),
    ("rdf-xml", "a namespace of 1 MB", lambda: xml(xml_nested(400), MIB)),
    ("rdf-xml", "its attributes", lambda: xml(xml_attributes(1000), MIB)),
    ("rdf-xml", "a collection", lambda: xml(
        xml_property(b"Collection", b"<rdf:Description/>" * 800_000)
    )),
    ("rdf-xml", "a collection with statements", lambda: xml(
        xml_property(b"Collection", b"<p:T/>" * 2_000_000)
    )),
    ("rdf-xml", "identifiers", lambda: xml(
        identifiers(400_000), 1, b" xml:base='urn:a'"
    )),
    ("rdf-xml", "identifiers with a long base", lambda: xml(
        identifiers(400), 1, b" xml:base='urn:%s'" % long(MIB)
    )),
    ("rdf-xml", "namespaces in a literal", lambda: xml(
        xml_property(b"Literal", b"<a/>" * 10_000), 100_000
    )),
    ("json-ld", "3,000 values of a long prefix", lambda: in_context(
        LONG % long(100_000), values(3000, b'{"@id":"p:a"}')
    )),
    ("json-ld", "the same, with the context behind", lambda: b'{"p:a":%s,%s' % (
        values(3000), in_context(LONG % long(100_000), b"1")[1:]
    )),
    ("json-ld", "3,000 statements on a long subject", lambda: (
        b'{"@id":"urn:%s","urn:p":%s}' % (long(100_000), values(3000))
    )),
    ("json-ld", "nested contexts", lambda: json_nested(
        100, CONTEXT, in_context(definitions(10_000), b"1")
    ).replace(CONTEXT, CONTEXT[:-2] + b"," + definitions(10_000) + b"},", 1)),
    ("json-ld", "definitions that continue each other", lambda: in_context(
        chained(60, 100_000), b"1"
    )),
    ("json-ld", "3 million values", lambda: b'{"urn:p":%s}' % values(3_000_000)),
    ("json-ld", "values in 60 objects", lambda: json_nested(
        60, b"", values(50_000)
    )),
    ("json-ld", "lists in lists", lambda: containing(
        b"@list", values(430_000, b"[[]]")
    )),
    ("json-ld", "lists in lists in a graph with a long name", lambda: (
        b'{"@context":{%s},"@id":"urn:%s","@graph":[{"a":%s}]}' % (
            CONTAINER % b"@list", long(3000), values(50_000, b"[[]]")
        )
    )),
    ("json-ld", "properties with empty lists", lambda: (
        b'{"@context":{%s},"@id":"urn:%s","@graph":[{%s}]}' % (
            CONTAINER % b"@list", long(10_000), b",".join([b'"a":[]'] * 20_000)
        )
    )),
    ("json-ld", "graphs in graphs", lambda: containing(
        b"@graph", values(69_000, b'{"a":{}}')
    )),
    ("json-ld", "objects that copy a context", lambda: in_context(
        definitions(5000), values(5000, b'{"@context":{"a":"urn:a"}}')
    )),
    ("json-ld", "objects that make a context anew", lambda: OF_A_TERM % (
        definitions(3000), values(12_000, b"{}")
    )),
    ("json-ld", "the same of numbers in a list", lambda: OF_A_TERM % (
        definitions(3000), b'{"@list":%s}' % values(12_000)
    )),
    ("json-ld", "types that make a context anew", lambda: typed(
        definitions(1000) + SCOPED, [b"t"] * 4000
    )),
    ("json-ld", "the same, with the context behind", lambda: (
        b'{"@type":%s,"@context":{%s}}' % (values(4000, b'"t"'), definitions(1000) + SCOPED)
    )),
    ("json-ld", "2,000 types with a context each", lambda: typed(
        scoped(2000), [b"t%d" % number for number in range(2000)]
    )),
    ("json-ld", "4,000 contexts in a context", lambda: in_context(scoped(4000), b"1")),
    ("json-ld", "contexts that are null", lambda: in_context(
        definitions(5000), values(5000, b'{"@context":null}')
    )),
    ("json-ld", "protected definitions", lambda: in_context(
        b'"@protected":true,' + definitions(1000), values(4000, b'{"@context":null}')
    )),
    ("json-ld", "the same, scoped", lambda: OF_A_TERM.replace(
        b'{"t"', b'{"@protected":true,%s,"t"' % definitions(1000)
    ).replace(b"{%s}", b"%s") % (values(60, b"null"), values(300))),
    ("json-ld", "long types that are wrong", lambda: OF_A_TERM % (
        b",".join(b'"t%d":{"@type":"a b%s"}' % (n, long(10_000)) for n in range(100)),
        values(400),
    )),
    ("json-ld", "wrong types with a long prefix", lambda: in_context(
        LONG % long(100_000), values(100, b'{"@context":{%s}}' % b",".join(
            b'"t%d":{"@type":"p:a b"}' % number for number in range(50)
        ))
    )),
    *(
        ("json-ld", name, lambda start=start: in_context(
            referring(15_000, start), b"1"
        ))
        for name, start in (
            ("definitions that refer to each other", b'"t%d:"'),
            ("definitions whose types are others", b'{"@id":"urn:x","@type":"t%d"}'),
        )
    ),
    ("rdf-xml", "100,000 attributes", lambda: xml(xml_attributes(100_000))),
    ("rdf-xml", "10,000 namespaces", lambda: xml(
        b"<p:T/>" * 40_000, 1, b"".join(b" xmlns:a%d='urn:a'" % n for n in range(10_000))
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
    ("turtle", "quoted triples of 11 MB", lambda: quoted(90, 122_000)),
    ("turtle", "a quoted string of 6 MB", lambda: (
        b"<urn:s> <urn:p> <<( <urn:s> <urn:p> '%s' )>> .\n" % long(6_000_000)
    )),
    ("turtle", "quoted triples with a prefix", lambda: prefixed(
        50_000, 99, b"<<( p:a p:b ", b" )>>"
    )),
    ("turtle", "900 levels of blank nodes", lambda: prefixed(2000, 900, b"[ p:p ", b" ]")),
    ("trig", "lists", lambda: prefixed(2000, 900, b"( ", b" )")),
    ("rdf-xml", "400 levels of a namespace", lambda: xml(xml_nested(400), 10_000)),
    ("rdf-xml", "a collection of 60,000", lambda: xml(
        xml_property(b"Collection", b"<p:T/>" * 60_000)
    )),
    ("rdf-xml", "250,000 identifiers", lambda: xml(identifiers(250_000), 1, b" xml:base='urn:a'")),
    ("json-ld", "155,000 values", lambda: b'{"urn:p":%s}' % values(155_000)),
    ("json-ld", "a list", lambda: b'{"urn:p":{"@list":%s}}' % values(130_000)),
    ("json-ld", "lists in a list", lambda: containing(b"@list", values(60_000, b"[[]]"))),
    ("json-ld", "graphs in a container", lambda: containing(b"@graph", values(75_000, b"{}"))),
    ("json-ld", "references", lambda: in_context(
        LONG % long(100), values(30_000, b'{"@id":"p:a"}')
    )),
    ("json-ld", "30,000 definitions", lambda: in_context(definitions(30_000), b"1")),
    ("json-ld", "a context in each of 1,000 objects", lambda: in_context(
        definitions(500), values(1000, b'{"@context":{"a":"urn:a"},"a":1}')
    )),
    ("json-ld", "1,000 nodes with types that have contexts", lambda: (
        b'{"@context":{%s},"@graph":%s}' % (
            definitions(100) + SCOPED,
            values(1000, b'{"@id":"urn:a","@type":"t","x":["a","t0"],"t1":{"@type":"t","x":1}}'),
        )
    )),
    ("json-ld", "500 properties with contexts", lambda: b'{"@context":{%s},%s}' % (
        scoped(500), b",".join(b'"t%d":{"x":1}' % number for number in range(500))
    )),
    ("json-ld", "chains of 64 definitions", lambda: in_context(
        referring(64, b'"t%d:"') + b"," + definitions(20_000).replace(b'"t', b'"u'), b"1"
    )),
]  # fmt: skip


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
    """Input that breaks no rule is read within the default limits; one has too many prefixes."""
    path = tmp_path / "input"
    ATTACKS[name].write(path, 3 * MIB if name == "turtle prefixes" else MIB)
    [report] = read_hostile(["isolated"], ATTACKS[name].format, path).values()
    assert report.error == ("LimitError" if name == "turtle prefixes" else None), report
    assert report.children < Limits().max_parser_memory + PYTHON

"""Tests hostile texts that are deep, long or endless: memory is limited, and freed."""

import itertools
from collections.abc import Callable

import pytest
from rdflib import URIRef

import jelly_rdflib as jr
from jelly_rdflib.formats.syntaxes.reader import SyntaxInput
from tests.formats.syntaxes.support import (
    ALL,
    ISOLATED,
    LINES,
    attempt,
    batches_of,
    literal,
    read,
    write,
    write_batches,
)
from tests.formats.syntaxes.test_reader import SAMPLES, O, P, S
from tests.formats.syntaxes.texts import HEAD
from tests.pieces import Chunks, Pieces
from tests.support import assert_nothing_is_kept, run


def nested(depth: int) -> str:
    return f"<urn:s> <urn:p> {'<<( <urn:s> <urn:p> ' * depth}<urn:o>{' )>>' * depth} ."


@pytest.mark.usefixtures("isolated")
class TestNesting:
    @pytest.mark.parametrize("format", ["n-quads", "turtle"])
    def test_quoted_triples(self, format: str) -> None:
        limits = jr.Limits(max_nesting_depth=5)
        assert len(read(nested(5), format, limits=limits)) == 1
        _, error = attempt(nested(6), format, limits=limits)
        assert isinstance(error, jr.LimitError)
        assert "max_nesting_depth" in str(error)
        limits = jr.Limits(max_nesting_depth=1000)
        text = nested(1000).encode()
        [(_, _, o, *_)] = jr.read_statements(text, format=format, limits=limits)
        for _ in range(1000):
            o = o.o
        assert o == URIRef("urn:o")

    def test_what_comes_before_is_read_and_the_place_is_told(self) -> None:
        text = "<urn:s> <urn:p> <urn:o> .\n" * 5
        for format in ("n-triples", "turtle"):
            deep = text + nested(101)
            found, error = attempt(deep, format)
            assert found == [(S, P, O)] * 5
            assert isinstance(error, jr.LimitError)
            # pyoxigraph does not report the position of a statement.
            start = deep.rindex("\n") + len("\n<urn:s> <urn:p> ")
            in_line = start + 100 * len("<<( <urn:s> <urn:p> ")
            assert error.offset == (in_line if format in LINES else len(deep))
            found, error = attempt(text * 2, format, limits=jr.Limits(max_string_size=4))
            assert isinstance(error, jr.LimitError)
            assert error.offset is not None


class Endless:
    """A source with a start that is followed by the same bytes, repeated endlessly."""

    def __init__(self, start: str, more: str) -> None:
        self.left = start.encode()
        self.more = more.encode() * (1 + (1 << 16) // len(more.encode()))
        self.given = 0

    def read(self, size: int) -> bytes:
        if not self.left:
            self.left = self.more
        data, self.left = self.left[:size], self.left[size:]
        self.given += len(data)
        return data


@pytest.mark.usefixtures("isolated")
class TestSizes:
    @pytest.mark.parametrize(
        ("format", "start", "more"),
        [
            ("n-quads", '<urn:s> <urn:p> "', "x"),
            ("n-quads", "#", "x"),
            ("turtle", "#", "x"),
            ("turtle", "", "@prefix a: <urn:a> .\n"),
            ("rdf-xml", HEAD, " "),
            ("rdf-xml", HEAD + "<rdf:Description><ex:p>", "x"),
            ("json-ld", '{"urn:p": "', "x"),
            ("json-ld", "[", "{}, "),
        ],
    )
    def test_what_makes_no_statement_has_an_end(self, format: str, start: str, more: str) -> None:
        source = Endless(start, more)
        _, error = attempt(source, format, limits=jr.Limits(max_frame_size=1 << 20))
        assert isinstance(error, jr.LimitError)
        assert "max_frame_size" in str(error)
        assert source.given < 1 << 21

    def test_long_strings(self) -> None:
        for format in ALL:
            text = write([(S, P, literal("x" * 20_000))], format)
            assert len(read(text, format)) == 1
            _, error = attempt(text, format, limits=jr.Limits(max_string_size=10_000))
            assert isinstance(error, jr.LimitError)
            assert "max_string_size" in str(error)
            _, error = attempt(text, format, limits=jr.Limits(max_text_size=10_000))
            assert isinstance(error, jr.LimitError)
            assert "max_text_size" in str(error)

    def test_very_long_tokens(self) -> None:
        """These tokens exceed the limit of pyoxigraph's parsers."""
        text = '<urn:s> <urn:p> "' + "x" * (17 << 20) + '" .'
        found, error = attempt("<urn:s> <urn:p> 'x' .\n" + text, "turtle")
        assert len(found) == 1
        assert isinstance(error, jr.LimitError)
        assert "16 MiB (after 1 statements" in str(error)


TOKENS = {
    "name": ("turtle", "@prefix ex: <urn:> . ex:s ex:p ex:{} ."),
    "long string": ("turtle", "<urn:s> <urn:p> '''{}''' ."),
    "string of JSON": ("json-ld", '{{"urn:p": "{}"}}'),
}


class TestPieces:
    """A parser restarts an incomplete token each time it receives more text."""

    @pytest.mark.parametrize("name", TOKENS)
    def test_a_long_token_in_pieces_is_gone_through_as_often_as_in_one(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        format, text = TOKENS[name]
        data = text.format("1" * 300_000).encode()
        given: list[int] = []
        read_more = SyntaxInput.read

        def note(self: SyntaxInput, size: int) -> bytes:
            more = read_more(self, size)
            given.append(len(more))
            return more

        def work(size: int) -> int:
            """Return how many bytes a parser reads if it always restarts from the first byte."""
            given.clear()
            assert len(read(Pieces(data, size), format)) == 1
            assert sum(given) == len(data)
            return sum(itertools.accumulate(given))

        monkeypatch.setattr(SyntaxInput, "read", note)
        whole = work(len(data))
        assert all(work(size) < 1.5 * whole for size in (100, 1460, 8192))

    @pytest.mark.usefixtures("isolated")
    def test_a_statement_that_is_whole_does_not_wait(self) -> None:
        """A complete statement is returned at once, although the parts of a long token are not."""
        line = '<urn:s> <urn:p> "{}" .\n'
        long = line.format("x" * 50_000)
        parts = [line.format(1) * 3, long[:5000], long[5000:5010], long[5010:], line.format(2)]
        parts += [long[:3000], long[3000:] + line.format(3), "#" * 2000]
        source = Chunks(part.encode() for part in parts)
        found = [(len(batch), source.asked) for batch in jr.read_batches(source, format="nt")]
        assert found == [(3, 2), (1, 5), (1, 6), (2, 8)]


MEMORY = """
import io, sys
import jelly_rdflib as jr

format, start, line, end, how = sys.argv[1:]

class Source:
    def __init__(self, megabytes):
        self.parts = self.generate(megabytes)
    def generate(self, megabytes):
        yield start.encode()
        piece = (line * (65536 // len(line))).encode()
        for i in range(megabytes * 16):
            # Not the same terms again and again.
            yield piece.replace(b"@", b"%d" % i)
        yield end.encode()
    def read(self, size):
        return next(self.parts, b"")

class Nowhere:
    size = 0
    def write(self, data):
        self.size += len(data)

def work(megabytes):
    if how != "write":
        rows = 0
        source = Source(megabytes)
        for batch in jr.read_batches(source, format=format, isolated=how == "isolated"):
            rows += len(batch)
        assert rows > megabytes * 1000, rows
    else:
        target = Nowhere()
        with jr.StatementWriter(target, format=format) as writer:
            for batch in jr.read_batches(Source(megabytes), format="nq"):
                writer.write_all(batch)
        assert target.size > megabytes << 18

work(2)
before = peak()
work(10)
print((peak() - before) >> 10)
"""

LINE = '<http://e.org/@> <http://e.org/p> "some text @" .\n'
MANY = {
    "n-quads": ("", LINE, ""),
    "turtle": ("", "<http://e.org/@> <http://e.org/p> [ <http://e.org/q> 'some text @' ] .\n", ""),
    "json-ld": ("[{}", ',{"@id":"http://e.org/@","urn:p":"some text @"}\n', "]"),
}


@pytest.mark.parametrize(
    ("format", "how"),
    [
        *[(format, "read") for format in MANY],
        pytest.param("turtle", "isolated", marks=ISOLATED),
    ],
)
def test_memory_to_read_is_bounded(format: str, how: str) -> None:
    """The size of the text does not affect memory: 10 MB need no more memory than 2 MB."""
    assert int(run(MEMORY, format, *MANY[format], how)) < 4 << 10


@pytest.mark.parametrize("format", ["n-quads", "trig", "rdf-xml"])
def test_memory_to_write_is_bounded(format: str) -> None:
    assert int(run(MEMORY, format, "", LINE, "", "write")) < 4 << 10


KINDS = ("n-quads", "turtle", "rdf-xml")


def read_all() -> None:
    for format in KINDS:
        data = SAMPLES[format]
        read(data, format)
        read(Pieces(data, 5), format)
        reader = jr.read_batches(data, format=format)
        next(reader)
        del reader


STATEMENTS = [(S, P, O), (("bnode", "b"), P, literal("x" * 500, "en")), (S, P, ("triple", S, P, O))]
BATCHES = list(batches_of(STATEMENTS[:2]))


def write_all() -> None:
    for format in KINDS:
        write(STATEMENTS[:2], format)
        write_batches(BATCHES, format)


@pytest.mark.parametrize("work", [read_all, write_all])
def test_nothing_is_kept(work: Callable[[], None]) -> None:
    assert_nothing_is_kept(work)

"""Tests literals whose values could take unlimited time, memory or stack in rdflib."""

import random
import warnings
import xml.parsers.expat
from collections.abc import Callable
from typing import Any

import html5rdf
import pytest
from hypothesis import given
from rdflib import Dataset, Literal, URIRef
from rdflib.namespace import RDF, XSD

import jelly_rdflib as jr
from tests import strategies
from tests.oracle import build as b

MAX_DEPTH = 100
TAGS_PER_LITERAL = 10


def stream(*texts: str, datatype: URIRef = RDF.XMLLiteral) -> bytes:
    rows = (b.add(b.iri(0, 1), b.iri(0, 1), b.literal(text, datatype=1)) for text in texts)
    head = [b.options(), b.name("urn:p"), b.datatype(str(datatype))]
    return b.stream(head, list(rows))


def read(data: bytes, **arguments: Any) -> list[Literal]:
    return [
        operation[3]
        for operation in jr.read_operations(data, **arguments)
        if operation[0] == jr.Op.A
    ]


def read_one(text: str, datatype: URIRef = RDF.XMLLiteral, **arguments: Any) -> Literal:
    [literal] = read(stream(text, datatype=datatype), **arguments)
    assert literal.datatype == datatype
    return literal


def nested(depth: int) -> str:
    return "<a>" * depth + "</a>" * depth


class TestDepth:
    @pytest.mark.parametrize("normalize", [True, False])
    def test_elements_nest_a_hundred_levels(self, normalize: bool) -> None:
        allowed = read_one(nested(MAX_DEPTH), normalize=normalize)
        assert allowed.value is not None
        assert allowed.ill_typed is False
        deeper = read_one(nested(MAX_DEPTH + 1), normalize=normalize)
        assert str(deeper) == nested(MAX_DEPTH + 1)
        assert deeper.value is None
        assert deeper.ill_typed is None

    def test_what_is_too_deep_is_equal_to_what_rdflib_makes(self) -> None:
        text = nested(MAX_DEPTH + 1)
        made = Literal(text, datatype=RDF.XMLLiteral, normalize=False)
        assert made.value is not None
        literal = read_one(text, normalize=False)
        assert literal == made
        assert hash(literal) == hash(made)

    @pytest.mark.parametrize(
        "use",
        [
            lambda data: read(data, normalize=True),
            lambda data: read(data, normalize=False),
            lambda data: jr.apply(data, Dataset()),
            lambda data: Dataset().parse(data=data, format="jelly-patch"),
        ],
        ids=["normalized", "as they are", "apply", "parse"],
    )
    @pytest.mark.parametrize("depth", [*range(850, 1010, 8), 60_000])
    def test_no_depth_is_an_error(self, use: Callable[[bytes], object], depth: int) -> None:
        """Near Python's recursion limit, rdflib could make a tree too deep to traverse."""
        use(stream(nested(depth)))

    @given(strategies.dice)
    def test_depth_is_that_of_an_xml_parser(self, rng: random.Random) -> None:
        text = _some_xml(rng, rng.randint(MAX_DEPTH - 2, MAX_DEPTH + 3))
        assert (read_one(text).value is None) == (_depth(text) > MAX_DEPTH)

    @pytest.mark.parametrize(
        "text",
        [
            *("<", "</", "<>", "</>", "<a", "<a b", "<a b='", "<a b='>'", "<a/", "<a'>", "<é"),
            *("<!", "<!--", "<!-- -", "<?", "<![CDATA[", "<![CDATA[ ]]"),
            "</a>" * 200,
            "<a>" * 50,
        ],
    )
    def test_what_is_not_well_formed_has_no_value(self, text: str) -> None:
        literal = read_one(text)
        assert str(literal) == text
        assert literal.value is None


def _some_xml(rng: random.Random, depth: int) -> str:
    """Return XML that is nested `depth` levels deep, with text that only looks like tags."""
    between = ["", "x", "<b/>", "<b c='/>'/>", '<b c="/a>"></b>', "<!-- <a> </a> <a -->", "é>"]
    between += [
        "<![CDATA[</a><a>]]>",
        "<?p </a> ?>",
        "<b>" * 3 + "</b>" * 3,
        "<b d='\"' />",
        "&lt;",
    ]
    starts = ["<a>", "<a b='/'>", '<a b=">">', "<a\n>", "<a b='\"/>' >"]
    text = ""
    for _ in range(depth):
        text += rng.choice(between) + rng.choice(starts)
    for _ in range(depth):
        text += rng.choice(between) + "</a>" + rng.choice(between)
    return text


def _depth(text: str) -> int:
    depth = deepest = -1

    def start(name: str, attributes: Any) -> None:
        nonlocal depth, deepest
        depth += 1
        deepest = max(depth, deepest)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.Parse(f"<x>{text}</x>", True)
    return deepest


class TestHtml:
    @pytest.mark.parametrize("normalize", [True, False])
    def test_a_reader_makes_no_tree(self, normalize: bool) -> None:
        text = "<p>x<br>y</P>"
        assert Literal("<p>x</p>", datatype=RDF.HTML).value is not None, html5rdf.__version__
        literal = read_one(text, RDF.HTML, normalize=normalize)
        assert str(literal) == text
        assert literal.value is None
        assert literal.ill_typed is None

    def test_what_takes_a_parser_of_html_long_takes_no_time(self) -> None:
        """A parser would need hours, because each paragraph reopens the formatting elements."""
        text = "<b id=i>" * 40_000 + "<p>x" * 40_000
        assert str(read_one(text, RDF.HTML)) == text


class TestCosts:
    def test_each_xml_literal_counts_beside_its_tags(self) -> None:
        texts = [str(number) for number in range(8)]
        most = TAGS_PER_LITERAL * len(texts)
        assert len(read(stream(*texts), limits=jr.Limits(max_xml_tags=most))) == len(texts)
        for text in (*texts[:1], "<a/>"):
            limits = jr.Limits(max_xml_tags=most - 1 + ("<" in text))
            with pytest.raises(jr.LimitError, match="max_xml_tags"):
                read(stream(text, *texts[1:]), limits=limits)

    @pytest.mark.parametrize(
        ("datatype", "text"),
        [
            (XSD.duration, "P{}D"),
            (XSD.dayTimeDuration, "PT{}S"),
            (XSD.yearMonthDuration, "P{}Y"),
        ],
    )
    def test_a_duration_counts_twice_as_one_of_rdflibs_terms(
        self, datatype: URIRef, text: str
    ) -> None:
        data = stream(*(text.format(number) for number in range(1, 9)), datatype=datatype)
        # The terms are the subject, the datatype, and the durations.
        assert len(read(data, limits=jr.Limits(max_frame_terms=2 + 2 * 8))) == 8
        limits = jr.Limits(max_frame_terms=1 + 2 * 8)
        with pytest.raises(jr.LimitError, match="limit max_frame_terms"):
            read(data, limits=limits)
        assert sum(map(len, jr.read_batches(data, limits=limits))) == 9
        others = stream(*(f"{number}" for number in range(1, 9)), datatype=XSD.integer)
        assert len(read(others, limits=limits)) == 8


@pytest.mark.parametrize("lexical", ["-P1Y1D", "P" + "9" * 29 + "Y"])
@pytest.mark.parametrize("datatype", ["duration", "yearMonthDuration"])
@pytest.mark.parametrize("normalize", [None, True, False])
def test_what_rdflib_can_not_spell_is_left_as_text(
    lexical: str, datatype: str, normalize: bool | None
) -> None:
    """rdflib raises a ValueError or decimal's InvalidOperation for some durations."""
    row = f'A <urn:s> <urn:p> "{lexical}"^^<http://www.w3.org/2001/XMLSchema#{datatype}> .'
    options = {} if normalize is None else {"normalize": normalize}
    [operation, _] = jr.read_operations(row.encode(), format="rdf-patch", **options)
    assert str(operation[3]) == lexical
    dataset = Dataset()
    jr.apply(row.encode(), dataset)
    assert len(dataset) == 1


def test_of_odd_booleans_one_warning_is_kept() -> None:
    """Python keeps each distinct text of a warning, so all warnings have the same text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", "Parsing weird boolean")
        read(stream(*(f"{number}" for number in range(2, 50)), datatype=XSD.boolean))
    assert len({str(each.message) for each in caught}) == 1

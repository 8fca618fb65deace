"""Tests that errors of the parser plugins are also rdflib's own errors."""

import io
import pickle
from typing import Any

import pytest
from rdflib import Dataset, Graph, Literal, URIRef
from rdflib.exceptions import ParserError

import jelly_rdflib as jr
from jelly_rdflib.plugins.parser_errors import raising_parser_errors

S, P, G = URIRef("urn:s"), URIRef("urn:p"), URIRef("urn:g")
OURS = ["jelly-rdf", "jelly-patch", "rdf-patch", "rdf-patch-thrift"]
TEXTS = ["nt", "nquads", "turtle", "trig"]


def caught(kind: type[Exception], data: Any, format: str, store: str, **settings: Any) -> Any:
    with pytest.raises(kind) as info:
        Dataset(store=store).parse(data=data, format=format, **settings)
    return info.value


@pytest.mark.parametrize(
    ("format", "store"), [(name, store) for name in OURS for store in ("default", "Jelly")]
    + [(name, "Jelly") for name in TEXTS],
)  # fmt: skip
def test_broken_input_is_an_error_of_rdflib_too(format: str, store: str) -> None:
    error = caught(ParserError, b"<urn:s> oh no", format, store)
    assert isinstance(error, jr.DecodeError)
    assert not isinstance(error, jr.LimitError)
    assert error.msg == str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.msg) == (type(error), str(error), error.msg)


def test_place_traceback_and_cause_stay() -> None:
    def parse() -> None:
        try:
            raise KeyError("the cause")
        except KeyError as error:
            raise jr.DecodeError("broken", offset=5, line=2) from error

    with pytest.raises(ParserError) as info, raising_parser_errors():
        parse()
    error: Any = info.value
    assert (error.message, error.offset, error.line) == ("broken", 5, 2)
    assert str(error) == error.msg == "broken (line 2, byte 5)"
    assert info.traceback[-1].name == "parse"
    assert isinstance(error.__cause__, KeyError)


def test_limit_is_an_error_of_rdflib_too() -> None:
    text = '<urn:s> <urn:p> "abc" .'
    settings = {"limits": jr.Limits(max_string_size=2)}
    for data, format in ((text, "nt"), (f"A {text}", "rdf-patch")):
        assert isinstance(caught(ParserError, data, format, "Jelly", **settings), jr.LimitError)


def test_what_the_target_can_not_hold_is_an_error_of_rdflib_too() -> None:
    file = io.BytesIO()
    with jr.StatementWriter(file) as writer:
        writer.add(S, P, Literal(1), G)
    with pytest.raises(ParserError) as info:
        Graph().parse(data=file.getvalue(), format="jelly-rdf")
    assert isinstance(info.value, jr.ApplyError)


@pytest.mark.parametrize("kind", [jr.RollbackError, jr.RecordError, ValueError])
def test_errors_that_are_not_of_the_input_stay_what_they_are(kind: type[Exception]) -> None:
    with pytest.raises(kind) as info, raising_parser_errors():
        raise kind("not of the input")
    assert type(info.value) is kind


def test_errors_of_other_calls_stay_what_they_are() -> None:
    with pytest.raises(jr.DecodeError) as info:
        jr.apply(b"A oh", Graph())
    assert not isinstance(info.value, ParserError)
